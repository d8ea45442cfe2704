"""Floods reach the same nodes as a graph search, once; gaps are detected and repaired."""

from __future__ import annotations

from collections import Counter, deque
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.protocols.components.dissemination import (
    Digest,
    FloodMode,
    Publication,
    PublicationId,
    Pull,
)
from gossamer.protocols.contract import Deliver, Effect, Send, SetTimer
from tests.component_driver import DisseminatorDriver

TOPICS = st.sets(st.integers(0, 3)).map(lambda found: tuple(sorted(found)))


class Network:
    """Nodes on given links, and messages between them in order of sending."""

    def __init__(
        self,
        interests: list[tuple[int, ...]],
        links: set[tuple[int, int]],
        flood: FloodMode = "crosspost",
        **more: Any,
    ) -> None:
        self.interests = interests
        self.links = links
        self.delivered: list[tuple[int, int, bytes]] = []
        self.copies: list[tuple[int, int, Any]] = []
        self.missing: dict[int, int] = {}
        self.lost: set[int] = set()
        self.words: list[Any] = []
        self.lost_words: set[int] = set()
        self.queue: deque[tuple[int, int, Any]] = deque()
        self.parts = [
            DisseminatorDriver(node, partial(self.neighbours, node), flood=flood, **more)
            for node in range(len(interests))
        ]
        for node, part in enumerate(self.parts):
            part.start(node)
        for one, other in sorted(links):
            self.do(one, self.parts[one].on_link(other, 0))
            self.do(other, self.parts[other].on_link(one, 0))

    def neighbours(self, node: int, topic: Any) -> list[int]:
        ends = [pair for pair in sorted(self.links) if node in pair]
        others = [one if other == node else other for one, other in ends]
        return [other for other in others if topic in self.interests[other]]

    def do(self, node: int, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Send):
                self.queue.append((node, effect.peer, effect.message))  # type: ignore[arg-type]
            elif isinstance(effect, Deliver):
                self.delivered += [(node, t, effect.payload) for t in effect.topics]  # type: ignore[misc]
                self.missing[node] = sum(gap.last - gap.first + 1 for gap in effect.missing)
            else:
                assert isinstance(effect, SetTimer)

    def publish(self, node: int, topics: tuple[int, ...], payload: bytes) -> None:
        self.do(node, self.parts[node].on(self.interests[node]).publish(topics, payload, 0))

    def run(self, now: int = 0) -> None:
        while self.queue:
            source, target, message = self.queue.popleft()
            if isinstance(message, Publication):
                self.copies.append((source, target, message))
                if len(self.copies) in self.lost:
                    continue
            else:
                self.words.append(message)
                if len(self.words) in self.lost_words:
                    continue
            part, own = self.parts[target], self.interests[target]
            if isinstance(message, Publication):
                self.do(target, part.on(own).on_publication(source, message, now))
            elif isinstance(message, Digest):
                self.do(target, part.on(own).on_digest(source, message, now))
            else:
                assert isinstance(message, Pull)
                self.do(target, part.on_pull(source, message, 0))

    def repair(self, rounds: int = 8) -> None:
        for turn in range(rounds):
            for node, part in enumerate(self.parts):
                self.do(node, part.on(self.interests[node]).on_timer((turn + 1) * 2_000_000))
            self.run((turn + 1) * 2_000_000)


@st.composite
def networks(draw: st.DrawFn) -> tuple[list[tuple[int, ...]], set[tuple[int, int]]]:
    interests = draw(st.lists(TOPICS, min_size=1, max_size=7))
    nodes = len(interests)
    pairs = [(a, b) for a in range(nodes) for b in range(a + 1, nodes)]
    links = draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    return interests, links


def reached(
    interests: list[tuple[int, ...]], links: set[tuple[int, int]], start: int, tags: tuple[int, ...]
) -> dict[int, set[int]]:
    """Search the graph: topics of a joint flood on which each node is reached."""
    found = {start}
    todo = [start]
    while todo:
        node = todo.pop()
        for one, other in links:
            for near, far in ((one, other), (other, one)):
                common = set(tags) & set(interests[node]) & set(interests[far])
                if near == node and far not in found and common:
                    found.add(far)
                    todo.append(far)
    return {node: set(tags) & set(interests[node]) for node in found}


@given(networks(), st.data())
def test_crosspost_flood_sends_one_copy_a_link(
    network: tuple[list[tuple[int, ...]], set[tuple[int, int]]], data: st.DataObject
) -> None:
    interests, links = network
    start = data.draw(st.integers(0, len(interests) - 1))
    tags = interests[start]
    world = Network(interests, links)
    if not tags:
        return
    world.publish(start, tags, b"x")
    world.run()
    expected = reached(interests, links, start, tags)
    assert sorted(world.delivered) == sorted(
        (node, topic, b"x") for node, topics in expected.items() for topic in topics
    )
    directed = Counter((source, target) for source, target, _ in world.copies)
    assert all(count == 1 for count in directed.values()), "one copy a link, however many topics"


