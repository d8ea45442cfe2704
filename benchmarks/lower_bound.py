"""Benchmark: the proven lower bound on the links of any topic-connected overlay."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.alternatives.library_measures import linear_program_bound
from benchmarks.harness import TINY, Case, Effort, Excerpt, Size, benchmark
from benchmarks.inputs import rss
from gossamer.quality import links_lower_bound

__all__ = ["lower_bound"]

SIZES: dict[Effort, tuple[Size, tuple[Size, ...]]] = {
    "tiny": (TINY, ()),
    "quick": (Size(100, 30, 5), (Size(1_000, 100, 10),)),
    "full": (Size(200, 50, 5), (Size(1_000, 100, 10), Size(10_000, 1_000, 20))),
    "large": (Size(200, 50, 5), (Size(1_000, 100, 10), Size(10_000, 1_000, 20))),
}


@benchmark(
    "lower-bound", "The lower bound", excerpt=Excerpt(("lower bound", "linear program by SciPy"))
)
def lower_bound(effort: Effort) -> Iterator[Case]:
    """Proof of the lower bound on links. SciPy solves the same linear program exactly."""
    small, others = SIZES[effort]
    for size in (small, *others):
        yield Case(
            "lower bound",
            size,
            _ours,
            against="lower bound",
            answer=lambda links: f"at least {links:,.1f} links",
        )
        if size == small:
            yield Case(
                "linear program by SciPy",
                size,
                _solved,
                against="lower bound",
                answer=lambda links: f"at least {links:,.1f} links",
                runs=1,
            )


def _ours(size: Size) -> Callable[[], float]:
    interests = rss(size)
    return lambda: float(links_lower_bound(interests).links)


def _solved(size: Size) -> Callable[[], float]:
    interests = rss(size)
    return lambda: linear_program_bound(interests)
