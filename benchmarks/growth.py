"""Benchmark: how time grows with nodes, topics and subscriptions, as a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.growth_picture import Curve, draw_growth
from benchmarks.harness import Case, Effort, Row, Size, benchmark
from benchmarks.harness.page import seconds
from benchmarks.inputs import designed, rss
from gossamer import quality
from gossamer.design import find_algorithm

__all__ = ["growth"]

DESIGNS = (
    "greedy-merge", "low-oda", "minmax-oda", "subset-merge",
    "cd-oda", "cd-oda-1", "cd-oda-2", "td-cd-oda", "2d-oda",
)  # fmt: skip
AXES = ("nodes", "topics", "subscriptions")
GROWTH: dict[Effort, tuple[tuple[int, ...], ...]] = {
    "tiny": ((20, 30, 60), (8, 12, 24), (2, 3, 4)),
    "quick": ((500, 1_000, 2_000), (100, 200, 400), (5, 10, 20)),
    "full": ((1_000, 3_000, 10_000), (100, 300, 1_000), (5, 10, 20)),
    "large": ((1_000, 3_000, 10_000), (100, 300, 1_000), (5, 10, 20)),
}
"""Along each axis, while the other two stay at their middle values."""

PICTURE = "pictures/benchmark_growth.svg"


def draw(rows: list[Row], folder: Path) -> str:
    """Draw the picture; return its path."""
    draw_growth(_curves(rows), folder / PICTURE)
    return PICTURE


def tabulate(rows: list[Row]) -> list[list[str]]:
    """Give seconds along each axis, and the exponents."""
    curves = _curves(rows)
    header = ["what"]
    for axis in AXES:
        values = next(curve.values for curve in curves if curve.axis == axis)
        header += [f"seconds at {' / '.join(f'{x:,}' for x in values)} {axis}", "exponent"]
    lines: dict[str, list[str]] = {}
    for curve in curves:
        lines.setdefault(curve.subject, [curve.subject]).extend(
            (" / ".join(map(seconds, curve.seconds)), f"{curve.exponent:.1f}")
        )
    return [header, *lines.values()]


@benchmark("growth", "Growth of time", tabulate=tabulate, draw=draw)
def growth(effort: Effort) -> Iterator[Case]:
    """Seconds while the number of nodes, of topics, or of subscriptions a node grows.

    More topics for the same subscriptions are smaller topics, and so less work.
    """
    prepared: dict[str, Callable[[Size], Callable[[], Any]]] = {
        name: designed(name) for name in DESIGNS
    }
    prepared["assess"] = _assess
    centre = Size(*(values[1] for values in GROWTH[effort]))
    sizes = {
        centre._replace(**{axis: value})
        for axis, values in zip(AXES, GROWTH[effort], strict=True)
        for value in values
    }
    for subject, prepare in prepared.items():
        for size in sorted(sizes):
            yield Case(subject, size, prepare, runs=2, patience=1.0, memory=False)


def _assess(size: Size) -> Callable[[], Any]:
    interests = rss(size)
    overlay = find_algorithm("greedy-merge")(interests, seed=1)
    return lambda: quality.assess(interests, overlay, lower_bound=False)


def _curves(rows: list[Row]) -> list[Curve]:
    """Gather the points of each subject along each axis."""
    found = {(row.case.subject, row.case.size): row.measurement.seconds for row in rows}
    columns = [sorted(set(column)) for column in zip(*(row.case.size for row in rows), strict=True)]
    centre = Size(*(column[len(column) // 2] for column in columns))
    curves = []
    for subject in dict.fromkeys(row.case.subject for row in rows):
        for axis in AXES:
            sizes = _along(axis, centre, [row.case.size for row in rows])
            values = tuple(getattr(size, axis) for size in sizes)
            times = tuple(found[subject, size] for size in sizes)
            slope = float(np.polyfit(np.log(values), np.log(times), 1)[0])
            curves.append(Curve(subject, axis, values, times, slope))
    return curves


def _along(axis: str, centre: Size, sizes: list[Size]) -> list[Size]:
    """Return the sizes that differ from the centre in nothing but this, ascending."""
    return sorted(
        {size for size in sizes if size._replace(**{axis: getattr(centre, axis)}) == centre}
    )