@given(networks(), st.data())
def test_simple_flood_sends_one_copy_a_topic(
    network: tuple[list[tuple[int, ...]], set[tuple[int, int]]], data: st.DataObject
) -> None:
    interests, links = network
    start = data.draw(st.integers(0, len(interests) - 1))
    tags = interests[start]
    if not tags:
        return
    simple, cross = Network(interests, links, "simple"), Network(interests, links)
    for world in (simple, cross):
        world.publish(start, tags, b"x")
        world.run()
    expected = sorted(
        (node, topic, b"x") for topic in tags for node in reached(interests, links, start, (topic,))
    )
    assert sorted(simple.delivered) == expected
    assert set(expected) <= set(cross.delivered)
    per_topic = Counter((source, target, copy.on) for source, target, copy in simple.copies)
    assert all(count == 1 for count in per_topic.values())
    if set(expected) == set(cross.delivered):
        # Not always fewer: who floods topics apart spares a sender on each of them.
        others = [(node, topic) for node, topic, _ in expected if node != start]
        spared = len(others) - len({node for node, _ in others})
        assert len(cross.copies) <= len(simple.copies) + spared


def test_crosspost_flood_may_send_more_copies() -> None:
    interests = [(0, 1), (1,), (0, 1), (0,)]
    links = {(0, 1), (0, 3), (1, 2), (2, 3)}
    copies = []
    for flood in ("crosspost", "simple"):
        world = Network(interests, links, flood)
        world.publish(0, (0, 1), b"x")
        world.run()
        copies.append(len(world.copies))
    assert copies == [5, 4], "node 2 gets it on both sides, and sends one copy on"


@pytest.mark.parametrize("flood", ["crosspost", "simple"])
@given(networks(), st.data())
def test_lost_publications_are_repaired_by_digests(
    flood: FloodMode,
    network: tuple[list[tuple[int, ...]], set[tuple[int, int]]],
    data: st.DataObject,
) -> None:
    """Copies are lost, and for some time digests and answers too."""
    interests, links = network
    start = data.draw(st.integers(0, len(interests) - 1))
    tags = interests[start]
    if not tags:
        return
    world = Network(interests, links, flood)
    world.lost = data.draw(st.sets(st.integers(1, 20)))
    world.lost_words = data.draw(st.sets(st.integers(1, 60)))
    sent = [b"a", b"b", b"c"]
    for payload in sent:
        world.publish(start, tags, payload)
    world.run()
    world.repair(4)
    world.lost = set()
    world.lost_words = set()
    world.repair()
    together = reached(interests, links, start, tags)
    expected = {
        (node, topic)
        for node, topics in together.items()
        for topic in topics
        if flood == "crosspost" or node in reached(interests, links, start, (topic,))
    }
    got = Counter((node, topic, payload) for node, topic, payload in world.delivered)
    assert set(got.values()) <= {1}, "each once"
    assert {(node, topic, payload) for node, topic in expected for payload in sent} <= set(got)
    possible = {(node, topic) for node, topics in together.items() for topic in topics}
    assert {(node, topic) for node, topic, _ in got} <= possible
    before = len(world.words)
    world.repair()
    assert len(world.words) == before, "when all is told, there is silence"


def test_gaps_are_detected_and_closed() -> None:
    world = Network([(0,), (0,)], {(0, 1)})
    world.publish(0, (0,), b"a")
    world.run()
    assert world.missing[1] == 0
    world.lost = {2, 3}
    for payload in (b"b", b"c", b"d"):
        world.publish(0, (0,), payload)
    world.run()
    assert world.missing[1] == 2, "two on this topic were passed over"
    world.lost = set()
    world.repair(2)
    assert world.missing[1] == 0
    assert [payload for node, _, payload in world.delivered if node == 1][-2:] in (
        [b"b", b"c"], [b"c", b"b"],
    )  # fmt: skip


def test_publications_before_the_join_are_not_missing() -> None:
    world = Network([(0,), (0,)], set(), history=3)
    for number in range(5):
        world.publish(0, (0,), b"%d" % number)
    world.run()
    world.links.add((0, 1))
    world.do(0, world.parts[0].on_link(1, 0))
    world.do(1, world.parts[1].on_link(0, 0))
    world.repair()
    got = [payload for node, _, payload in world.delivered if node == 1]
    assert sorted(got) == [b"2", b"3", b"4"], "the history has three"
    assert world.missing[1] == 0


def test_bounded_memory_delivers_nothing_twice() -> None:
    world = Network([(0,), (0,)], {(0, 1)}, memory=4, history=2)
    for number in range(20):
        world.publish(0, (0,), b"%d" % number)
        world.run()
    part = world.parts[1]
    assert len(part._seen) <= 4
    assert len(part._kept) <= 2
    assert len(world.delivered) == 40
    for source, target, copy in list(world.copies):
        world.queue.append((source, target, copy))
    world.run()
    assert len(world.delivered) == 40, "what was forgotten counts as known"


@pytest.mark.parametrize("history", [1, 1000])
def test_the_history_is_bounded_in_bytes(history: int) -> None:
    world = Network([(0,)], set(), history=history)
    for _ in range(30):
        world.publish(0, (0,), bytes(400_000))
    assert world.parts[0]._bytes <= 4 << 20
    assert len(world.parts[0]._kept) <= min(history, 10)


def test_inconsistent_publications_are_dropped() -> None:
    world = Network([(0,), (0,)], {(0, 1)})
    part = world.parts[1]
    odd = Publication(PublicationId(9, 0, 1), (0, 1), (1,), b"", 0)
    stray = Publication(PublicationId(9, 0, 1), (0,), (1,), b"", 0, on=7)
    assert part.on((0,)).on_publication(0, odd, 0) == []
    assert part.on((0,)).on_publication(0, stray, 0) == []
