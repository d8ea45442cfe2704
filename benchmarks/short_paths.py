"""Benchmark: bounded radius and cover forest beside greedy merge, as nodes grow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.harness import TINY, Case, Effort, Size, benchmark
from benchmarks.inputs import designed, links_and_degrees

__all__ = ["short_paths"]

MEASURE = "greedy-merge"
SUBJECTS: dict[str, tuple[str, dict[str, Any]]] = {
    MEASURE: ("greedy-merge", {}),
    "low-oda": ("low-oda", {}),
    "bounded-radius, radius 4": ("bounded-radius", {"radius": 4}),
    "bounded-radius, radius 6": ("bounded-radius", {"radius": 6}),
    "bounded-radius, radius 10": ("bounded-radius", {"radius": 10}),
    "cover-forest, radius 6": ("cover-forest", {"radius": 6}),
}
SMALL, MIDDLE, MORE = (Size(nodes, 100, 10) for nodes in (1_000, 10_000, 30_000))
MANY, LARGE = Size(100_000, 1_000, 10), Size(100_000, 100, 10)
SIZES: dict[Effort, tuple[Size, ...]] = {
    "tiny": (TINY,),
    "quick": (SMALL,),
    "full": (SMALL, MIDDLE, MORE, MANY),
    "large": (SMALL, MIDDLE, MORE, MANY, LARGE),
}


@benchmark("short-paths", "Short paths beside greedy merge")
def short_paths(effort: Effort) -> Iterator[Case]:
    """Time the algorithms that bound the radius of every topic beside greedy merge.

    Bounded radius scans pairs of subscribers as greedy merge does, several times over, but
    keeps none; cover forest places one node after the other. LowODA stands beside them.
    """
    for size in SIZES[effort]:
        for subject, (name, options) in SUBJECTS.items():
            yield Case(
                subject,
                size,
                designed(name, **options),
                against=MEASURE,
                answer=links_and_degrees,
                runs=3,
            )
