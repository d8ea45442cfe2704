"""Bounded-radius greedy merge: equality with the reference, and its guarantees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.design._trees.degree_caps import MAX_RADIUS, degree_caps
from gossamer.design.bounded_radius import Growth, bounded_radius, max_loose_diameter
from gossamer.errors import ParameterError
from gossamer.model import Interests
from gossamer.quality import assess
from gossamer.workloads import generate_interests
from tests import strategies
from tests.reference import bounded_merge as naive_trees

radii = st.integers(1, 7)


def grow(interests: Interests, radius: int, caps: list[int]) -> Growth:
    growth = Growth(interests, radius, np.array(caps, dtype=np.int32))
    growth.grow_loose()
    growth.root()
    growth.attach_all()
    return growth


@given(strategies.interests(max_nodes=14, max_topics=6), radii, st.integers(1, 6))
def test_links_equal_the_reference(interests: Interests, radius: int, cap: int) -> None:
    caps = [cap] * interests.node_count
    expected = naive_trees.bounded_radius(interests, max_loose_diameter(radius), radius, caps)
    assert [tuple(ends) for ends in grow(interests, radius, caps).ends().tolist()] == expected


@given(strategies.crowds(max_nodes=24, topics=3), radii, st.integers(1, 4))
def test_reaches_and_depths_are_distances_in_the_trees(
    interests: Interests, radius: int, cap: int
) -> None:
    growth = Growth(interests, radius, np.full(interests.node_count, cap, dtype=np.int32))
    growth.grow_loose()
    plain = naive_trees.Growth(
        interests, max_loose_diameter(radius), radius, [cap] * interests.node_count
    )
    for u, v in growth.ends().tolist():
        plain.add(u, v)
    growth.root()
    plain.choose_roots()
    for p, (v, t) in enumerate(zip(interests.node_column, interests.node_topics, strict=True)):
        place = plain.place(int(v), int(t))
        assert growth.trees.reaches[p] == place.reach <= max_loose_diameter(radius)
        assert growth.trees.depths[p] == (-1 if place.depth is None else place.depth)


@given(strategies.interests(max_nodes=30, max_topics=5), radii, st.integers(0, 5), strategies.seeds)
def test_topics_are_connected_within_twice_the_radius(
    interests: Interests, radius: int, cap: int, seed: int
) -> None:
    overlay = bounded_radius(interests, radius=radius, degree_cap=cap, seed=seed)
    found = assess(interests, overlay, lower_bound=False)
    assert found.topic_connected
    assert found.max_diameter <= 2 * radius
    assert found.links_without_topic == 0


@pytest.mark.compiled
@pytest.mark.parametrize("radius", [1, 2, 3, 4, 6, 9])
@pytest.mark.parametrize("kind", ["rss", "zipf"])
def test_radius_holds_on_workloads_with_tight_caps(kind: str, radius: int) -> None:
    interests = generate_interests(kind, nodes=400, topics=20, subscriptions="1-9", seed=radius)
    overlay = bounded_radius(interests, radius=radius, degree_cap=2)
    found = assess(interests, overlay, lower_bound=False)
    assert found.topic_connected
    assert found.max_diameter <= 2 * radius
    caps = degree_caps(interests, radius=radius, degree_cap=2)
    nodes, most = caps.over(overlay)
    beyond = overlay.degrees - caps.caps
    assert nodes == (beyond > 0).sum()
    assert most == max(int(beyond.max()), 0)


@pytest.mark.compiled
def test_larger_radius_needs_fewer_links_and_a_lower_cap() -> None:
    interests = generate_interests("rss", nodes=2_000, topics=50, subscriptions=8, seed=3)
    overlays = [bounded_radius(interests, radius=radius) for radius in (2, 3, 5, 8)]
    links = [overlay.link_count for overlay in overlays]
    assert links == sorted(links, reverse=True)
    widest = [int(overlay.degrees.max()) for overlay in overlays]
    assert widest == sorted(widest, reverse=True)


@pytest.mark.compiled
@pytest.mark.parametrize("radius", [6, 7, 8])
def test_default_cap_holds_for_uniform_interests(radius: int) -> None:
    interests = generate_interests("rss", nodes=2_000, topics=50, subscriptions=8, seed=4)
    overlay = bounded_radius(interests, radius=radius)
    assert degree_caps(interests, radius=radius).over(overlay) == (0, 0)


def test_default_caps_grow_with_the_variance_of_sizes() -> None:
    alike = Interests.from_lists({v: [0, 1] for v in range(9)})
    assert degree_caps(alike, radius=20).average == 7
    lists = {v: [v % 20] for v in range(99)} | {100 + v: list(range(20)) for v in range(1)}
    sizes = np.array([len(topics) for topics in lists.values()])
    spread = (sizes**2).mean() / sizes.mean() ** 2
    assert degree_caps(Interests.from_lists(lists), radius=20).average == int(7 * spread**0.25)


def test_cap_grows_with_the_square_root_of_subscriptions() -> None:
    interests = Interests.from_lists(
        {"hub": list(range(16))} | {f"node {v}": [v % 16, (v + 1) % 16] for v in range(64)}
    )
    caps = degree_caps(interests, radius=3, degree_cap=4)
    mean = interests.subscription_sizes.mean()
    assert caps.average == 4
    assert caps.caps[0] == int(np.ceil(4 * np.sqrt(16 / mean)))
    assert caps.caps[1] == 4


def test_centre_of_a_loose_tree_can_always_attach_to_a_root() -> None:
    for radius in range(1, MAX_RADIUS + 1):
        assert max_loose_diameter(radius) % 2 == 0
        assert max_loose_diameter(radius) // 2 + 1 <= radius


@pytest.mark.parametrize("radius", [0, -1, 65, 10**9])
def test_invalid_radius_is_rejected(radius: int) -> None:
    with pytest.raises(ParameterError, match=f"radius is {radius}; expected 1 to 64"):
        bounded_radius(Interests.from_lists({"a": ["x"]}), radius=radius)


@pytest.mark.parametrize("cap", [-1, 1_000_001, 2**40])
def test_invalid_cap_is_rejected(cap: int) -> None:
    with pytest.raises(ParameterError, match=f"degree_cap is {cap}; expected 1 to 1,000,000"):
        bounded_radius(Interests.from_lists({"a": ["x"]}), degree_cap=cap)


@pytest.mark.parametrize("radius", [2.5, "3", None, True])
def test_non_integer_radius_or_cap_is_rejected(radius: object) -> None:
    with pytest.raises(ParameterError, match="expected 1 to 64"):
        bounded_radius(Interests.from_lists({"a": ["x"]}), radius=radius)  # type: ignore[arg-type]
