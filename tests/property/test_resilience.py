"""Resilient overlays: all links stay, few are added, and no topic has a removable bridge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gossamer
from gossamer.design import find_algorithm, resilience
from gossamer.design.resilience import make_resilient, resilience_lower_bound
from gossamer.errors import OverlayError, ParameterError
from gossamer.model import Interests, Overlay
from gossamer.quality import TopicGraphs, assess, resilience_of_topics, topic_components
from tests import strategies
from tests.property.test_quality_measures import cases
from tests.reference import quality as naive_quality
from tests.reference.resilience import fewest_added_links, removable_bridges


def trees(parents: list[int], topics: int) -> tuple[Interests, Overlay]:
    """Everybody wants all topics; node k + 1 is linked to one of those before it."""
    count = len(parents) + 1
    links = [(child + 1, parent % (child + 1)) for child, parent in enumerate(parents)]
    wanted = {node: list(range(topics)) for node in range(count)}
    return Interests.from_lists(wanted), Overlay.from_links(count, links)


@given(cases(), strategies.seeds)
def test_no_removable_bridge_is_left(case: tuple[Interests, Overlay], seed: int) -> None:
    interests, overlay = case
    found = make_resilient(interests, overlay, seed=seed)
    assert removable_bridges(interests, naive_quality.links_of(found)) == 0
    assert set(naive_quality.links_of(overlay)) <= set(naive_quality.links_of(found))
    assert found == make_resilient(interests, overlay, seed=seed)
    before, after = topic_components(interests, overlay), topic_components(interests, found)
    assert (after <= before).all()
    bridges = resilience_of_topics(TopicGraphs.of(interests, found)).bridges
    assert (bridges == TopicGraphs.of(interests, found).components_of_two()).all()
    if (before <= 1).all():
        # Each link covers a leaf, so it takes a bridge away at least.
        taken = resilience_of_topics(TopicGraphs.of(interests, overlay)).bridges - bridges
        assert found.link_count - overlay.link_count <= taken.sum()


@given(strategies.interests(max_nodes=14, max_topics=8), strategies.seeds)
def test_connected_topics_stay_connected(interests: Interests, seed: int) -> None:
    overlay = gossamer.greedy_merge(interests, seed=seed)
    found = make_resilient(interests, overlay, seed=seed)
    assessment = assess(interests, found, lower_bound=False)
    assert assessment.topic_connected
    assert (assessment.topic_resilience.bridges[interests.popularity != 2] == 0).all()
    added = found.link_count - overlay.link_count
    assert added >= resilience_lower_bound(interests, overlay)


@given(st.lists(st.integers(0, 50), min_size=2, max_size=3), st.integers(1, 2), st.data())
def test_lower_bound_holds_for_the_optimum(
    parents: list[int], topics: int, data: st.DataObject
) -> None:
    interests, overlay = trees(parents, topics)
    left = data.draw(st.sets(st.integers(0, interests.subscription_count - 1), max_size=4))
    kept = np.setdiff1d(np.arange(interests.subscription_count), sorted(left))
    fewer = Interests.from_ids(
        interests.node_column[kept], interests.node_topics[kept],
        node_names=interests.node_count, topic_names=topics,
    )  # fmt: skip
    fewest = fewest_added_links(fewer, naive_quality.links_of(overlay))
    assert resilience_lower_bound(fewer, overlay) <= fewest
    assert make_resilient(fewer, overlay).link_count - overlay.link_count >= fewest


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=60), st.integers(1, 3))
def test_trees_get_about_half_as_many_links_as_leaves(parents: list[int], topics: int) -> None:
    interests, overlay = trees(parents, topics)
    found = make_resilient(interests, overlay)
    leaves = int((overlay.degrees == 1).sum())
    assert resilience_lower_bound(interests, overlay) == (leaves + 1) // 2
    assert (leaves + 1) // 2 <= found.link_count - overlay.link_count <= leaves
    assert int((found.degrees - overlay.degrees).max()) <= 3


@given(cases())
def test_no_bridge_is_left_with_sampled_partners(
    case: tuple[Interests, Overlay],
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resilience, "VISITS", 3)
        found = make_resilient(*case)
    assert removable_bridges(case[0], naive_quality.links_of(found)) == 0


def test_stars_paths_and_rings() -> None:
    star = trees([0] * 9, 2)
    assert make_resilient(*star).link_count == 9 + 5
    path = trees(list(range(9)), 2)
    assert make_resilient(*path).link_count == 9 + 1
    ring = Overlay.from_links(10, [(node, (node + 1) % 10) for node in range(10)])
    assert make_resilient(path[0], ring) == ring
    assert resilience_lower_bound(path[0], ring) == 0


def test_every_algorithm_accepts_the_resilient_option() -> None:
    interests = gossamer.generate_interests("rss", nodes=60, topics=8, subscriptions=3, seed=1)
    algorithm = find_algorithm("low-oda")
    plain, strong = algorithm(interests), algorithm(interests, resilient=True)
    assert strong == gossamer.make_resilient(interests, plain)
    assert assess(interests, strong, lower_bound=False).bridges == 0
    with pytest.raises(ParameterError, match="resilient is 'yes'; expected True or False"):
        algorithm(interests, resilient="yes")  # type: ignore[arg-type]
    with pytest.raises(OverlayError, match="the overlay has 3 nodes and the interests have 60"):
        gossamer.make_resilient(interests, Overlay.from_links(3, []))


def test_resilient_candidates() -> None:
    interests = gossamer.generate_interests("rss", nodes=60, topics=8, subscriptions=3, seed=1)
    plain, strong = gossamer.compare(
        interests, ["low-oda:rho=3", "low-oda:rho=3:resilient=true"]
    ).rows
    assert plain.links < strong.links
    assert strong.max_diameter <= plain.max_diameter
    with pytest.raises(ParameterError, match="resilient is 'perhaps'; expected yes or no"):
        gossamer.compare(interests, ["low-oda:resilient=perhaps"])
