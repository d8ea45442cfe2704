"""The picture of a degree–diameter front: what shorter paths cost in links.

Two panels over the largest topic diameter, the mean degree and the maximum. The line is the
front: what has to be paid for paths of so many hops. Whose an overlay is can be told by its
colour and by its shape.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

from gossamer.experiments.candidates import SWEEPS
from gossamer.experiments.pareto_front import Front, FrontPoint, Kind
from gossamer.viz.comparison_picture import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    log_range,
    plain_ticks,
    positive,
)
from gossamer.viz.curves import picture
from gossamer.viz.labels import Box, label_points

__all__ = ["front_picture", "short_label"]

Panel = Literal["mean", "max"]
GREEN = "#009E73"
LOOKS: dict[Kind, tuple[str, str, str]] = {
    "ours": (BLUE, "o", "ours (radius n: bounded-radius)"),
    "published": (ORANGE, "s", "published algorithms and baselines"),
    "protocol": (GREEN, "D", "protocols at rest, nodes with full views"),
}
SIZE = {"o": 75, "s": 62, "D": 58}
FAINT = 0.38
SIGNS = {"rho": "ρ"}
WIDE = 3
"""What is drawn on a logarithmic axis: values that differ by more than this factor."""


def front_picture(front: Front, path: str | os.PathLike[str]) -> None:
    """Draw a front: mean and maximum degree against the largest topic diameter.

    Parameters
    ----------
    front
        What :func:`gossamer.front` gave.
    path
        Where to write: .png, .svg or .pdf. The file appears whole or not at all.
    """
    size = front.comparison
    title = (
        f"{size.origin.title}: {size.nodes:,} nodes, {size.topics:,} topics, "
        f"{size.subscriptions:,} subscriptions"
    )
    with picture(path, title, width=14, height=7) as figure:
        panels: dict[Panel, Any] = dict(zip(("mean", "max"), figure.subplots(1, 2), strict=True))
        for which, axes in panels.items():
            _draw(axes, front, which)
        handles, names = panels["mean"].get_legend_handles_labels()
        figure.legend(
            handles,
            names,
            loc="outside lower left",
            ncols=4,
            frameon=False,
            fontsize=9,
            handletextpad=0.5,
            columnspacing=1.6,
        )
        figure.draw_without_rendering()
        for which, axes in panels.items():
            _label(axes, front, which)


def short_label(point: FrontPoint) -> str:
    """Return a point's name as it is written in a picture: ``low-oda ρ 3``, ``radius 6``."""
    sweep = SWEEPS.get(point.family, ("", ()))[0]
    # There is one overlay of each radius, and the word says whose it is.
    plain = point.family == "bounded-radius" and sweep in point.options
    words = [] if plain else [point.family]
    for name, value in point.options.items():
        shown = SIGNS.get(name, name)
        words.append(f"{shown} {value}" if name == sweep else f"{shown}={value}")
    return " ".join(words)


def _draw(axes: Any, front: Front, which: Panel) -> None:
    points = front.points
    bound = front.comparison.lower_bound if which == "mean" else 0.0
    degrees = [_degree(point, which) for point in points] + [bound] * (bound > 0)
    hops = [float(point.max_diameter) for point in points]
    axes.set_title(
        "Links a node keeps on average" if which == "mean" else "Links of the busiest node"
    )
    across = _set_axis(axes, "x", hops, "largest topic diameter, hops")
    along = _set_axis(axes, "y", degrees, f"{'mean' if which == 'mean' else 'maximum'} degree")
    if bound > 0 and along:
        axes.set_ylim(bottom=min(degrees) / 1.3)
    axes.minorticks_off()
    axes.grid(True, color="#E9E9E9", linewidth=0.7, zorder=0)
    axes.set_axisbelow(True)
    _draw_line(axes, front.front(which), which)
    for kind, (color, marker, name) in LOOKS.items():
        for held in (False, True):
            found = [
                point
                for point in points
                if point.kind == kind and point.connected and (which in point.on) is held
            ]
            axes.scatter(
                [positive(p.max_diameter) if across else p.max_diameter for p in found],
                [positive(_degree(p, which)) if along else _degree(p, which) for p in found],
                s=SIZE[marker] * (1 if held else 0.55),
                marker=marker,
                color=color,
                alpha=1 if held else FAINT,
                edgecolor="white",
                linewidth=0.9,
                label=name if held and _shows(points, kind) else None,
                zorder=4 if held else 3,
            )
    pieces = [point for point in points if not point.connected]
    axes.scatter(
        [positive(p.max_diameter) if across else p.max_diameter for p in pieces],
        [positive(_degree(p, which)) if along else _degree(p, which) for p in pieces],
        s=46,
        marker="o",
        facecolor="none",
        edgecolor=GREY,
        linewidth=1.3,
        label="some topics in pieces" if pieces else None,
        zorder=3,
    )
    axes.scatter([], [], s=36, marker="o", color=GREY, alpha=FAINT, label="faint: another beats it")
    if bound > 0:
        axes.axhline(
            bound,
            color=INK,
            linestyle=(0, (5, 3)),
            linewidth=1.1,
            label=f"proven: no mean degree below {front.comparison.bound_text}",
            zorder=2,
        )
        beside = axes.secondary_yaxis(
            "right", functions=(lambda value: value / bound, lambda value: value * bound)
        )
        beside.set_ylabel("× the lower bound", color=GREY)
        beside.tick_params(colors=GREY)
        beside.spines["right"].set_visible(False)
        _plain(beside.yaxis, along)
        beside.minorticks_off()


