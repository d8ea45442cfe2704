"""Pictures of results, drawn with matplotlib, which is imported only when one is drawn.

Only how things look is decided here. The colours are told apart by people who
see red and green alike, and every mark has its name beside it.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gossamer.errors import ParameterError
from gossamer.tables import check_output, replacing
from gossamer.viz.labels import GREY, INK, label_points

if TYPE_CHECKING:
    from gossamer.experiments.comparison import Comparison, ComparisonRow

__all__ = [
    "GREY",
    "INK",
    "PICTURE_ENDINGS",
    "comparison_picture",
    "legend_below",
    "log_range",
    "plain_ticks",
    "positive",
    "require_matplotlib",
]

PICTURE_ENDINGS = (".png", ".svg", ".pdf")
BLUE, ORANGE = "#0072B2", "#D55E00"
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
        What :func:`gossamer.viz.compare` gave.
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
            [positive(row.mean_degree) for row in rows],
            [positive(row.max_diameter) for row in rows],
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
    low, high = log_range([comparison.lower_bound, *(row.mean_degree for row in comparison.rows)])
    axes.set_xlim(low / 1.3, high)
    axes.set_ylim(log_range([row.max_diameter for row in comparison.rows]))
    plain_ticks(axes.xaxis)
    plain_ticks(axes.yaxis)
    axes.grid(True, color="#E6E6E6", linewidth=0.7, zorder=0)
    legend_below(axes)


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
            [positive(value) for value in values],
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
    plain_ticks(axes.xaxis)
    legend_below(axes)


def _label_points(axes: Any, rows: Sequence[ComparisonRow], lower_bound: float) -> None:
    """Write each point's name beside it; the line of the bound is kept free where possible."""
    names = [row.algorithm for row in rows]
    places = [(positive(row.mean_degree), positive(row.max_diameter)) for row in rows]
    frame = axes.get_window_extent()
    scale = axes.figure.dpi / 72
    bound = axes.transData.transform((positive(lower_bound), 1.0))[0]
    line = (bound - scale, frame.y0, bound + scale, frame.y1)
    label_points(axes, names, places, lines=[line])


def positive(value: float) -> float:
    """Return a value that a logarithmic axis can show: nothing is shown as a half."""
    return max(float(value), 0.5)


def log_range(values: Sequence[float]) -> tuple[float, float]:
    """Return limits of a logarithmic axis with room around the values for their names."""
    low, high = min(map(positive, values)), max(map(positive, values))
    room = max(1.35, (high / low) ** 0.1, 3 / (high / low) ** 0.5)
    return low / room, high * room


def legend_below(axes: Any) -> None:
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


def plain_ticks(axis: Any, *, most: float = 500) -> None:
    """Label a logarithmic axis with plain numbers: at 1, 2 and 5 if its ends differ by less."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high / low < most else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axis.set_minor_formatter(NullFormatter())
