"""The lower bound: its multipliers certify it, and each method has its strength."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import Interests
from gossamer.quality import dual_ascent, links_lower_bound, lower_bound
from gossamer.quality.dual_ascent import MAX_ITERATIONS, pair_visits
from gossamer.quality.lower_bound import LowerBound
from tests.reference import quality as naive
from tests.strategies import dense_interests, interests

any_interests = interests() | dense_interests(max_topics=9)


def certified_value(given_interests: Interests, bound: LowerBound) -> float:
    """Return the dual value of the multipliers that came with a bound."""
    slots = bound.subscription_multipliers
    prices = {
        (int(node), topic): float(slots[slot])
        for topic in range(given_interests.topic_count)
        for slot, node in enumerate(
            given_interests.subscribers_of(topic), int(given_interests.topic_offsets[topic])
        )
    }
    return naive.dual_value(given_interests, bound.topic_multipliers.tolist(), prices)


def needed_topics(given_interests: Interests, used: set[int]) -> list[set[int]]:
    """Return each node's topics among the used ones that others want too."""
    popular = {topic for topic in used if given_interests.popularity[topic] >= 2}
    return [mine & popular for mine in naive.topic_sets(given_interests)]


def best_single_multiplier(given_interests: Interests, used: set[int]) -> int:
    topics = needed_topics(given_interests, used)
    needed = sum(max(int(given_interests.popularity[topic]) - 1, 0) for topic in used)
    overlaps = [len(one & other) for one, other in combinations(topics, 2)]
    values = [
        Fraction(needed, k)
        - sum(max(Fraction(overlap, k) - 1, Fraction(0)) for overlap in overlaps)
        for k in range(1, max([len(mine) for mine in topics], default=0) + 1)
    ]
    return max([math.ceil(value) for value in values], default=0)


def node_needs(given_interests: Interests, used: set[int]) -> int:
    topics = needed_topics(given_interests, used)
    degrees = 0
    for node, mine in enumerate(topics):
        overlaps = [len(mine & other) for place, other in enumerate(topics) if place != node]
        if mine:
            degrees += math.ceil(len(mine) / max(overlaps))
    return math.ceil(degrees / 2)


def spanning_forest(given_interests: Interests) -> int:
    topics = naive.topic_sets(given_interests)
    links = [
        pair for pair in combinations(range(len(topics)), 2) if topics[pair[0]] & topics[pair[1]]
    ]
    left = set(range(len(topics)))
    groups = 0
    while left:
        groups += 1
        left -= set(naive.distances(min(left), range(len(topics)), links))
    return len(topics) - groups


@given(any_interests, st.sampled_from([None, 0, 1, 40]))
def test_returned_multipliers_certify_the_bound(
    given_interests: Interests, iterations: int | None
) -> None:
    bound = links_lower_bound(given_interests, iterations=iterations)
    if bound.method in ("multipliers", "one multiplier"):
        assert math.ceil(certified_value(given_interests, bound) - 1e-7) == bound.links
        assert bound.topic_multipliers.any() or bound.subscription_multipliers.any()
    else:
        assert not bound.topic_multipliers.any()
        assert not bound.subscription_multipliers.any()
    assert len(bound.topic_multipliers) == given_interests.topic_count
    assert len(bound.subscription_multipliers) == given_interests.subscription_count
    assert bound.mean_degree == 2 * bound.links / max(given_interests.node_count, 1)


@given(any_interests, st.sampled_from([3, 10, 10**9]))
def test_without_search_the_bound_is_the_best_of_three_closed_forms(
    given_interests: Interests, limit: int
) -> None:
    order = np.argsort(given_interests.popularity, kind="stable")
    used: set[int] = set()
    visits = 0
    for topic in order.tolist():
        visits += math.comb(int(given_interests.popularity[topic]), 2)
        if visits <= limit:
            used.add(topic)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lower_bound, "SCAN_LIMIT", limit)
        patch.setattr(lower_bound, "SCAN_STRIDE", 2)
        bound = links_lower_bound(given_interests, iterations=0)
    values = {
        "spanning forest": spanning_forest(given_interests),
        "node needs": node_needs(given_interests, used),
        "one multiplier": best_single_multiplier(given_interests, used),
    }
    assert bound.links == max(values.values())
    assert values[bound.method] == bound.links
    assert bound.topics_used == len(set().union(*needed_topics(given_interests, used), set()))
    if bound.method == "one multiplier":
        (price,) = set(bound.topic_multipliers[list(used)].tolist()) - {0.0}
        assert 1 / price == pytest.approx(round(1 / price))
        unused = [t for t in range(given_interests.topic_count) if t not in used]
        assert not bound.topic_multipliers[unused].any()


