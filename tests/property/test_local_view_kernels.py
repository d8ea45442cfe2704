"""Kernels of local views and shadows against sets, dictionaries and sorted lists."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gossamer.kernels.repair.blocks import neighbours_among, with_neighbours
from gossamer.kernels.repair.candidates import count_lacking, cover
from gossamer.kernels.repair.local_views import distinct_present
from gossamer.kernels.repair.shadows import are_connected
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.repair import shadows_of
from gossamer.model import Interests, Overlay

NODES, TOPICS = 9, 5


@st.composite
def overlays(draw: st.DrawFn) -> DynamicOverlay:
    """Return nodes with random topics, presence and links."""
    topics = st.lists(st.integers(0, TOPICS - 1), unique=True)
    lists = [draw(topics) for _ in range(NODES)]
    present = np.array([draw(st.booleans()) for _ in range(NODES)])
    here = np.flatnonzero(present).tolist()
    ends = st.tuples(st.sampled_from(here), st.sampled_from(here)) if here else st.nothing()
    pairs = draw(st.lists(ends, max_size=12)) if here else []
    interests = Interests.from_ids(
        [node for node, mine in enumerate(lists) for _ in mine],
        [topic for mine in lists for topic in mine],
        node_names=NODES,
        topic_names=TOPICS,
    )
    links = {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}
    return DynamicOverlay(interests, present, Overlay.from_links(NODES, sorted(links)))


some_nodes = st.lists(st.integers(0, NODES - 1), max_size=12)
some_topics = st.sets(st.integers(0, TOPICS - 1))


def ids(values: Iterable[int]) -> NDArray[np.int32]:
    return np.array(list(values), dtype=np.int32)


@given(overlays(), some_nodes)
def test_distinct_present_nodes(overlay: DynamicOverlay, nodes: list[int]) -> None:
    found = distinct_present(ids(nodes), overlay.present)
    assert found.tolist() == sorted({node for node in nodes if overlay.present[node]})


@given(overlays(), some_nodes, some_topics, st.integers(1, 4))
def test_cover_counts_present_nodes(
    overlay: DynamicOverlay, nodes: list[int], topics: set[int], factor: int
) -> None:
    ordered, present = sorted(topics), overlay.present
    own = overlay.subscriptions
    lacking = count_lacking(ids(ordered), own.subscribers, present, factor)
    expected = [
        max(min(factor, int(present[overlay.subscribers_of(topic)].sum()) - 1), 0)
        for topic in ordered
    ]
    assert lacking.tolist() == expected
    places = np.array(
        [ordered.index(k) if k in topics else -1 for k in range(TOPICS)], dtype=np.int32
    )
    left = cover(ids(nodes), own.topics, present, places, lacking)
    for node in nodes:
        if present[node]:
            for topic in overlay.topics_of(node).tolist():
                if topic in topics:
                    expected[ordered.index(topic)] -= 1
    assert lacking.tolist() == expected
    assert left == sum(count > 0 for count in expected)


@given(overlays(), some_nodes)
def test_nodes_with_their_neighbours(overlay: DynamicOverlay, nodes: list[int]) -> None:
    inside = sorted(set(nodes))
    around = {int(one) for node in inside for one in overlay.neighbours_of(node)}
    found = with_neighbours(ids(inside), overlay.adjacency, overlay.scratch.nodes).tolist()
    assert found[: len(inside)] == inside
    assert sorted(found[len(inside) :]) == sorted(around - set(inside))
    assert (overlay.scratch.nodes == -1).all()


@given(overlays(), some_nodes)
def test_neighbours_among_nodes(overlay: DynamicOverlay, nodes: list[int]) -> None:
    some = list(dict.fromkeys(nodes))
    offsets, near = neighbours_among(ids(some), overlay.adjacency, overlay.scratch.nodes)
    for place, node in enumerate(some):
        found = [some[other] for other in near[offsets[place] : offsets[place + 1]]]
        assert sorted(found) == sorted(set(overlay.neighbours_of(node).tolist()) & set(some))
    assert (overlay.scratch.nodes == -1).all()


@given(overlays(), some_nodes, some_topics)
def test_shadows_are_the_subscriptions_to_some_topics(
    overlay: DynamicOverlay, nodes: list[int], topics: set[int]
) -> None:
    places, ordered = list(dict.fromkeys(nodes)), sorted(topics)
    pairs = [
        (place, ordered.index(topic))
        for place, node in enumerate(places)
        for topic in overlay.topics_of(node).tolist()
        if topic in topics
    ]
    expected = shadows_of(
        np.array([place for place, _ in pairs], dtype=np.int64),
        np.array([topic for _, topic in pairs], dtype=np.int64),
        len(places),
        len(ordered),
    )
    found = overlay.shadows(ids(places), ids(ordered))
    assert (overlay.scratch.topics == -1).all()
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()


@given(overlays(), st.data())
def test_shadows_are_connected_if_labels_agree(
    overlay: DynamicOverlay, data: st.DataObject
) -> None:
    nodes, topics = ids(range(NODES)), ids(range(TOPICS))
    shadows = overlay.shadows(nodes, topics)
    labels = np.array(
        [data.draw(st.integers(0, 1)) for _ in range(NODES * TOPICS)], dtype=np.int32
    ).reshape(NODES, TOPICS)
    must_connect = np.array([data.draw(st.booleans()) for _ in range(NODES)])
    found = {
        topic: {
            int(labels[node, topic]) for node in overlay.subscribers_of(topic) if must_connect[node]
        }
        for topic in range(TOPICS)
    }
    assert are_connected(shadows, labels, must_connect) == all(
        len(one) <= 1 for one in found.values()
    )
