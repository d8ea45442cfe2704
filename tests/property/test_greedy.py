"""Greedy merge, LowODA and MinMax-ODA against their naive twins, step by step."""

from __future__ import annotations

import math
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.design._merge.engine import Merging, Ties
from gossamer.design.greedy_merge import greedy_merge, merge_greedily
from gossamer.design.low_oda import merge_low
from gossamer.model import Interests
from tests import naive, strategies

TIES: tuple[Ties, ...] = get_args(Ties)


def steps(merging: Merging) -> list[naive.Link]:
    return [(int(u), int(v)) for u, v in merging.ordered_links()]


@given(strategies.interests())
def test_lexicographic_greedy_merge_is_the_naive_one_link_by_link(interests: Interests) -> None:
    merging = merge_greedily(Merging(interests, ties="lexicographic", seed=0))
    expected = naive.greedy_merge(interests)
    # From level 1 on topics are independent of each other, so only the set is settled.
    assert sorted(steps(merging)) == sorted(expected)
    assert greedy_merge(interests, ties="lexicographic").links.tolist() == [
        list(link) for link in sorted(expected)
    ]


@given(
    strategies.interests(),
    st.sampled_from(TIES),
    strategies.seeds,
    st.sampled_from([None, 0, 3, 10]),
)
def test_every_step_of_greedy_merge_merges_the_most(
    interests: Interests, ties: Ties, seed: int, room: int | None
) -> None:
    merging = merge_greedily(Merging(interests, ties=ties, seed=seed, room=room))
    last = None
    for link, worth, degrees in naive.greedy_choices(interests, steps(merging)):
        assert worth[link] == max(worth.values()) > 0
        if ties == "fewest-degree" and room is None:
            busier = {pair: max(degrees[pair[0]], degrees[pair[1]]) for pair in worth}
            assert busier[link] == min(
                busier[pair] for pair, gain in worth.items() if gain == worth[link]
            )
        last = link
    assert merging.apart() == 0
    assert (last is None) == (not steps(merging))


@pytest.mark.parametrize("rho", [1.5, 2.0, 3.0, 10.0, math.inf])
@given(
    interests=strategies.interests(),
    ties=st.sampled_from(TIES),
    seed=strategies.seeds,
    room=st.sampled_from([None, 0, 5]),
)
def test_every_step_of_low_oda_is_one_that_its_rule_allows(
    rho: float, interests: Interests, ties: Ties, seed: int, room: int | None
) -> None:
    merging = merge_low(Merging(interests, ties=ties, seed=seed, room=room), rho)
    for link, worth, degrees in naive.greedy_choices(interests, steps(merging)):
        assert naive.low_oda_allows(link, worth, degrees, rho)
    assert merging.apart() == 0
