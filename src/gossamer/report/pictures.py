"""Pictures of results, drawn with matplotlib, which is imported only when one is drawn.

Only how things look is decided here. The colours are told apart by people who
see red and green alike, and every mark has its name beside it.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gossamer.model import ParameterError
from gossamer.tables import check_output, replacing

if TYPE_CHECKING:
    from gossamer.report.comparison import Comparison, ComparisonRow

__all__ = ["PICTURE_ENDINGS", "comparison_picture", "require_matplotlib"]

PICTURE_ENDINGS = (".png", ".svg", ".pdf")
Box = tuple[float, float, float, float]
BLUE, ORANGE, GREY, INK = "#0072B2", "#D55E00", "#8C8C8C", "#222222"
UNDATED = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "svg.hashsalt": "gossamer",
    "svg.fonttype": "none",
}


def require_matplotlib() -> None:
    """Raise a ParameterError that says what to install, if matplotlib is not there."""
    if importlib.util.find_spec("matplotlib") is None:
        raise ParameterError(
            "a picture needs matplotlib, which is not installed; install gossamer[report]"
        )


def comparison_picture(comparison: Comparison, path: str | os.PathLike[str]) -> None:
    """Draw algorithms side by side: degree against diameter, and degrees as bars.

    Parameters
    ----------
    comparison
        What :func:`gossamer.report.compare` gave.
    path
        Where to write: .png, .svg or .pdf. The file appears whole or not at all.
    """
    place = check_output(path, PICTURE_ENDINGS)
    require_matplotlib()
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    kind = place.suffix[1:].lower()
    with matplotlib.rc_context(STYLE):
        height = max(5.0, 1.6 + 0.36 * len(comparison.rows))
        figure = Figure(figsize=(13, height), layout="constrained")
        FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
        figure.suptitle(
            f"{comparison.nodes:,} nodes, {comparison.topics:,} topics, "
            f"{comparison.subscriptions:,} subscriptions",
            x=0.01,
            ha="left",
            color=INK,
        )
        _draw_trade_off(left, comparison)
        _draw_degrees(right, comparison)
        figure.draw_without_rendering()
        _label_points(left, comparison.rows, comparison.lower_bound)
        with replacing(place) as partial:
            figure.savefig(
                partial,
                format=kind,
                dpi=150,
                metadata=UNDATED.get(kind),
            )


def _draw_trade_off(axes: Any, comparison: Comparison) -> None:
    """Draw each algorithm by what it costs and what it gives: lower left is better."""
    axes.set_title("Few links or short paths: lower left is better")
    axes.set_xscale("log")
    axes.set_yscale("log")
    for connected, marker, label in (
        (True, "o", "every topic connected"),
        (False, "X", "some topics in pieces"),
    ):
        rows = [row for row in comparison.rows if row.topic_connected is connected]
        axes.scatter(
            [_positive(row.mean_degree) for row in rows],
            [_positive(row.max_diameter) for row in rows],
            s=80,
            marker=marker,
            color=BLUE if connected else ORANGE,
            edgecolor="white",
            linewidth=1,
            label=label if rows else None,
            zorder=3,
        )
    if comparison.lower_bound > 0:
        axes.axvline(
            comparison.lower_bound,
            color=INK,
            linestyle="--",
            linewidth=1,
            label=f"no connected overlay below {comparison.bound_text}",
        )
    axes.set_xlabel("mean degree (log)")
    axes.set_ylabel("largest topic diameter, hops (log)")
    low, high = _range([comparison.lower_bound, *(row.mean_degree for row in comparison.rows)])
    axes.set_xlim(low / 1.3, high)
    axes.set_ylim(_range([row.max_diameter for row in comparison.rows]))
    _plain_ticks(axes.xaxis)
    _plain_ticks(axes.yaxis)
    axes.grid(True, color="#E6E6E6", linewidth=0.7, zorder=0)
    _legend_below(axes)


def _draw_degrees(axes: Any, comparison: Comparison) -> None:
    """Draw each algorithm's mean and maximum degree, the smallest mean on top."""
    rows = sorted(comparison.rows, key=lambda row: row.mean_degree, reverse=True)
    places = range(len(rows))
    axes.set_title("Links that a node keeps")
    axes.set_xscale("log")
    for name, color, shift, values in (
        ("mean", BLUE, 0.2, [row.mean_degree for row in rows]),
        ("maximum", ORANGE, -0.2, [float(row.max_degree) for row in rows]),
    ):
        bars = axes.barh(
            [place + shift for place in places],
            [_positive(value) for value in values],
            height=0.38,
            color=color,
            label=name,
        )
        texts = [f"{value:,.1f}" if name == "mean" else f"{value:,.0f}" for value in values]
        axes.bar_label(bars, texts, padding=3, fontsize=8, color=INK)
    axes.set_yticks(list(places), [row.algorithm for row in rows])
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(left=1, right=max(2.0, 2.5 * max(row.max_degree for row in rows)))
    axes.set_xlabel("degree (log)")
    _plain_ticks(axes.xaxis)
    _legend_below(axes)