def from_sizes(*topics: list[int]) -> Interests:
    return Interests.from_lists(
        {f"n{node}": [f"t{topic}" for topic in mine] for node, mine in enumerate(topics)}
    )


FORCED = from_sizes([0, 1, 3, 4], [1, 2, 5], [0, 3, 5], [0, 3, 5])


@pytest.mark.parametrize(
    ("method", "links", "given_interests"),
    [
        ("spanning forest", 3, from_sizes([0], [0], [0], [0])),
        ("node needs", 3, from_sizes([2, 3], [0, 2], [0, 1, 3])),
        # 2 + 2 + 2 + 1 needs: 3/2 is rounded up twice, and 7/2 once.
        ("node needs", 4, from_sizes([1, 4, 7], [3, 4, 7], [1, 3], [4, 7])),
        ("one multiplier", 6, from_sizes([2], [0, 2], [1], [0, 1], [1], [1, 2])),
        ("multipliers", 4, FORCED),
    ],
)
def test_each_method_wins_on_some_instance(
    method: str, links: int, given_interests: Interests
) -> None:
    bound = links_lower_bound(given_interests)
    assert (bound.method, bound.links) == (method, links)
    assert bound.links == naive.fewest_links(given_interests), "as many as are needed"
    assert bound.summary() == {
        "lower_bound": 2 * links / given_interests.node_count,
        "lower_bound_links": links,
        "bound_method": method,
        "topics_used": int((given_interests.popularity >= 2).sum()),
    }


def test_search_is_skipped_beyond_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    visits = pair_visits(FORCED)
    monkeypatch.setattr(lower_bound, "ASCENT_BUDGET", 2 * visits)
    assert links_lower_bound(FORCED).method == "multipliers"
    monkeypatch.setattr(lower_bound, "ASCENT_BUDGET", 2 * visits - 1)
    assert links_lower_bound(FORCED).method == "spanning forest"


def test_search_is_given_its_budget_and_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[int, int]] = []

    def ascend(*arguments: Any, budget: int, iterations: int, **more: Any) -> Any:
        given.append((budget, iterations))
        return dual_ascent.ascend(*arguments, budget=budget, iterations=iterations, **more)

    monkeypatch.setattr(lower_bound, "ascend", ascend)
    for iterations in (None, 7, 1, 0):
        links_lower_bound(FORCED, iterations=iterations)
    budget = lower_bound.ASCENT_BUDGET + 4 * pair_visits(FORCED)
    assert given == [(budget, MAX_ITERATIONS), (budget, 7), (budget, 1)]


def test_search_is_skipped_for_a_subset_of_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lower_bound, "SCAN_LIMIT", pair_visits(FORCED) - 1)
    bound = links_lower_bound(FORCED)
    assert bound.method == "spanning forest"
    assert bound.topics_used == 3, "four are needed_topics by two or more"


def test_progress_of_a_short_scan_is_reported_once() -> None:
    reported: list[tuple[str, float]] = []
    links_lower_bound(FORCED, iterations=0, progress=lambda *step: reported.append(step))
    assert reported == [("overlaps", 1.0)]


@given(any_interests)
def test_progress_of_the_scan_rises_to_one(given_interests: Interests) -> None:
    reported: list[float] = []

    def progress(stage: str, share: float) -> None:
        if stage == "overlaps":
            reported.append(share)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lower_bound, "SCAN_STRIDE", 2)
        links_lower_bound(given_interests, iterations=0, progress=progress)
    assert reported == sorted(reported)
    visits = pair_visits(given_interests)
    assert len(reported) <= visits / 2 + given_interests.node_count
    if given_interests.node_count:
        assert reported[-1] == (1.0 if visits else 0.0)
