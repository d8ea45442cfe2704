"""The picture of a figure that was reproduced: ours as lines, the paper's values as rings."""

from __future__ import annotations

import os

from gossamer.studies.comparison import FigureResult
from gossamer.viz.comparison_picture import BLUE, GREY, INK, ORANGE
from gossamer.viz.curves import picture

__all__ = ["study_picture"]

COLORS = (BLUE, ORANGE, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", INK, GREY)
MARKERS = "osD^vP*X"


def study_picture(result: FigureResult, path: str | os.PathLike[str]) -> None:
    """Draw a figure that has a plot: its rows along the x axis, a line for each column.

    Parameters
    ----------
    result
        A figure of what :func:`gossamer.studies.reproduce` gave.
    path
        Where to write: .png, .svg or .pdf. The file appears whole or not at all.
    """
    shown = result.figure
    plot = shown.plot
    assert plot is not None, f"{shown.name} is not drawn"
    places = {row.label: row.x for row in shown.rows}
    with picture(path, shown.title, width=9, height=5.6) as figure:
        axes = figure.subplots()
        for number, column in enumerate(shown.columns):
            cells = [
                (places[cell.row], cell)
                for cell in result.cells
                if cell.column == column.title and places[cell.row] is not None
            ]
            # A table may have more columns than a figure.
            alike = column.measure == shown.columns[0].measure
            if not cells or not (number < plot.columns if plot.columns else alike):
                continue
            color, marker = COLORS[number % len(COLORS)], MARKERS[number % len(MARKERS)]
            across = [x for x, _ in cells]
            axes.errorbar(
                across, [cell.mean for _, cell in cells], yerr=[cell.spread for _, cell in cells],
                color=color, marker=marker, markersize=5, label=column.title, capsize=2,
            )  # fmt: skip
            published = [(x, cell.paper) for x, cell in cells if cell.paper is not None]
            if published:
                axes.plot(
                    [x for x, _ in published], [y for _, y in published], linestyle="",
                    marker="o", markersize=11, markerfacecolor="none", markeredgecolor=color,
                    label=f"{column.title}, paper",
                )  # fmt: skip
        axes.set_xlabel(plot.x_title)
        axes.set_ylabel(plot.y_title)
        if plot.log_x:
            axes.set_xscale("log")
        if not plot.close:
            axes.set_ylim(bottom=0)
        axes.grid(True, color="#E6E6E6", linewidth=0.7, zorder=0)
        axes.set_axisbelow(True)
        axes.legend(frameon=False, fontsize=9)
