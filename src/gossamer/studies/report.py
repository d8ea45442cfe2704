"""Reproduction report: every figure with published values and ours.

:func:`write_report` writes a page, the inventory of the paper's claims, the values of all cells,
and a picture of each figure that has a plot; :func:`report_rows` returns the cells as texts for a
table in the terminal.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from gossamer.studies.comparison import Cell, FigureResult, StatementResult, Verdict
from gossamer.studies.inventory_page import inventory_page
from gossamer.studies.overview_page import overview_page
from gossamer.studies.report_page import (
    UNEXPLAINED,
    cause_text,
    difference_text,
    number_text,
    report_page,
)
from gossamer.studies.study_result import StudyResult
from gossamer.tables import replacing

REPORT_COLUMNS = (
    "row", "column", "paper", "ours", "±", "minimum", "maximum", "runs", "difference", "verdict",
)  # fmt: skip
"""Headings of :func:`report_rows`."""

DATA_COLUMNS = (
    "figure", "row", "column", "instances", "mean", "half_width", "minimum", "maximum",
    "paper", "difference", "verdict", "is_current",
)  # fmt: skip
"""Columns of the data file."""


def write_report(result: StudyResult, folder: Path) -> list[Path]:
    """Write the report of a study to a folder.

    Returns
    -------
    list[Path]
        The files: the page ``<study>.md``, the values ``<study>.csv``, the inventory
        ``<study>-inventory.md`` unless figures were selected, then the pictures, which need the
        optional drawing library.
    """
    study = result.study
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {}
    if find_spec("vl_convert") is not None:
        from gossamer.studies.figure_picture import study_picture

        for drawn in result.figures:
            if drawn.figure.plot is not None and drawn.cells:
                path = folder / f"{study.name}-{drawn.figure.name}.png"
                study_picture(drawn, path)
                pictures[drawn.figure.name] = path
    name = "-".join([study.name, *result.selected])
    page, data = folder / f"{name}.md", folder / f"{name}.csv"
    with replacing(data) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(DATA_COLUMNS)
        rows.writerows(_data_row(cell) for cell in result.cells)
    pages = {page: report_page(result, pictures=pictures, data=data.name)}
    if not result.selected and not result.quick:
        pages[folder / f"{name}-inventory.md"] = inventory_page(result)
    for path, text in pages.items():
        with replacing(path) as partial:
            partial.write_text(text, encoding="utf-8")
    return [page, data, *[path for path in pages if path != page], *pictures.values()]


def write_overview(results: Sequence[StudyResult], folder: Path) -> Path:
    """Write the page over several studies, ``reproduction.md``, and return its path."""
    path = folder / "reproduction.md"
    with replacing(path) as partial:
        partial.write_text(overview_page(results), encoding="utf-8")
    return path


def _data_row(cell: Cell) -> list[object]:
    pending = cell.verdict is Verdict.PENDING
    words = _verdict_text(cell, []) if pending else cell.verdict.value
    values = {**vars(cell), "verdict": words}
    shown = (values[name] for name in DATA_COLUMNS)
    return [float(f"{one:.6g}") if isinstance(one, float) else one for one in shown]


def report_rows(result: FigureResult) -> list[tuple[str, ...]]:
    """Return the cells of a figure as texts under :data:`REPORT_COLUMNS`.

    A difference has the numbers of its causes among :func:`report_remarks`.
    """
    causes = _causes(result)
    return [
        (
            cell.row,
            cell.column,
            "" if cell.paper is None else number_text(cell.paper),
            number_text(cell.mean),
            "" if cell.half_width is None else number_text(cell.half_width),
            number_text(cell.minimum),
            number_text(cell.maximum),
            str(cell.instances),
            difference_text(cell),
            _verdict_text(cell, causes),
        )
        for cell in result.cells
    ]


def report_remarks(result: FigureResult) -> list[str]:
    """Return what is ours alone, the numbered causes of differences, and the statements."""
    causes = [f"({number}) {cause}\n" for number, cause in enumerate(_causes(result), start=1)]
    statements = [_statement_text(one) for one in result.statements]
    return [*_ours_alone(result), *causes, *statements, *([""] if statements else [])]


def _ours_alone(result: FigureResult) -> list[str]:
    """Return a line on the columns without a published value, beside those that have one."""
    by_column: dict[str, bool] = {}
    for cell in result.cells:
        ours = cell.verdict is Verdict.OURS_ONLY
        by_column[cell.column] = by_column.get(cell.column, True) and ours
    names = [f"“{name}”" for name, ours in by_column.items() if ours]
    if not names or len(names) == len(by_column):
        return []
    return [f"not in the paper, ours for comparison: {', '.join(names)}\n"]


def _verdict_text(cell: Cell, causes: list[str]) -> str:
    if cell.verdict is Verdict.OURS_ONLY:
        return "" if cell.is_current else "older code"
    if cell.verdict is Verdict.PENDING:
        return "too few runs" if cell.is_current else "older code"
    if cell.verdict is Verdict.REPRODUCED:
        return "reproduced"
    numbers = [causes.index(text) + 1 for text in _texts(cell)]
    return f"differs ({', '.join(map(str, numbers))})"


def _causes(result: FigureResult) -> list[str]:
    """Return the texts of the causes of the cells that differ."""
    differing = (cell for cell in result.cells if cell.verdict is Verdict.DIFFERS)
    return list(dict.fromkeys(text for cell in differing for text in _texts(cell)))


def _texts(cell: Cell) -> list[str]:
    return [cause_text(one) for one in cell.causes] or [UNEXPLAINED]


def _statement_text(one: StatementResult) -> str:
    said = one.statement
    if one.holds is None:
        return f"not computed yet: {said.text}"
    outcome = "holds" if one.holds else "does not hold"
    if one.verdict is Verdict.PENDING:
        outcome += " (no verdict)"
    causes = [] if one.holds else [cause_text(cause) for cause in said.causes]
    return f"{outcome}: {' '.join([said.text, *causes])}"
