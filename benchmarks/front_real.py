"""Tables and sentences on real interests: our algorithms beside the published ones.

Pure functions of the measurements; nothing runs here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchmarks.front_tables import MEASURED, measures, percent
from benchmarks.harness.markdown import markdown_table
from gossamer.experiments.pareto_front import Front, FrontPoint
from gossamer.experiments.recommendation import balanced

if TYPE_CHECKING:
    from benchmarks.front import Real

__all__ = [
    "NEAR",
    "beaten",
    "beaten_answer",
    "beaten_table",
    "like_low_oda",
    "like_ours",
    "stand_table",
    "tails_table",
    "verdict",
]

NEAR = 1.1
"""Largest ratio of a maximum degree to the lowest one that counts as near to it."""

BOUNDED = ("bounded-radius", "cover-forest")

LOW_MAXIMA = ("low-oda", "minmax-oda")
"""Published algorithms for low maximum degrees."""


def like_low_oda(one: Real) -> FrontPoint | None:
    """Return the point of LowODA to compare with, if it was run: see :func:`_like`."""
    return _like([point for point in _points(one) if point.family == "low-oda"])


def like_ours(one: Real) -> FrontPoint | None:
    """Return the point of our bounded-radius algorithms to compare with: see :func:`_like`."""
    return _like([point for point in _points(one) if point.family in BOUNDED])


def _like(points: Sequence[FrontPoint]) -> FrontPoint | None:
    """Return the fewest links among points whose maximum is within a tenth of their lowest."""
    lowest = min((point.max_degree for point in points), default=0)
    near = [point for point in points if point.max_degree <= NEAR * lowest]
    return min(near, key=lambda p: (p.mean_degree, p.max_degree), default=None)


def _points(one: Real) -> list[FrontPoint]:
    """Return all points, including those of other caps and ρ."""
    return [*one.front.points, *(one.tails.points if one.tails else ())]


def _lowest(points: Sequence[FrontPoint]) -> FrontPoint | None:
    return min(points, key=lambda p: (p.max_degree, p.mean_degree), default=None)


def _fewest_of_shorter(front: Front, than: FrontPoint) -> FrontPoint | None:
    """Return the point of ours with shorter paths than a given one and the fewest links."""
    found = [
        point
        for point in front.points
        if point.kind == "ours" and point.topic_connected and point.max_diameter < than.max_diameter
    ]
    return min(found, key=lambda p: (p.mean_degree, p.max_degree), default=None)


def stand_table(real: Sequence[Real]) -> str:
    """Return a table of the published points of low maximum degree, and ours beside them."""
    rows: list[list[str]] = []
    for one in real:
        points: list[tuple[str, FrontPoint | None]] = []
        published, every = like_low_oda(one), _points(one)
        whole = [point for point in one.front.points if point.topic_connected]
        points.append(("fewest links of all", min(whole, key=lambda p: p.mean_degree)))
        lowest = _lowest([point for point in whole if point.kind == "published"])
        points.append(("published, lowest maximum", lowest))
        points.append(("LowODA, near its lowest maximum, fewest links", published))
        lowest = _lowest([point for point in every if point.family in BOUNDED])
        points.append(("ours, lowest maximum", lowest))
        points.append(("ours, near its lowest maximum, fewest links", like_ours(one)))
        if published is not None:
            fewest = _fewest_of_shorter(one.front, published)
            points.append(("ours, shorter paths than LowODA's, fewest links", fewest))
        points.append(("of all, in balance", balanced(whole)))
        rows += [
            [one.title, which, f"`{point.label}`", *measures(point)]
            for which, point in points
            if point is not None
        ]
    return markdown_table(["interests", "which", "algorithm", *MEASURED], rows, left=3)


def tails_table(real: Sequence[Real]) -> str:
    """Return a table of the algorithms for low maxima, on heavy-tailed interests."""
    rows = [
        [one.title, f"`{point.label}`", *measures(point)]
        for one in real
        if one.tails is not None
        for point in one.tails.points
    ]
    return markdown_table(["interests", "algorithm", *MEASURED], rows, left=2)


def verdict(ours: FrontPoint, other: FrontPoint) -> str:
    """Return which point beats the other, in words."""
    signs = {(a > b) - (a < b) for a, b in zip(_three(ours), _three(other), strict=True)} - {0}
    return {
        frozenset({-1}): "ours beats it",
        frozenset({1}): "it beats ours",
        frozenset(): "they are equal",
    }.get(frozenset(signs), "neither beats the other")


def _three(point: FrontPoint) -> tuple[float, float, float]:
    return point.mean_degree, point.max_degree, point.max_diameter


def beaten(points: Sequence[FrontPoint]) -> list[tuple[FrontPoint, FrontPoint | None]]:
    """Return the published points of low maxima, each with a point of ours that beats it, if any.

    A point beats another if it is no worse in mean degree, maximum degree and largest diameter, and
    better in one. Among several, the one with the fewest links is returned.
    """
    every = {point.label: point for point in points if point.topic_connected}.values()
    found: list[tuple[FrontPoint, FrontPoint | None]] = []
    for point in every:
        if point.family not in LOW_MAXIMA:
            continue
        theirs = _three(point)
        better = [
            mine
            for mine in every
            if mine.family in BOUNDED
            and _three(mine) != theirs
            and all(a <= b for a, b in zip(_three(mine), theirs, strict=True))
        ]
        found.append((point, min(better, key=_three, default=None)))
    return found


def beaten_answer(one: Real) -> str:
    """Return the number of published points that one of ours beats, in words."""
    found = beaten(_points(one))
    return f"{one.title}: {sum(mine is not None for _, mine in found)} of {len(found)}"


def beaten_table(real: Sequence[Real]) -> str:
    """Return a table of published points and the points of ours that beat them."""
    rows = []
    for one in real:
        for point, mine in beaten(_points(one)):
            winner = ["none", "", ""]
            if mine is not None:
                winner = [
                    f"`{mine.label}`",
                    _in_short(mine),
                    percent(mine.mean_degree / point.mean_degree),
                ]
            rows.append([one.title, f"`{point.label}`", _in_short(point), *winner])
    header = [
        "interests", "published", "mean / maximum / diameter", "beaten by",
        "mean / maximum / diameter", "its mean",
    ]  # fmt: skip
    return markdown_table(header, rows, left=6)


def _in_short(point: FrontPoint) -> str:
    return f"{point.mean_degree:.3f} / {point.max_degree:,} / {point.max_diameter:,}"
