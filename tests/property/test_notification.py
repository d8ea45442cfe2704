"""Notifications and pulls, also over nodes that carry topics without a subscription."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gossamer.protocols.components.dissemination import (
    Digest,
    Publication,
    PublicationId,
    Pull,
)
from gossamer.protocols.contract import Deliver, Send
from tests.component_driver import DisseminatorDriver
from tests.property.test_dissemination import TOPICS, Network

Case = tuple[list[tuple[int, ...]], list[tuple[int, ...]], set[tuple[int, int]]]


class Carrying(Network):
    """Nodes that subscribe to some topics and carry others."""

    def __init__(self, case: Case) -> None:
        interests, self.carried, links = case
        super().__init__(interests, set())
        self.parts = [
            DisseminatorDriver(
                node,
                partial(self.neighbours, node),
                flood="notify",
                carries=self.carried[node].__contains__,
            )
            for node in range(len(interests))
        ]
        for one, other in sorted(links):
            self.join(one, other)

    def join(self, one: int, other: int) -> None:
        self.links.add((one, other))
        self.do(one, self.parts[one].on_link(other, 0))
        self.do(other, self.parts[other].on_link(one, 0))

    def passes(self, node: int, topic: Any) -> bool:
        return topic in self.interests[node] or topic in self.carried[node]

    def neighbours(self, node: int, topic: Any) -> list[int]:
        ends = [pair for pair in sorted(self.links) if node in pair]
        others = [one if other == node else other for one, other in ends]
        return [other for other in others if self.passes(other, topic)]

    def reached(self, start: int, tags: tuple[int, ...]) -> set[int]:
        """Search the graph: the nodes reached from a node."""
        found = {start}
        while True:
            more = {
                far
                for pair in self.links
                for near, far in (pair, pair[::-1])
                if near in found and far not in found
                for topic in tags
                if self.passes(near, topic) and self.passes(far, topic)
            }
            if not more:
                return found
            found |= more


@st.composite
def cases(draw: st.DrawFn) -> Case:
    interests = draw(st.lists(TOPICS, min_size=1, max_size=7))
    nodes = len(interests)
    carried = draw(st.lists(TOPICS, min_size=nodes, max_size=nodes))
    pairs = [(a, b) for a in range(nodes) for b in range(a + 1, nodes)]
    links = draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    return interests, carried, links


@given(cases(), st.data())
def test_each_node_pulls_once_and_delivers(case: Case, data: st.DataObject) -> None:
    world = Carrying(case)
    start = data.draw(st.integers(0, len(world.interests) - 1))
    tags = world.interests[start]
    if not tags:
        return
    world.publish(start, tags, b"x")
    world.run()
    reached = world.reached(start, tags)
    assert sorted(world.delivered) == sorted(
        (node, topic, b"x") for node in reached for topic in tags if topic in world.interests[node]
    )
    came = Counter(target for _, target, _ in world.copies)
    assert came == dict.fromkeys(reached - {start}, 1), "relays too, and each once"
    before = len(world.words)
    world.repair(3)
    assert len(world.words) == before, "all was answered, so nobody is told again"


@given(cases(), st.data())
def test_lost_notifications_are_repeated(case: Case, data: st.DataObject) -> None:
    world = Carrying(case)
    start = data.draw(st.integers(0, len(world.interests) - 1))
    tags = world.interests[start]
    if not tags:
        return
    world.lost = data.draw(st.sets(st.integers(1, 20)))
    world.lost_words = data.draw(st.sets(st.integers(1, 60)))
    for payload in (b"a", b"b"):
        world.publish(start, tags, payload)
    world.run()
    world.repair(4)
    world.lost, world.lost_words = set(), set()
    world.repair(10)
    assert sorted(world.delivered) == sorted(
        (node, topic, payload)
        for node in world.reached(start, tags)
        for topic in tags
        if topic in world.interests[node]
        for payload in (b"a", b"b")
    )
    before = len(world.words)
    world.repair(3)
    assert len(world.words) == before, "when all is told, there is silence"


def test_later_carrier_forwards_stored_publications() -> None:
    """Two subscribers on both sides of a node with another topic."""
    world = Carrying(([(0,), (1,), (0,)], [(), (), ()], {(0, 1), (1, 2)}))
    world.publish(0, (0,), b"x")
    world.run()
    assert world.delivered == [(0, 0, b"x")]
    # Told of it by mistake, before it carries the topic: it does not count as had.
    one = PublicationId(0, 0, 1)
    (asked,) = world.parts[1].on((1,)).on_digest(0, Digest((one,)), 0)
    assert asked == Send(0, Pull((one,), ()))
    copy = Publication(one, (0,), (1,), b"x", 1)
    assert world.parts[1].on((1,)).on_publication(0, copy, 0) == []
    world.carried[1] = (0,)
    world.parts[1].part._carries = world.carried[1].__contains__
    for node in (0, 1):
        world.do(node, world.parts[node].on_neighbours_changed(0))
    world.repair(5)
    assert world.delivered == [(0, 0, b"x"), (2, 0, b"x")]


def test_other_notifiers_are_acknowledged_and_not_notified() -> None:
    part = DisseminatorDriver(9, lambda topic: [1, 2, 3], flood="notify")
    for peer in (1, 2, 3):
        part.on_link(peer, 0)
    one = PublicationId(7, 0, 1)
    assert part.on((0,)).on_digest(1, Digest((one,)), 5) == [Send(1, Pull((one,), ()))]
    assert part.on((0,)).on_digest(2, Digest((one,)), 6) == [], "it is asked for already"
    effects = part.on((0,)).on_publication(1, Publication(one, (0,), (1,), b"x", 1), 7)
    assert isinstance(effects[0], Deliver)
    sent = [effect for effect in effects if isinstance(effect, Send)]
    assert sent == [
        Send(1, Pull((), (one,))), Send(2, Pull((), (one,))), Send(3, Digest((one,))),
    ]  # fmt: skip
