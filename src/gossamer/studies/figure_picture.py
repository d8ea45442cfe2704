"""A reproduced figure as a picture: our values as lines, the paper's as rings."""

from __future__ import annotations

import os

from gossamer.studies.comparison import FigureResult
from gossamer.viz.curves import Curve, line_chart
from gossamer.viz.picture import draw_picture


def study_picture(result: FigureResult, path: str | os.PathLike[str]) -> None:
    """Draw a figure that has a plot: its rows along the x axis, a line for each column.

    Parameters
    ----------
    result
        A figure in the result of :func:`gossamer.studies.reproduce`.
    path
        Output file: .png, .svg, .pdf or .html. It is written whole or not at all.
    """
    figure = result.figure
    plot = figure.plot
    assert plot is not None, f"{figure.name} is not drawn"
    places = {row.label: row.x for row in figure.rows}
    curves = []
    for number, column in enumerate(figure.columns):
        cells = [
            (x, cell)
            for cell in result.cells
            if cell.column == column.title and (x := places[cell.row]) is not None
        ]
        # A table may have more columns than a figure.
        alike = column.measure == figure.columns[0].measure
        if cells and (number < plot.columns if plot.columns else alike):
            curves.append(
                Curve(
                    column.title,
                    [x for x, _ in cells],
                    [cell.mean for _, cell in cells],
                    spread=[cell.half_width or 0.0 for _, cell in cells],
                    reference=[(x, cell.paper) for x, cell in cells if cell.paper is not None],
                )
            )
    notes = ["rings: values of the paper"] * any(curve.reference for curve in curves)
    notes += ["bars: 95 % confidence intervals over instances"] * any(
        map(any, (c.spread for c in curves))
    )
    chart = line_chart(
        figure.title,
        curves,
        x=plot.x_title,
        y=plot.y_title,
        log_x=plot.log_x,
        zero=not plot.close,
        points=40,
        height=400,
        note="; ".join(notes),
    )
    draw_picture(path, "", [chart], width=680)
