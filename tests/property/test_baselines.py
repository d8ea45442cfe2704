"""Baseline overlays against their definitions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gossamer import greedy_omniscient, random_overlay, regular_per_topic, similarity
from gossamer.design.greedy_omniscient import view_sizes
from gossamer.model import Interests
from tests import strategies
from tests.reference import design as naive


@given(strategies.interests(max_nodes=12), st.integers(0, 4), strategies.seeds)
def test_similarity_links_the_pairs_of_most_shared_topics(
    interests: Interests, quota: int, seed: int
) -> None:
    overlay = similarity(interests, similar=quota, seed=seed)
    topics = naive.topics_by_node(interests)
    linked = {(int(u), int(v)) for u, v in overlay.links}

    def filled_with(node: int, least: int) -> bool:
        """Whether the node has its quota of links that share at least so many topics."""
        mine = [len(topics[u] & topics[v]) for u, v in linked if node in (u, v)]
        return sum(shared >= least for shared in mine) >= quota

    assert overlay.degrees.max(initial=0) <= quota
    for u, v in combinations(range(len(topics)), 2):
        shared = len(topics[u] & topics[v])
        if (u, v) in linked:
            assert shared > 0
        elif shared:
            assert filled_with(u, shared) or filled_with(v, shared)


@given(strategies.interests(max_nodes=12), st.integers(0, 3), st.integers(0, 3), strategies.seeds)
def test_random_links_are_added(interests: Interests, similar: int, extra: int, seed: int) -> None:
    alone = similarity(interests, similar=similar, seed=seed)
    both = similarity(interests, similar=similar, random=extra, seed=seed)
    assert {tuple(link) for link in alone.links.tolist()} <= {
        tuple(link) for link in both.links.tolist()
    }
    assert (both.degrees <= alone.degrees + extra).all()


@given(st.integers(0, 40), st.integers(0, 12), strategies.seeds)
def test_random_overlays_are_nearly_regular(nodes: int, links: int, seed: int) -> None:
    interests = Interests.from_lists({node: [0] for node in range(nodes)})
    degrees = random_overlay(interests, links=links, seed=seed).degrees
    wanted = min(links, max(nodes - 1, 0))
    assert (degrees <= wanted).all()
    assert (wanted - degrees).sum() <= max(wanted * (wanted + 1), 1)


@given(strategies.interests(max_nodes=12), st.integers(0, 2), strategies.seeds)
def test_greedy_omniscient_links_the_most_similar_subscribers(
    interests: Interests, slack: int, seed: int
) -> None:
    overlay = greedy_omniscient(interests, slack=slack, seed=seed)
    topics = naive.topics_by_node(interests)
    sizes = view_sizes(interests.popularity, slack)
    for u, mine in enumerate(topics):
        neighbours = set(overlay.neighbours_of(u).tolist())
        for t in mine:
            others = [v for v in interests.subscribers_of(t).tolist() if v != u]
            best = sorted((len(mine & topics[v]) for v in others), reverse=True)[: sizes[t]]
            chosen = [v for v in others if v in neighbours]
            assert len(chosen) >= len(best)
            if best:
                assert all(v in neighbours for v in others if len(mine & topics[v]) > best[-1])


def test_view_sizes_are_logarithmic() -> None:
    assert view_sizes(np.array([0, 1, 2, 3, 8, 1000]), 2).tolist() == [0, 0, 1, 2, 5, 9]


@given(st.integers(2, 30), st.integers(2, 7), strategies.seeds)
def test_regular_per_topic_is_regular(nodes: int, degree: int, seed: int) -> None:
    interests = Interests.from_lists({node: ["x"] for node in range(nodes)})
    degrees = regular_per_topic(interests, degree=degree, seed=seed).degrees
    assert (degrees <= degree).all()
    assert (degrees >= min(2, nodes - 1)).all()


@given(strategies.interests(max_nodes=8))
def test_large_options_are_limited_by_the_number_of_nodes(interests: Interests) -> None:
    topics = naive.topics_by_node(interests)
    mesh = [[u, v] for u, v in combinations(range(len(topics)), 2) if topics[u] & topics[v]]
    beyond = 10**30
    assert regular_per_topic(interests, degree=beyond).links.tolist() == mesh
    assert similarity(interests, similar=beyond).links.tolist() == mesh
    assert greedy_omniscient(interests, slack=beyond).links.tolist() == mesh
    full = interests.node_count * (interests.node_count - 1) // 2
    assert random_overlay(interests, links=beyond).link_count <= full
