"""Reproduction report: every figure with published values and ours.

:func:`write_report` writes a page, the values of all cells, and a picture of each figure that has a
plot; :func:`report_rows` returns the cells as texts for a table in the terminal.
"""

from __future__ import annotations

import csv
from importlib.util import find_spec
from pathlib import Path

from gossamer.studies.comparison import Cell, FigureResult, StudyResult, Verdict
from gossamer.studies.report_page import difference_text, number_text, report_page
from gossamer.studies.statement import Statement
from gossamer.tables import replacing

REPORT_COLUMNS = (
    "row", "column", "paper", "ours", "±", "minimum", "maximum", "difference", "verdict",
)  # fmt: skip
"""Headings of :func:`report_rows`."""

DATA_COLUMNS = (
    "figure", "title", "row", "column", "instances", "mean", "spread", "minimum", "maximum",
    "paper", "difference", "verdict", "reason",
)  # fmt: skip
"""Columns of the data file."""


def write_report(result: StudyResult, folder: Path) -> list[Path]:
    """Write the report of a study to a folder.

    Returns
    -------
    list[Path]
        The files: the page ``<study>.md``, the values ``<study>.csv``, then the pictures, which
        need the optional drawing library.
    """
    study = result.study
    pictures = {}
    if find_spec("vl_convert") is not None:
        from gossamer.studies.figure_picture import study_picture

        for drawn in result.figures:
            if drawn.figure.plot is not None:
                path = folder / f"{study.name}-{drawn.figure.name}.png"
                study_picture(drawn, path)
                pictures[drawn.figure.name] = path
    name = "-".join([study.name, *result.selected])
    page, data = folder / f"{name}.md", folder / f"{name}.csv"
    with replacing(data) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(DATA_COLUMNS)
        rows.writerows(_data_row(one, cell) for one in result.figures for cell in one.cells)
    with replacing(page) as partial:
        text = report_page(result, pictures=pictures, data=data.name)
        partial.write_text(text, encoding="utf-8")
    return [page, data, *pictures.values()]


def _data_row(result: FigureResult, cell: Cell) -> list[object]:
    values = {**vars(cell), "title": result.figure.title, "verdict": cell.verdict.value}
    return [values[name] for name in DATA_COLUMNS]


def report_rows(result: FigureResult) -> list[tuple[str, ...]]:
    """Return the cells of a figure as texts under :data:`REPORT_COLUMNS`.

    A difference has the number of its reason among :func:`report_remarks`.
    """
    reasons = list(_by_reason(result))
    return [
        (
            cell.row,
            cell.column,
            "" if cell.paper is None else number_text(cell.paper),
            number_text(cell.mean),
            number_text(cell.spread),
            number_text(cell.minimum),
            number_text(cell.maximum),
            difference_text(cell),
            f"differs ({reasons.index(_reason(cell)) + 1})"
            if cell.verdict is Verdict.DIFFERS
            else ("agrees" if cell.verdict is Verdict.AGREES else ""),
        )
        for cell in result.cells
    ]


def report_remarks(result: FigureResult) -> list[str]:
    """Return the numbered reasons for differences, and the statements with their outcomes."""
    reasons = [
        f"({number}) {reason}\n" for number, reason in enumerate(_by_reason(result), start=1)
    ]
    statements = [
        f"{'holds' if held else 'does not hold'}: {_with_reason(statement, held)}"
        for statement, held in result.statements
    ]
    return [*reasons, *statements, *([""] if statements else [])]


def _by_reason(result: FigureResult) -> dict[str, list[Cell]]:
    """Return the cells that differ by the reason for the difference."""
    found: dict[str, list[Cell]] = {}
    for cell in result.cells:
        if cell.verdict is Verdict.DIFFERS:
            found.setdefault(_reason(cell), []).append(cell)
    return found


def _reason(cell: Cell) -> str:
    return cell.reason or "Unexplained."


def _with_reason(statement: Statement, held: bool) -> str:
    return (
        statement.text if held or not statement.reason else f"{statement.text} {statement.reason}"
    )
