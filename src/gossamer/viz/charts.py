"""Charts of series: distributions, rows of dots, scatter plots. Each is one Vega-Lite chart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from gossamer.quality.distributions import Histogram
from gossamer.viz.axes import axis_for, is_wide
from gossamer.viz.blocks import Chart, Table
from gossamer.viz.layers import (
    FAINT,
    Spec,
    by_series,
    chosen_opacity,
    chosen_or,
    finish,
    number,
    reference_line,
    rows_axis,
    tooltip,
)
from gossamer.viz.styles import GREY, SHAPES

__all__ = ["ccdf_chart", "dots_chart", "scatter_chart", "spread_chart"]

MAX_POINTS = 160

Distribution = Mapping[int, int]
"""Count of each value."""


def ccdf_chart(
    title: str,
    distributions: Mapping[str, Distribution | Histogram],
    *,
    value: str,
    of: str,
    share: str = "",
    units: Mapping[str, float] | None = None,
    fits: Mapping[str, Any] | None = None,
    note: str = "",
    line: tuple[str, float] | None = None,
    table: Table | None = None,
) -> Chart:
    """Draw complementary cumulative distributions on logarithmic axes.

    Parameters
    ----------
    title
        Title above the chart.
    distributions
        Distribution of each series. Values below 1 count in the share, and have no place on
        the axis.
    value, of
        Titles of the axes: quantity, and what is counted (``degree``, ``nodes``).
    share
        Title of the vertical axis, if not ``Share of … with at least that …``.
    units
        Divisor of the values of a series (default: 1).
    fits
        Power laws fitted to some of the series, drawn as dashed lines.
    note
        Remark under the title.
    line
        Name and value of a vertical reference line.
    table
        Numbers behind the chart.
    """
    counted = {name: _counts(found) for name, found in distributions.items()}
    units = units or {}
    points: list[Spec] = [
        {"series": name, "value": at / units.get(name, 1), "share": part, "count": count}
        for name, distribution in counted.items()
        for at, part, count in _thin(_tail(distribution))
    ]
    across = axis_for([point["value"] for point in points] + ([line[1]] if line else []), log=True)
    along = axis_for([point["share"] for point in points], log=True)
    series = tuple(counted)
    place = {"x": number("value"), "y": number("share")}
    layers: list[Spec] = [
        {
            "mark": {"type": "line", "interpolate": "step-before", "strokeWidth": 2},
            "encoding": {
                "x": number("value", **across.options(_upper(value))),
                "y": number(
                    "share",
                    **along.options(share or f"Share of {of} with at least that {value}", "~%"),
                ),
                "color": by_series("color", series),
                "strokeDash": by_series("strokeDash", series),
                "opacity": chosen_opacity(),
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 22},
            "encoding": {
                **place,
                "color": by_series("color", series),
                "shape": by_series("shape", series),
                "opacity": chosen_opacity(),
                "tooltip": tooltip(
                    {
                        "series": ("name", None),
                        "value": (f"{value} of at least", ",.4~g"),
                        "count": (of, ","),
                        "share": (f"share of {of}", ".3~%"),
                    }
                ),
            },
        },
    ]
    if fits:
        dashed: Spec = {"type": "line", "color": GREY, "strokeDash": [4, 3], "strokeWidth": 1.5}
        # Drawn within the domain only: a fit may fall below the smallest share.
        rows = [
            {"fit": name, "value": at, "share": part}
            for name, fit in fits.items()
            for at, part in _fitted(fit, counted[name], units.get(name, 1))
            if along.low <= part <= along.high
        ]
        detail = {"field": "fit", "type": "nominal"}
        layers.append(
            {"data": {"values": rows}, "mark": dashed, "encoding": {**place, "detail": detail}}
        )
    if line is not None:
        layers += reference_line(line)
    return Chart(
        title,
        f"For each series, the share of {of} with at least a given {value}. "
        + _ranges(counted, value),
        finish(layers, 400, data={"values": points}),
        series,
        table,
        note,
    )


def spread_chart(
    title: str,
    distributions: Mapping[str, Distribution],
    *,
    value: str,
    of: str,
    table: Table | None = None,
) -> Chart:
    """Draw distributions one below the other: a circle for each value, its area the share.

    Parameters are as in :func:`ccdf_chart`.
    """
    values = [at for distribution in distributions.values() for at in distribution]
    across = axis_for(values, padding=1.3)
    points = [
        {
            "series": name,
            "value": at,
            "place": across.place(at),
            "count": count,
            "share": count / sum(distribution.values()),
        }
        for name, distribution in distributions.items()
        for at, count in distribution.items()
    ]
    series = tuple(distributions)
    layer = {
        "mark": {"type": "point", "filled": True, "shape": "circle", "stroke": None},
        "encoding": {
            "x": number("place", **across.options(_upper(value))),
            "y": rows_axis(series),
            "size": number("share", legend=None, scale={"domain": [0, 1], "range": [10, 420]}),
            "color": by_series("color", series),
            "opacity": chosen_opacity(0.75),
            "tooltip": tooltip(
                {
                    "series": ("name", None),
                    "value": (value, ","),
                    "count": (of, ","),
                    "share": (f"share of {of}", ".3~%"),
                }
            ),
        },
    }
    return Chart(
        title,
        f"For each series, the number of {of} with each {value}. " + _ranges(distributions, value),
        finish([layer], _height(len(series)), data={"values": points}),
        series,
        table,
        named=True,
    )


def dots_chart(
    title: str,
    measures: Mapping[str, Mapping[str, float]],
    *,
    value: str,
    line: tuple[str, float] | None = None,
    table: Table | None = None,
) -> Chart:
    """Draw one or more measures of each series as dots in a row of its own.

    Parameters
    ----------
    title
        Title above the chart.
    measures
        Value for each series, by measure. Rows are in the order of the first measure, the
        smallest on top.
    value
        Title of the axis.
    line
        Name and value of a vertical reference line.
    table
        Numbers behind the chart.
    """
    first = next(iter(measures.values()))
    order = sorted(first, key=lambda name: first[name])
    values = [found for measure in measures.values() for found in measure.values()]
    across = axis_for([*values, line[1]] if line else values)
    points = [
        {"series": name, "measure": measure, "value": found, "place": across.place(found)}
        for measure, numbers in measures.items()
        for name, found in numbers.items()
    ]
    series, several = tuple(first), len(measures) > 1
    color = by_series("color", series)
    layers: list[Spec] = []
    if several:
        layers.append(
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {
                    "x": number("place", aggregate="min"),
                    "x2": {"field": "place", "aggregate": "max"},
                    "y": rows_axis(order),
                    "color": color,
                    "opacity": chosen_or(0.45, FAINT),
                    "detail": {"field": "series", "type": "nominal"},
                },
            }
        )
    legend = {
        "title": None,
        "orient": "bottom",
        "symbolFillColor": "gray",
        "symbolStrokeWidth": 0,
    }
    layers.append(
        {
            "mark": {"type": "point", "filled": True, "size": 75},
            "encoding": {
                "x": number("place", **across.options(value)),
                "y": rows_axis(order),
                "shape": {
                    "field": "measure",
                    "type": "nominal",
                    "legend": legend if several else None,
                    "scale": {
                        "domain": list(measures),
                        "range": [SHAPES[k % len(SHAPES)] for k in range(len(measures))],
                    },
                },
                "color": color,
                "opacity": chosen_opacity(),
                "tooltip": tooltip(
                    {
                        "series": ("name", None),
                        "measure": ("measure", None),
                        "value": (value, ",.4~g"),
                    }
                ),
            },
        }
    )
    if line is not None:
        layers += reference_line(line)
    return Chart(
        title,
        "; ".join(
            f"{measure}: smallest {_written(min(numbers.values()))}, "
            f"largest {_written(max(numbers.values()))}"
            for measure, numbers in measures.items()
        )
        + (f"; {line[0]}" if line else "")
        + ".",
        finish(layers, _height(len(series)) + 30 * several, data={"values": points}),
        series,
        table,
        named=True,
    )


def scatter_chart(
    title: str,
    points: Mapping[str, tuple[float, float]],
    *,
    x: str,
    y: str,
    notes: Mapping[str, str] | None = None,
    line: tuple[str, float] | None = None,
) -> Chart:
    """Draw each series as a point with its name beside it.

    Parameters
    ----------
    title
        Title above the chart.
    points
        Position of each series.
    x, y
        Titles of the axes.
    notes
        Remarks on some of the series, whose points are hollow.
    line
        Name and value of a vertical reference line.
    """
    notes = notes or {}
    columns = [at for at, _ in points.values()] + ([line[1]] if line else [])
    log = is_wide(columns) or is_wide(at for _, at in points.values())
    across = axis_for(columns, log=log, padding=1.35)
    along = axis_for([at for _, at in points.values()], log=log, padding=1.35)
    rows = [
        {
            "series": name,
            "x": at[0],
            "y": at[1],
            "across": across.place(at[0]),
            "along": along.place(at[1]),
            "note": notes.get(name, "–"),
        }
        for name, at in points.items()
    ]
    series = tuple(points)
    filled = {"test": "datum.note == '–'", **by_series("color", series)}
    shown = {"series": ("name", None), "x": (x, ",.4~g"), "y": (y, ",.4~g")}
    marks = {
        "name": "points",
        "mark": {"type": "point", "size": 110, "strokeWidth": 2},
        "encoding": {
            "x": number("across", **across.options(x)),
            "y": number("along", **along.options(y)),
            "color": by_series("color", series),
            "fill": {"condition": filled, "value": "transparent"},
            "shape": by_series("shape", series),
            "opacity": chosen_opacity(),
            "tooltip": tooltip(shown | ({"note": ("note", None)} if notes else {})),
        },
    }
    return Chart(
        title,
        f"{x} against {y}: "
        + "; ".join(f"{name} {_written(at[0])}, {_written(at[1])}" for name, at in points.items())
        + ".",
        finish(
            [marks, *(reference_line(line) if line else ())],
            440,
            data={"values": rows},
            usermeta={"labels": {"of": "points_marks", "field": "series"}},
        ),
        series,
        named=True,
    )


def _height(rows: int) -> int:
    return 40 + 26 * max(rows, 2)


def _counts(found: Distribution | Histogram) -> Distribution:
    if isinstance(found, Histogram):
        return dict(zip(found.values.tolist(), found.counts.tolist(), strict=True))
    return found


def _tail(distribution: Distribution) -> list[tuple[int, float, int]]:
    """Return each value from 1 on, with the share and number of those at or above it."""
    total = left = sum(distribution.values())
    points = []
    for at in sorted(distribution):
        if at >= 1:
            points.append((at, left / total, left))
        left -= distribution[at]
    return points


def _thin(points: list[tuple[int, float, int]]) -> list[tuple[int, float, int]]:
    """Keep the points that differ visibly on a logarithmic axis, the ends included."""
    if len(points) <= MAX_POINTS:
        return points
    span = math.log(points[-1][0] / points[0][0])
    kept: dict[int, tuple[int, float, int]] = {}
    for point in points:
        kept[int(MAX_POINTS * math.log(point[0] / points[0][0]) / span)] = point
    return [points[0], *(point for point in kept.values() if point is not points[0])]


def _fitted(fit: Any, distribution: Distribution, unit: float) -> list[tuple[float, float]]:
    """Return points of a fitted power law, over the tail it was fitted to."""
    import numpy as np

    largest = max(*distribution, fit.smallest + 1)
    values = np.unique(np.geomspace(fit.smallest, largest, 60).round()).astype(np.int64)
    shares = fit.ccdf(values) * fit.tail / sum(distribution.values())
    return list(zip((values / unit).tolist(), shares.tolist(), strict=True))


def _ranges(distributions: Mapping[str, Distribution], value: str) -> str:
    """Return the range of values of each distribution, in words."""
    return (
        "; ".join(
            f"{name}: {value} from {min(found):,} to {max(found):,}"
            for name, found in distributions.items()
            if found
        )
        + "."
    )


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:] if text.islower() else text  # "kB" stays


def _written(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
