"""Greedy merge, LowODA and MinMax-ODA against the reference, step by step."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.design._merge.engine import MergeDesign, Ties
from gossamer.design.greedy_merge import greedy_merge, merge_greedily
from gossamer.design.low_oda import merge_low
from gossamer.model import Interests
from tests import strategies
from tests.reference import design as naive

TIES: tuple[Ties, ...] = get_args(Ties)


def steps(merging: MergeDesign) -> list[naive.Link]:
    return [(int(u), int(v)) for u, v in merging.ordered_links()]


def check_greedy_merge(interests: Interests, ties: Ties, seed: int, capacity: int | None) -> None:
    merging = merge_greedily(MergeDesign(interests, ties=ties, seed=seed, capacity=capacity))
    last = None
    for link, worth, degrees in naive.greedy_choices(interests, steps(merging)):
        assert worth[link] == max(worth.values()) > 0
        if ties == "fewest-degree" and capacity is None:
            busier = {pair: max(degrees[pair[0]], degrees[pair[1]]) for pair in worth}
            assert busier[link] == min(
                busier[pair] for pair, gain in worth.items() if gain == worth[link]
            )
        last = link
    assert merging.missing_merges() == 0
    assert (last is None) == (not steps(merging))
    if ties == "lexicographic":
        # From level 1 on topics are independent of each other, so only the set of links is fixed.
        assert sorted(steps(merging)) == sorted(naive.greedy_merge(interests))


def check_low_oda(
    interests: Interests, rho: float, ties: Ties, seed: int, capacity: int | None
) -> None:
    merging = merge_low(MergeDesign(interests, ties=ties, seed=seed, capacity=capacity), rho)
    for link, worth, degrees in naive.greedy_choices(interests, steps(merging)):
        assert naive.low_oda_allows(link, worth, degrees, rho)
    assert merging.missing_merges() == 0


@given(strategies.interests())
def test_lexicographic_greedy_merge_equals_the_reference(interests: Interests) -> None:
    expected = naive.greedy_merge(interests)
    assert greedy_merge(interests, ties="lexicographic").links.tolist() == [
        list(link) for link in sorted(expected)
    ]


@given(
    strategies.interests(),
    st.sampled_from(TIES),
    strategies.seeds,
    st.sampled_from([None, 0, 3, 10]),
)
def test_each_greedy_merge_link_merges_the_most(
    interests: Interests, ties: Ties, seed: int, capacity: int | None
) -> None:
    check_greedy_merge(interests, ties, seed, capacity)


@pytest.mark.parametrize("rho", [1.5, 2.0, 3.0, 10.0, math.inf])
@given(
    interests=strategies.interests(),
    ties=st.sampled_from(TIES),
    seed=strategies.seeds,
    capacity=st.sampled_from([None, 0, 5]),
)
def test_each_low_oda_link_obeys_its_rule(
    rho: float, interests: Interests, ties: Ties, seed: int, capacity: int | None
) -> None:
    check_low_oda(interests, rho, ties, seed, capacity)


DENSE = settings(max_examples=5 * settings().max_examples)
TIGHT = st.sampled_from([0, 0, 1, 2, 5])


@DENSE
@given(strategies.dense_interests(max_topics=9), st.sampled_from(TIES), strategies.seeds, TIGHT)
def test_greedy_merge_with_a_small_pair_buffer_on_dense_interests(
    interests: Interests, ties: Ties, seed: int, capacity: int
) -> None:
    check_greedy_merge(interests, ties, seed, capacity)


@pytest.mark.parametrize("capacity", [0, 1, 3, 6])
def test_greedy_merge_with_a_small_pair_buffer_on_fixed_interests(capacity: int) -> None:
    for seed in range(12):
        drawn = np.random.default_rng(seed).random((9, 9)) < (0.6, 0.75, 0.9)[seed % 3]
        interests = Interests.from_ids(*np.nonzero(drawn), node_names=9, topic_names=9)
        check_greedy_merge(interests, TIES[seed % len(TIES)], seed, capacity)


@DENSE
@given(
    strategies.dense_interests(max_topics=9),
    st.sampled_from([1.5, 2.0, 3.0, math.inf]),
    st.sampled_from(TIES),
    strategies.seeds,
    TIGHT,
)
def test_low_oda_with_a_small_pair_buffer_on_dense_interests(
    interests: Interests, rho: float, ties: Ties, seed: int, capacity: int
) -> None:
    check_low_oda(interests, rho, ties, seed, capacity)
