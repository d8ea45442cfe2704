"""Gossip kernels against naive versions of Newscast, T-Man and Algorithm 4 of Vitis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gossamer.kernels.gossip.newscast import bootstrap_view, newscast_round, shuffle_order
from gossamer.kernels.gossip.tman import (
    RING,
    Tables,
    TableScratch,
    Taste,
    count_inward,
    exchange_round,
    hear_round,
    ring_distance,
    select_neighbours,
    utility,
)
from gossamer.kernels.random import next_randbelow
from tests.reference import gossip as naive
from tests.strategies import seeds

NOW = 3000
"""So late that random ties after it would not fit into 32 bits."""


def sequence_of(seed: int) -> NDArray[np.uint64]:
    return np.array([seed, 0], dtype=np.uint64)


def identifiers_of(random: np.random.Generator, count: int) -> NDArray[np.uint64]:
    return np.sort(random.integers(0, 1 << 64, count, dtype=np.uint64))


@dataclass
class Sampled:
    """Views: distinct peers, not oneself, at the front of each row."""

    views: NDArray[np.int32]
    stamps: NDArray[np.int32]
    alive: NDArray[np.bool_]

    def of(self, node: int) -> dict[int, int]:
        return {
            peer: stamp
            for peer, stamp in zip(
                self.views[node].tolist(), self.stamps[node].tolist(), strict=True
            )
            if peer >= 0
        }


def some_views(random: np.random.Generator, nodes: int, size: int) -> Sampled:
    views = np.full((nodes, size), -1, dtype=np.int32)
    stamps = np.zeros((nodes, size), dtype=np.int32)
    for node in range(nodes):
        others = random.permutation([peer for peer in range(nodes) if peer != node])
        filled = int(random.integers(0, min(size, len(others)) + 1))
        views[node, :filled] = others[:filled]
        stamps[node, :filled] = random.integers(NOW - 4, NOW, filled)
    return Sampled(views, stamps, random.random(nodes) < 0.8)


@given(seeds, st.integers(1, 9), st.integers(1, 6))
def test_view_exchange_keeps_the_freshest_descriptors(seed: int, nodes: int, size: int) -> None:
    random = np.random.default_rng(seed)
    sampled = some_views(random, nodes, size)
    before = [sampled.of(node) for node in range(nodes)]
    node = int(random.integers(nodes))
    known = len(before[node])
    partner = -1
    if known:
        partner = int(sampled.views[node, next_randbelow(sequence_of(seed), known)])
    seen = np.full(nodes, -1, dtype=np.int64)
    token = newscast_round(
        sampled.views, sampled.stamps, sampled.alive, np.array([node], dtype=np.int32), NOW,
        sequence_of(seed), seen, 0,
    )  # fmt: skip
    assert seen.max() < token
    after = [sampled.of(one) for one in range(nodes)]
    answers = known > 0 and bool(sampled.alive[partner])
    for one in range(nodes):
        assert (np.diff((sampled.views[one] < 0).astype(int)) >= 0).all(), "filled from the front"
        other = {node: partner, partner: node}.get(one)
        if one == node and known and not answers:
            assert after[one] == {k: v for k, v in before[one].items() if k != partner}
        elif not answers or other is None:
            assert after[one] == before[one]
        else:
            union = naive.freshest(before[one], before[other], one, other, NOW)
            assert after[one].items() <= union.items()
            assert sorted(after[one].values()) == sorted(union.values())[-size:]


@given(seeds, st.integers(0, 12), st.integers(1, 5))
def test_bootstrap_view_holds_present_peers(seed: int, count: int, size: int) -> None:
    there = np.arange(0, 2 * count, 2, dtype=np.int32)
    shuffled = there.copy()
    shuffle_order(shuffled, sequence_of(seed))
    assert sorted(shuffled.tolist()) == there.tolist()
    view, stamps = np.full(size, 7, dtype=np.int32), np.zeros(size, dtype=np.int32)
    node = int(there[seed % count]) if count else 0
    bootstrap_view(view, stamps, node, there, count, NOW, sequence_of(seed))
    listed = [peer for peer in view.tolist() if peer >= 0]
    assert set(listed) <= set(there.tolist()) - {node}
    assert len(set(listed)) == len(listed) <= max(count - 1, 0)
    assert view.tolist()[: len(listed)] == listed
    assert bool(listed) == (count >= 2)
    assert (stamps[: len(listed)] == NOW).all()


@given(st.integers(0, naive.CIRCLE - 1), st.integers(0, naive.CIRCLE - 1))
def test_ring_distance_is_the_shorter_arc(one: int, other: int) -> None:
    assert int(ring_distance(np.uint64(one), np.uint64(other))) == naive.distance(one, other)


@dataclass
class Place:
    """Nodes with wants and tables, whose friends' utilities are right."""

    identifiers: NDArray[np.uint64]
    wants: list[set[int]]
    taste: Taste
    tables: Tables
    scratch: TableScratch

    def friends(self, node: int, first: int) -> list[int]:
        return [peer for peer in self.tables.peers[node, first:].tolist() if peer >= 0]


