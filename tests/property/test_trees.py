"""Trees: eager links form a spanning tree of each topic, and each publication arrives once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.design import find_algorithm
from gossamer.model import Interests, Overlay, Scenario
from gossamer.protocols.components.dissemination import Publication
from gossamer.protocols.contract import Deliver, Publish
from gossamer.quality import TopicGraphs
from gossamer.random_stream import Stream
from gossamer.sim import World, disseminate
from gossamer.sim.fixed_links import FixedLinks, fixed_links
from gossamer.sim.rules import Delay, Duplication, Loss, Reordering, Rule, Separation
from gossamer.workloads import draw_publications, generate_interests

SECOND = 1_000_000


@dataclass
class Sent:
    """Copies that were sent."""

    copies: int = 0
    kinds: Counter[str] = field(default_factory=Counter)

    def sent(self, node: int, message: Any) -> None:
        self.kinds[type(message).__name__] += 1
        self.copies += type(message) is Publication

    def arrived(self, node: int, message: Any) -> None:
        pass


class Trees:
    """Nodes with fixed links in a simulated world, which forward along trees."""

    def __init__(
        self,
        interests: Interests,
        graphs: TopicGraphs,
        *rules: Rule,
        seed: int = 1,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.interests = interests
        self.graphs = graphs
        self.got: list[tuple[int, int, bytes]] = []
        self.last: dict[int, Deliver] = {}
        self.world = World(
            fixed_links(interests, graphs), interests, rules=[Delay(1_000, 5_000), *rules],
            deliver=self._deliver, seed=seed, check_invariants=True, options=options,
        )  # fmt: skip
        self.meter = self.world.fabric.meter = Sent()

    def _deliver(self, node: int, effect: Deliver) -> None:
        self.got += [(node, topic, effect.payload) for topic in effect.topics]  # type: ignore[misc]
        self.last[node] = effect

    def publish(self, node: int, topics: tuple[int, ...], payload: bytes) -> None:
        self.world.inject(node, Publish(topics, payload))

    def wait(self, seconds: float) -> None:
        self.world.run(self.world.now + round(seconds * SECOND))

    def machine(self, node: int) -> FixedLinks:
        host = self.world.ports[node].host
        assert host is not None
        assert isinstance(host.machine, FixedLinks)
        return host.machine

    def eager(self, topic: int) -> set[tuple[int, int]]:
        """Return the links of a topic that are eager at one end or both."""
        found = set()
        for node in self.interests.subscribers_of(topic).tolist():
            trees = self.machine(node).trees
            assert trees is not None
            for peer in trees.eager_on(topic):
                assert isinstance(peer, int)
                found.add((min(node, peer), max(node, peer)))
        return found


def components(nodes: list[int], links: set[tuple[int, int]]) -> list[set[int]]:
    found = [{node} for node in nodes]
    for one, other in links:
        (mine,) = (part for part in found if one in part)
        (theirs,) = (part for part in found if other in part)
        if mine is not theirs:
            found.remove(theirs)
            mine |= theirs
    return found


def links_on(world: Trees, topic: int) -> set[tuple[int, int]]:
    found = set()
    for node in world.interests.subscribers_of(topic).tolist():
        for peer in world.machine(node).neighbours_on(topic):
            assert isinstance(peer, int)
            found.add((min(node, peer), max(node, peer)))
    return found


@st.composite
def overlays(draw: st.DrawFn) -> tuple[Interests, TopicGraphs]:
    nodes = draw(st.integers(2, 9))
    lists = draw(st.lists(st.sets(st.integers(0, 2), min_size=1), min_size=nodes, max_size=nodes))
    interests = Interests.from_ids(
        [node for node, one in enumerate(lists) for _ in one],
        [topic for one in lists for topic in sorted(one)],
        node_names=nodes,
        topic_names=3,
    )
    pairs = [(a, b) for a in range(nodes) for b in range(a + 1, nodes)]
    links = draw(st.sets(st.sampled_from(pairs)))
    return interests, TopicGraphs.of(interests, Overlay.from_links(nodes, sorted(links)))


@given(overlays(), st.integers(0, 1 << 30))
@settings(max_examples=60, deadline=None)
def test_eager_links_form_a_spanning_tree_of_each_component(
    case: tuple[Interests, TopicGraphs], seed: int
) -> None:
    """After publications at the same time, and a few more one after the other."""
    world = Trees(*case, seed=seed)
    random = Stream(seed)
    subscribed = [(n, t) for n in range(case[0].node_count) for t in case[0].topics_of(n).tolist()]
    sent: dict[bytes, tuple[int, int]] = {}

    def publish(node: int, topic: int) -> None:
        payload = b"%d" % len(sent)
        sent[payload] = (node, topic)
        world.publish(node, (topic,), payload)

    for _ in range(12):
        publish(*random.choice(subscribed))
    world.wait(4)
    for node, topic in subscribed * 2:
        publish(node, topic)
        world.wait(2)
    before, copies = len(world.got), world.meter.copies
    published = 0
    for topic in range(3):
        nodes = case[0].subscribers_of(topic).tolist()
        eager, parts = world.eager(topic), components(nodes, links_on(world, topic))
        assert by_least(components(nodes, eager)) == by_least(parts), "all are reached"
        assert len(eager) == len(nodes) - len(parts), "there is no cycle"
        for part in parts:
            publish(max(part), topic)
        published += len(parts)
    world.wait(2)
    assert world.meter.copies - copies == len(world.got) - before - published
    assert sorted(world.got) == sorted(expected(world, sent))


def by_least(parts: list[set[int]]) -> list[list[int]]:
    return sorted(map(sorted, parts))


def expected(world: Trees, sent: dict[bytes, tuple[int, int]]) -> Iterator[tuple[int, int, bytes]]:
    for payload, (publisher, topic) in sent.items():
        nodes = world.interests.subscribers_of(topic).tolist()
        (part,) = (one for one in components(nodes, links_on(world, topic)) if publisher in one)
        for node in part:
            yield node, topic, payload


@given(overlays(), st.integers(0, 1 << 30))
@settings(max_examples=40, deadline=None)
def test_each_publication_arrives_once_despite_faults(
    case: tuple[Interests, TopicGraphs], seed: int
) -> None:
    """Loss, duplicates, reordering and a partition, for some time."""
    interests = case[0]
    side = frozenset(range(0, interests.node_count, 2))
    faults: list[Rule] = [
        Loss(0.2), Duplication(0.2), Reordering(0.3),
        Separation(side.__contains__, 2 * SECOND, 4 * SECOND),
    ]  # fmt: skip
    world = Trees(*case, *faults, seed=seed)
    random = Stream(seed)
    sent: dict[bytes, tuple[int, int]] = {}
    subscribed = [
        (n, t) for n in range(interests.node_count) for t in interests.topics_of(n).tolist()
    ]
    for number in range(50):
        node, topic = random.choice(subscribed)
        payload = b"%d" % number
        sent[payload] = (node, topic)
        world.publish(node, (topic,), payload)
        world.wait(0.1)
    world.world.fabric.rules = world.world.fabric.rules[:1]
    world.wait(30)
    assert sorted(world.got) == sorted(expected(world, sent))
    before = sum(world.meter.kinds.values())
    world.wait(10)
    assert sum(world.meter.kinds.values()) == before, "when all is announced, there is silence"


@given(overlays(), st.integers(0, 1 << 30))
@settings(max_examples=25, deadline=None)
def test_publications_of_several_topics_arrive_once(
    case: tuple[Interests, TopicGraphs], seed: int
) -> None:
    interests = case[0]
    world = Trees(*case, Loss(0.1), seed=seed)
    random = Stream(seed)
    whole = []
    for number in range(30):
        node = random.randbelow(interests.node_count)
        topics = tuple(interests.topics_of(node).tolist())
        world.publish(node, topics, b"%d" % number)
        whole.append((b"%d" % number, node, topics))
        world.wait(0.05)
    world.wait(30)
    got = Counter(world.got)
    assert set(got.values()) <= {1}
    for payload, node, topics in whole:
        for topic in topics:
            nodes = interests.subscribers_of(topic).tolist()
            (part,) = (one for one in components(nodes, links_on(world, topic)) if node in one)
            assert {(one, topic, payload) for one in part} <= got.keys()


@pytest.mark.parametrize("topics", [1, 3])
@given(case=overlays(), seed=st.integers(0, 1 << 30))
@settings(max_examples=25, deadline=None)
def test_deliveries_are_in_order_on_request(
    topics: int, case: tuple[Interests, TopicGraphs], seed: int
) -> None:
    """Of each publisher and topic; all of them, if repair is quicker than the wait."""
    interests = case[0]
    world = Trees(
        *case, Loss(0.2), Duplication(0.2), Reordering(0.3), seed=seed,
        options={"order": "publisher", "order_seconds": 40.0},
    )  # fmt: skip
    random = Stream(seed)
    sent: dict[bytes, tuple[int, int]] = {}
    for number in range(40):
        node = random.randbelow(interests.node_count)
        tags = tuple(interests.topics_of(node).tolist())[:topics]
        payload = b"%d" % number
        for topic in tags:
            sent[b"%d on %d" % (number, topic)] = (node, topic)
        world.publish(node, tags, payload)
        world.wait(0.1)
    world.wait(2)
    world.world.fabric.rules = world.world.fabric.rules[:1]
    world.wait(60)
    got = [(node, topic, b"%s on %d" % (payload, topic)) for node, topic, payload in world.got]
    assert set(expected(world, sent)) <= set(got)
    assert max(Counter(got).values()) == 1
    for node in range(interests.node_count):
        numbers = [(sent[what], int(what.split()[0])) for reader, _, what in got if reader == node]
        for stream in set(sent.values()):
            mine = [number for one, number in numbers if one == stream]
            assert mine == sorted(mine)


@pytest.fixture(scope="module")
def ring() -> tuple[Interests, TopicGraphs]:
    interests = Interests.from_lists({node: [0] for node in range(12)})
    links = [(node, (node + 1) % 12) for node in range(12)] + [(0, 6), (3, 9)]
    return interests, TopicGraphs.of(interests, Overlay.from_links(12, links))


def test_crashed_node_of_the_tree_is_bypassed(ring: tuple[Interests, TopicGraphs]) -> None:
    world = Trees(*ring)
    for number in range(5):
        world.publish(0, (0,), b"%d" % number)
        world.wait(1)
    world.world.crash(1)
    world.world.crash(6)
    for number in range(5, 15):
        world.publish(0, (0,), b"%d" % number)
        world.wait(0.1)
    world.wait(3)
    here = [node for node in range(12) if node not in (1, 6)]
    assert {(node, 0, b"%d" % n) for node in here for n in range(15)} <= set(world.got)
    assert max(Counter(world.got).values()) == 1


def test_interruption_of_a_minute_loses_nothing(ring: tuple[Interests, TopicGraphs]) -> None:
    """200 publications a second on each side; with the defaults of live nodes."""
    side = frozenset(range(6))
    world = Trees(*ring, Separation(side.__contains__, 2 * SECOND, 62 * SECOND))
    for port in world.world.ports:
        assert port.host is not None
        port.host._check_invariants = False
    world.publish(0, (0,), b"first")
    world.wait(2)
    count = 12_000
    for number in range(count):
        world.publish(number % 12, (0,), b"%d" % number)
        world.wait(1 / 200)
    world.wait(20)
    assert len(world.got) == 12 * (count + 1)
    assert len(set(world.got)) == len(world.got)
    assert world.meter.kinds["Repaired"] < 1.02 * 12 * count // 2
    assert all(not effect.missing for effect in world.last.values())


@pytest.mark.parametrize(
    ("faults", "copies"), [({}, 1.02), ({"loss": 0.05}, 1.12), ({"churn": "exponential:60"}, 1.5)]
)
def test_redundancy_of_trees(faults: dict[str, Any], copies: float) -> None:
    """Copies a node that a publication reaches, beside floods on the same links."""
    interests = generate_interests("rss", nodes=80, topics=12, subscriptions=4, seed=1)
    links = find_algorithm("low-oda")(interests, seed=1)
    publications = draw_publications(interests, 300, per_second=30.0, seed=2)
    given = Scenario(interests, publications=publications, seed=3, **faults)
    tree = disseminate(given, links, flood="tree")
    flood = disseminate(given, links, flood="crosspost")
    assert tree.expected.tolist() == flood.expected.tolist()
    assert tree.hit_ratio >= flood.hit_ratio
    assert tree.sent.sum() / tree.receipts.sum() < copies
    if "churn" not in faults:
        assert tree.hit_ratio == 1
        assert tree.sent.sum() < 0.95 * flood.sent.sum()
