"""Overlays of the StaN study: views, clustering and robustness before, after and by design."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gossamer.design.greedy_omniscient import omniscient_views
from gossamer.model import Interests, Overlay
from gossamer.quality import TopicGraphs, clustering_coefficients, degree_statistics

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.studies.schema import Measurements

PERCENTILES = tuple(range(10, 101, 10))
CRASHED = (0, 30, 50, 70, 80, 90)
"""Shares of crashed nodes, in %."""
LARGE_VIEW = (540, 660)
"""First physical views that count as views of 600 neighbours."""


def design_omniscient(interests: Interests, seed: int) -> TopicGraphs:
    """Return the views of the greedy-omniscient design (appendix B)."""
    topics, ones, others = omniscient_views(interests, seed=seed)
    both = (np.concatenate((ones, others)), np.concatenate((others, ones)))
    return TopicGraphs.from_arcs(interests, np.concatenate((topics, topics)), *both)


def measure_overlays(
    interests: Interests, overlays: Mapping[str, TopicGraphs], seed: int
) -> Measurements:
    """Measure the overlays ``initial``, ``final`` and ``greedy`` of the same interests.

    ``clustering …/p`` are percentiles of the clustering coefficients over nodes and topics,
    ``… pvs/d`` mean physical views of tenths of the nodes, by size of the first view, and
    ``surviving …/s`` shares of subscriptions in the largest component of their topic after a crash
    of s % of the nodes.
    """
    measured: Measurements = {}
    views = {name: physical_views(interests, graphs) for name, graphs in overlays.items()}
    order = np.argsort(views["initial"].degrees, kind="stable")
    for name, graphs in overlays.items():
        whole, degrees = _slots(graphs), views[name].degrees
        coefficients = clustering_coefficients(whole)
        measured |= {
            f"pvs {name}": float(degrees.mean()),
            f"lvs {name}": len(graphs.neighbours) / interests.node_count,
            f"maximum pvs {name}": float(degree_statistics(views[name]).maximum),
            f"clustering {name}": float(coefficients.mean()),
            f"partitioned {name}": float((graphs.components() > 1).sum()),
        }
        for percent in PERCENTILES:
            measured[f"clustering {name}/{percent}"] = float(np.percentile(coefficients, percent))
        for tenth, members in enumerate(np.array_split(order, 10), start=1):
            measured[f"{name} pvs/{tenth}"] = float(degrees[members].mean())
        ranks = np.random.default_rng(seed).permutation(interests.node_count)
        for percent in CRASHED:
            alive = ranks * 100 >= percent * interests.node_count
            measured[f"surviving {name}/{percent}"] = _connected_share(interests, whole, alive)
    first, last = views["initial"].degrees, views["final"].degrees
    large = (first >= LARGE_VIEW[0]) & (first <= LARGE_VIEW[1])
    reduced = (first - last)[large]
    measured["nodes with a view of 600"] = float(large.sum())
    measured["reduction of a view of 600"] = float(reduced.mean()) if large.any() else 0.0
    return measured


def physical_views(interests: Interests, graphs: TopicGraphs) -> Overlay:
    """Return the links of all topics' overlays as one overlay of nodes."""
    owners, others = _ends(graphs)
    nodes = interests.topic_nodes
    return Overlay.from_links(
        interests.node_count, np.stack((nodes[owners], nodes[others]), axis=1)
    )


def _slots(graphs: TopicGraphs) -> Overlay:
    """Return all topics' overlays as one graph, whose nodes are subscriptions."""
    owners, others = _ends(graphs)
    return Overlay.from_links(len(graphs.offsets) - 1, np.stack((owners, others), axis=1))


def _ends(graphs: TopicGraphs) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    sizes = np.diff(graphs.offsets)
    first = np.repeat(graphs.topic_offsets[:-1], np.diff(graphs.topic_offsets))
    owners = np.repeat(np.arange(len(sizes)), sizes)
    return owners, np.repeat(first, sizes) + graphs.neighbours


def _connected_share(interests: Interests, whole: Overlay, alive: NDArray[np.bool_]) -> float:
    """Return the share of living subscriptions in the largest component of their topic."""
    living = alive[interests.topic_nodes]
    links = whole.links[living[whole.links].all(axis=1)]
    component = _component_of(whole.node_count, links)[living]
    topics = np.repeat(np.arange(interests.topic_count), interests.popularity)[living]
    sizes = np.bincount(component, minlength=1)
    largest = np.zeros(interests.topic_count, dtype=np.int64)
    np.maximum.at(largest, topics, sizes[component])
    return float(largest.sum() / max(len(topics), 1))


def _component_of(nodes: int, links: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return a number of the component of each node: labels spread along links, and are merged."""
    label = np.arange(nodes)
    while True:
        low = np.minimum(label[links[:, 0]], label[links[:, 1]])
        before = label.copy()
        np.minimum.at(label, links[:, 0], low)
        np.minimum.at(label, links[:, 1], low)
        label = label[label]
        if np.array_equal(label, before):
            return label
