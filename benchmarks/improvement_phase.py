"""Benchmark: the improvement phase of trees of bounded radius, beside pruning alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.harness import TINY, Case, Effort, Size, benchmark
from benchmarks.inputs import links_and_degrees, rss
from gossamer.design._trees.prune import prune
from gossamer.design._trees.reparent import improve
from gossamer.design.cover_forest import forest_caps, place_nodes_in_order
from gossamer.model import Interests, Overlay
from gossamer.workloads import PowerLawSizes, generate_interests

__all__ = ["improvement_phase"]

RADIUS = 6
ALIKE = Size(10_000, 100, 10)
HEAVY = Size(5_000, 1_000, 300)
HEAVIER = Size(20_000, 4_000, 600)
SIZES: dict[Effort, tuple[Size, ...]] = {
    "tiny": (TINY,),
    "quick": (HEAVY,),
    "full": (ALIKE, HEAVY, HEAVIER),
    "large": (ALIKE, HEAVY, HEAVIER),
}
MEASURE = "pruned"


@benchmark("improvement-phase", "The improvement phase of tree overlays")
def improvement_phase(effort: Effort) -> Iterator[Case]:
    """Time the improvement phase, which alternates reparenting and pruning, beside pruning alone.

    Both start from the same cover forest of radius 6, placed once; *as placed* is that forest.
    With more than ten subscriptions a node, interest sizes follow a power law of exponent 1.8
    up to that number: heavy tails.
    """
    for size in SIZES[effort]:
        for subject, again in (
            (MEASURE, _pruned),
            ("reparented and pruned", _reparented),
            ("as placed", _as_placed),
        ):
            yield Case(subject, size, again, against=MEASURE, answer=links_and_degrees)


class _Placed:
    """A cover forest, placed once, with the input of the improvement phase."""

    def __init__(self, size: Size) -> None:
        self.interests = _interests(size)
        self.caps = forest_caps(self.interests, radius=RADIUS).caps
        order = np.argsort(-self.interests.subscription_sizes, kind="stable")
        placed = place_nodes_in_order(self.interests, order, RADIUS, self.caps)
        self.overlay = Overlay.from_links(self.interests.node_count, placed.ends())
        self.roots = placed.roots


def _interests(size: Size) -> Interests:
    nodes, topics, most = size
    if most <= ALIKE.subscriptions:
        return rss(size)
    return generate_interests(
        "zipf", nodes=nodes, topics=topics, subscriptions=PowerLawSizes(1, most, 1.8), seed=1
    )


def _pruned(size: Size) -> Callable[[], Overlay]:
    placed = _Placed(size)
    return lambda: prune(placed.interests, placed.overlay, placed.roots, RADIUS)


def _reparented(size: Size) -> Callable[[], Overlay]:
    placed = _Placed(size)
    return lambda: improve(
        placed.interests, placed.overlay, placed.roots, RADIUS, placed.caps, seed=1
    )


def _as_placed(size: Size) -> Callable[[], Overlay]:
    placed = _Placed(size)
    return lambda: placed.overlay
