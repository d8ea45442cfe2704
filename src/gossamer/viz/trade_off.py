"""The trade-off of links and hops: the chart that shows a recommendation, on pages and pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from gossamer.experiments.pareto_front import Front, FrontPoint
from gossamer.viz import labels
from gossamer.viz.blocks import Chart
from gossamer.viz.charts import ChartPoint, scatter_chart

Degree = Literal["mean", "max"]
TITLES: dict[Degree, str] = {
    "mean": "Mean links per node against topic diameter",
    "max": "Maximum links per node against topic diameter",
}
MEASURES = {"mean": labels.MEAN_DEGREE, "max": labels.MAX_DEGREE}
WIDE = 3
"""Ratio of the largest to the smallest value from which on the axes are logarithmic."""


def trade_off_chart(
    front: Front,
    which: Degree,
    points: Sequence[FrontPoint],
    *,
    name: Callable[[FrontPoint], str],
    series: Callable[[FrontPoint], str],
    faint: bool = False,
    named: bool = False,
    note: Sequence[str] = (),
) -> Chart:
    """Draw overlays by their links and their topic diameter, with the front as a staircase.

    Parameters
    ----------
    front
        The overlays and the lower bound.
    which
        Degree on the vertical axis.
    points
        Overlays, the most important first.
    name, series
        Name beside a point, and the series that gives its colour.
    faint
        Whether dominated points are faint.
    named
        Whether names alone distinguish the series.
    note
        Remarks under the title, beside those on the marks.
    """
    bound = labels.bound_line(front.comparison) if which == "mean" else None
    shown = [_point(one, which, name(one), series(one), faint) for one in points]
    remarks = ["lower left is better", *note]
    remarks += ["hollow: some topics are disconnected"] * any(p.look == "hollow" for p in shown)
    remarks += [labels.INTERVALS] * any(any(point.spread) for point in shown)
    return scatter_chart(
        TITLES[which],
        shown,
        x=labels.MAX_DIAMETER,
        y=MEASURES[which],
        wide=WIDE,
        line=bound,
        right=(labels.RATIO, _multiples(bound[1], shown)) if bound else None,
        steps=[(one.max_diameter, _degree(one, which)) for one in front.front(which)],
        named=named,
        note="; ".join(remarks),
    )


def _point(one: FrontPoint, which: Degree, name: str, series: str, faint: bool) -> ChartPoint:
    on_front = which in one.on
    note = "on the front" if on_front else labels.DOMINATED
    other: Degree = "max" if which == "mean" else "mean"
    return ChartPoint(
        one.label,
        one.max_diameter,
        _degree(one, which),
        name,
        series,
        "hollow" if not one.topic_connected else "faint" if faint and not on_front else "solid",
        {
            MEASURES[other]: f"{_degree(one, other):,.4g}",
            labels.RATIO: "–"
            if one.ratio_to_lower_bound is None
            else f"{one.ratio_to_lower_bound:.3f}",
            "note": note if one.topic_connected else labels.DISCONNECTED,
        },
        (one.half_widths.get("max_diameter", 0.0), one.half_widths.get(f"{which}_degree", 0.0)),
    )


def _multiples(bound: float, points: Sequence[ChartPoint]) -> dict[float, str]:
    """Return multiples of the lower bound up to the largest degree, with their labels."""
    largest = max((point.y for point in points), default=0.0)
    ratios = [ratio for ratio in (1, 2, 5, 10, 20, 50, 100) if ratio * bound <= largest]
    return {ratio * bound: f"{ratio} ×" for ratio in ratios}


def _degree(one: FrontPoint, which: Degree) -> float:
    return float(one.mean_degree if which == "mean" else one.max_degree)
