"""Names beside the points of a picture: positions at which they are legible.

Each name in turn takes the position with the lowest cost beside the others, a few times over. A
page places its names in the browser, where the size of the chart is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.viz.layers import Spec, layer
from gossamer.viz.styles import GREY

Box = tuple[float, float, float, float]
"""Left, upper, right and lower edge, in pixels."""
Boxes = NDArray[np.float64]
Point = tuple[float, float]

FONT_SIZE = 11
WIDTHS = dict.fromkeys("ijl.,:;|'!", 0.25) | dict.fromkeys("frt-() ", 0.32) | {"m": 0.83, "w": 0.72}
"""Widths of characters that differ from most others, in units of the font size."""
PASSES = 4
FAR = 11
"""Distance of a name from the edge of its point from which on a line joins them."""
SIZE = 90
"""Area of a point in square pixels, if it has none of its own."""
BEAD = 8


def name_layers(spec: Spec, width: int, height: int, *, tinted: bool = True) -> list[Spec]:
    """Return the layers with the names of points, as ``usermeta`` of a chart asks for.

    Parameters
    ----------
    spec
        Specification of :func:`gossamer.viz.charts.scatter_chart`. Names avoid points and lines.
    width, height
        Size of the chart in pixels.
    tinted
        Whether a name has the colour of its point, darkened for white paper.
    """
    layers = {layer.get("name", ""): layer for layer in spec["layer"]}
    encoding = layers["points"]["encoding"]
    x = _scale(encoding["x"]["scale"], width)
    y = _scale(encoding["y"]["scale"], height)
    points = sorted(spec["data"]["values"], key=lambda row: row.get("rank", 0))
    marks = [
        (x(row["across"]), height - y(row["along"]), math.sqrt(row.get("size", SIZE) / math.pi))
        for row in points
    ]
    named = [(*mark, row["name"]) for mark, row in zip(marks, points, strict=True) if row["name"]]
    colors = dict(zip(*(encoding["color"]["scale"][end] for end in ("domain", "range")),
                      strict=True))  # fmt: skip
    tints = [_darkened(colors[row["series"]]) for row in points if row["name"]]
    lines: list[Box] = []
    for row in _rows(layers, "avoid_rule"):
        level = height - y(row["at"])
        left = width - _width(layers["avoid_text"]["mark"]["text"])
        # The line, and its name under its right end.
        lines += [(0.0, level - 1, float(width), level + 1),
                  (left, level + 3, float(width), level + 5 + FONT_SIZE)]  # fmt: skip
    for row in _rows(layers, "avoid_links"):
        lines += _beads(x(row["x"]), height - y(row["y"]), x(row["x2"]), height - y(row["y2"]))
    for row, (across, along, _) in zip(points, marks, strict=True):
        if "left" in row:
            lines += [(x(row["left"]), along - 1, x(row["right"]), along + 1),
                      (across - 1, height - y(row["upper"]), across + 1,
                       height - y(row["lower"]))]  # fmt: skip
    corners = [(x(row["across"]), height - y(row["along"]))
               for row in _rows(layers, "avoid_front")]  # fmt: skip
    for (left, upper), (right, lower) in pairwise(corners):
        lines += [(left, upper - 1, right, upper + 1), (right - 1, upper, right + 1, lower)]
    frame = (0.0, 0.0, float(width), float(height))
    boxes = _place(named, marks, lines, frame)
    drawn = []
    for (u, v, radius, name), box, tint in zip(named, boxes, tints, strict=True):
        if _distance(box, u, v) > radius + FAR:
            leader = {"x": u, "y": v, "x2": min(max(u, box[0]), box[2]),
                      "y2": min(max(v, box[1]), box[3])}  # fmt: skip
            drawn.append(_at({"type": "rule", "color": GREY, "strokeWidth": 0.8}, leader))
        middle = {"x": (box[0] + box[2]) / 2, "y": (box[1] + box[3]) / 2}
        text = {"type": "text", "text": name, "fontSize": FONT_SIZE}
        drawn.append(_at(text | ({"color": tint} if tinted else {}), middle))
    return drawn


def _darkened(color: str) -> str:
    """Return a colour that is legible as text on white paper."""
    return "#" + "".join(f"{int(color[at : at + 2], 16) * 7 // 10:02x}" for at in (1, 3, 5))


def _at(mark: Spec, place: dict[str, float]) -> Spec:
    """Return a layer with one mark at pixels."""
    return layer(mark, [{}], **{channel: {"value": value} for channel, value in place.items()})


def _rows(layers: dict[str, Spec], name: str) -> list[Spec]:
    rows: list[Spec] = layers[name]["data"]["values"] if name in layers else []
    return rows


def _scale(scale: dict[str, Any], size: int) -> Callable[[float], float]:
    """Return the distance in pixels from the low end of an axis."""
    low, high = scale["domain"]
    if scale.get("type") == "log":
        return lambda value: size * math.log(value / low) / math.log(high / low)
    return lambda value: size * (value - low) / (high - low)


def _beads(x: float, y: float, x2: float, y2: float) -> Iterator[Box]:
    """Yield small boxes along a slanted line."""
    count = max(1, int(math.hypot(x2 - x, y2 - y) / BEAD))
    for place in range(count + 1):
        u, v = x + (x2 - x) * place / count, y + (y2 - y) * place / count
        yield u - 1, v - 1, u + 1, v + 1


def _place(
    labels: Sequence[tuple[float, float, float, str]],
    taken: Sequence[tuple[float, float, float]],
    lines: Sequence[Box],
    frame: Box,
) -> list[Box]:
    """Choose a box for each label."""
    marks = _array([(x - r - 1, y - r - 1, x + r + 1, y + r + 1) for x, y, r in taken])
    crossed, inside = _array(lines), _array([frame])
    boxes: dict[int, Box] = {}
    for _ in range(PASSES):
        for place, (x, y, radius, text) in enumerate(labels):
            others = _array([box for at, box in boxes.items() if at != place])
            foreign = [(u, v) for u, v, *_ in labels if abs(u - x) + abs(v - y) > 1]

            def cost(
                candidate: tuple[int, Box],
                x: float = x,
                y: float = y,
                radius: float = radius,
                others: Boxes = others,
                foreign: list[Point] = foreign,
            ) -> float:
                step, box = candidate
                area = (box[2] - box[0]) * (box[3] - box[1])
                own = _distance(box, x, y) + 2
                # A line leads to the point from a distant name.
                mistaken = own <= radius + FAR + 2 and sum(
                    _distance(box, u, v) < own for u, v in foreign
                )
                return (
                    12 * _overlap(box, others)
                    + 4 * _overlap(box, marks)
                    + 8 * (area - _overlap(box, inside))
                    + 6 * _overlap(box, crossed)
                    + area * (2 * mistaken + 0.1 * step)
                )

            size = _width(text), 1.1 * FONT_SIZE
            boxes[place] = min(_candidates(x, y, radius + 3, *size), key=cost)[1]
    return [boxes[place] for place in range(len(labels))]


def _candidates(
    x: float, y: float, nearest: float, width: float, height: float
) -> Iterator[tuple[int, Box]]:
    """Yield boxes in rings around a point, each with the number of its ring."""
    for step in range(12):
        gap = nearest + 10 * step
        near = 0.75 * gap
        for left, upper in (
            (x + gap, y - height / 2),
            (x - gap - width, y - height / 2),
            *((x - width * part, y - gap - height) for part in (0.5, 0.25, 0.75)),
            *((x - width * part, y + gap) for part in (0.5, 0.25, 0.75)),
            *((x + near, at) for at in (y + near, y - near - height)),
            *((x - near - width, at) for at in (y + near, y - near - height)),
        ):
            yield step, (left, upper, left + width, upper + height)


def _width(text: str) -> float:
    """Return the approximate width of a text in pixels."""
    return FONT_SIZE * sum(WIDTHS.get(character, 0.56) for character in text)


def _distance(box: Box, x: float, y: float) -> float:
    """Return the distance of a point from a box; 0 inside it."""
    return math.hypot(max(box[0] - x, x - box[2], 0.0), max(box[1] - y, y - box[3], 0.0))


def _overlap(box: Box, others: Boxes) -> float:
    """Return the area of a box that others cover."""
    wide = np.minimum(box[2], others[:, 2]) - np.maximum(box[0], others[:, 0])
    high = np.minimum(box[3], others[:, 3]) - np.maximum(box[1], others[:, 1])
    return float((np.maximum(wide, 0.0) * np.maximum(high, 0.0)).sum())


def _array(boxes: Sequence[Box]) -> Boxes:
    return np.array(boxes, dtype=np.float64).reshape(-1, 4)
