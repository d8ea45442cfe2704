"""Every quality metric against its reference."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import Interests, Overlay
from gossamer.quality import (
    TopicGraph,
    TopicGraphs,
    articulation_points,
    assess,
    clustering_coefficients,
    degree_statistics,
    is_topic_connected,
    resilience_of_topics,
    shape_of_topic,
    shapes_of_topics,
    shared_topics,
    sharing_histogram,
    top_intersection,
    topic_components,
)
from tests.reference import quality as naive
from tests.strategies import interests, seeds


@st.composite
def overlays(draw: st.DrawFn, node_count: int) -> Overlay:
    """Any overlay over so many nodes, from none of the links to all of them."""
    possible = list(combinations(range(node_count), 2))
    chosen = draw(st.sets(st.sampled_from(possible))) if possible else set[tuple[int, int]]()
    return Overlay.from_links(node_count, sorted(chosen))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Interests, Overlay]:
    """Interests, and any overlay over their nodes."""
    given_interests = draw(interests())
    return given_interests, draw(overlays(given_interests.node_count))


@st.composite
def sizeable_graphs(draw: st.DrawFn) -> Overlay:
    """Graphs of up to 200 nodes that take the diameter's every path: trees, rings, bands, noise."""
    random = np.random.default_rng(draw(seeds))
    count = draw(st.integers(2, 200))
    nodes = np.arange(count)
    links = []
    if draw(st.booleans()):  # a tree, deep or shallow
        reach = draw(st.integers(1, count))
        parents = np.maximum(nodes[1:] - random.integers(1, reach + 1, count - 1), 0)
        links.append(np.stack((nodes[1:], parents), axis=1))
    links.extend(
        np.stack((nodes, (nodes + step) % count), axis=1)  # a ring, or a band of several
        for step in draw(st.lists(st.integers(1, 9), max_size=3))
    )
    extra = draw(st.integers(0, 2 * count))
    links.append(random.integers(0, count, (extra, 2)))
    pairs = np.concatenate(links)
    shuffled = random.permutation(count)[pairs]
    return Overlay.from_links(count, shuffled[shuffled[:, 0] != shuffled[:, 1]])


@given(cases())
def test_topic_shapes(case: tuple[Interests, Overlay]) -> None:
    shapes = shapes_of_topics(TopicGraphs.of(*case))
    assert list(zip(*(column.tolist() for column in shapes), strict=True)) == naive.topic_shapes(
        *case
    )


@given(cases())
def test_components_without_distances(case: tuple[Interests, Overlay]) -> None:
    expected = [components for components, _ in naive.topic_shapes(*case)]
    assert topic_components(*case).tolist() == expected
    assert is_topic_connected(*case) == all(components <= 1 for components in expected)


@given(cases())
def test_one_topic_alone_is_measured_as_among_all(case: tuple[Interests, Overlay]) -> None:
    graphs = TopicGraphs.of(*case)
    components, diameters = shapes_of_topics(graphs)
    for topic in range(graphs.topic_count):
        assert shape_of_topic(graphs.graph_of(topic)) == (components[topic], diameters[topic])


@given(sizeable_graphs())
def test_exact_diameter(overlay: Overlay) -> None:
    graph = TopicGraph.from_links(overlay.node_count, overlay.links)
    expected = naive.topic_shape(range(overlay.node_count), naive.links_of(overlay))
    assert shape_of_topic(graph) == expected


@given(cases())
def test_bridges_and_articulation_points(case: tuple[Interests, Overlay]) -> None:
    given_interests, overlay = case
    found = resilience_of_topics(TopicGraphs.of(given_interests, overlay))
    expected = [
        naive.single_failures(
            given_interests.subscribers_of(topic).tolist(), overlay.links.tolist()
        )
        for topic in range(given_interests.topic_count)
    ]
    assert list(zip(*(column.tolist() for column in found), strict=True)) == expected
    cuts = articulation_points(given_interests, overlay)
    assert list(zip(*(column.tolist() for column in cuts), strict=True)) == sorted(
        (node, topic)
        for topic in range(given_interests.topic_count)
        for node in naive.articulation_points(
            given_interests.subscribers_of(topic).tolist(), overlay.links.tolist()
        )
    )
    assessment = assess(given_interests, overlay, lower_bound=False)
    shared = int((given_interests.popularity >= 2).sum())
    assert assessment.bridges == sum(bridges for bridges, _ in expected)
    assert assessment.articulation_points == sum(points for _, points in expected)
    assert assessment.bridged_share * max(shared, 1) == pytest.approx(
        sum(bridges > 0 for bridges, _ in expected)
    )


@given(st.integers(0, 9).flatmap(overlays))
def test_degrees(overlay: Overlay) -> None:
    degrees = naive.degrees(overlay)
    statistics = degree_statistics(overlay)
    if not degrees:
        assert statistics.maximum == 0
        return
    assert statistics.mean == pytest.approx(sum(degrees) / len(degrees))
    assert statistics.maximum == max(degrees)
    assert statistics.median == naive.percentile(degrees, 50)
    assert statistics.percentile_95 == naive.percentile(degrees, 95)
    assert statistics.percentile_99 == naive.percentile(degrees, 99)


@given(st.integers(0, 9).flatmap(overlays))
def test_clustering(overlay: Overlay) -> None:
    expected = [naive.clustering_coefficient(overlay, v) for v in range(overlay.node_count)]
    assert clustering_coefficients(overlay).tolist() == pytest.approx(expected)


@given(cases())
def test_sharing(case: tuple[Interests, Overlay]) -> None:
    expected = naive.shared_topics(*case)
    assert shared_topics(*case).tolist() == expected
    histogram = sharing_histogram(*case).tolist()
    assert histogram == [expected.count(k) for k in range(max(expected, default=0) + 1)]


@given(interests(), st.integers(1, 12))
def test_top_intersection(given_interests: Interests, depth: int) -> None:
    expected = naive.top_intersection(given_interests, depth)
    assert top_intersection(given_interests, depth) == pytest.approx(expected)


@given(cases())
def test_assessment(case: tuple[Interests, Overlay]) -> None:
    given_interests, overlay = case
    assessment = assess(given_interests, overlay)
    shapes = naive.topic_shapes(given_interests, overlay)
    measured = [
        diameter
        for (_, diameter), subscribers in zip(shapes, given_interests.popularity, strict=True)
        if subscribers >= 2
    ]
    shared = naive.shared_topics(given_interests, overlay)
    assert assessment.topics_connected == sum(components <= 1 for components, _ in shapes)
    assert assessment.topic_connected == is_topic_connected(given_interests, overlay)
    assert assessment.max_diameter == max(measured, default=0)
    assert assessment.mean_diameter == pytest.approx(sum(measured) / max(len(measured), 1))
    assert assessment.mean_topics_per_link == pytest.approx(sum(shared) / max(len(shared), 1))
    assert assessment.links_without_topic == shared.count(0)
    if assessment.topic_connected and assessment.ratio is not None:
        assert assessment.ratio >= 1
