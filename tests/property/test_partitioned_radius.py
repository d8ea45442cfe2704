"""Partitioned radius: tops of trees, and the links that join them."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.design._trees.degree_caps import degree_caps
from gossamer.design._trees.tree_tops import Share, Tops, grow_share, overlaps_in
from gossamer.design.bounded_radius import bounded_radius, grow_trees
from gossamer.design.partitioned_merge import number_table
from gossamer.design.partitioned_radius import (
    Division,
    LocalBlockTasks,
    design_in_blocks,
    partitioned_radius,
)
from gossamer.errors import ParameterError
from gossamer.model import Interests
from gossamer.quality import assess
from tests import strategies
from tests.reference import prune as naive_prune

some_interests = strategies.interests(max_nodes=24, max_topics=6)


def distances(neighbours: dict[int, set[int]], start: int) -> dict[int, int]:
    found, waiting = {start: 0}, deque([start])
    while waiting:
        at = waiting.popleft()
        for other in neighbours[at] - found.keys():
            found[other] = found[at] + 1
            waiting.append(other)
    return found


def trees_of(interests: Interests, radius: int, seed: int) -> dict[int, dict[int, set[int]]]:
    """The trees that bounded radius grows, by topic: neighbours by node."""
    caps = degree_caps(interests, radius=radius).caps
    overlay, roots = grow_trees(interests, radius, caps, seed=seed)
    ends = [(u, v) for u, v in overlay.links.tolist()]
    trees: dict[int, dict[int, set[int]]] = {}
    for t, root in enumerate(roots.tolist()):
        members = interests.subscribers_of(t).tolist()
        inside = [(u, v) for u, v in ends if u in members and v in members]
        trees[t] = {v: set() for v in members}
        for child, parent in naive_prune.Tree(root, inside).parents.items():
            if parent >= 0:
                trees[t][child].add(parent)
                trees[t][parent].add(child)
    return trees


def tops_by_topic(tops: Tops) -> dict[int, list[int]]:
    rows: dict[int, list[int]] = {}
    for row, topic in enumerate(tops.topics.tolist()):
        rows.setdefault(topic, []).append(row)
    return rows


@given(some_interests, st.integers(1, 5), st.integers(1, 3), strategies.seeds)
def test_tops_equal_a_walk_over_the_trees(
    interests: Interests, radius: int, levels: int, seed: int
) -> None:
    nodes = np.arange(interests.node_count, dtype=np.int32) + 100
    share = Share(nodes, interests.node_offsets, interests.node_topics)
    tops = grow_share(share, radius=radius, degree_cap=0, levels=levels, seed=seed)
    # Topics that nobody has are not in a block.
    topics = np.flatnonzero(interests.popularity)
    dense = np.searchsorted(topics, interests.node_topics)
    trees = trees_of(
        Interests.from_ids(
            interests.node_column, dense, node_names=len(nodes), topic_names=len(topics)
        ),
        radius,
        seed,
    )
    listed = tops_by_topic(tops)
    assert {int(topics[t]) for t in trees} == set(listed)
    links = {frozenset(link) for link in (tops.ends - 100).tolist()}
    for topic, tree in trees.items():
        rows = listed[int(topics[topic])]
        members = [int(tops.nodes[row]) - 100 for row in rows]
        centre = members[0]
        far = {v: max(distances(tree, v).values()) for v in tree}
        assert len(distances(tree, centre)) == len(tree)
        assert far[centre] == min(far.values()) <= radius
        near = {v for v, away in distances(tree, centre).items() if away <= levels}
        assert sorted(members) == sorted(near)
        for row, v in zip(rows, members, strict=True):
            parent = int(tops.parents[row])
            assert tops.reaches[row] == far[v]
            assert tops.sizes[row] == len(tree)
            assert (parent < 0) == (v == centre)
            if parent >= 0:
                assert rows[0] <= parent < row
                above = int(tops.nodes[parent]) - 100
                assert above in tree[v]
                assert frozenset((v, above)) in links


@given(
    strategies.interests(max_nodes=40, max_topics=6),
    st.integers(1, 7),
    st.integers(1, 8),
    st.integers(0, 3),
    strategies.seeds,
)
def test_radius_holds_for_any_division(
    interests: Interests, radius: int, block: int, cap: int, seed: int
) -> None:
    overlay = partitioned_radius(interests, radius=radius, block=block, degree_cap=cap, seed=seed)
    found = assess(interests, overlay, lower_bound=False)
    assert found.topic_connected
    assert found.max_diameter <= 2 * radius
    assert overlay.link_count <= int(np.maximum(interests.popularity - 1, 0).sum())


@given(some_interests, st.integers(2, 4), st.integers(2, 9), strategies.seeds)
def test_shares_do_not_depend_on_parts_of_the_table(
    interests: Interests, radius: int, slice_of: int, seed: int
) -> None:
    """Shares cut from parts of the table, and put together, are those cut from the whole."""
    shape, ranked, _ = number_table(interests)
    division = Division.of(shape, radius=radius, degree_cap=0, block=5, seed=seed)
    pieces: dict[int, list[Share]] = {}
    for first in range(0, ranked.node_count, slice_of):
        last = min(first + slice_of, ranked.node_count)
        begin, end = ranked.node_offsets[first], ranked.node_offsets[last]
        offsets = ranked.node_offsets[first : last + 1] - begin
        for block, share in division.shares(first, offsets, ranked.node_topics[begin:end]):
            pieces.setdefault(block, []).append(share)
    whole = dict(division.shares(0, ranked.node_offsets, ranked.node_topics))
    assert whole.keys() == pieces.keys()
    for block, share in whole.items():
        joined = Share.concatenate(reversed(pieces[block]))
        assert np.array_equal(joined.nodes, share.nodes)
        assert np.array_equal(joined.offsets, share.offsets)
        assert np.array_equal(joined.topics, share.topics)


@given(some_interests, st.integers(1, 9), st.data())
def test_largest_overlaps_from_parts_equal_those_of_the_table(
    interests: Interests, slice_of: int, data: st.DataObject
) -> None:
    if not interests.node_count:
        return
    lists = [set(interests.topics_of(v).tolist()) for v in range(interests.node_count)]
    ids = st.integers(0, len(lists) - 1)
    asked = sorted(data.draw(st.sets(ids, min_size=1)))

    def share_of(nodes: list[int]) -> Share:
        sizes = [len(lists[v]) for v in nodes]
        topics = [topic for v in nodes for topic in sorted(lists[v])]
        return Share(
            np.array(nodes, dtype=np.int32),
            np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
            np.array(topics, dtype=np.int32),
        )

    parts = [
        overlaps_in(share_of(asked), share_of(list(range(len(lists)))[first : first + slice_of]))
        for first in range(0, len(lists), slice_of)
    ]
    expected = [
        max((len(lists[u] & lists[v]) for v in range(len(lists)) if v != u), default=0)
        for u in asked
    ]
    assert np.max(parts, axis=0).tolist() == expected


@given(some_interests, strategies.seeds)
def test_one_block_equals_bounded_radius_and_more_only_add_joining_links(
    interests: Interests, seed: int
) -> None:
    shape, ranked, _ = number_table(interests)
    one = Division.of(shape, radius=4, degree_cap=0, block=0, seed=seed)
    assert (one.blocks, one.inner) == (1, 4)
    alone = design_in_blocks(LocalBlockTasks(ranked), one)
    assert not len(alone.between)
    if ranked.subscription_sizes.all():  # nodes without topics are in no block
        whole = bounded_radius(ranked, radius=4, seed=seed).links.tolist()
        assert sorted(alone.inside.tolist()) == sorted(whole)
    many = Division.of(shape, radius=4, degree_cap=0, block=3, seed=seed)
    found = design_in_blocks(LocalBlockTasks(ranked), many)
    homes = many.block_of(np.arange(ranked.node_count))
    assert np.array_equal(homes[found.inside[:, 0]], homes[found.inside[:, 1]])
    for u, v in found.between.tolist():
        assert homes[u] != homes[v]


def test_more_blocks_leave_more_of_the_radius_for_joining() -> None:
    shape, _, _ = number_table(Interests.from_lists({f"n{k}": ["x"] for k in range(600)}))
    radii = [
        Division.of(shape, radius=8, degree_cap=0, block=block, seed=0).inner
        for block in (0, 300, 36, 30, 1)
    ]
    assert radii == [8, 7, 7, 6, 6]
    assert Division.of(shape, radius=1, degree_cap=0, block=50, seed=0).inner == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"block": -1}, "block is -1; expected 1 or more nodes"),
        ({"radius": 0}, "radius is 0"),
        ({"degree_cap": -2}, "degree_cap is -2"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, int], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        partitioned_radius(Interests.from_lists({"a": ["x"]}), **options)  # type: ignore[arg-type]