def _label_points(axes: Any, rows: Sequence[ComparisonRow], lower_bound: float) -> None:
    """Write each point's name beside it, where it can be read and is not taken for another's."""
    from matplotlib.patheffects import withStroke

    scale = axes.figure.dpi / 72
    frame = axes.get_window_extent()
    points = [
        axes.transData.transform((_positive(row.mean_degree), _positive(row.max_diameter)))
        for row in rows
    ]
    bound = axes.transData.transform((_positive(lower_bound), 1.0))[0]
    line = (bound - scale, frame.y0, bound + scale, frame.y1)
    boxes = _place_labels(points, [_size(axes, row.algorithm) for row in rows], frame, line, scale)
    for row, (x, y), box in zip(rows, points, boxes, strict=True):
        far = _distance(box, x, y) > 14 * scale
        axes.annotate(
            row.algorithm,
            (_positive(row.mean_degree), _positive(row.max_diameter)),
            xytext=(((box[0] + box[2]) / 2 - x) / scale, ((box[1] + box[3]) / 2 - y) / scale),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=9,
            color=INK,
            zorder=4,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
            arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.8} if far else None,
        )


def _size(axes: Any, name: str) -> tuple[float, float]:
    """Return the width and height of a name, in pixels."""
    text = axes.annotate(name, (0, 0), xycoords="figure pixels", fontsize=9)
    extent = text.get_window_extent()
    text.remove()
    return extent.width, 0.8 * extent.height  # the letters fill no more of it


def _place_labels(
    points: Sequence[Any],
    sizes: Sequence[tuple[float, float]],
    frame: Any,
    line: Box,
    scale: float,
) -> list[Box]:
    """Choose a box for each label: each in turn the best beside the others, a few times over."""
    reach = 6 * scale
    marks = [(x - reach, y - reach, x + reach, y + reach) for x, y in points]
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
                    4 * _covered(box, [*others, *marks])
                    + 8 * _outside(box, frame)
                    + _covered(box, [line])
                    + area * (mistaken + 0.1 * step)
                )

            candidates = _places_around(x, y, width, height, scale)
            boxes[place] = min(candidates, key=cost)[1]
    return [box for box in boxes if box is not None]


def _places_around(
    x: float, y: float, width: float, height: float, scale: float
) -> Iterator[tuple[int, Box]]:
    """Yield boxes for a label in rings around its point, each with the number of its ring."""
    for step in range(10):
        gap = (8 + 12 * step) * scale
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


def _positive(value: float) -> float:
    """Return a value that a logarithmic axis can show: nothing is shown as a half."""
    return max(float(value), 0.5)


def _range(values: Sequence[float]) -> tuple[float, float]:
    """Return limits of a logarithmic axis with room around the values for their names."""
    low, high = min(map(_positive, values)), max(map(_positive, values))
    room = max(1.35, (high / low) ** 0.1, 3 / (high / low) ** 0.5)
    return low / room, high * room


def _legend_below(axes: Any) -> None:
    """Explain the marks under the axis, where nothing is hidden by it."""
    axes.legend(
        loc="upper left",
        bbox_to_anchor=(-0.02, -0.1),
        ncols=3,
        frameon=False,
        fontsize=9,
        handletextpad=0.4,
        columnspacing=1.4,
    )


def _plain_ticks(axis: Any) -> None:
    """Label a logarithmic axis with plain numbers: at 1, 2 and 5 where there is room."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high / low < 500 else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axis.set_minor_formatter(NullFormatter())
