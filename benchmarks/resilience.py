"""Benchmark: taking away all bridges, for all topics at once and for each topic by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np

from benchmarks.harness import TINY, Case, Effort, Size, benchmark
from benchmarks.inputs import rss
from gossamer import quality
from gossamer.design import find_algorithm
from gossamer.design.resilience import make_resilient, resilience_lower_bound
from gossamer.model import Interests, Overlay

__all__ = ["resilience"]

Measure = Callable[[Interests, Overlay], Any]
SMALL, MIDDLE, BIG = Size(1_000, 100, 10), Size(10_000, 100, 10), Size(100_000, 1_000, 10)
OURS, BOUND, BRIDGES = "make_resilient", "lower bound", "bridges"
SIZES: dict[Effort, tuple[Size, ...]] = {
    "tiny": (TINY,),
    "quick": (SMALL, MIDDLE),
    "full": (SMALL, MIDDLE, BIG),
    "large": (SMALL, MIDDLE, BIG),
}


@benchmark("resilience", "Resilience: the removal of bridges")
def resilience(effort: Effort) -> Iterator[Case]:
    """Time the search for links that make every topic two-edge-connected.

    The overlay is that of LowODA, or of subset merge at the largest size. NetworkX, beside it,
    gives each topic alone the fewest possible links; their sum exceeds links that serve several
    topics at once. The lower bound holds for any method. Last, the counts of bridges and
    articulation points, on which NetworkX must agree.
    """
    for size in SIZES[effort]:
        design = "subset-merge" if size == BIG else "low-oda"
        yield Case(OURS, size, _on(design, _resilient), against=OURS, answer=_added, runs=2)
        if size != BIG:
            rival = "each topic by itself, NetworkX"
            yield Case(rival, size, _on(design, _each_topic), against=OURS, answer=_added, runs=1)
        yield Case(BOUND, size, _on(design, resilience_lower_bound), against=OURS, answer=_least)
        yield Case(BRIDGES, size, _on(design, _cuts), against=BRIDGES, answer=str)
        if size != BIG:
            rival = "bridges by NetworkX"
            yield Case(
                rival, size, _on(design, _networkx_cuts), against=BRIDGES, answer=str, same=True,
                runs=1,
            )  # fmt: skip


def _on(design: str, function: Measure) -> Callable[[Size], Callable[[], Any]]:
    def prepare(size: Size) -> Callable[[], Any]:
        interests = rss(size)
        overlay = find_algorithm(design)(interests, seed=1)
        return lambda: function(interests, overlay)

    return prepare


def _resilient(interests: Interests, overlay: Overlay) -> tuple[Overlay, Overlay]:
    return overlay, make_resilient(interests, overlay, seed=1)


def _each_topic(interests: Interests, overlay: Overlay) -> tuple[Overlay, Overlay]:
    added = [
        np.array(list(nx.k_edge_augmentation(graph, 2)), dtype=np.int64).reshape(-1, 2)
        for graph in _topic_graphs(interests, overlay)
        if len(graph) > 2
    ]
    links = np.concatenate((overlay.links, *added))
    return overlay, Overlay.from_links(interests.node_count, links)


def _cuts(interests: Interests, overlay: Overlay) -> str:
    found = quality.resilience_of_topics(quality.TopicGraphs.of(interests, overlay))
    return _said(int(found.bridges.sum()), int(found.articulation_points.sum()))


def _networkx_cuts(interests: Interests, overlay: Overlay) -> str:
    bridges, points = 0, 0
    for graph in _topic_graphs(interests, overlay):
        bridges += sum(1 for _ in nx.bridges(graph))
        points += sum(1 for _ in nx.articulation_points(graph))
    return _said(bridges, points)


def _topic_graphs(interests: Interests, overlay: Overlay) -> Iterator[Any]:
    whole: Any = nx.Graph()
    whole.add_nodes_from(range(interests.node_count))
    whole.add_edges_from(overlay.links.tolist())
    for topic in range(interests.topic_count):
        yield nx.Graph(whole.subgraph(interests.subscribers_of(topic).tolist()))


def _added(found: tuple[Overlay, Overlay]) -> str:
    before, after = found
    return (
        f"{after.link_count - before.link_count:,} links more, degree {before.degrees.mean():.2f} "
        f"/ {before.degrees.max()} → {after.degrees.mean():.2f} / {after.degrees.max()}"
    )


def _least(bound: int) -> str:
    return f"{bound:,} links at least"


def _said(bridges: int, points: int) -> str:
    return f"{bridges:,} bridges, {points:,} articulation points"
