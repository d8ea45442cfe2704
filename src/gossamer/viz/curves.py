"""Curves, distributions and bars."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gossamer.quality.distributions import Histogram
from gossamer.viz.axes import axis_for, linear
from gossamer.viz.blocks import Chart, Table
from gossamer.viz.layers import (
    Spec,
    by_series,
    chosen_opacity,
    finish,
    layer,
    names_axis,
    number,
    reference_line,
    tooltip,
)
from gossamer.viz.styles import BLUE, GREY, MAX_COLOURED

MAX_POINTS = 1000
MAX_TAIL_POINTS = 160
HEIGHT = 260

Distribution = Mapping[int, int]
"""Count of each value."""


@dataclass(frozen=True)
class Curve:
    """A line of a chart.

    Attributes
    ----------
    name
        Name of the series.
    x, y
        Coordinates; a missing y interrupts the line.
    spread
        Half lengths of error bars, if any.
    reference
        Published points, drawn as rings.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float | None]
    spread: Sequence[float] = ()
    reference: Sequence[tuple[float, float]] = ()


def line_chart(
    title: str,
    curves: Sequence[Curve],
    *,
    x: str,
    y: str,
    log_x: bool = False,
    log_y: bool = False,
    zero: bool = True,
    points: int = 0,
    step: str = "",
    fits: Sequence[Curve] = (),
    form: str = ",~g",
    line: tuple[str, float] | None = None,
    height: int = HEIGHT,
    note: str = "",
    table: Table | None = None,
) -> Chart:
    """Draw curves.

    Parameters
    ----------
    title
        Title above the chart.
    curves
        Curves of the series.
    x, y
        Titles of the axes.
    log_x, log_y
        Whether an axis is logarithmic. A linear horizontal axis includes 0 if the values begin
        near it.
    zero
        Whether a linear vertical axis includes 0.
    points
        Size of the marks of points; 0 for none.
    step
        ``after`` or ``before`` if a curve has steps after or before its points.
    fits
        Dashed lines without a place in the legend.
    form
        Format of a logarithmic vertical axis, in the language of d3-format.
    line
        Name and value of a vertical reference line.
    height
        Height in pixels.
    note, table
        Remark under the title, and the numbers behind the chart.
    """
    series = tuple(curve.name for curve in curves)
    columns = [at for curve in curves for at in curve.x] + ([line[1]] if line else [])
    from_zero = not columns or min(columns) <= max(columns) / 3
    across = axis_for(columns, log=True)
    along = axis_for([at for curve in curves for at in curve.y if at is not None], log=True)
    place: Spec = {
        "x": number("x", **(across.options(x) if log_x else linear(x, zero=from_zero))),
        "y": number("y", **(along.options(y, form) if log_y else linear(y, zero=zero))),
    }
    style: Spec = {"color": by_series("color", series), "opacity": chosen_opacity()}
    shown = tooltip(series="name", x=(x, ",.4~g"), y=(y, ",.4~g"))
    mark: Spec = {"type": "line", "strokeWidth": 2, "invalid": "break-paths-show-path-domains"}
    mark |= {"interpolate": f"step-{step}"} if step else {}
    # Grey curves are below the others.
    drawn = [*curves[MAX_COLOURED:], *curves[:MAX_COLOURED]]
    rows = [row for curve in drawn for row in _rows(curve)]
    dash = by_series("strokeDash", series)
    values = {} if points else {"tooltip": shown}
    layers = [layer(mark, rows, **place, **style, strokeDash=dash, **values)]
    if points:
        dots = {"type": "point", "filled": True, "size": points}
        found = [row for row in rows if row["y"] is not None]
        shape = by_series("shape", series)
        layers.append(layer(dots, found, **place, **style, shape=shape, tooltip=shown))
    spread = [row for row in rows if row.get("low") != row.get("high")]
    if spread:
        ends = {"y": number("low"), "y2": {"field": "high"}}
        layers.append(layer("rule", spread, x=place["x"], **ends, **style))
    rings = [
        {"series": curve.name, "x": at, "y": value}
        for curve in curves
        for at, value in curve.reference
    ]
    if rings:
        ring = {"type": "point", "shape": "circle", "size": 140, "strokeWidth": 1.5}
        layers.append(layer(ring, rings, **place, **style, tooltip=shown))
    for fit in fits:
        dashed = {"type": "line", "color": GREY, "strokeDash": [4, 3], "strokeWidth": 1.5}
        layers.append(layer(dashed, _rows(fit), x=number("x"), y=number("y")))
    layers += reference_line(line, among=columns) if line else []
    summary = f"{y} against {x}: {', '.join(series) or 'no data'}."
    return Chart(title, summary, finish(layers, height), series, table, note)


