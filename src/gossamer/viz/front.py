"""A degree–diameter Pareto front as a page and as a picture."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from gossamer.experiments.candidates import SWEEPS
from gossamer.experiments.pareto_front import Front, FrontPoint, Kind, Which
from gossamer.experiments.recommendation import Recommendation, recommend
from gossamer.viz import labels
from gossamer.viz.advice import advice_of
from gossamer.viz.blocks import Chart, Section, Table
from gossamer.viz.charts import ChartPoint, scatter_chart
from gossamer.viz.comparison import reproduction_section
from gossamer.viz.html import render_page
from gossamer.viz.picture import draw_picture

KINDS: dict[Kind, str] = {
    "ours": "ours (radius n: bounded-radius)",
    "published": "published algorithms and baselines",
    "protocol": "protocols, converged, with full views",
}
SIGNS = {"rho": "ρ"}
WIDE = 3
"""Ratio of the largest to the smallest value from which on an axis is logarithmic."""


def front_page(
    front: Front,
    path: str | os.PathLike[str],
    *,
    advice: Sequence[Recommendation] | None = None,
    title: str | None = None,
) -> None:
    """Write a front as one HTML page that opens from disk, without any network.

    Parameters
    ----------
    front
        Result of :func:`gossamer.front`.
    path
        Output file: .html or .htm. It is written whole or not at all.
    advice
        Recommendations (default: those of :func:`gossamer.recommend` without constraints).
    title
        Heading (default: the front's own).

    Raises
    ------
    ParameterError
        If the file cannot be written.
    MissingPackageError
        If the drawing library is not installed.
    """
    heading = front.comparison.origin.title if title is None else title
    render_page(heading, front_sections(front, advice=advice), path)


def front_picture(front: Front, path: str | os.PathLike[str]) -> None:
    """Draw a front: mean and maximum degree against the largest topic diameter.

    Parameters
    ----------
    front
        Result of :func:`gossamer.front`.
    path
        Output file: .png, .svg or .pdf. It is written whole or not at all.
    """
    size = front.comparison
    draw_picture(path, f"{size.origin.title}: {labels.sizes(size)}", _charts(front), width=560)


def front_sections(
    front: Front, *, advice: Sequence[Recommendation] | None = None
) -> list[Section]:
    """Return a front as sections of a page."""
    size = front.comparison
    return [
        Section(
            "Recommendation",
            (
                f"{len(front.points):,} overlays for the same {labels.sizes(size)}. "
                f"{_bound_text(front)}",
            ),
            advice=advice_of(recommend(front) if advice is None else advice),
            charts=_charts(front),
        ),
        Section(
            "Pareto front",
            (
                "An overlay is on the front if no other is at least as good in mean degree, "
                "maximum degree and maximum topic diameter, and better in one of them. Point at a "
                "mark to read its values. A faint point is dominated in the two measures of its "
                "chart; a grey ring leaves some topics disconnected.",
                *(f"Left out: {label}; {why}." for label, why in front.left_out.items()),
            ),
            tables=(_table(front),),
        ),
        reproduction_section(size, size.origin.command),
    ]


def short_label(point: FrontPoint) -> str:
    """Return the name of a point in a chart: ``low-oda ρ 3``, ``radius 6``."""
    sweep = SWEEPS.get(point.family, ("", ()))[0]
    # The radius alone names an overlay of bounded-radius.
    plain = point.family == "bounded-radius" and sweep in point.options
    words = [] if plain else [point.family]
    for name, value in point.options.items():
        shown = SIGNS.get(name, name)
        words.append(f"{shown} {value}" if name == sweep else f"{shown}={value}")
    return " ".join(words)


def _bound_text(front: Front) -> str:
    if not front.bound_method:
        return "There is no lower bound of the mean degree: the table is too large."
    return (
        "No overlay that connects every topic of these subscriptions has a mean degree below "
        f"{front.comparison.bound_text}; this lower bound is proven (by {front.bound_method})."
    )


def _charts(front: Front) -> list[Chart]:
    return [
        _chart(front, "mean", "Mean links per node against topic diameter", labels.MEAN_DEGREE),
        _chart(front, "max", "Maximum links per node against topic diameter", labels.MAX_DEGREE),
    ]


def _chart(front: Front, which: Which, title: str, measure: str) -> Chart:
    """Draw the points, the front as a staircase, and the lower bound."""
    bound = labels.bound_line(front.comparison) if which == "mean" else None
    points: list[ChartPoint] = []
    for point in front.points:
        look: Any = "solid" if which in point.on else "faint" if point.connected else "hollow"
        named = which in point.on or point.kind == "protocol"
        note = "on the front" if which in point.on else labels.DOMINATED
        points.append(
            ChartPoint(
                point.label,
                point.max_diameter,
                _degree(point, which),
                short_label(point) if named else "",
                KINDS[point.kind],
                look,
                {
                    labels.RATIO: "–" if point.ratio is None else f"{point.ratio:.3f}",
                    "note": note if point.connected else labels.DISCONNECTED,
                },
            )
        )
    return scatter_chart(
        title,
        sorted(points, key=lambda point: list(KINDS.values()).index(point.series)),
        x=labels.MAX_DIAMETER,
        y=measure,
        wide=WIDE,
        line=bound,
        line_channel="y",
        right=(labels.RATIO, _multiples(bound[1], points)) if bound else None,
        steps=[(point.max_diameter, _degree(point, which)) for point in front.front(which)],
    )


def _multiples(bound: float, points: Sequence[ChartPoint]) -> dict[float, str]:
    """Return multiples of the lower bound up to the largest degree, with their labels."""
    largest = max((point.y for point in points), default=0.0)
    ratios = [ratio for ratio in (1, 2, 5, 10, 20, 50, 100) if ratio * bound <= largest]
    return {ratio * bound: f"{ratio} ×" for ratio in ratios}


def _degree(point: FrontPoint, which: Which) -> float:
    return float(point.mean_degree if which == "mean" else point.max_degree)


def _table(front: Front) -> Table:
    points = sorted(front.points, key=lambda p: (p.max_diameter, p.mean_degree, p.max_degree))
    return Table(
        "Overlays in order of the maximum topic diameter",
        ("Algorithm", "Kind", "On the front", *labels.COLUMNS),
        [(p.label, p.kind, "all" in p.on, *labels.measures(p)) for p in points],
    )
