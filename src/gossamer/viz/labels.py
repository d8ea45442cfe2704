"""Names beside points, where they can be read and are not taken for another's.

Only places are decided here: each label in turn takes the best place beside the others, a
few times over. What is drawn is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

__all__ = ["GREY", "INK", "Box", "label_points"]

Box = tuple[float, float, float, float]
"""Left, lower, right and upper edge, in pixels."""

GREY, INK = "#8C8C8C", "#222222"


def label_points(
    axes: Any,
    names: Sequence[str],
    places: Sequence[tuple[float, float]],
    *,
    lines: Sequence[Box] = (),
    others: Sequence[tuple[float, float]] = (),
    size: float = 9,
) -> None:
    """Write names beside points.

    Parameters
    ----------
    axes
        Where the points are drawn; the figure must have been laid out.
    names, places
        What to write, and beside which values.
    lines
        What labels should rather not cover, as boxes in pixels.
    others
        Points without a name, which labels should not cover either.
    size
        Of the letters, in points.
    """
    from matplotlib.patheffects import withStroke

    scale = axes.figure.dpi / 72
    frame = axes.get_window_extent()
    points = [axes.transData.transform(place) for place in places]
    bare = [axes.transData.transform(place) for place in others]
    sizes = [_size(axes, name, size) for name in names]
    boxes = _place_labels(points, sizes, frame, lines, scale, bare)
    for name, place, (x, y), box in zip(names, places, points, boxes, strict=True):
        far = _distance(box, x, y) > 14 * scale
        label = axes.annotate(
            name,
            place,
            xytext=(((box[0] + box[2]) / 2 - x) / scale, ((box[1] + box[3]) / 2 - y) / scale),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=size,
            color=INK,
            zorder=4,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
            arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.8} if far else None,
        )
        label.set_in_layout(False)  # or the axes would move away from where labels were placed


def _size(axes: Any, name: str, size: float) -> tuple[float, float]:
    """Return the width and height of a name, in pixels."""
    text = axes.annotate(name, (0, 0), xycoords="figure pixels", fontsize=size)
    extent = text.get_window_extent()
    text.remove()
    return extent.width, 0.9 * extent.height  # the letters fill no more of it


def _place_labels(
    points: Sequence[Any],
    sizes: Sequence[tuple[float, float]],
    frame: Any,
    lines: Sequence[Box],
    scale: float,
    bare: Sequence[Any],
) -> list[Box]:
    """Choose a box for each label: each in turn the best beside the others, a few times over."""
    reach = 6 * scale
    marks = [(x - reach, y - reach, x + reach, y + reach) for x, y in [*points, *bare]]
    boxes: list[Box | None] = [None] * len(points)
    for _ in range(4):
        for place, ((x, y), (width, height)) in enumerate(zip(points, sizes, strict=True)):
            others = [box for at, box in enumerate(boxes) if box is not None and at != place]
            foreign = [(u, v) for u, v in points if abs(u - x) + abs(v - y) > scale]

            def cost(
                candidate: tuple[int, Box],
                x: float = x,
                y: float = y,
                others: list[Box] = others,
                foreign: list[tuple[float, float]] = foreign,
            ) -> float:
                step, box = candidate
                area = (box[2] - box[0]) * (box[3] - box[1])
                own = _distance(box, x, y) + 2 * scale
                mistaken = sum(_distance(box, u, v) < own for u, v in foreign)
                return (
                    12 * _covered(box, others)
                    + 4 * _covered(box, marks)
                    + 8 * _outside(box, frame)
                    + _covered(box, lines)
                    + area * (mistaken + 0.1 * step)
                )

            candidates = _places_around(x, y, width, height, scale)
            boxes[place] = min(candidates, key=cost)[1]
    return [box for box in boxes if box is not None]


def _places_around(
    x: float, y: float, width: float, height: float, scale: float
) -> Iterator[tuple[int, Box]]:
    """Yield boxes for a label in rings around its point, each with the number of its ring."""
    for step in range(12):
        gap = (8 + 10 * step) * scale
        near = gap * 0.75
        for left, low in (
            (x + gap, y - height / 2),
            (x - gap - width, y - height / 2),
            (x - width / 2, y + gap),
            (x - width / 2, y - gap - height),
            (x + near, y + near),
            (x + near, y - near - height),
            (x - near - width, y + near),
            (x - near - width, y - near - height),
            (x - width * 0.75, y - gap - height),
            (x - width * 0.25, y - gap - height),
            (x - width * 0.75, y + gap),
            (x - width * 0.25, y + gap),
        ):
            yield step, (left, low, left + width, low + height)


def _distance(box: Box, x: float, y: float) -> float:
    """Return how far a point is from a box; 0 inside it."""
    across = max(box[0] - x, x - box[2], 0.0)
    along = max(box[1] - y, y - box[3], 0.0)
    return float((across**2 + along**2) ** 0.5)


def _covered(box: Box, taken: Sequence[Box]) -> float:
    """Return the area of a box that is taken already."""
    return sum(
        max(0.0, min(box[2], other[2]) - max(box[0], other[0]))
        * max(0.0, min(box[3], other[3]) - max(box[1], other[1]))
        for other in taken
    )


def _outside(box: Box, frame: Any) -> float:
    """Return the area of a box that is outside the frame."""
    inside = _covered(box, [(frame.x0, frame.y0, frame.x1, frame.y1)])
    return (box[2] - box[0]) * (box[3] - box[1]) - inside
