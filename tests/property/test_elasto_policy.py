"""ElastO's decisions: coordinators, backups and repair requests."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.protocols.components.identifiers import clockwise, identifier_of_node
from gossamer.protocols.components.ring import find_predecessor, find_successor
from gossamer.protocols.contract import Peer, Topic, Topics
from gossamer.protocols.elasto.component_roots import EXPIRED_AFTER, STABLE_AFTER, ComponentRoots
from gossamer.protocols.elasto.local_view import LocalView
from gossamer.protocols.elasto.messages import NodeDescriptor
from gossamer.protocols.elasto.policy import (
    backups_greedy,
    backups_primal_dual,
    coordinator_of,
    missing_coverage,
    nearest,
    ready_to_handle,
    repair_request,
)
from gossamer.random_stream import Stream

TOPICS = st.sets(st.integers(0, 9), max_size=6).map(lambda found: tuple(sorted(found)))
OTHERS: st.SearchStrategy[dict[Peer, Topics]] = st.dictionaries(
    st.integers(1, 40), TOPICS, max_size=14
)
Method = Callable[[dict[Topic, int], dict[Peer, Topics], int], list[Peer]]


def greedy(missing: dict[Topic, int], others: dict[Peer, Topics], seed: int) -> list[Peer]:
    return backups_greedy(missing, others)


def primal_dual(missing: dict[Topic, int], others: dict[Peer, Topics], seed: int) -> list[Peer]:
    return backups_primal_dual(missing, others, dict.fromkeys(others, seed % 3), Stream(seed))


@pytest.mark.parametrize("method", [greedy, primal_dual])
@given(wanted=TOPICS, others=OTHERS, factor=st.integers(0, 5), seed=st.integers(0, 99))
def test_backups_cover_every_topic(
    method: Method, wanted: Topics, others: dict[Peer, Topics], factor: int, seed: int
) -> None:
    chosen = method(dict.fromkeys(wanted, factor), others, seed)
    assert len(set(chosen)) == len(chosen)
    for peer in chosen:
        assert set(others[peer]) & set(wanted), "each backup shares a topic"
    for topic in wanted:
        there = sum(topic in topics for topics in others.values())
        covered = sum(topic in others[peer] for peer in chosen)
        assert covered >= min(factor, there)


@given(wanted=TOPICS, others=OTHERS)
def test_greedy_backups_cover_most_topics_first(wanted: Topics, others: dict[Peer, Topics]) -> None:
    chosen = backups_greedy(dict.fromkeys(wanted, 1), others)
    if chosen:
        gains = {peer: len(set(topics) & set(wanted)) for peer, topics in others.items()}
        best = max(gains.values())
        ties = [peer for peer, gain in gains.items() if gain == best]
        assert chosen[0] == min(ties, key=identifier_of_node)


def test_primal_dual_backups_balance_the_load() -> None:
    others: dict[Peer, Topics] = dict.fromkeys(range(1, 9), (0, 1))
    busy: dict[Peer, int] = dict.fromkeys(range(1, 6), 9)
    for seed in range(20):
        chosen = backups_primal_dual({0: 3, 1: 3}, others, busy, Stream(seed))
        assert sorted(chosen, key=str) == [6, 7, 8]


@given(st.sets(st.integers(0, 60), min_size=1, max_size=15), st.integers(0, 60), st.integers(1, 5))
def test_nearest_nodes_on_the_circle(peers: set[int], me: int, count: int) -> None:
    others = peers - {me}
    before, after = nearest(me, peers, count)
    assert len(before) == len(after) == min(count, len(others))
    if others:
        assert before[0] == find_predecessor(me, others)
        assert after[0] == find_successor(me, others)
        assert coordinator_of(me, peers) == after[0]
    here = identifier_of_node(me)
    far = [clockwise(here, identifier_of_node(peer)) for peer in after]
    assert far == sorted(far)


@given(st.lists(st.integers(1, 60), unique=True, max_size=20), st.integers(1, 4), st.data())
def test_local_view_has_the_nearest_known_nodes(
    peers: list[int], count: int, data: st.DataObject
) -> None:
    view = LocalView(
        0, Stream(0), concurrent=count, coverage=2, backups="greedy", max_age=1_000_000
    )
    there: set[int] = set()
    for time, peer in enumerate(peers, 1):
        assert view.wants_in_ring(peer) == (peer in nearest_of(there | {peer}, count))
        view.take(NodeDescriptor(peer, 1, 1, (1,)), time)
        there.add(peer)
        if data.draw(st.booleans()):
            gone = data.draw(st.sampled_from(sorted(there)))
            view.drop(gone, time)
            there.remove(gone)
            assert not view.take(NodeDescriptor(gone, 1, 2, (1,), age=1), time + 1), (
                "said before it went"
            )
        assert (view.pred, view.succ) == nearest(0, there, count)


def nearest_of(peers: set[int], count: int) -> set[Peer]:
    before, after = nearest(0, peers, count)
    return {*before, *after}


@given(OTHERS, TOPICS, st.integers(0, 4), st.sampled_from(["greedy", "primal-dual"]))
def test_local_view_replaces_lost_backups(
    others: dict[Peer, Topics], wanted: Topics, factor: int, method: str
) -> None:
    view = LocalView(
        0, Stream(1), concurrent=2, coverage=factor, backups=method, max_age=1 << 40,  # type: ignore[arg-type]
    )  # fmt: skip
    for peer, topics in others.items():
        view.take(NodeDescriptor(peer, 1, 1, topics), 1)

    def chosen(kept: dict[Peer, None]) -> dict[Peer, None]:
        return view.choose_backups(99, wanted, kept, lambda short, known: {}, lambda peer: False)

    first = chosen({})
    assert chosen(first) == first
    for peer in list(first)[:1]:
        view.drop(peer, 2)
        again = chosen(first)
        assert set(first) - {peer} <= set(again)
        left = {other: topics for other, topics in others.items() if other != peer}
        for topic in wanted:
            there = sum(topic in topics for topics in left.values())
            assert sum(topic in left[one] for one in again) >= min(factor, there)


NODES = st.dictionaries(
    st.integers(0, 8),
    st.tuples(TOPICS, st.lists(st.integers(0, 10), max_size=5), st.integers(0, 3)),
    min_size=1,
    max_size=7,
)


@given(NODES, TOPICS, st.data())
def test_repair_request_follows_the_descriptors(
    drawn: dict[int, tuple[Topics, list[int], int]], topics: Topics, data: st.DataObject
) -> None:
    shadows = [
        NodeDescriptor(
            peer, 1, 1, wanted, tuple(dict.fromkeys(n for n in near if n != peer)), age=age
        )
        for peer, (wanted, near, age) in drawn.items()
    ]
    required = data.draw(st.sets(st.sampled_from(sorted(drawn))))
    preconnected_peers = data.draw(st.sets(st.sampled_from(sorted(drawn)))) - required
    request = repair_request(shadows, topics, required, preconnected_peers)
    assert request.degrees == tuple(len(node.neighbours) for node in shadows)
    for at, node in enumerate(shadows):
        assert [topics[number] for number in request.topics[at]] == [
            topic for topic in topics if topic in node.topics
        ]
        assert request.must_connect[at] == (node.peer in required)
        assert request.preconnected[at] == (node.peer in preconnected_peers)
    for low in range(len(shadows)):
        for high in range(low + 1, len(shadows)):
            one, other = shadows[low], shadows[high]
            says = {one.peer in other.neighbours: other.age, other.peer in one.neighbours: one.age}
            expected = one.peer in other.neighbours
            if len(says) == 2:  # they disagree: the later word counts, and yes of two as late
                expected = says[True] <= says[False]
            assert ((low, high) in request.links) == expected


def test_missing_coverage_and_readiness() -> None:
    assert missing_coverage({"a": 2, "b": 0}, [("a",), ("b",)]) == {"a": 1}
    assert ready_to_handle((1, 2), {1: None, 2: None, 3: None})
    assert not ready_to_handle((1, 4), {1: None})


def test_roots_without_increasing_numbers_expire() -> None:
    low, me = sorted(range(1, 40), key=identifier_of_node)[:2]
    roots = ComponentRoots(me, 10)
    roots.set_topics((7,), 0)
    assert roots.own(STABLE_AFTER * 10) == [7]
    assert roots.hear(7, low, 5, 100)
    assert not roots.own(1000)
    assert roots.others((7,), (me,), 100 + STABLE_AFTER * 10) == [(7, low, True)]
    assert not roots.hear(7, low, 5, 200)
    assert roots.labels[7].heard == 100, "an old number is no sign of incarnation"
    roots.hear(7, low, 6, 200)
    assert not roots.expire(200 + EXPIRED_AFTER * 10)
    assert roots.expire(201 + EXPIRED_AFTER * 10)
    assert roots.labels[7].root == me
    assert not roots.hear(7, low, 6, 500), "the number that it was given up with"
    assert roots.hear(7, low, 7, 500)
