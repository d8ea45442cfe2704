"""The picture of growth: small multiples on logarithmic axes, one for each thing that grows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gossamer.tables import replacing

__all__ = ["Curve", "draw_growth"]

ROWS = {
    "Few links": ("greedy-merge", "low-oda", "minmax-oda", "subset-merge"),
    "Short paths, and assessing": (
        "cd-oda", "cd-oda-1", "cd-oda-2", "td-cd-oda", "2d-oda", "assess",
    ),
}  # fmt: skip
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P")
GREY, INK = "#8C8C8C", "#222222"
STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.titlelocation": "left",
    "svg.hashsalt": "gossamer",
    "svg.fonttype": "none",
}


@dataclass(frozen=True)
class Curve:
    """The seconds of one subject while one thing grows, and the slope on logarithmic axes."""

    subject: str
    axis: str
    values: tuple[int, ...]
    seconds: tuple[float, ...]
    exponent: float


def draw_growth(curves: list[Curve], path: Path) -> None:
    """Draw a row of panels for each group of subjects, a column for each thing that grows."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    path.parent.mkdir(parents=True, exist_ok=True)
    axes_names = list(dict.fromkeys(curve.axis for curve in curves))
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(11, 6.6), layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(len(ROWS), len(axes_names), sharex="col", sharey=True)
        for (title, subjects), row in zip(ROWS.items(), panels, strict=True):
            for axis, panel in zip(axes_names, row, strict=True):
                _draw_panel(panel, subjects, [curve for curve in curves if curve.axis == axis])
            row[0].set_title(title, fontweight="bold")
            row[0].set_ylabel("seconds")
            row[-1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        for axis, panel in zip(axes_names, panels[-1], strict=True):
            panel.set_xlabel(axis if axis != "subscriptions" else "subscriptions a node")
        with replacing(path) as partial:
            figure.savefig(partial, format="svg", metadata={"Date": None})


def _draw_panel(panel: Any, subjects: tuple[str, ...], curves: list[Curve]) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    panel.set_xscale("log")
    panel.set_yscale("log")
    for subject, colour, marker in zip(subjects, COLOURS, MARKERS, strict=False):
        for curve in curves:
            if curve.subject == subject:
                panel.plot(
                    curve.values, curve.seconds, color=colour, marker=marker, markersize=5,
                    linewidth=1.6, label=subject,
                )  # fmt: skip
    panel.xaxis.set_major_locator(FixedLocator(curves[0].values))
    panel.xaxis.set_minor_locator(NullLocator())
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    panel.grid(True, color="#E6E6E6", linewidth=0.7)
