"""The constant-diameter family and rings against the reference, link for link."""

from __future__ import annotations

import pytest
from hypothesis import given

from gossamer.design import find_algorithm
from gossamer.model import Interests, Overlay
from tests import strategies
from tests.reference import design as naive


def links_of(overlay: Overlay) -> list[naive.Link]:
    return [(int(u), int(v)) for u, v in overlay.links]


@pytest.mark.parametrize("name", ["cd-oda", "cd-oda-1", "cd-oda-2", "td-cd-oda"])
@given(interests=strategies.interests(max_nodes=10, max_topics=8))
def test_star_scores_equal_the_formulas(name: str, interests: Interests) -> None:
    overlay = find_algorithm(name)(interests, ties="lexicographic")
    assert links_of(overlay) == naive.stars(interests, name)


@given(interests=strategies.interests(max_nodes=10, max_topics=8))
def test_density_over_other_subscribers(interests: Interests) -> None:
    overlay = find_algorithm("cd-oda-2")(interests, ties="lexicographic", density="others")
    assert links_of(overlay) == naive.stars(interests, "cd-oda-2-others")


@given(interests=strategies.interests(max_nodes=10, max_topics=8))
def test_topic_density_equals_the_formula(interests: Interests) -> None:
    overlay = find_algorithm("2d-oda")(interests, ties="lexicographic")
    assert links_of(overlay) == naive.topic_stars(interests)


@given(interests=strategies.interests())
def test_ring_per_topic(interests: Interests) -> None:
    assert links_of(find_algorithm("ring-per-topic")(interests)) == naive.rings(interests)
