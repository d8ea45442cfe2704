"""Benchmark: greedy merge, and what minds the maximum degree or avoids scanning pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.reference.design import greedy_merge as naive_greedy_merge

from benchmarks.alternatives.dense_merge import dense_greedy_merge
from benchmarks.harness import TINY, Case, Effort, Excerpt, Size, benchmark
from benchmarks.inputs import designed, links_and_degrees, rss
from gossamer.model import Overlay

__all__ = ["greedy_merge"]

NAIVE = Size(100, 20, 5)
SMALL = Size(1_000, 100, 10)
DENSE = Size(3_000, 100, 10)
MIDDLE = Size(10_000, 100, 10)
BIG = Size(100_000, 1_000, 10)
LARGE = Size(1_000_000, 10_000, 10)
FAMILY = ("greedy-merge", "low-oda", "minmax-oda", "subset-merge")
IN_ORDER = "greedy-merge (in order)"
SIZES: dict[Effort, tuple[Size, ...]] = {
    "tiny": (TINY,),
    "quick": (NAIVE, SMALL, MIDDLE),
    "full": (NAIVE, SMALL, DENSE, MIDDLE, BIG),
    "large": (NAIVE, SMALL, DENSE, MIDDLE, BIG),
}


SHOWN = Excerpt(("dense NumPy", "greedy-merge", "low-oda", "subset-merge"))


@benchmark("greedy-merge", "Greedy merge and its family", excerpt=SHOWN)
def greedy_merge(effort: Effort) -> Iterator[Case]:
    """Exact greedy merge, LowODA and subset merge.

    The NumPy version keeps the contribution of every pair in a matrix, and must give the same
    degrees.
    """
    for size in SIZES[effort]:
        if size in (TINY, NAIVE, SMALL, DENSE):
            prepare = designed("greedy-merge", ties="lexicographic")
            yield Case(IN_ORDER, size, prepare, against=IN_ORDER, answer=links_and_degrees)
        if size in (TINY, NAIVE):
            yield _alternative("naive twin", size, naive_greedy_merge)
        if size in (TINY, SMALL, DENSE):
            yield _alternative("dense NumPy", size, dense_greedy_merge)
        if size not in (NAIVE, DENSE):
            yield from _family(size, FAMILY)
    if effort == "large":
        yield from _family(LARGE, ("greedy-merge", "subset-merge"))


def _family(size: Size, names: tuple[str, ...]) -> Iterator[Case]:
    for name in names:
        yield Case(name, size, designed(name), against="greedy-merge", answer=links_and_degrees)


def _alternative(subject: str, size: Size, function: Callable[..., Any]) -> Case:
    def prepare(size: Size) -> Callable[[], Overlay]:
        interests = rss(size)
        return lambda: Overlay.from_links(interests.node_count, function(interests))

    return Case(
        subject, size, prepare, against=IN_ORDER, answer=links_and_degrees, same=True, runs=1
    )
