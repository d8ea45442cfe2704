"""Subset merge: groups against all subsets, and the contribution of links."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.design._merge.engine import MergeDesign
from gossamer.design.subset_merge import merge_subsets, shared_subsets, subset_merge
from gossamer.model import Interests
from gossamer.workloads import generate_interests
from tests import strategies
from tests.reference import design as naive


def ranked(interests: Interests) -> Interests:
    """The same, with the nodes of most subscriptions first."""
    order = np.argsort(-interests.subscription_sizes, kind="stable")
    rank = np.argsort(order)
    return Interests.from_ids(
        rank[interests.node_column],
        interests.node_topics,
        node_names=interests.node_count,
        topic_names=interests.topic_count,
    )


@given(strategies.interests(max_topics=7), st.sampled_from([10**9, 40, 10, 0]))
def test_groups_are_the_shared_subsets(interests: Interests, budget: int) -> None:
    interests = ranked(interests)
    bulk, levels = shared_subsets(interests, budget)
    expected = naive.shared_subsets(interests, bulk)
    found = sorted(
        (groups.level, sorted(interests.node_column[groups.records[start:end]].tolist()))
        for groups in levels
        for start, end in zip(groups.offsets[:-1], groups.offsets[1:], strict=True)
    )
    assert found == sorted((len(subset), sorted(nodes)) for subset, nodes in expected.items())
    if budget == 10**9:
        assert bulk == 0
    sizes = interests.subscription_sizes
    assert bulk == 0 or bulk == len(sizes) or sizes[bulk - 1] > sizes[bulk]


@given(strategies.interests(max_topics=7), strategies.seeds, st.sampled_from([10**9, 40, 10, 0]))
def test_links_merge_at_least_their_level(interests: Interests, seed: int, budget: int) -> None:
    interests = ranked(interests)
    merging = MergeDesign(interests, ties="fewest-degree", seed=seed)
    bulk = merge_subsets(merging, budget)
    above_one = len(merging.ordered_links())
    merging.span()
    assert merging.missing_merges() == 0
    links = [(int(u), int(v)) for u, v in merging.ordered_links()]
    for place, (link, worth, _) in enumerate(naive.greedy_choices(interests, links)):
        assert worth[link] >= (2 if place < above_one else 1)
        if bulk == interests.node_count:
            assert worth[link] == max(worth.values())


@given(strategies.interests(max_nodes=14, max_topics=7), strategies.seeds, st.integers(1, 5))
def test_cap_holds_down_to_level_two(interests: Interests, seed: int, cap: int) -> None:
    for budget in (10**9, 10, 0):
        merging = MergeDesign(ranked(interests), ties="fewest-degree", seed=seed)
        merge_subsets(merging, budget, cap=cap)
        assert (merging.degrees <= cap).all()
        merging.span()
        assert merging.missing_merges() == 0


@pytest.mark.compiled
def test_cap_lowers_the_maximum_at_the_same_mean() -> None:
    interests = generate_interests("rss", nodes=2_000, topics=100, subscriptions=10, seed=1)
    free, capped = subset_merge(interests), subset_merge(interests, degree_cap=6)
    assert int(capped.degrees.max()) < int(free.degrees.max())
    assert capped.link_count < 1.02 * free.link_count
