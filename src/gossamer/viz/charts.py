"""Scatter plots with named points, and rows of dots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from gossamer.viz.axes import Axis, axis_for, is_wide
from gossamer.viz.blocks import Chart
from gossamer.viz.layers import (
    CHOSEN,
    FAINT,
    MAX_NAME,
    Spec,
    by_series,
    chosen_opacity,
    finish,
    layer,
    names_axis,
    number,
    reference_line,
    shortened,
    tooltip,
)
from gossamer.viz.styles import GREY, SHAPES


@dataclass(frozen=True)
class ChartPoint:
    """A point of a scatter plot.

    Attributes
    ----------
    label
        Full name, for the tooltip.
    x, y
        Coordinates.
    name
        Name beside the point, if any.
    series
        Series that gives colour and shape (default: the label).
    look
        Fill of the point.
    facts
        Values for the tooltip, by title.
    spread
        Half-widths of the intervals of the coordinates, if any.
    """

    label: str
    x: float
    y: float
    name: str = ""
    series: str = ""
    look: Literal["solid", "faint", "hollow"] = "solid"
    facts: Mapping[str, Any] = field(default_factory=dict)
    spread: tuple[float, float] = (0.0, 0.0)


def scatter_chart(
    title: str,
    points: Sequence[ChartPoint],
    *,
    x: str,
    y: str,
    wide: float = 10,
    line: tuple[str, float] | None = None,
    steps: Sequence[tuple[float, float]] = (),
    right: tuple[str, Mapping[float, str]] | None = None,
    named: bool = False,
    note: str = "",
) -> Chart:
    """Draw points with names beside them.

    Parameters
    ----------
    title
        Title above the chart.
    points
        Points; those in the same place share a name.
    x, y
        Titles of the axes.
    wide
        Ratio of the largest to the smallest value from which on both axes are logarithmic.
    line
        Name and value of a horizontal reference line.
    steps
        Corners of a staircase from the upper left to the lower right.
    right
        Title and labels of the values on the right edge of the chart.
    named
        Whether names alone distinguish the series, so that a picture needs no legend.
    note
        Remark under the title.
    """
    columns = [point.x for point in points], [point.y for point in points]
    columns[1].extend([line[1]] if line else [])
    log = any(is_wide(values, wide) for values in columns)
    across, along = (axis_for(values, log=log, padding=1.35) for values in columns)
    series = tuple(dict.fromkeys(point.series or point.label for point in points))
    ranks = {name: rank for rank, name in enumerate(series)}
    titles = list(dict.fromkeys(title for point in points for title in point.facts))
    rows = [
        {
            "label": point.label,
            "name": name,
            "series": point.series or point.label,
            "look": point.look,
            "rank": ranks[point.series or point.label],
            "x": point.x,
            "y": point.y,
            "across": across.place(point.x),
            "along": along.place(point.y),
            **_interval(point, across, along),
            **{f"fact{titles.index(title)}": value for title, value in point.facts.items()},
        }
        for point, name in zip(points, _names(points), strict=True)
    ]
    facts: dict[str, Any] = {f"fact{at}": title for at, title in enumerate(titles)}
    color, shape = by_series("color", series), by_series("shape", series)
    faint, hollow = "datum.look == 'faint'", "datum.look == 'hollow'"
    marks = layer(
        {"type": "point", "strokeWidth": 2},
        x=number("across", **across.options(x)),
        y=number("along", **along.options(y)),
        color=color,
        fill={"condition": {"test": hollow, "value": "transparent"}, **color},
        shape=shape,
        order=number("rank", sort="descending"),  # the most important points are on top
        size={"condition": {"test": faint, "value": 40}, "value": 90},
        opacity={
            "condition": [
                {"test": f"!({CHOSEN})", "value": FAINT},
                {"test": faint, "value": 0.38},
            ],
            "value": 1,
        },
        tooltip=tooltip(label="name", x=(x, ",.4~g"), y=(y, ",.4~g"), **facts),
    )
    layers = [_staircase(steps, across, along)] if steps else []
    layers += reference_line(line, channel="y") if line else []
    layers += _interval_lines(color) if any(any(point.spread) for point in points) else []
    layers += _right_labels(*right) if right else []
    usermeta = {"labels": {"of": "points_marks", "field": "name"}}
    values = "; ".join(
        f"{point.label} {_written(point.x)}, {_written(point.y)}" for point in points
    )
    return Chart(
        title,
        f"{x} against {y}: {values}.",
        finish(
            [*layers, marks | {"name": "points"}], 440, data={"values": rows}, usermeta=usermeta
        ),
        series,
        note=note,
        named=named,
    )


def dots_chart(
    title: str,
    measures: Mapping[str, Mapping[str, float]],
    *,
    value: str,
    line: tuple[str, float] | None = None,
    spread: Mapping[str, Mapping[str, float]] | None = None,
    note: str = "",
    in_order: bool = False,
) -> Chart:
    """Draw one or more measures of each series as dots in one row.

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
    spread
        Half-widths of intervals, by measure and series.
    note
        Remark under the title.
    in_order
        Whether rows are in the order of the series instead.
    """
    first = next(iter(measures.values()))
    rows_axis = {
        "field": "series",
        "type": "nominal",
        "sort": list(first) if in_order else sorted(first, key=lambda name: first[name]),
        "axis": names_axis() | {"grid": True},
    }
    values = [
        found + (spread or {}).get(measure, {}).get(name, 0.0)
        for measure, numbers in measures.items()
        for name, found in numbers.items()
    ]
    values += [found for numbers in measures.values() for found in numbers.values()]
    across = axis_for([*values, line[1]] if line else values)
    rows: list[Spec] = [
        {"series": name, "measure": measure, "value": found, "place": across.place(found)}
        for measure, numbers in measures.items()
        for name, found in numbers.items()
    ]
    for row in rows:
        if half := (spread or {}).get(row["measure"], {}).get(row["series"]):
            row |= {end: across.place(row["value"] + half * sign)
                    for end, sign in (("lower", -1), ("upper", 1))}  # fmt: skip
    series, several = tuple(first), len(measures) > 1
    color = by_series("color", series)
    # One column fits a phone, whatever the room that the names leave.
    legend = {"title": None, "orient": "bottom", "columns": 1, "symbolFillColor": "gray",
              "symbolStrokeWidth": 0}  # fmt: skip
    layers = []
    if several:
        layers.append(
            layer(
                {"type": "rule", "strokeWidth": 2},
                x=number("place", aggregate="min"),
                x2={"field": "place", "aggregate": "max"},
                y=rows_axis,
                color=color,
                opacity=chosen_opacity(0.45),
                detail={"field": "series", "type": "nominal"},
            )
        )
    if any("lower" in row for row in rows):
        bar = {"type": "rule", "strokeWidth": 9, "strokeCap": "butt", "clip": True}
        look: Spec = {"color": color, "opacity": chosen_opacity(0.35)}
        ends: Spec = {"x": number("lower"), "x2": {"field": "upper"}}
        layers.append(layer(bar, **ends, y=rows_axis, **look))
    layers.append(
        layer(
            {"type": "point", "filled": True, "size": 75},
            x=number("place", **across.options(value)),
            y=rows_axis,
            shape={
                "field": "measure",
                "type": "nominal",
                "legend": legend if several else None,
                "scale": {"domain": list(measures), "range": list(SHAPES[: len(measures)])},
            },
            color=color,
            opacity=chosen_opacity(),
            tooltip=tooltip(series="name", measure="measure", value=(value, ",.4~g")),
        )
    )
    layers += reference_line(line) if line else []
    ranges = "; ".join(
        f"{measure}: smallest {_written(min(numbers.values()))}, "
        f"largest {_written(max(numbers.values()))}"
        for measure, numbers in measures.items()
    )
    height = 40 + 26 * max(len(series), 2) + 30 * several
    return Chart(
        title,
        f"{ranges}; {line[0]}." if line else f"{ranges}.",
        finish(layers, height, data={"values": rows}),
        series,
        note=note,
        named=True,
    )


def _interval(point: ChartPoint, across: Axis, along: Axis) -> Spec:
    """Return the ends of the intervals of a point, if it has any."""
    wide, high = point.spread
    if not wide and not high:
        return {}
    return {
        "left": across.place(point.x - wide),
        "right": across.place(point.x + wide),
        "lower": along.place(point.y - high),
        "upper": along.place(point.y + high),
    }


def _interval_lines(color: Spec) -> list[Spec]:
    bar: Spec = {"type": "rule", "strokeWidth": 1.5, "clip": True}
    look: Spec = {"color": color, "opacity": chosen_opacity(0.6)}
    return [
        layer(bar, x=number("left"), x2={"field": "right"}, y=number("along"), **look)
        | {"name": "avoid_wide_interval"},
        layer(bar, x=number("across"), y=number("lower"), y2={"field": "upper"}, **look)
        | {"name": "avoid_high_interval"},
    ]


def _names(points: Sequence[ChartPoint]) -> list[str]:
    """Return the names to write: points in the same place have theirs at the first of them."""
    together: dict[tuple[float, float], list[str]] = {}
    for point in points:
        if point.name:
            together.setdefault((point.x, point.y), []).append(point.name)
    names = []
    for point in points:
        found = together.pop((point.x, point.y), []) if point.name else []
        both = ", ".join(found)
        if len(found) > 2 or (len(found) == 2 and len(both) > MAX_NAME):
            both = f"{shortened(found[0])} and {len(found) - 1} more"
        names.append(shortened(both) if len(found) == 1 else both)
    return names


def _staircase(corners: Sequence[tuple[float, float]], across: Axis, along: Axis) -> Spec:
    """Return a line of steps through points, from the top to the right edge of the chart."""
    shown = [(across.place(x), along.place(y)) for x, y in corners]
    shown = [(shown[0][0], along.high), *shown, (across.high, shown[-1][1])]
    rows = [{"across": x, "along": y, "order": at} for at, (x, y) in enumerate(shown)]
    line = {"type": "line", "interpolate": "step-after", "style": "ink", "opacity": 0.65}
    place = {"x": number("across"), "y": number("along"), "order": number("order")}
    return layer(line, rows, **place) | {"name": "avoid_front"}


def _right_labels(title: str, labels: Mapping[float, str]) -> list[Spec]:
    text: Spec = {"type": "text", "color": GREY}
    rows = [{"at": at, "name": name} for at, name in labels.items()]
    edge = {"x": {"value": "width"}}
    shown = {"field": "name", "type": "nominal"}
    heading = text | {"text": title, "align": "right", "dx": 30, "dy": -8}
    return [
        layer(text | {"align": "left", "dx": 6}, rows, **edge, y=number("at"), text=shown),
        layer(heading, [{}], **edge, y={"value": 0}),
    ]


def _written(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