def ring_positions(random: np.random.Generator, nodes: int, size: int, links: int) -> Place:
    topics = int(random.integers(1, 6))
    rates = random.integers(0, 5, topics) / 4  # sums of quarters are exact
    wants = [set(np.flatnonzero(random.random(topics) < 0.5).tolist()) for _ in range(nodes)]
    offsets = np.concatenate(([0], np.cumsum([len(one) for one in wants]))).astype(np.int64)
    rows = np.array([topic for one in wants for topic in sorted(one)], dtype=np.int32)
    weights = np.array([sum(rates[list(one)]) for one in wants], dtype=np.float64)
    peers = np.full((nodes, size), -1, dtype=np.int32)
    utilities = np.zeros((nodes, size))
    for node in range(nodes):
        others = random.permutation([peer for peer in range(nodes) if peer != node])[:size]
        peers[node, : len(others)] = others
        peers[node, random.random(size) < 0.3] = -1
        for place in range(RING + links, size):
            if peers[node, place] >= 0:
                utilities[node, place] = naive.utility(
                    wants, rates.tolist(), node, int(peers[node, place])
                )
    heard = random.integers(NOW - 9, NOW, (nodes, size)).astype(np.int32)
    return Place(
        identifiers_of(random, nodes),
        wants,
        Taste(offsets, rows, rates, weights),
        Tables(
            peers,
            heard,
            utilities,
            random.integers(0, 1 << 64, (nodes, links), dtype=np.uint64),
            np.array(naive.inward(peers.tolist()), dtype=np.int32),
        ),
        TableScratch(*(np.full(count, -1, dtype=np.int64) for count in (nodes, nodes, topics))),
    )


@given(seeds, st.integers(2, 8))
def test_utility_is_equation_1(seed: int, nodes: int) -> None:
    place = ring_positions(np.random.default_rng(seed), nodes, 4, 1)
    taste, mine = place.taste, place.scratch.mine
    rates = taste.rates.tolist()
    for node in range(nodes):
        mine[taste.topics[taste.offsets[node] : taste.offsets[node + 1]]] = node
        for peer in range(nodes):
            expected = naive.utility(place.wants, rates, node, peer)
            assert utility(taste, node, peer, mine, node) == expected
            assert 0 <= expected <= 1


