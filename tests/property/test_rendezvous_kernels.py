"""Gateways, lookups, relay paths, events and coverage: kernels against naive searches."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gossamer.kernels.gossip.opt import Coverage, cover_round, forget_gone
from gossamer.kernels.traffic.relay import EventCounts, disseminate_events
from gossamer.kernels.traffic.rendezvous import (
    GatewayProposals,
    both_ways,
    look_up,
    next_hop,
    propose_round,
    relay_paths,
)
from tests.reference import gossip as naive
from tests.strategies import seeds

FEW = 24
"""Identifiers are spread over so many places, so that distances are often equal."""


@dataclass
class Net:
    """Nodes on the circle, what they want, and links of those that are there."""

    identifiers: NDArray[np.uint64]
    topic_identifiers: NDArray[np.uint64]
    wants: list[set[int]]
    sends: NDArray[np.bool_]
    tables: list[list[int]]
    believes: NDArray[np.bool_]

    def __post_init__(self) -> None:
        sizes = [len(one) for one in self.wants]
        self.offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        self.topics = np.array(
            [topic for one in self.wants for topic in sorted(one)], dtype=np.int32
        )
        owners = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        self.places = np.argsort(self.topics, kind="stable").astype(np.int64)
        self.topic_nodes = owners[self.places]
        counts = np.bincount(self.topics, minlength=len(self.topic_identifiers))
        self.topic_offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        width = max((len(row) for row in self.tables), default=0) + 1
        peers = np.full((len(self.tables), width), -1, dtype=np.int32)
        for node, row in enumerate(self.tables):
            peers[node, 1 : len(row) + 1] = row  # a place may be empty in the middle
        self.peers = peers
        self.link_offsets = np.zeros(len(self.tables) + 1, dtype=np.int64)
        self.links = both_ways(peers, self.sends, self.believes, self.link_offsets)
        self.neighbours = naive.both_ways(self.tables, self.sends.tolist(), self.believes.tolist())

    def subscriptions(self) -> list[tuple[int, int]]:
        """Subscriptions in the order of the rows."""
        return [(node, topic) for node, one in enumerate(self.wants) for topic in sorted(one)]


@st.composite
def nets(draw: st.DrawFn) -> Net:
    random = np.random.default_rng(draw(seeds))
    nodes, topics = draw(st.integers(1, 9)), draw(st.integers(1, 4))
    stride = np.uint64(naive.CIRCLE // FEW)
    sends = random.random(nodes) < 0.85
    return Net(
        np.sort(random.choice(FEW, nodes, replace=False)).astype(np.uint64) * stride,
        random.integers(0, FEW, topics).astype(np.uint64) * stride,
        [set(np.flatnonzero(random.random(topics) < 0.5).tolist()) for _ in range(nodes)],
        sends,
        [
            [peer for peer in random.permutation(nodes).tolist()[:3] if peer != node]
            for node in range(nodes)
        ],
        sends | (random.random(nodes) < 0.5),
    )


@given(nets())
def test_both_ways_returns_links_of_both_ends(net: Net) -> None:
    rows = [net.links[a:b].tolist() for a, b in pairwise(net.link_offsets.tolist())]
    assert rows == [sorted(one) for one in net.neighbours]


@given(nets(), seeds, st.integers(1, 4))
def test_gateways_are_proposed_by_algorithm_5(net: Net, seed: int, d: int) -> None:
    random = np.random.default_rng(seed)
    nodes, keys = len(net.wants), net.subscriptions()
    where = [(int(random.integers(nodes)), int(random.integers(nodes))) for _ in keys]
    before = {
        key: (gateway, parent, int(random.integers(0, 4)))
        for key, (gateway, parent) in zip(keys, where, strict=True)
    }
    identifiers, places = net.identifiers.tolist(), net.topic_identifiers.tolist()

    def arrays(given: dict[tuple[int, int], naive.Proposal]) -> GatewayProposals:
        rows = np.array([given[key] for key in keys], dtype=np.int32).reshape(-1, 3)
        gaps = [naive.distance(identifiers[given[key][0]], places[key[1]]) for key in keys]
        gateways, parents, hops = (rows[:, k].copy() for k in range(3))
        return GatewayProposals(gateways, parents, hops, np.array(gaps, dtype=np.uint64))

    near, mine = (np.full(count, -1, dtype=np.int64) for count in (nodes, len(places)))
    stale = dict.fromkeys(keys, (0, 0, 9))
    after = arrays(stale)
    token = propose_round(
        net.offsets, net.topics, net.link_offsets, net.links, net.sends, net.identifiers,
        net.topic_identifiers, d, arrays(before), after, near, mine, 10,
    )  # fmt: skip
    assert max(near.max(), mine.max()) < token
    expected = {
        (node, topic): naive.propose(
            node, topic, places[topic], net.neighbours[node], net.wants, identifiers, before, d
        )
        if net.sends[node]
        else stale[node, topic]
        for node, topic in keys
    }
    right = arrays(expected)
    assert after.gateways.tolist() == right.gateways.tolist()
    assert after.parents.tolist() == right.parents.tolist()
    assert after.hops.tolist() == right.hops.tolist()
    assert after.distances.tolist() == right.distances.tolist()


@given(nets())
def test_lookups_follow_the_closest_neighbour(net: Net) -> None:
    identifiers = net.identifiers.tolist()
    everybody = np.ones(len(identifiers), dtype=np.bool_).tolist()
    for target in net.topic_identifiers.tolist():
        for node in range(len(identifiers)):
            given_ = (net.link_offsets, net.links, net.identifiers, node, np.uint64(target))
            expected = naive.next_hop(node, net.neighbours[node], identifiers, target)
            assert next_hop(*given_) == (-1 if expected is None else expected)
            _, end = naive.look_up(node, net.neighbours, everybody, identifiers, target)
            assert look_up(*given_) == end


@given(nets(), seeds, st.booleans(), st.booleans())
def test_relay_paths_are_the_union_of_lookups(
    net: Net, seed: int, everybody: bool, stops: bool
) -> None:
    random = np.random.default_rng(seed)
    keys = net.subscriptions()
    gateways = np.array([node if random.random() < 0.5 else -1 for node, _ in keys], dtype=np.int32)
    path_offsets = np.zeros(len(net.topic_identifiers) + 1, dtype=np.int64)
    ends = np.full(len(net.topic_identifiers), 99, dtype=np.int32)
    hops = relay_paths(
        net.topic_offsets, net.topic_nodes, net.places, gateways, everybody, net.sends,
        net.link_offsets, net.links, net.identifiers, net.topic_identifiers, stops, path_offsets,
        ends,
    )  # fmt: skip
    for topic, target in enumerate(net.topic_identifiers.tolist()):
        expected: set[tuple[int, int]] = set()
        last = set()
        subscribers = {node for node, wanted in keys if stops and wanted == topic}
        for place, (node, wanted) in enumerate(keys):
            if wanted == topic and net.sends[node] and (everybody or gateways[place] == node):
                walked, end = naive.look_up(
                    node, net.neighbours, net.sends.tolist(), net.identifiers.tolist(), target,
                    subscribers,
                )  # fmt: skip
                expected |= set(walked)
                last |= {end} - {None}
        rows = [tuple(row) for row in hops[path_offsets[topic] : path_offsets[topic + 1]].tolist()]
        assert len(rows) == len(set(rows))
        assert set(rows) == expected
        assert ends[topic] == len(last)


@given(nets(), seeds, st.booleans(), st.booleans())
def test_events_equal_a_breadth_first_search(
    net: Net, seed: int, clusters: bool, through: bool
) -> None:
    random = np.random.default_rng(seed)
    nodes, topics = len(net.wants), len(net.topic_identifiers)
    paths: dict[int, list[tuple[int, int]]] = {}
    for topic in range(topics):
        pairs = [(a, b) for a in range(nodes) for b in range(a) if random.random() < 0.25]
        paths[topic] = [pair if random.random() < 0.5 else pair[::-1] for pair in pairs]
    events = sorted(
        (topic, node, float(random.integers(1, 5)))
        for node in np.flatnonzero(net.sends).tolist()
        for topic in net.wants[node]
        if random.random() < 0.6
    )
    counts = net.sends & (random.random(nodes) < 0.7)
    by_node, by_topic = np.zeros((4, nodes)), np.zeros((4, topics))
    furthest = np.zeros(topics, dtype=np.int32)
    counted = EventCounts(
        by_node[0], by_node[1], by_node[2], by_node[3], by_topic[0], by_topic[1], by_topic[2],
        by_topic[3], furthest,
    )  # fmt: skip
    flat = [hop for topic in range(topics) for hop in paths[topic]]
    disseminate_events(
        np.array([node for _, node, _ in events], dtype=np.int32),
        np.array([topic for topic, _, _ in events], dtype=np.int32),
        np.array([weight for _, _, weight in events], dtype=np.float64),
        net.topic_offsets, net.topic_nodes, net.link_offsets, net.links,
        np.concatenate(([0], np.cumsum([len(paths[t]) for t in range(topics)]))).astype(np.int64),
        np.array(flat, dtype=np.int32).reshape(-1, 2), net.sends, counts, clusters, through,
        counted,
    )  # fmt: skip
    expected = naive.disseminate(
        [(node, topic, weight) for topic, node, weight in events], net.wants, net.neighbours,
        paths, net.sends.tolist(), counts.tolist(), clusters, through,
    )  # fmt: skip
    for wanted, first, whole in (
        (True, counted.wanted, counted.all_wanted),
        (False, counted.unwanted, counted.all_unwanted),
    ):
        assert first.tolist() == [expected.first[node, wanted] for node in range(nodes)]
        assert whole.tolist() == [expected.all[node, wanted] for node in range(nodes)]
    for found, right in (
        (counted.expected, expected.expected), (counted.delivered, expected.delivered),
        (counted.hops, expected.hops), (counted.relayed, expected.relayed),
    ):  # fmt: skip
        assert found.tolist() == [right[topic] for topic in range(topics)]
    assert counted.furthest.tolist() == [expected.furthest.get(topic, 0) for topic in range(topics)]
    assert (counted.delivered <= counted.expected).all()


def check_coverage(net: Net, coverage: Coverage, bound: int) -> list[set[int]]:
    rows = [
        coverage.peers[node, : coverage.degrees[node]].tolist() for node in range(len(net.wants))
    ]
    links = [set(row) for row in rows]
    for node, row in enumerate(rows):
        assert len(links[node]) == len(row) <= bound
        assert node not in row
        assert all(node in links[peer] for peer in row), "a link is known at both ends"
    assert coverage.covered.tolist() == [
        sum(topic in net.wants[peer] for peer in links[node]) for node, topic in net.subscriptions()
    ]
    return links


@given(nets(), seeds, st.integers(1, 3), st.integers(1, 9))
def test_coverage_counts_and_degree_bounds(net: Net, seed: int, cover: int, bound: int) -> None:
    random = np.random.default_rng(seed)
    nodes = len(net.wants)
    coverage = Coverage(
        net.offsets, net.topics, np.full((nodes, bound), -1, dtype=np.int32),
        np.zeros(nodes, dtype=np.int32), np.zeros(len(net.topics), dtype=np.int32),
        (np.bincount(net.topics, minlength=1)[net.topics] - 1).astype(np.int32),
    )  # fmt: skip
    seen = np.full(nodes, -1, dtype=np.int64)
    mine = np.full(len(net.topic_identifiers), -1, dtype=np.int64)
    there = np.flatnonzero(net.sends).astype(np.int32)
    sequence, token = np.array([seed, 0], dtype=np.uint64), 0
    for _ in range(3):
        views = np.array([random.permutation(nodes)[:4] for _ in range(nodes)], dtype=np.int32)
        token = cover_round(
            coverage, views, net.sends, random.permutation(there), cover, bound, sequence, seen,
            mine, token,
        )  # fmt: skip
        assert max(seen.max(initial=-1), mine.max(initial=-1)) < token
        links = check_coverage(net, coverage, bound)
        assert not any(links[node] for node in range(nodes) if not net.sends[node])
    everybody = np.tile(np.arange(nodes, dtype=np.int32), (nodes, 1))
    token = cover_round(
        coverage, everybody, net.sends, there, cover, bound, sequence, seen, mine, token
    )
    check_coverage(net, coverage, bound)
    if bound >= nodes - 1:
        for place, (node, topic) in enumerate(net.subscriptions()):
            others = sum(topic in net.wants[peer] for peer in there.tolist() if peer != node)
            if net.sends[node]:
                assert coverage.covered[place] >= min(cover, others)
    gone = there[::2]
    token = forget_gone(coverage, gone, mine, token)
    assert mine.max(initial=-1) < token
    links = check_coverage(net, coverage, bound)
    assert not any(links[node] for node in gone.tolist())
