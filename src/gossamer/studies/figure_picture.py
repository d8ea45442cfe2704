"""A reproduced figure as a picture: our values as lines, the paper's as rings."""

from __future__ import annotations

import os

from gossamer.studies.comparison import ArtefactResult
from gossamer.viz.curves import Curve, line_chart
from gossamer.viz.picture import draw_picture

__all__ = ["study_picture"]


def study_picture(result: ArtefactResult, path: str | os.PathLike[str]) -> None:
    """Draw an artefact that has a plot: its rows along the x axis, a line for each column.

    Parameters
    ----------
    result
        An artefact in the result of :func:`gossamer.studies.reproduce`.
    path
        Output file: .png, .svg or .pdf. It is written whole or not at all.
    """
    artefact = result.artefact
    plot = artefact.plot
    assert plot is not None, f"{artefact.name} is not drawn"
    places = {row.label: row.x for row in artefact.rows}
    curves = []
    for number, column in enumerate(artefact.columns):
        cells = [
            (x, cell)
            for cell in result.cells
            if cell.column == column.title and (x := places[cell.row]) is not None
        ]
        # A table may have more columns than a figure.
        alike = column.measure == artefact.columns[0].measure
        if cells and (number < plot.columns if plot.columns else alike):
            curves.append(
                Curve(
                    column.title,
                    [x for x, _ in cells],
                    [cell.mean for _, cell in cells],
                    spread=[cell.spread for _, cell in cells],
                    reference=[(x, cell.paper) for x, cell in cells if cell.paper is not None],
                )
            )
    chart = line_chart(
        artefact.title,
        curves,
        x=plot.x_title,
        y=plot.y_title,
        log_x=plot.log_x,
        zero=not plot.close,
        points=True,
        height=400,
        note="rings: the paper's values; bars: standard deviation over instances",
    )
    draw_picture(path, result.artefact.title, [chart], width=680)
