"""A degree–diameter Pareto front as a page and as a picture."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from gossamer.experiments.candidates import SWEEPS
from gossamer.experiments.pareto_front import Front, FrontPoint, Kind, Which
from gossamer.experiments.recommendation import Recommendation, recommend
from gossamer.viz import labels
from gossamer.viz.axes import Axis, axis_for
from gossamer.viz.blocks import Chart, Section, Table
from gossamer.viz.comparison import reproduction_section
from gossamer.viz.html import render_page
from gossamer.viz.layers import (
    Spec,
    by_series,
    chosen_opacity,
    finish,
    number,
    reference_line,
    tooltip,
)
from gossamer.viz.picture import draw_picture
from gossamer.viz.styles import GREY, INK, SHAPES

__all__ = ["front_page", "front_picture", "front_sections", "short_label"]

MAX_HEADING = 70
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
        If the file cannot be written, or the drawing library is not installed.
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
        *(
            Section(
                _heading(one.text),
                (one.text.replace("`", ""),),
                commands=(one.command,) if one.command else (),
            )
            for one in (recommend(front) if advice is None else advice)
        ),
        Section(
            "Pareto front",
            (
                f"{len(front.points):,} overlays for the same {labels.sizes(size)}. An overlay is "
                "on the front if no other is at least as good in mean degree, maximum degree and "
                "maximum topic diameter, and better in one of them. Point at a mark to read its "
                "values. A faint point is dominated in the two measures of its chart; a grey ring "
                "leaves some topics disconnected.",
                _bound_text(front),
                *(f"Left out: {label}; {why}." for label, why in front.left_out.items()),
            ),
            charts=_charts(front),
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


def _heading(text: str) -> str:
    """Return the constraint of a recommendation as a heading."""
    constraint, found, _ = text.partition(", take")
    if not found:
        return "Recommendation"
    brief = re.sub(r" \([^)]*\)", "", constraint)
    return brief if len(brief) <= MAX_HEADING else f"{re.split(', | and ', brief)[0]} and more"


def _bound_text(front: Front) -> str:
    if not front.bound_method:
        return "There is no lower bound of the mean degree: the table is too large."
    return (
        "No overlay that connects every topic of these subscriptions has a mean degree below "
        f"{front.comparison.bound_text}; this lower bound is proven (by {front.bound_method})."
    )


def _charts(front: Front) -> list[Chart]:
    return [
        _chart(front, "mean", "Mean degree against topic diameter", labels.MEAN_DEGREE),
        _chart(front, "max", "Maximum degree against topic diameter", labels.MAX_DEGREE),
    ]


def _chart(front: Front, which: Which, title: str, measure: str) -> Chart:
    """Draw the points, the front as a line of steps, and the lower bound."""
    bound = labels.bound_line(front.comparison) if which == "mean" else None
    degrees = [_degree(point, which) for point in front.points] + ([bound[1]] if bound else [])
    hops = [float(point.max_diameter) for point in front.points]
    across = axis_for(hops, log=_is_wide(hops), padding=1.5)
    along = axis_for(degrees, log=_is_wide(degrees), padding=1.4)
    place = {
        "x": number("across", **across.options(labels.MAX_DIAMETER)),
        "y": number("along", **along.options(measure)),
    }
    shown = tooltip(
        {
            "label": ("name", None),
            "diameter": (labels.MAX_DIAMETER, ","),
            "degree": (measure, ",.4~g"),
            "ratio": (labels.RATIO, ",.3~f"),
            "note": ("note", None),
        }
    )
    series = tuple(
        name for kind, name in KINDS.items() if any(p.kind == kind for p in front.points)
    )
    style = {"color": by_series("color", series), "shape": by_series("shape", series)}
    style["shape"]["scale"]["range"] = list(SHAPES[: len(series)])
    rows: dict[str, list[Spec]] = {"named": [], "faint": [], "disconnected": []}
    for point in front.points:
        rows[_group(point, which)].append(
            {
                "label": point.label,
                "name": short_label(point),
                "series": KINDS[point.kind],
                "across": across.place(point.max_diameter),
                "along": along.place(_degree(point, which)),
                "diameter": point.max_diameter,
                "degree": _degree(point, which),
                "ratio": point.ratio,
                "note": _note(point, which),
            }
        )
    layers: list[Spec] = [_steps(front.front(which), which, across, along)]
    if bound:
        layers += reference_line(bound, channel="y")
        layers += _ratios(bound[1], along)
    layers += [
        {
            "name": "avoid_faint",
            "data": {"values": rows["faint"]},
            "mark": {"type": "point", "filled": True, "size": 50},
            "encoding": {**place, **style, "opacity": chosen_opacity(0.38), "tooltip": shown},
        },
        {
            "name": "avoid_disconnected",
            "data": {"values": rows["disconnected"]},
            "mark": {"type": "point", "shape": "circle", "size": 60, "color": GREY},
            "encoding": {**place, "opacity": chosen_opacity(), "tooltip": shown},
        },
        {
            "name": "points",
            "data": {"values": _merge_names(rows["named"])},
            "mark": {"type": "point", "filled": True, "size": 90},
            "encoding": {**place, **style, "opacity": chosen_opacity(), "tooltip": shown},
        },
    ]
    return Chart(
        title,
        f"{measure} against {labels.MAX_DIAMETER} of {len(front.points):,} overlays; on the front: "
        + ", ".join(point.label for point in front.front(which))
        + ".",
        finish(
            layers,
            440,
            usermeta={"labels": {"of": "points_marks", "field": "name"}},
        ),
        series,
    )


def _group(point: FrontPoint, which: Which) -> str:
    """Return the layer of a point; those of the front and of protocols have names."""
    if not point.connected:
        return "disconnected"
    return "named" if which in point.on or point.kind == "protocol" else "faint"


def _note(point: FrontPoint, which: Which) -> str:
    if not point.connected:
        return labels.DISCONNECTED
    return "on the front" if which in point.on else labels.DOMINATED


def _merge_names(rows: list[Spec]) -> list[Spec]:
    """Give points in the same place one name: on the first of them, the others have none."""
    together: dict[tuple[float, float], list[Spec]] = {}
    for row in rows:
        together.setdefault((row["across"], row["along"]), []).append(row)
    for first, *others in together.values():
        names = [first["name"], *(row["name"] for row in others)]
        first["name"] = (
            ", ".join(names) if len(names) <= 2 else f"{names[0]} and {len(others)} more"
        )
        for row in others:
            row["name"] = ""
    return rows


def _steps(line: Sequence[FrontPoint], which: Which, across: Axis, along: Axis) -> Spec:
    """Draw the lowest degree for each diameter as a line of steps, to the edges of the chart."""
    corners = [(across.place(p.max_diameter), along.place(_degree(p, which))) for p in line]
    if corners:
        corners = [(corners[0][0], along.high), *corners, (across.high, corners[-1][1])]
    rows = [{"across": x, "along": y, "order": at} for at, (x, y) in enumerate(corners)]
    return {
        "name": "avoid_front",
        "data": {"values": rows},
        "mark": {"type": "line", "interpolate": "step-after", "color": INK, "opacity": 0.65},
        "encoding": {
            "x": number("across", **across.options(labels.MAX_DIAMETER)),
            "y": number("along"),
            "order": number("order"),
        },
    }


def _ratios(bound: float, along: Axis) -> list[Spec]:
    """Write multiples of the lower bound along the right edge of the chart."""
    ratios = Axis(along.log, along.low / bound, along.high / bound, 0.0)
    ticks = ratios.ticks() if along.log else [float(at) for at in range(1, int(ratios.high) + 1)]
    mark: Spec = {"type": "text", "align": "left", "dx": 6, "color": GREY}
    texts = [{"at": tick * bound, "name": f"{tick:,g} ×"} for tick in ticks]
    return [
        {
            "data": {"values": texts},
            "mark": mark,
            "encoding": {
                "x": {"value": "width"},
                "y": number("at"),
                "text": {"field": "name", "type": "nominal"},
            },
        },
        {
            "data": {"values": [{}]},
            "mark": mark | {"text": labels.RATIO, "align": "right", "dy": -8, "dx": 30},
            "encoding": {"x": {"value": "width"}, "y": {"value": 0}},
        },
    ]


def _is_wide(values: Sequence[float]) -> bool:
    positive = [value for value in values if value > 0]
    return bool(positive) and max(positive) > WIDE * min(positive)


def _degree(point: FrontPoint, which: Which) -> float:
    return float(point.mean_degree if which == "mean" else point.max_degree)


def _table(front: Front) -> Table:
    points = sorted(front.points, key=lambda p: (p.max_diameter, p.mean_degree, p.max_degree))
    return Table(
        "Overlays in order of the maximum topic diameter",
        (
            "Algorithm",
            "Kind",
            "On the front",
            labels.MAX_DIAMETER,
            labels.MEAN_DEGREE,
            labels.RATIO,
            labels.MAX_DEGREE,
            labels.P95_DEGREE,
            labels.LINKS,
            labels.MEAN_DIAMETER,
            "All topics connected",
            labels.SECONDS,
        ),
        [
            (
                point.label,
                point.kind,
                "all" in point.on,
                point.max_diameter,
                point.mean_degree,
                point.ratio,
                point.max_degree,
                point.p95_degree,
                point.links,
                point.mean_diameter,
                point.connected,
                point.seconds,
            )
            for point in points
        ],
    )