def _shows(points: Sequence[FrontPoint], kind: Kind) -> bool:
    return any(point.kind == kind and point.connected for point in points)


def _draw_line(axes: Any, line: Sequence[FrontPoint], which: Panel) -> None:
    """Draw the least degree for each diameter as a line of steps, to the right edge."""
    if not line:
        return
    log = (axes.get_xscale() == "log", axes.get_yscale() == "log")
    hops = [positive(p.max_diameter) if log[0] else float(p.max_diameter) for p in line]
    degrees = [positive(_degree(p, which)) if log[1] else _degree(p, which) for p in line]
    end, top = axes.get_xlim()[1], axes.get_ylim()[1]
    corners = ([hops[0], *hops, end], [top, *degrees, degrees[-1]])
    axes.plot(
        *corners,
        drawstyle="steps-post",
        color=INK,
        linewidth=1.4,
        alpha=0.65,
        label="the front: what no other beats",
        zorder=2,
    )
    axes.fill_between(*corners, top, step="post", color=BLUE, alpha=0.045, linewidth=0, zorder=1)


def _label(axes: Any, front: Front, which: Panel) -> None:
    """Name the points of the front, and of protocols, which are there to be compared."""
    named: list[FrontPoint] = []
    others: list[FrontPoint] = []
    for point in front.points:
        told = which in point.on or point.kind == "protocol"
        (named if told else others).append(point)
    named.sort(key=lambda p: (p.max_diameter, p.mean_degree, p.max_degree))
    together: dict[tuple[float, float], list[str]] = {}
    for point in named:
        together.setdefault(_place(axes, point, which), []).append(short_label(point))
    label_points(
        axes,
        [_together(labels) for labels in together.values()],
        list(together),
        lines=_lines(axes, front, which),
        others=[_place(axes, point, which) for point in others],
        size=8.5,
    )


def _together(labels: Sequence[str]) -> str:
    """Return the names of points in the same place."""
    if len(labels) <= 2:
        return ", ".join(labels)
    return f"{labels[0]} and {len(labels) - 1} more"


def _lines(axes: Any, front: Front, which: Panel) -> list[Box]:
    """Return where the front and the bound are drawn, as thin boxes in pixels."""
    frame = axes.get_window_extent()
    found: list[Box] = []
    reach = axes.figure.dpi / 72
    last: tuple[float, float] | None = None
    for point in front.front(which):
        x, y = axes.transData.transform(_place(axes, point, which))
        upper = frame.y1 if last is None else last[1]
        found.append((x - reach, y, x + reach, upper))
        if last is not None:
            found.append((last[0], last[1] - reach, x, last[1] + reach))
        last = (x, y)
    if last is not None:
        found.append((last[0], last[1] - reach, frame.x1, last[1] + reach))
    if which == "mean" and front.comparison.lower_bound > 0:
        y = axes.transData.transform((1.0, front.comparison.lower_bound))[1]
        found.append((frame.x0, y - reach, frame.x1, y + reach))
    return found


def _set_axis(axes: Any, which: Literal["x", "y"], values: Sequence[float], name: str) -> bool:
    """Set up an axis that fits values, logarithmic where the largest is several times the least."""
    log = _is_wide(values)
    axis = getattr(axes, f"{which}axis")
    if log:
        getattr(axes, f"set_{which}scale")("log")
        low, high = log_range(values)
        getattr(axes, f"set_{which}lim")(low, high * 1.2)  # names are longer than points are wide
    else:
        getattr(axes, f"set_{which}lim")(0, 1.15 * max([*values, 1.0]))
        axis.get_major_locator().set_params(integer=which == "x")
    getattr(axes, f"set_{which}label")(f"{name} (log)" if log else name)
    _plain(axis, log)
    return log


def _is_wide(values: Sequence[float]) -> bool:
    above = [value for value in values if value > 0]
    return bool(above) and max(above) > WIDE * min(above)


def _plain(axis: Any, log: bool) -> None:
    if log:
        # Numbers side by side need more room than numbers one above the other.
        plain_ticks(axis, most=2_000 if axis.axis_name == "x" else 20_000)


def _place(axes: Any, point: FrontPoint, which: Panel) -> tuple[float, float]:
    hops, degree = float(point.max_diameter), _degree(point, which)
    return (
        positive(hops) if axes.get_xscale() == "log" else hops,
        positive(degree) if axes.get_yscale() == "log" else degree,
    )


def _degree(point: FrontPoint, which: Panel) -> float:
    return float(point.mean_degree if which == "mean" else point.max_degree)