def ccdf_chart(
    title: str,
    distributions: Mapping[str, Distribution | Histogram],
    *,
    value: str,
    of: str,
    share: str = "",
    units: Mapping[str, float] | None = None,
    fits: Mapping[str, Any] | None = None,
    **more: Any,
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
        Quantity, and what is counted (``Degree``, ``nodes``).
    share
        Title of the vertical axis, if not ``Share of … with at least that value``.
    units
        Divisor of the values of a series (default: 1).
    fits
        Power laws fitted to some of the series.
    more
        Other arguments of :func:`line_chart`.
    """
    counted = {name: _counts(found) for name, found in distributions.items()}
    unit = {name: (units or {}).get(name, 1) for name in counted}
    curves = []
    for name, distribution in counted.items():
        tail = _thin(_tail(distribution))
        curves.append(Curve(name, [at / unit[name] for at, _ in tail], [part for _, part in tail]))
    # A fit may fall below the smallest share, where the axis ends.
    floor = min((part for curve in curves for part in curve.y if part), default=1.0)
    return line_chart(
        title,
        curves,
        x=value,
        y=share or f"Share of {of} with at least that value",
        log_x=True,
        log_y=True,
        points=22,
        step="before",
        fits=[_fitted(fit, counted[name], unit[name], floor) for name, fit in (fits or {}).items()],
        form="~%",
        **{"height": 400, **more},
    )


def bars_chart(
    title: str,
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    x: str,
    y: str,
    width: float = 0.9,
    line: tuple[str, float] | None = None,
    x_domain: tuple[float, float] | None = None,
    note: str = "",
) -> Chart:
    """Draw bars at numbers, those of several series side by side.

    Parameters
    ----------
    title
        Title above the chart.
    series
        Positions and heights of the bars of each series.
    x, y
        Titles of the axes.
    width
        Width of the bars at one position, in units of the horizontal axis.
    line
        Name and value of a vertical reference line.
    x_domain
        Ends of the horizontal axis, if not those of the data.
    note
        Remark under the title.
    """
    names = tuple(series)
    each = width / max(len(names), 1)
    rows = [
        {"series": name, "at": at, "y": value, "low": low, "high": low + each}
        for place, (name, (positions, values)) in enumerate(series.items())
        for at, value in zip(positions, values, strict=True)
        for low in (at - width / 2 + place * each,)
    ]
    axis = linear(x, zero=False, whole=True)
    if x_domain is not None:
        axis["scale"] = {"domain": list(x_domain), "nice": False}
    bars = layer(
        {"type": "bar", "strokeWidth": 0},
        rows,
        x=number("low", **axis),
        x2={"field": "high"},
        y=number("y", **linear(y)),
        y2={"datum": 0},
        color=by_series("color", names),
        tooltip=tooltip(series="name", at=(x, ",~g"), y=(y, ",.4~g")),
    )
    ends = x_domain or [at for positions, _ in series.values() for at in positions]
    layers = [bars, *(reference_line(line, among=ends) if line else ())]
    return Chart(title, f"{y} against {x}.", finish(layers, HEIGHT), names, note=note)


def named_bars_chart(
    title: str, bars: Sequence[tuple[str, float]], *, value: str, form: str = ",", note: str = ""
) -> Chart:
    """Draw horizontal bars, each with its name on the left and its value on the right.

    Parameters
    ----------
    title
        Title above the chart.
    bars
        Names and values, from the top.
    value
        Title of the axis.
    form
        Number format, in the language of d3-format.
    note
        Remark under the title.
    """
    rows = [{"name": name, "value": count} for name, count in bars]
    place: Spec = {
        "y": {"field": "name", "type": "nominal", "sort": None, "axis": names_axis()},
        "x": number("value", **linear(value)),
    }
    layers = [
        layer({"type": "bar", "color": BLUE, "height": {"band": 0.65}}, rows, **place),
        layer({"type": "text", "align": "left", "dx": 4}, rows, **place,
              text=number("value", format=form)),
    ]  # fmt: skip
    summary = f"{value}: " + "; ".join(f"{row['name']} {row['value']:,g}" for row in rows) + "."
    return Chart(title, summary, finish(layers, HEIGHT), note=note)


def _rows(curve: Curve) -> list[Spec]:
    """Return the points of a curve as rows, at most about ``MAX_POINTS`` of them."""
    count = len(curve.x)
    places = list(range(0, count, max(1, -(-count // MAX_POINTS))))
    rows = []
    for place in dict.fromkeys([*places, count - 1] if count else []):
        value = curve.y[place]
        row: Spec = {"series": curve.name, "x": float(curve.x[place])}
        row["y"] = None if value is None else float(value)
        if curve.spread and value is not None:
            row |= {"low": value - curve.spread[place], "high": value + curve.spread[place]}
        rows.append(row)
    return rows


def _counts(found: Distribution | Histogram) -> Distribution:
    if isinstance(found, Histogram):
        return dict(zip(found.values.tolist(), found.counts.tolist(), strict=True))
    return found


def _tail(distribution: Distribution) -> list[tuple[int, float]]:
    """Return each value from 1 on, with the share of those at or above it."""
    total = left = sum(distribution.values())
    points = []
    for at in sorted(distribution):
        if at >= 1:
            points.append((at, left / total))
        left -= distribution[at]
    return points


def _thin(points: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Keep the points that differ visibly on a logarithmic axis, the ends included."""
    if len(points) <= MAX_TAIL_POINTS:
        return points
    span = math.log(points[-1][0] / points[0][0])
    kept: dict[int, tuple[int, float]] = {}
    for point in points:
        kept[int(MAX_TAIL_POINTS * math.log(point[0] / points[0][0]) / span)] = point
    return [points[0], *(point for point in kept.values() if point is not points[0])]


def _fitted(fit: Any, distribution: Distribution, unit: float, floor: float) -> Curve:
    """Return a fitted power law, over the tail it was fitted to."""
    import numpy as np

    largest = max(*distribution, fit.smallest + 1)
    values = np.unique(np.geomspace(fit.smallest, largest, 60).round()).astype(np.int64)
    shares = fit.ccdf(values) * fit.tail / sum(distribution.values())
    shown = shares >= floor
    return Curve("fit", (values[shown] / unit).tolist(), shares[shown].tolist())
