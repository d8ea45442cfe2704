"""Cover forest: equality of a round with the reference, and its guarantees."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.design.cover_forest import cover_forest, forest_caps, place_nodes_in_order
from gossamer.errors import ParameterError
from gossamer.model import Interests
from gossamer.quality import assess
from tests import strategies
from tests.reference import cover_forest as naive_forest


@given(
    interests=strategies.interests(max_nodes=14, max_topics=7),
    radius=st.integers(1, 5),
    cap=st.integers(1, 6),
    mix=st.randoms(use_true_random=False),
)
def test_links_of_a_round_equal_the_reference(
    interests: Interests, radius: int, cap: int, mix: Random
) -> None:
    order = list(range(interests.node_count))
    mix.shuffle(order)
    caps = [mix.randint(1, cap) for _ in order]
    expected, _ = naive_forest.place(interests, order, radius, caps)
    found = place_nodes_in_order(
        interests, np.array(order, dtype=np.int64), radius, np.array(caps, dtype=np.int32)
    )
    assert [tuple(ends) for ends in found.ends().tolist()] == expected
    assert found.degrees.tolist() == [
        sum(v in link for link in expected) for v in range(interests.node_count)
    ]


@given(
    strategies.interests(max_nodes=30, max_topics=5),
    st.integers(1, 6),
    st.integers(0, 5),
    strategies.seeds,
)
def test_topics_are_connected_within_twice_the_radius(
    interests: Interests, radius: int, cap: int, seed: int
) -> None:
    overlay = cover_forest(interests, radius=radius, degree_cap=cap, seed=seed)
    found = assess(interests, overlay, lower_bound=False)
    assert found.topic_connected
    assert found.max_diameter <= 2 * radius
    assert found.links_without_topic == 0


def hub_interests() -> Interests:
    """Four nodes that want most of 150 topics, and four hundred that want a few."""
    random = Random(5)
    lists = {f"hub {v}": random.sample(range(150), 90) for v in range(4)}
    lists |= {f"node {v}": random.sample(range(150), 4) for v in range(400)}
    return Interests.from_lists(lists)


def test_rounds_lower_hubs_to_the_cap() -> None:
    interests, cap = hub_interests(), 31
    order = np.argsort(-interests.subscription_sizes, kind="stable")
    once = place_nodes_in_order(
        interests, order, 5, np.full(interests.node_count, cap, dtype=np.int32)
    )
    assert int(once.degrees.max()) > cap, "the first round alone is over it"
    overlay = cover_forest(interests, radius=5, degree_cap=cap)
    assert forest_caps(interests, radius=5, degree_cap=cap).over(overlay) == (0, 0)


def test_node_that_cannot_refuse_links_is_placed_last() -> None:
    lists = {"hub": list(range(100))} | {f"node {v}": [v, (v + 1) % 100] for v in range(100)}
    interests = Interests.from_lists(lists)
    # As the root of all topics it would be everybody's parent.
    assert int(cover_forest(interests, radius=3, degree_cap=100).degrees.max()) > 60
    assert int(cover_forest(interests, radius=3, degree_cap=52).degrees.max()) <= 52


def test_default_cap_follows_the_largest_node() -> None:
    others = {f"node {v}": [(v + step) % 400 for step in range(20)] for v in range(400)}
    caps = forest_caps(Interests.from_lists({"hub": list(range(400))} | others), radius=6)
    assert caps.average == 3 * 20
    assert (caps.caps == 60).all()


def test_default_cap_covers_the_largest_node() -> None:
    others = {f"node {v}": [v, (v + 1) % 200] for v in range(200)}
    interests = Interests.from_lists({"hub": list(range(200))} | others)
    assert forest_caps(interests, radius=6).average == 100
    assert int(cover_forest(interests, radius=6).degrees.max()) >= 100


@pytest.mark.parametrize("radius", [0, 65])
def test_invalid_radius_is_rejected(radius: int) -> None:
    with pytest.raises(ParameterError, match=f"radius is {radius}; expected 1 to 64"):
        cover_forest(Interests.from_lists({"a": ["x"]}), radius=radius)
