"""Benchmark: trees of bounded radius, by rows, by groups, and by covers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.alternatives.shallow_groups import shallow_groups
from benchmarks.harness import TINY, Case, Effort, Size, benchmark
from benchmarks.inputs import designed, links_and_degrees, rss
from gossamer.model import Overlay

__all__ = ["bounded_radius"]

MIDDLE = Size(10_000, 100, 10)
SPARSE = Size(30_000, 1_000, 10)
BIG = Size(100_000, 1_000, 10)
CROWDED = Size(100_000, 100, 10)
SIZES: dict[Effort, tuple[Size, ...]] = {
    "tiny": (TINY,),
    "quick": (MIDDLE,),
    "full": (MIDDLE, SPARSE, BIG),
    "large": (MIDDLE, SPARSE, BIG, CROWDED),
}
RADIUS = 8


@benchmark("bounded-radius", "Trees of bounded radius")
def bounded_radius(effort: Effort) -> Iterator[Case]:
    """Time bounded-radius greedy merge at radius 8 beside other algorithms.

    *Shallow groups* combines subset merge and bounded radius: the members of a group that
    shares topics are linked into shallow trees, instead of scanning rows of pairs. Cover forest
    places one node after the other. Greedy merge bounds no radius and shows the cost of the
    bound.
    """
    for size in SIZES[effort]:
        for name, options in (
            ("bounded-radius", {"radius": RADIUS}),
            ("greedy-merge", {}),
            ("cover-forest", {"radius": RADIUS}),
        ):
            yield Case(
                name, size, designed(name, **options),
                against="bounded-radius", answer=links_and_degrees,
            )  # fmt: skip
        if size != CROWDED:
            yield Case(
                "shallow groups", size, _groups, against="bounded-radius", answer=links_and_degrees
            )


def _groups(size: Size) -> Callable[[], Overlay]:
    interests = rss(size)
    return lambda: shallow_groups(interests, radius=RADIUS, seed=1)
