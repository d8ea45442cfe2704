"""Oracles against a dictionary of peers; ties are broken uniformly."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.kernels.gossip.view_queries import draw_others
from gossamer.protocols.components.identifiers import identifier_of_node
from gossamer.protocols.components.views import InterestView, KnownPeers, next_after
from gossamer.random_stream import Stream
from gossamer.sim.views import FullView, SampledView, SharedIndex, ViewSize, parse_view

TOPICS = 6
Lists = dict[int, tuple[int, ...]]


@st.composite
def worlds(draw: st.DrawFn) -> tuple[int, Lists, list[int], list[int]]:
    """Draw a number of nodes, present topics, excluded nodes, and topics to cover."""
    nodes = draw(st.integers(2, 9))
    wanted = st.sets(st.integers(0, TOPICS - 1), max_size=TOPICS).map(lambda s: tuple(sorted(s)))
    present = draw(st.dictionaries(st.integers(0, nodes - 1), wanted, max_size=nodes))
    without = draw(st.lists(st.integers(0, nodes - 1), unique=True, max_size=3))
    topics = draw(st.lists(st.integers(0, TOPICS - 1), unique=True, min_size=1))
    return nodes, present, without, topics


def known_peers(lists: Lists) -> KnownPeers:
    known = KnownPeers()
    for peer, topics in lists.items():
        known.put(peer, topics)
    return known


def index_of(nodes: int, present: Lists) -> SharedIndex:
    index = SharedIndex(nodes, TOPICS, np.ones(TOPICS, dtype=np.int64))
    for node, topics in present.items():
        index.join(node, topics)
    return index


def same_answers(
    view: InterestView, known: KnownPeers, topics: list[int], without: list[int]
) -> None:
    left_out = set(without)
    gains = {
        peer: len(set(topics) & set(theirs))
        for peer, theirs in known.known.items()
        if peer not in left_out
    }
    best = max(gains.values(), default=0)
    most = {peer for peer, gain in gains.items() if gain == best and gain}
    some = {peer for peer, gain in gains.items() if gain}
    for one in (view, known):
        assert one.most_covering(topics, left_out, None) == min(most, default=None)
    for seed in range(6):
        for ask, allowed in (("most_covering", most), ("any_covering", some)):
            found = getattr(view, ask)(topics, left_out, Stream(seed))
            assert found in allowed if allowed else found is None
            assert (getattr(known, ask)(topics, left_out, Stream(seed)) is None) == (not allowed)
        any_peer = view.any_peer(left_out, Stream(seed))
        assert any_peer in gains if gains else any_peer is None
    for topic in range(TOPICS):
        assert view.next_on(topic, 0) == known.next_on(topic, 0)
    for place in (0, 1 << 62, 1 << 63, *(identifier_of_node(peer) for peer in known.known)):
        for count in (1, 3, 20):
            found, expected = view.around(place, count), known.around(place, count)
            assert [list(side) for side in found] == [list(side) for side in expected]
    for peer in known.known:
        assert not view.is_gone(peer)
    for peer in range(12):
        assert view.topics_of(peer) == known.topics_of(peer)
        assert (peer in view) == (peer in known)


@given(worlds())
def test_full_view_has_all_other_nodes(world: tuple[int, Lists, list[int], list[int]]) -> None:
    nodes, present, without, topics = world
    others = {peer: theirs for peer, theirs in present.items() if peer != 0}
    index = index_of(nodes, {**others, 0: (0, 1)})
    view = FullView(index, 0)
    assert view.topics_of(0) == (0, 1)
    known = known_peers(others)
    index.topics_of[0] = None  # so that the comparison below speaks of others alone
    same_answers(view, known, topics, without)
    assert not index.counts.any()


@given(worlds(), st.sets(st.integers(1, 8)))
def test_sampled_view_has_the_present_sample(
    world: tuple[int, Lists, list[int], list[int]], sample: set[int]
) -> None:
    nodes, present, without, topics = world
    members = np.array(sorted(one for one in sample if one < nodes), dtype=np.int32)
    view = SampledView(index_of(nodes, present), 0, members)
    known = known_peers({peer: present[peer] for peer in members.tolist() if peer in present})
    same_answers(view, known, topics, without)


@given(worlds(), st.lists(st.integers(0, 8), max_size=12))
def test_shared_index_follows_joins_and_leaves(
    world: tuple[int, Lists, list[int], list[int]], changes: list[int]
) -> None:
    nodes, present, without, topics = world
    index = index_of(nodes, present)
    there = dict(present)
    for change in changes:
        node = change % nodes
        version = index.version
        if node in there:
            index.leave(node)
            del there[node]
        else:
            there[node] = tuple(sorted({change % TOPICS, (change + 2) % TOPICS}))
            index.join(node, there[node])
        assert index.version != version
    others = {peer: theirs for peer, theirs in there.items() if peer != 0}
    index.leave(0)
    same_answers(FullView(index, 0), known_peers(others), topics, without)
    lengths = index.subscribers.lengths
    assert lengths.tolist() == [
        sum(topic in theirs for theirs in others.values()) for topic in range(TOPICS)
    ]


def test_ties_are_broken_uniformly() -> None:
    lists: Lists = {**dict.fromkeys(range(1, 6), (0, 1)), 6: (0,)}
    index = index_of(8, lists)
    views: dict[str, InterestView] = {
        "full": FullView(index, 0),
        "sampled": SampledView(index, 0, np.arange(1, 8, dtype=np.int32)),
        "known": known_peers(lists),
    }
    for view in views.values():
        random = Stream(5)
        best = Counter(view.most_covering([0, 1], {1}, random) for _ in range(2000))
        assert set(best) == {2, 3, 4, 5}
        assert min(best.values()) > 400
        some = Counter(view.any_covering([0], {1}, random) for _ in range(2500))
        assert set(some) == {2, 3, 4, 5, 6}
        assert min(some.values()) > 400


@settings(max_examples=30)
@given(st.integers(2, 30), st.data())
def test_samples_have_the_requested_size(nodes: int, data: st.DataObject) -> None:
    me = data.draw(st.integers(0, nodes - 1))
    entries = data.draw(st.integers(1, nodes - 1))
    drawn = draw_others(nodes, me, entries, np.uint64(7)).tolist()
    assert len(set(drawn)) == entries
    assert me not in drawn
    assert all(0 <= one < nodes for one in drawn)
    assert parse_view(str(entries)).entries(nodes) == entries


def test_samples_are_uniform_and_differ_by_incarnation() -> None:
    counts = Counter(
        one
        for life in range(3000)
        for one in ViewSize("number", 2).sample(6, 2, life, seed=1).tolist()
    )
    assert set(counts) == {0, 1, 3, 4, 5}
    assert min(counts.values()) > 1080


@given(st.lists(st.one_of(st.integers(0, 9), st.sampled_from(["a", "b"])), unique=True))
def test_ring_order_is_cyclic(peers: list[int | str]) -> None:
    """Successors from any node visit every node once."""
    if len(peers) < 2:
        assert next_after("z", peers) in (*peers, None)
        return
    seen: list[int | str] = [peers[0]]
    while (after := next_after(seen[-1], peers)) != peers[0]:
        assert after is not None
        assert after not in seen
        seen.append(after)
    assert len(seen) == len(peers)
