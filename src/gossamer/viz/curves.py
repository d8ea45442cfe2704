"""A picture's frame and its file, and the curves that several pictures have in common."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.quality.distributions import Histogram
from gossamer.quality.power_law import PowerLaw
from gossamer.quality.shape import FittedHistogram
from gossamer.tables import check_output, replacing
from gossamer.viz.comparison_picture import (
    GREY,
    INK,
    PICTURE_ENDINGS,
    STYLE,
    UNDATED,
    require_matplotlib,
)

__all__ = ["draw_ccdf", "draw_fit", "explain", "label_short", "log_log", "picture"]

MAX_POINTS = 400


@contextmanager
def picture(
    path: str | os.PathLike[str], title: str, *, width: float, height: float
) -> Iterator[Any]:
    """Give a figure to draw on; it is written when all went well, whole or not at all."""
    place = check_output(path, PICTURE_ENDINGS)
    require_matplotlib()
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    kind = place.suffix[1:].lower()
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(title, x=0.01, ha="left", color=INK)
        yield figure
        with replacing(place) as partial:
            figure.savefig(partial, format=kind, dpi=150, metadata=UNDATED.get(kind))


def log_log(axes: Any, title: str, across: str, up: str) -> None:
    """Set up logarithmic axes with their names and a grid."""
    axes.set_title(title)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(True, color="#E6E6E6", linewidth=0.7, zorder=0)
    axes.minorticks_off()


def draw_ccdf(
    axes: Any,
    histogram: Histogram,
    label: str,
    color: str,
    *,
    marker: str = "o",
    unit: float = 1.0,
) -> None:
    """Draw the share of things, among those above 0, with each value or more."""
    shown = histogram.above_zero()
    if not shown.total:
        return
    chosen = _spread(shown.values)
    axes.plot(
        shown.values[chosen] / unit,
        shown.ccdf()[chosen],
        marker=marker,
        markersize=3.5,
        markeredgewidth=0,
        linewidth=0,
        color=color,
        label=label,
        zorder=3,
    )


def draw_fit(axes: Any, one: FittedHistogram, *, unit: float = 1.0) -> None:
    """Draw the power law that was fitted, over the tail it was fitted to, and beside it."""
    fit: PowerLaw | None = one.fit
    if fit is None:
        return
    shown = one.histogram.above_zero()
    values = np.unique(
        np.geomspace(fit.smallest, max(shown.maximum, fit.smallest + 1), 60).round()
    ).astype(np.int64)
    axes.plot(
        values / unit,
        fit.ccdf(values) * fit.tail / shown.total,
        color=GREY,
        linewidth=1.2,
        linestyle="--",
        zorder=2,
    )


def explain(axes: Any) -> None:
    """Say what the curves are, in the lower left corner, with room made for it."""
    low, high = axes.get_ylim()
    axes.set_ylim(low / (high / low) ** 0.2, high)
    axes.legend(frameon=False, fontsize=9, loc="lower left")
    label_short(axes.xaxis)


def label_short(axis: Any) -> None:
    """Give a logarithmic axis over less than two decades more numbers than powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    if axis.get_scale() != "log" or low <= 0 or high / low >= 100:
        return
    steps = (1, 2, 5) if high / low >= 4 else (1, 1.2, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)
    axis.set_major_locator(LogLocator(base=10, subs=steps))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _spread(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Choose places to draw, evenly on a logarithmic axis, so that files stay small."""
    if len(values) <= MAX_POINTS:
        return np.arange(len(values))
    wanted = np.geomspace(values[0], values[-1], MAX_POINTS)
    return np.unique(np.minimum(np.searchsorted(values, wanted), len(values) - 1))
