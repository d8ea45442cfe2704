"""The lower bound against the optimum, by enumeration of all overlays."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.model import Interests, Overlay
from gossamer.progress import silent
from gossamer.quality import is_topic_connected, links_lower_bound, lower_bound
from gossamer.quality.degree_bound import max_degree_lower_bound
from gossamer.quality.dual_ascent import SCALE, Start, ascend
from tests.reference import quality as naive
from tests.strategies import interests, seeds

tiny = interests(max_nodes=5, max_topics=6)


@settings(max_examples=300)
@given(tiny)
def test_no_overlay_beats_the_bound(given_interests: Interests) -> None:
    bound = links_lower_bound(given_interests)
    optimum = naive.fewest_links(given_interests)
    assert 0 <= bound.links <= optimum
    assert bound.mean_degree == 2 * bound.links / max(given_interests.node_count, 1)


@given(tiny, st.integers(1, 4))
def test_no_overlay_beats_the_bound_on_the_maximum_degree(
    given_interests: Interests, hops: int
) -> None:
    bound = max_degree_lower_bound(given_interests, hops=hops).degree
    assert bound <= naive.lowest_max_degree(given_interests, hops)
    assert max_degree_lower_bound(given_interests).degree <= bound


@given(tiny, st.integers(0, 3), st.integers(0, 12))
def test_no_overlay_beats_the_bound_of_a_short_search(
    given_interests: Interests, iterations: int, limit: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lower_bound, "SCAN_LIMIT", limit)
        bound = links_lower_bound(given_interests, iterations=iterations)
    assert bound.links <= naive.fewest_links(given_interests)


@given(tiny, seeds)
def test_any_multipliers_give_a_bound(given_interests: Interests, seed: int) -> None:
    random = np.random.default_rng(seed)
    topic_prices = (random.random(given_interests.topic_count) ** 2).tolist()
    subscription_prices = {
        (node, topic): float(random.random() ** 3)
        for node, topics in enumerate(naive.topic_sets(given_interests))
        for topic in sorted(topics)
    }
    value = naive.dual_value(given_interests, topic_prices, subscription_prices)
    assert value <= naive.fewest_links(given_interests) + 1e-9


@given(interests(max_nodes=12, max_topics=8), st.integers(1, 8))
def test_multipliers_are_certified_over_all_pairs(
    given_interests: Interests, first_overlap: int
) -> None:
    topics = naive.topic_sets(given_interests)
    overlaps = [len(one & other) for one, other in combinations(topics, 2)]
    histogram = np.bincount(np.array(overlaps, dtype=np.int64), minlength=9)
    histogram[0] = 0
    worth, multipliers = ascend(
        given_interests,
        Start(first_overlap, histogram),
        budget=10**6,
        progress=silent,
    )
    subscription_prices = {
        (int(given_interests.topic_nodes[slot]), topic): float(multipliers.slots[slot] / SCALE)
        for topic in range(given_interests.topic_count)
        for slot in range(
            given_interests.topic_offsets[topic], given_interests.topic_offsets[topic + 1]
        )
    }
    topic_prices = (multipliers.topics / SCALE).tolist()
    value = naive.dual_value(given_interests, topic_prices, subscription_prices)
    assert worth / SCALE == pytest.approx(value, abs=1e-9)


@given(interests(max_nodes=12, max_topics=8))
def test_search_never_lowers_the_bound_of_the_scan(given_interests: Interests) -> None:
    scanned = links_lower_bound(given_interests, iterations=0)
    assert links_lower_bound(given_interests).links >= scanned.links


@given(interests())
def test_full_mesh_does_not_beat_the_bound(given_interests: Interests) -> None:
    count = given_interests.node_count
    mesh = Overlay.from_links(count, list(combinations(range(count), 2)))
    assert is_topic_connected(given_interests, mesh)
    assert links_lower_bound(given_interests).links <= mesh.link_count
