"""Pruning: equality with the reference, and its guarantees."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.design import find_algorithm
from gossamer.design._trees.prune import prune
from gossamer.kernels.measure.overlap import cover_size
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests, Overlay
from gossamer.quality import assess
from gossamer.workloads import generate_interests
from tests import strategies
from tests.reference import prune as naive_prune


def middles(interests: Interests, overlay: Overlay) -> tuple[dict[int, int], int]:
    """A root for every topic, its first subscriber, and how far anybody is from one."""
    links = [(u, v) for u, v in overlay.links.tolist()]
    roots, deepest = {}, 0
    for t in range(interests.topic_count):
        members = interests.subscribers_of(t).tolist()
        if members:
            roots[t] = members[0]
            inside = [(u, v) for u, v in links if u in members and v in members]
            tree = naive_prune.Tree(members[0], inside)
            deepest = max(deepest, *(tree.depth(v) for v in members))
    return roots, deepest


@given(
    strategies.interests(max_nodes=12, max_topics=6),
    st.sampled_from(["low-oda", "ring-per-topic", "cd-oda", "greedy-merge"]),
    st.integers(0, 2),
)
def test_links_equal_the_reference(interests: Interests, name: str, more: int) -> None:
    overlay = find_algorithm(name)(interests)
    roots, deepest = middles(interests, overlay)
    radius = deepest + more
    expected, trees = naive_prune.prune(
        interests, [(u, v) for u, v in overlay.links.tolist()], roots, radius
    )
    given_roots = np.array([roots.get(t, -1) for t in range(interests.topic_count)], dtype=np.int64)
    found = prune(interests, overlay, given_roots, radius)
    assert sorted(map(tuple, found.links.tolist())) == sorted(expected)
    assert all(tree.depth(v) <= radius for tree in trees.values() for v in tree.parents)
    if interests.subscription_count:
        assert assess(interests, found, lower_bound=False).topic_connected
    assert middles(interests, found)[1] <= max(2 * radius, 0)


@given(strategies.interests(max_nodes=12, max_topics=8))
def test_cover_size_is_that_of_a_greedy_cover(interests: Interests) -> None:
    topics = [set(interests.topics_of(v).tolist()) for v in range(interests.node_count)]
    for node, mine in enumerate(topics):
        others = [theirs for v, theirs in enumerate(topics) if v != node]
        left = {t for t in mine if any(t in theirs for theirs in others)}
        least = max((len(left & theirs) for theirs in others), default=0)
        found = cover_size(node, relation_of(interests))
        # Each covers something, and none more than the first.
        assert found <= len(left)
        assert found * least >= len(left)
        if any(left <= theirs for theirs in others):
            assert found == (1 if left else 0)


@functools.cache
def heavy_tails() -> tuple[Interests, Overlay]:
    """Return interests with heavy tails, and their overlay by LowODA."""
    interests = generate_interests(
        "zipf", nodes=600, topics=300, subscriptions="1-120", alpha=1.0, seed=2
    )
    return interests, find_algorithm("low-oda")(interests)


@pytest.mark.compiled
def test_pruning_saves_links_on_heavy_tails() -> None:
    interests, overlay = heavy_tails()
    roots, deepest = middles(interests, overlay)
    given_roots = np.array([roots.get(t, -1) for t in range(interests.topic_count)], dtype=np.int64)
    found = prune(interests, overlay, given_roots, deepest)
    assert found.link_count < overlay.link_count
    assert assess(interests, found, lower_bound=False).topic_connected
