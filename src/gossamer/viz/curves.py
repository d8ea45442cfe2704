"""Charts of curves over time or another quantity, and of bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gossamer.viz.axes import axis_for, linear
from gossamer.viz.blocks import Chart
from gossamer.viz.layers import (
    Spec,
    by_series,
    chosen_opacity,
    finish,
    number,
    reference_line,
    tooltip,
)
from gossamer.viz.styles import BLUE

__all__ = ["HEIGHT", "Curve", "bars_chart", "line_chart", "named_bars_chart"]

MAX_POINTS = 1000
HEIGHT = 260


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
    points: bool = False,
    step: bool = False,
    line: tuple[str, float] | None = None,
    height: int = HEIGHT,
    note: str = "",
) -> Chart:
    """Draw curves.

    Parameters
    ----------
    title
        Title above the chart.
    curves
        Curves; their names are a legend below the chart if there are several.
    x, y
        Titles of the axes.
    log_x, log_y
        Whether an axis is logarithmic.
    zero
        Whether a linear vertical axis includes 0.
    points
        Whether points are marked.
    step
        Whether a curve keeps its value up to the next point.
    line
        Name and value of a vertical reference line.
    height
        Height in pixels.
    note
        Remark under the title.
    """
    series = tuple(curve.name for curve in curves)
    across = axis_for([at for curve in curves for at in curve.x], log=True)
    along = axis_for([at for curve in curves for at in curve.y if at is not None], log=True)
    place: Spec = {
        "x": number("x", **(across.options(x) if log_x else linear(x))),
        "y": number("y", **(along.options(y) if log_y else linear(y, zero=zero))),
    }
    style = {
        "color": by_series("color", series),
        "opacity": chosen_opacity(),
    }
    shown = tooltip({"series": ("name", None), "x": (x, ",.4~g"), "y": (y, ",.4~g")})
    mark: Spec = {"type": "line", "strokeWidth": 2, "invalid": "break-paths-show-path-domains"}
    rows = [row for curve in curves for row in _rows(curve)]
    layers: list[Spec] = [
        {
            "data": {"values": rows},
            "mark": mark | ({"interpolate": "step-after"} if step else {}),
            "encoding": {**place, **style, "strokeDash": by_series("strokeDash", series)},
        }
    ]
    if points:
        layers.append(
            {
                "data": {"values": [row for row in rows if row["y"] is not None]},
                "mark": {"type": "point", "filled": True, "size": 40},
                "encoding": {
                    **place, **style, "shape": by_series("shape", series), "tooltip": shown,
                },
            }
        )  # fmt: skip
    spread = [row for row in rows if row.get("low") != row.get("high")]
    if spread:
        layers.append(
            {
                "data": {"values": spread},
                "mark": {"type": "rule", "strokeWidth": 1},
                "encoding": {
                    **style, "x": place["x"], "y": number("low"), "y2": {"field": "high"},
                },
            }
        )  # fmt: skip
    rings = [
        {"series": curve.name, "x": at, "y": value}
        for curve in curves
        for at, value in curve.reference
    ]
    if rings:
        layers.append(
            {
                "data": {"values": rings},
                "mark": {"type": "point", "shape": "circle", "size": 140, "strokeWidth": 1.5},
                "encoding": {**place, **style, "tooltip": shown},
            }
        )
    if line is not None:
        layers += reference_line(line)
    summary = f"{y} against {x}: {', '.join(series) or 'no data'}."
    return Chart(title, summary, finish(layers, height), series, note=note)


def bars_chart(
    title: str,
    series: dict[str, tuple[Sequence[float], Sequence[float]]],
    *,
    x: str,
    y: str,
    width: float = 0.9,
    line: tuple[str, float] | None = None,
    x_domain: tuple[float, float] | None = None,
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
    """
    names = tuple(series)
    each = width / max(len(names), 1)
    rows = [
        {
            "series": name,
            "at": at,
            "y": value,
            "low": at - width / 2 + place * each,
            "high": at - width / 2 + (place + 1) * each,
        }
        for place, (name, (positions, values)) in enumerate(series.items())
        for at, value in zip(positions, values, strict=True)
    ]
    axis = linear(x, zero=False, whole=True)
    if x_domain is not None:
        axis["scale"] = {"domain": list(x_domain), "nice": False}
    layers: list[Spec] = [
        {
            "data": {"values": rows},
            "mark": {"type": "bar", "strokeWidth": 0},
            "encoding": {
                "x": number("low", **axis),
                "x2": {"field": "high"},
                "y": number("y", **linear(y)),
                "y2": {"datum": 0},
                "color": by_series("color", names),
                "tooltip": tooltip({"series": ("name", None), "at": (x, ",~g"), "y": (y, ",.4~g")}),
            },
        }
    ]
    if line is not None:
        layers += reference_line(line)
    return Chart(title, f"{y} against {x}.", finish(layers, HEIGHT), names)


def named_bars_chart(
    title: str,
    bars: Sequence[tuple[str, float]],
    *,
    value: str,
    form: str = ",",
    note: str = "",
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
    names = [name if len(name) <= 30 else f"{name[:29]}…" for name, _ in bars]
    rows = [{"name": name, "value": count} for name, (_, count) in zip(names, bars, strict=True)]
    axis = {"title": None, "labelLimit": 220, "ticks": False, "domain": False}
    place: Spec = {
        "y": {"field": "name", "type": "nominal", "sort": None, "axis": axis},
        "x": number("value", **linear(value)),
    }
    texts: Spec = {"field": "value", "type": "quantitative", "format": form}
    layers: list[Spec] = [
        {"mark": {"type": "bar", "color": BLUE, "height": {"band": 0.65}}, "encoding": place},
        {
            "mark": {"type": "text", "align": "left", "dx": 4},
            "encoding": {**place, "text": texts},
        },
    ]
    return Chart(
        title,
        f"{value}: " + "; ".join(f"{row['name']} {row['value']:,g}" for row in rows) + ".",
        finish(layers, HEIGHT, data={"values": rows}),
        note=note,
    )


def _rows(curve: Curve) -> list[dict[str, Any]]:
    """Return the points of a curve as rows, at most ``MAX_POINTS`` of them."""
    stride = max(1, -(-len(curve.x) // MAX_POINTS))
    places = [*range(0, len(curve.x), stride)]
    if places and places[-1] != len(curve.x) - 1:
        places.append(len(curve.x) - 1)
    rows = []
    for place in places:
        value = curve.y[place]
        row: dict[str, Any] = {
            "series": curve.name,
            "x": float(curve.x[place]),
            "y": None if value is None else float(value),
        }
        if curve.spread and value is not None:
            row |= {"low": value - curve.spread[place], "high": value + curve.spread[place]}
        rows.append(row)
    return rows
