"""Exact topic diameters, over the links between subscribers of a topic."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.measure import diameters as kernels
from gossamer.model.interests import freeze
from gossamer.progress import Progress, silent
from gossamer.quality.topic_graphs import TopicGraph, TopicGraphs

# Work between two reports of progress, in arcs and subscriptions.
STRIDE = 1_000_000


class TopicShape(NamedTuple):
    """Number of components of one topic, and the largest of their exact diameters."""

    components: int
    diameter: int


class TopicShapes(NamedTuple):
    """Components and diameters of every topic."""

    components: NDArray[np.int64]
    diameters: NDArray[np.int64]


def shape_of_topic(graph: TopicGraph) -> TopicShape:
    """Return the number of components and the diameter of one topic.

    The topic diameter is "the maximum hop-count between any two nodes, on the same topic-induced
    subgraph" (SpiderCast §3.2); in a disconnected topic, between any two that are connected. It is
    0 for a single subscriber or none.

    Trees, complete graphs and rings take two searches, O(subscribers + links). Otherwise
    eccentricities are bounded from both sides (Takes and Kosters, 2011), usually in a few searches;
    in the worst case, every subscriber is a source, with 64 sources per search.

    Examples
    --------
    >>> shape_of_topic(TopicGraph.from_links(4, [(0, 1), (1, 2)]))
    TopicShape(components=2, diameter=2)
    """
    components, diameter = kernels.topic_shape(freeze(graph.offsets), freeze(graph.neighbours))
    return TopicShape(int(components), int(diameter))


def shapes_of_topics(graphs: TopicGraphs, *, progress: Progress | None = None) -> TopicShapes:
    """Apply :func:`shape_of_topic` to every topic."""
    progress = progress or silent
    components = np.zeros(graphs.topic_count, dtype=np.int64)
    diameters = np.zeros(graphs.topic_count, dtype=np.int64)
    # Cumulative work at the end of each topic; equal work takes about equal time.
    work = graphs.offsets[graphs.topic_offsets[1:]] + graphs.topic_offsets[1:]
    first = 0
    while first < graphs.topic_count:
        done = int(work[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(work, done + STRIDE)))
        kernels.topic_shapes(
            graphs.topic_offsets,
            graphs.offsets,
            graphs.neighbours,
            first,
            last,
            components,
            diameters,
        )
        first = last
        progress("topic diameters", int(work[last - 1]) / max(int(work[-1]), 1))
    return TopicShapes(freeze(components), freeze(diameters))
