"""Charts that can be used for anything: distributions, rows of dots, scattered points.

They are written with Altair, which is imported only when a chart is made. Fonts and
backgrounds are the page's; what is drawn is not known here.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Mapping, Sequence
from typing import Any

from gossamer.errors import ParameterError
from gossamer.viz.axes import Axis, axis_for, is_wide
from gossamer.viz.blocks import Chart, Table
from gossamer.viz.styles import SHAPES, styles_of

__all__ = [
    "ccdf_chart",
    "dots_chart",
    "require_altair",
    "scatter_chart",
    "spread_chart",
]

FAINT = 0.13
MAX_POINTS = 160
CHOSEN = "!length(chosen) || indexof(chosen, datum.series) >= 0"

Distribution = Mapping[int, int]


def require_altair() -> None:
    """Raise a ParameterError that says what to install, if charts cannot be made."""
    for name, package in (("altair", "altair"), ("vl_convert", "vl-convert-python")):
        if importlib.util.find_spec(name) is None:
            raise ParameterError(
                f"a page with charts needs {package}, which is not installed; "
                "install gossamer[report]"
            )


def ccdf_chart(
    title: str,
    distributions: Mapping[str, Distribution],
    *,
    value: str,
    of: str,
    table: Table | None = None,
) -> Chart:
    """Draw which share has at least a value, on logarithmic axes: the tail of distributions.

    Parameters
    ----------
    title
        Shown above it.
    distributions
        For each of a series, how often each value was found. Values below 1 count in the
        share, and have no place on the axis.
    value, of
        What the values are, and what has them, for the axes: ``degree``, ``nodes``.
    table
        The numbers behind it.
    """
    points: list[dict[str, Any]] = [
        {"series": name, "value": at, "share": share, "count": count}
        for name, distribution in distributions.items()
        for at, share, count in _thinned(_tail(distribution))
    ]
    across = axis_for([point["value"] for point in points], log=True)
    along = axis_for([point["share"] for point in points], log=True)
    share = f"share of {of} with at least that {value}"
    alt = _altair()
    series = tuple(distributions)
    lines = (
        alt.Chart(_data(points))
        .mark_line(interpolate="step-before", strokeWidth=2, strokeCap="butt")
        .encode(
            x=alt.X("value:Q", **across.options(value)),
            y=alt.Y("share:Q", **along.options(share, "~%")),
            color=_color(series),
            strokeDash=_dash(series),
            opacity=_opacity(),
        )
    )
    marks = (
        alt.Chart(_data(points))
        .mark_point(filled=True, size=22)
        .encode(
            x="value:Q",
            y="share:Q",
            color=_color(series),
            shape=_shape(series),
            opacity=_opacity(),
            tooltip=[
                alt.Tooltip("series:N", title="name"),
                alt.Tooltip("value:Q", title=f"{value} of at least", format=","),
                alt.Tooltip("count:Q", title=of, format=","),
                alt.Tooltip("share:Q", title=f"share of {of}", format=".3~%"),
            ],
        )
    )
    return Chart(
        title,
        f"For each series, the share of {of} with at least a given {value}. "
        + _ranges(distributions, value),
        _finished(alt.layer(lines, marks), 400),
        series,
        table,
    )


def spread_chart(
    title: str,
    distributions: Mapping[str, Distribution],
    *,
    value: str,
    of: str,
    table: Table | None = None,
) -> Chart:
    """Draw distributions one below the other: a circle for each value, larger for more of them.

    Parameters
    ----------
    title, value, of, table
        As in :func:`ccdf_chart`.
    distributions
        For each of a series, how often each value was found.
    """
    values = [at for distribution in distributions.values() for at in distribution]
    across = axis_for(values, room=1.3)
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
    alt = _altair()
    series = tuple(distributions)
    marks = (
        alt.Chart(_data(points))
        .mark_point(filled=True, shape="circle", stroke=None)
        .encode(
            x=alt.X("place:Q", **across.options(value)),
            y=_rows(series),
            size=alt.Size("share:Q", legend=None).scale(domain=[0, 1], range=[10, 420]),
            color=_color(series),
            opacity=_opacity(0.75),
            tooltip=[
                alt.Tooltip("series:N", title="name"),
                alt.Tooltip("value:Q", title=value, format=","),
                alt.Tooltip("count:Q", title=of, format=","),
                alt.Tooltip("share:Q", title=f"share of {of}", format=".3~%"),
            ],
        )
    )
    return Chart(
        title,
        f"For each series, how many {of} have each {value}. " + _ranges(distributions, value),
        _finished(marks, _height(series)),
        series,
        table,
    )


def dots_chart(
    title: str,
    measures: Mapping[str, Mapping[str, float]],
    *,
    value: str,
    line: tuple[str, float] | None = None,
    table: Table | None = None,
) -> Chart:
    """Draw one or more measures of each of a series as dots in a row of its own.

    Parameters
    ----------
    title
        Shown above it.
    measures
        For each measure, its value for each of the series. Rows are in the order of the
        first measure, the smallest on top.
    value
        What the axis shows.
    line
        What to write beside a line across all rows, and the value where the line is.
    table
        The numbers behind it.
    """
    first = next(iter(measures.values()))
    order = sorted(first, key=lambda name: first[name])
    values = [number for measure in measures.values() for number in measure.values()]
    across = axis_for([*values, line[1]] if line else values)
    points = [
        {"series": name, "measure": measure, "value": number, "place": across.place(number)}
        for measure, numbers in measures.items()
        for name, number in numbers.items()
    ]
    alt = _altair()
    series = tuple(first)
    base = alt.Chart(_data(points))
    along = _rows(series, order)
    several = len(measures) > 1
    layers = []
    if several:
        layers.append(
            base.mark_rule(strokeWidth=2).encode(
                x=alt.X("min(place):Q"),
                x2="max(place):Q",
                y=along,
                color=_color(series),
                opacity=alt.condition(CHOSEN, alt.value(0.45), alt.value(FAINT)),
                detail="series:N",
            )
        )
    shapes = alt.Shape(
        "measure:N",
        legend=alt.Legend(title=None, orient="bottom", symbolFillColor="gray", symbolStrokeWidth=0)
        if several
        else None,
        sort=list(measures),
    ).scale(domain=list(measures), range=[SHAPES[k % len(SHAPES)] for k in range(len(measures))])
    layers.append(
        base.mark_point(filled=True, size=75).encode(
            x=alt.X("place:Q", **across.options(value)),
            y=along,
            shape=shapes,
            color=_color(series),
            opacity=_opacity(),
            tooltip=[
                alt.Tooltip("series:N", title="name"),
                alt.Tooltip("measure:N", title="measure"),
                alt.Tooltip("value:Q", title=value, format=",.4~g"),
            ],
        )
    )
    if line is not None:
        layers += _line_across(line, across)
    return Chart(
        title,
        "; ".join(
            f"{measure}: smallest {_number(min(numbers.values()))}, "
            f"largest {_number(max(numbers.values()))}"
            for measure, numbers in measures.items()
        )
        + (f"; {line[0]}" if line else "")
        + ".",
        _finished(alt.layer(*layers), _height(series) + (30 if several else 0)),
        series,
        table,
    )


def scatter_chart(
    title: str,
    points: Mapping[str, tuple[float, float]],
    *,
    x: str,
    y: str,
    notes: Mapping[str, str] | None = None,
    line: tuple[str, float] | None = None,
    table: Table | None = None,
) -> Chart:
    """Draw each of a series as a point with its name beside it.

    Parameters
    ----------
    title
        Shown above it.
    points
        Where each of the series is.
    x, y
        What the axes show.
    notes
        What else to say of some; these points are hollow.
    line
        What to write beside a line from top to bottom, and the x where the line is.
    table
        The numbers behind it.
    """
    notes = notes or {}
    columns = [at for at, _ in points.values()] + ([line[1]] if line else [])
    log = is_wide(columns) or is_wide(at for _, at in points.values())
    across = axis_for(columns, log=log, room=1.35)
    along = axis_for([at for _, at in points.values()], log=log, room=1.35)
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
    alt = _altair()
    series = tuple(points)
    marks = (
        alt.Chart(_data(rows), name="points")
        .mark_point(size=110, strokeWidth=2)
        .encode(
            x=alt.X("across:Q", **across.options(x)),
            y=alt.Y("along:Q", **along.options(y)),
            color=_color(series),
            fill=alt.condition(
                "datum.note == '–'", _color(series), alt.value("transparent"), empty=False
            ),
            shape=_shape(series),
            opacity=_opacity(),
            tooltip=[
                alt.Tooltip("series:N", title="name"),
                alt.Tooltip("x:Q", title=x, format=",.4~g"),
                alt.Tooltip("y:Q", title=y, format=",.4~g"),
                *([alt.Tooltip("note:N", title="note")] if notes else []),
            ],
        )
    )
    layers = [marks]
    if line is not None:
        layers += _line_across(line, across)
    spec = _finished(alt.layer(*layers), 440)
    spec["usermeta"] = {"labels": {"of": "points_marks", "field": "series"}}
    return Chart(
        title,
        f"{x} against {y}: "
        + "; ".join(f"{name} {_number(at[0])}, {_number(at[1])}" for name, at in points.items())
        + ".",
        spec,
        series,
        table,
    )


# -- parts of charts --------------------------------------------------------------------


def _altair() -> Any:
    require_altair()
    import altair

    return altair


def _data(rows: list[dict[str, Any]]) -> Any:
    return _altair().InlineData(values=rows)


def _finished(chart: Any, height: int) -> dict[str, Any]:
    """Return the specification: as wide as the page lets it, and with the names chosen."""
    chosen = _altair().param(name="chosen", value=[])
    spec: dict[str, Any] = chart.add_params(chosen).properties(
        width="container", height=height, autosize={"type": "fit-x", "contains": "padding"}
    ).to_dict()  # fmt: skip
    spec.pop("config", None)  # the page's
    return spec


def _height(series: Sequence[str]) -> int:
    return 40 + 26 * max(len(series), 2)


def _color(series: Sequence[str]) -> Any:
    colors = [style.color for style in styles_of(series).values()]
    return _altair().Color("series:N", legend=None).scale(domain=list(series), range=colors)


def _dash(series: Sequence[str]) -> Any:
    dashes = [list(style.dash) or [1, 0] for style in styles_of(series).values()]
    return _altair().StrokeDash("series:N", legend=None).scale(domain=list(series), range=dashes)


def _shape(series: Sequence[str]) -> Any:
    shapes = [style.shape for style in styles_of(series).values()]
    return _altair().Shape("series:N", legend=None).scale(domain=list(series), range=shapes)


def _opacity(full: float = 1.0) -> Any:
    alt = _altair()
    return alt.condition(CHOSEN, alt.value(full), alt.value(FAINT))


def _rows(series: Sequence[str], order: Sequence[str] | None = None) -> Any:
    """Return an axis with a row for each of a series."""
    alt = _altair()
    named = alt.Axis(title=None, labelLimit=150, ticks=False, domain=False, grid=True)
    return alt.Y("series:N", sort=list(order or series), axis=named)


def _line_across(line: tuple[str, float], axis: Axis) -> list[Any]:
    """Return a dashed line from top to bottom, and its name above it."""
    alt = _altair()
    name, value = line
    base = alt.Chart(_data([{"at": axis.place(value), "name": name}])).encode(x=alt.X("at:Q"))
    return [
        base.mark_rule(strokeDash=[4, 4], strokeWidth=1.5).properties(name="line_rule"),
        base.mark_text(align="left", baseline="bottom", fontStyle="italic")
        .encode(y=alt.value(-4), text="name:N")
        .properties(name="line_name"),
    ]


# -- numbers ---------------------------------------------------------------------------


def _tail(distribution: Distribution) -> list[tuple[int, float, int]]:
    """Return each value from 1 on, with the share and number of those at or above it."""
    total = left = sum(distribution.values())
    points = []
    for at in sorted(distribution):
        if at >= 1:
            points.append((at, left / total, left))
        left -= distribution[at]
    if points and points[0][0] > 1:
        points.insert(0, (1, points[0][1], points[0][2]))
    return points


def _thinned(points: list[tuple[int, float, int]]) -> list[tuple[int, float, int]]:
    """Keep no more points than can be told apart on a logarithmic axis, the ends included."""
    if len(points) <= MAX_POINTS:
        return points
    span = math.log(points[-1][0] / points[0][0])
    kept: dict[int, tuple[int, float, int]] = {}
    for point in points:
        kept[int(MAX_POINTS * math.log(point[0] / points[0][0]) / span)] = point
    return [points[0], *(point for point in kept.values() if point is not points[0])]


def _ranges(distributions: Mapping[str, Distribution], value: str) -> str:
    """Say of each distribution from where to where it goes."""
    return (
        "; ".join(
            f"{name}: {value} from {min(found):,} to {max(found):,}"
            for name, found in distributions.items()
            if found
        )
        + "."
    )


def _number(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
