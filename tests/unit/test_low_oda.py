"""LowODA and MinMax-ODA on fixed interests: each link obeys the rule, at any size of the buffer."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import get_args

import numpy as np
import pytest

from gossamer.design._merge.engine import MergeDesign, PairLevels, Ties
from gossamer.design.greedy_merge import greedy_merge
from gossamer.design.low_oda import low_oda, merge_low, minmax_oda
from gossamer.errors import ParameterError
from gossamer.model import Interests
from tests.property.test_greedy import check_low_oda, steps
from tests.reference import design as naive

TIES: tuple[Ties, ...] = get_args(Ties)


def drawn(nodes: int, topics: int, share: float, seed: int) -> Interests:
    found = np.random.default_rng(seed).random((nodes, topics)) < share
    return Interests.from_ids(*np.nonzero(found), node_names=nodes, topic_names=topics)


def clique(nodes: int, topics: int = 1) -> Interests:
    return Interests.from_lists({node: list(range(topics)) for node in range(nodes)})


@pytest.mark.parametrize("capacity", [None, 0, 2])
@pytest.mark.parametrize("rho", [1.2, 1.5, 2.0, 2.5, 3.0, math.inf])
def test_each_link_obeys_the_rule_on_fixed_interests(rho: float, capacity: int | None) -> None:
    for seed, (nodes, topics, share) in enumerate(
        product((4, 6, 9), (3, 8, 14), (0.25, 0.5, 0.85))
    ):
        interests = drawn(nodes, topics, share, seed)
        check_low_oda(interests, rho, TIES[seed % len(TIES)], seed, capacity)


def test_rho_below_one_is_rejected() -> None:
    for rho in (0.99, -1.0, math.nan):
        with pytest.raises(ParameterError, match=f"rho is {rho}; expected 1 or more"):
            low_oda(clique(3), rho=rho)


def test_extreme_factors_are_greedy_merge_and_minmax_oda() -> None:
    interests = drawn(14, 9, 0.5, 3)
    for ties in TIES:
        greedy = greedy_merge(interests, ties=ties, seed=5)
        assert low_oda(interests, rho=1, ties=ties, seed=5) == greedy
        least = minmax_oda(interests, ties=ties, seed=5)
        assert low_oda(interests, rho=math.inf, ties=ties, seed=5) == least
        assert least.degrees.max() < greedy.degrees.max()


def test_default_factor_is_three() -> None:
    interests = drawn(14, 9, 0.5, 3)
    by_factor = {rho: low_oda(interests, rho=rho) for rho in (2.0, 3.0, 4.0)}
    assert low_oda(interests) == by_factor[3.0]
    assert by_factor[2.0] != by_factor[3.0] != by_factor[4.0]


def test_default_seed_is_zero() -> None:
    interests = drawn(14, 9, 0.5, 3)
    for algorithm in (low_oda, minmax_oda):
        by_seed = [algorithm(interests, ties="random", seed=seed) for seed in range(3)]
        assert algorithm(interests, ties="random") == by_seed[0]
        assert by_seed[0] != by_seed[1] != by_seed[2]


@pytest.mark.parametrize("rho", [1.5, 3.0, math.inf])
def test_topics_that_all_share_form_a_path(rho: float) -> None:
    for topics in (1, 4):
        assert sorted(low_oda(clique(8, topics), rho=rho).degrees) == [1, 1, *[2] * 6]


@pytest.mark.parametrize("maximum", [1, 2, 4])
@pytest.mark.parametrize("rho", [1.5, 3.0, math.inf])
def test_links_up_to_a_given_maximum_do_not_raise_it(rho: float, maximum: int) -> None:
    for seed in range(6):
        interests = drawn(9, 8, 0.6, seed)
        merging = merge_low(
            MergeDesign(interests, ties="lexicographic", seed=0), rho, maximum=maximum
        )
        for link, worth, degrees in naive.greedy_choices(interests, steps(merging)):
            elsewhere = {-1: maximum}  # a node of that degree that shares no topic
            assert naive.low_oda_allows(link, worth, degrees | elsewhere, rho)


def test_pairs_with_a_topic_of_their_own_are_all_linked() -> None:
    pairs = list(combinations(range(6), 2))
    interests = Interests.from_ids(
        np.array([node for pair in pairs for node in pair]),
        np.repeat(np.arange(len(pairs)), 2),
        node_names=6,
        topic_names=len(pairs),
    )
    assert low_oda(interests).link_count == len(pairs)


def scans(monkeypatch: pytest.MonkeyPatch, interests: Interests, rho: float) -> list[int]:
    """Return the numbers of pairs that scans of all nodes find, one after another."""
    found: list[int] = []
    scan = MergeDesign.scan

    def count(self: MergeDesign, **options: int) -> PairLevels:
        levels = scan(self, **options)
        if "under" not in options:
            found.append(sum(len(keys) for level in levels.levels.values() for keys in level))
        return levels

    monkeypatch.setattr(MergeDesign, "scan", count)
    merge_low(MergeDesign(interests, ties="lexicographic", seed=0), rho)
    return found


def test_all_nodes_are_scanned_only_if_the_pairs_at_hand_do_not_decide(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert scans(monkeypatch, clique(9), 3.0) == [], "no pair shares two topics"
    assert len(scans(monkeypatch, drawn(12, 20, 0.5, 1), 2.0)) == 1
