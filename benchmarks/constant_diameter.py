"""Benchmark: the constant-diameter family."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.alternatives.plain_stars import SCORES, plain_stars
from benchmarks.harness import TINY, Case, Effort, Excerpt, Size, benchmark
from benchmarks.inputs import designed, links_and_degrees, rss
from gossamer.design import algorithms
from gossamer.model import Overlay

__all__ = ["constant_diameter"]

SIZES: dict[Effort, tuple[Size, Size]] = {
    "tiny": (TINY, TINY),
    "quick": (Size(200, 40, 6), Size(3_000, 300, 10)),
    "full": (Size(500, 100, 8), Size(10_000, 1_000, 20)),
    "large": (Size(500, 100, 8), Size(10_000, 1_000, 20)),
}


@benchmark(
    "constant-diameter",
    "The constant-diameter family",
    excerpt=Excerpt(()),
)
def constant_diameter(effort: Effort) -> Iterator[Case]:
    """Algorithms that build stars, so that no topic has a diameter above 2."""
    small, big = SIZES[effort]
    for name in SCORES:
        ours = f"{name} (in order)"
        yield Case(
            ours,
            small,
            designed(name, ties="lexicographic"),
            against=ours,
            answer=links_and_degrees,
        )
        yield Case(
            f"{name} with sets",
            small,
            _with_sets(name),
            against=ours,
            answer=links_and_degrees,
            same=True,
            runs=1,
        )
    family = [name for name, found in algorithms().items() if found.diameter is not None]
    for name in ("greedy-merge", *family):
        yield Case(name, big, designed(name), against="greedy-merge", answer=links_and_degrees)


def _with_sets(name: str) -> Callable[[Size], Callable[[], Overlay]]:
    def prepare(size: Size) -> Callable[[], Overlay]:
        interests, score = rss(size), SCORES[name]
        return lambda: Overlay.from_links(
            interests.node_count, sorted(plain_stars(interests, score))
        )

    return prepare
