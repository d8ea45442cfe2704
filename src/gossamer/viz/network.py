"""A chart of nodes and links at given positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.viz.layers import CHOSEN, Spec, finish, layer, tooltip
from gossamer.viz.styles import COLORS, GREY

WIDTH, HEIGHT, MARGIN = 720, 600, 12
MAX_NAMED = 40
"""Nodes of the largest drawing in which each has its name beside it."""
MAX_THICK_LINKS = 2000
"""Links of the largest drawing in which they are drawn thick."""


def network_spec(
    points: list[Spec],
    links: list[Spec],
    series: Sequence[str],
    *,
    facts: dict[str, tuple[str, str]],
    rings: Sequence[tuple[float, float, float]] = (),
) -> Spec:
    """Return the specification of a drawing: links below nodes.

    Parameters
    ----------
    points
        Nodes: ``label``, ``name``, ``series`` (empty for grey), ``across`` and ``along`` in
        pixels, ``size`` in square pixels, and the facts of the tooltip.
    links
        Links: ``series`` and the pixels ``x``, ``y``, ``x2``, ``y2``; those with ``faint`` are
        drawn thin.
    series
        Names of the colours.
    facts
        Title and format of each fact.
    rings
        Circles behind the drawing: centre and radius.
    """
    color: Spec = {
        "field": "series",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": [*series, ""], "range": [*COLORS[: len(series)], GREY]},
    }
    # Coloured marks are drawn over grey ones, and strong links over faint ones.
    ranks = {name: -place for place, name in enumerate([*series, ""])}
    points = sorted(points, key=lambda row: ranks[row["series"]])
    links = sorted(links, key=lambda row: (not row.get("faint"), ranks[row["series"]]))
    x, y = (
        {"type": "quantitative", "axis": None, "scale": {"domain": [0, size], "nice": False}}
        for size in (WIDTH, HEIGHT)
    )

    def weight(full: float, of_faint: float, of_grey: float, unchosen: float | None) -> Spec:
        tests = [("datum.series == ''", of_grey), ("datum.faint", of_faint)]
        if unchosen is not None:
            tests.insert(0, (f"!({CHOSEN})", unchosen))
        conditions = [{"test": test, "value": value} for test, value in tests]
        return {"condition": conditions, "value": full}

    many = len(links) > MAX_THICK_LINKS
    lines = layer(
        {"type": "rule", "aria": False, "tooltip": None},
        links,
        x={"field": "x", **x},
        y={"field": "y", **y},
        x2={"field": "x2"},
        y2={"field": "y2"},
        color=color,
        strokeOpacity=weight(*((0.5, 0.2, 0.12) if many else (0.75, 0.3, 0.25)), 0.06),
        strokeWidth=weight(*((0.7, 0.5, 0.5) if many else (1.2, 0.7, 0.8)), None),
    )
    nodes = layer(
        {"type": "point", "filled": True, "shape": "circle", "opacity": 1, "aria": False},
        x={"field": "across", **x},
        y={"field": "along", **y},
        color=color,
        size={"field": "size", "type": "quantitative", "scale": None, "legend": None},
        fillOpacity=weight(1, 1, 0.6, 0.06),
        tooltip=tooltip(label="node", **facts),
    )
    usermeta: Spec = {"aspect": HEIGHT / WIDTH}
    if any(point["name"] for point in points):
        usermeta["labels"] = {"of": "points_marks", "field": "name"}
    return finish(
        [*_rings(rings, x, y), lines | {"name": "avoid_links"}, nodes | {"name": "points"}],
        HEIGHT,
        data={"values": points},
        usermeta=usermeta,
    )


def areas(degrees: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """Return the area of each node in square pixels: the smaller, the more nodes there are."""
    base = min(max(24_000 / max(count, 1), 8.0), 160.0)
    relative = degrees / max(float(degrees.sum()) / max(len(degrees), 1), 1.0)
    found: NDArray[np.float64] = np.round(base * np.clip(0.3 + 0.7 * relative, 0.3, 5.0), 1)
    return found


def counted(number: int, noun: str) -> str:
    """Return a number and a noun: ``1 link``, ``2,000 links``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _rings(rings: Sequence[tuple[float, float, float]], x: Spec, y: Spec) -> list[Spec]:
    """Return the layer of the circles, if there are any."""
    if not rings:
        return []
    turns = np.linspace(0, 2 * np.pi, 73)
    rows = [
        {"ring": place, "turn": at, "x": round(u + r * np.cos(turn), 1),
         "y": round(v + r * np.sin(turn), 1)}
        for place, (u, v, r) in enumerate(rings)
        for at, turn in enumerate(turns.tolist())
    ]  # fmt: skip
    circle = {"type": "line", "color": GREY, "strokeWidth": 0.7, "strokeDash": [2, 3],
              "opacity": 0.7, "aria": False, "tooltip": None}  # fmt: skip
    place = {"x": {"field": "x", **x}, "y": {"field": "y", **y}}
    order = {"field": "turn", "type": "quantitative"}
    detail = {"field": "ring", "type": "nominal"}
    return [layer(circle, rows, **place, order=order, detail=detail)]