@given(seeds, st.integers(1, 12), st.integers(3, 9), st.integers(0, 4), st.integers(0, 9))
def test_neighbours_are_chosen_by_algorithm_4(
    seed: int, nodes: int, size: int, links: int, max_in_degree: int
) -> None:
    links = min(links, size - RING)
    first = RING + links
    random = np.random.default_rng(seed)
    place = ring_positions(random, nodes, size, links)
    tables, rates = place.tables, place.taste.rates.tolist()
    node = int(random.integers(nodes))
    present = set(place.friends(node, first))
    some = [peer for peer in range(nodes) if peer != node and random.random() < 0.8]
    candidates = random.permutation(np.array(some, dtype=np.int32))
    heard = random.integers(NOW - 5, NOW, len(some)).astype(np.int32)
    said = dict(zip(candidates.tolist(), heard.tolist(), strict=True))
    before = tables.peers.tolist()
    accepting = [peer for peer in some if naive.accepts(before, peer, node, max_in_degree)]
    select_neighbours(
        tables, place.taste, place.identifiers, node, candidates, heard, len(some), max_in_degree,
        place.scratch, 100,
    )  # fmt: skip
    assert tables.inward.tolist() == naive.inward(tables.peers.tolist())
    chosen, rest = naive.select_links(
        node, some, place.identifiers.tolist(), tables.targets[node].tolist(), accepting
    )
    row = tables.peers[node].tolist()
    assert row[:first] == chosen + [-1] * (first - len(chosen))
    liked = {peer: naive.utility(place.wants, rates, node, peer) for peer in rest}
    friends = place.friends(node, first)
    room = size - first
    assert len(set(friends)) == len(friends)
    assert set(friends) <= rest
    assert [liked[peer] for peer in friends] == sorted(liked.values(), reverse=True)[:room]
    assert tables.utilities[node, first:].tolist()[: len(friends)] == [liked[p] for p in friends]
    for left in (rest & present) - set(friends):
        assert all(liked[peer] > liked[left] for peer in set(friends) - present)
    for peer, when in zip(row, tables.heard[node].tolist(), strict=True):
        assert peer < 0 or said[peer] == when


@given(seeds, st.integers(1, 9), st.integers(3, 6))
def test_inward_tables_are_counted(seed: int, nodes: int, size: int) -> None:
    random = np.random.default_rng(seed)
    tables = ring_positions(random, nodes, size, 1).tables
    counts = random.random(nodes) < 0.7
    count_inward(tables, counts)
    rows = tables.peers.tolist()
    for node in range(nodes):
        owners = [one for one in range(nodes) if counts[one] and node in rows[one][RING:]]
        assert tables.inward[node] == sum(one not in rows[node] for one in owners)


@given(seeds, st.integers(2, 12), st.integers(3, 6), st.integers(1, 5), st.integers(1, 12))
def test_exchange_round_keeps_tables_consistent(
    seed: int, nodes: int, size: int, view: int, max_in_degree: int
) -> None:
    random = np.random.default_rng(seed)
    place = ring_positions(random, nodes, size, 1)
    sampled = some_views(random, nodes, view)
    order = random.permutation(np.flatnonzero(sampled.alive).astype(np.int32))
    threshold = 3
    known = place.tables.heard.max(initial=0)
    token = exchange_round(
        place.tables, place.taste, place.identifiers, sampled.views, sampled.stamps, sampled.alive,
        order, NOW, threshold, 1 / 3, max_in_degree, sequence_of(seed), place.scratch, 50,
    )  # fmt: skip
    assert place.tables.inward.tolist() == naive.inward(place.tables.peers.tolist())
    assert all(marks.max(initial=-1) < token for marks in place.scratch)
    hear_round(place.tables, sampled.alive, order, NOW, threshold)
    assert known < NOW
    for node in order.tolist():
        row = [peer for peer in place.tables.peers[node].tolist() if peer >= 0]
        assert node not in row
        assert len(set(row)) == len(row)
        for peer, when in zip(
            place.tables.peers[node].tolist(), place.tables.heard[node].tolist(), strict=True
        ):
            if peer >= 0:
                assert when == NOW if sampled.alive[peer] else NOW - when <= threshold
        for slot in range(RING + 1, size):
            if (peer := int(place.tables.peers[node, slot])) >= 0:
                rates = place.taste.rates.tolist()
                expected = naive.utility(place.wants, rates, node, peer)
                assert place.tables.utilities[node, slot] == expected
