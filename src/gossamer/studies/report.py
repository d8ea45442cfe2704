"""Reproduction report: every figure with published values and ours side by side.

:func:`write_report` writes a page of Markdown and a picture for each figure that has a plot;
:func:`report_rows` returns the same cells as texts for a table in the terminal.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from gossamer.studies.comparison import Cell, FigureResult, StudyResult, Verdict
from gossamer.studies.statement import Statement
from gossamer.tables import replacing

REPORT_COLUMNS = (
    "row", "column", "paper", "ours", "±", "minimum", "maximum", "difference", "verdict",
)  # fmt: skip
"""Headings of :func:`report_rows`."""

INTRODUCTION = """\
Figures and tables of the papers, with published values and ours side by side. A cell has our mean
± the standard deviation over seeded instances, and their minimum and maximum in brackets. The
published value follows, with the relative difference of our mean. ✓ marks a difference within the
tolerance of the column, ✗ a larger one, whose reason is below the table. Columns without published
values are ours. In front of a sentence of the paper, ✓ means that it holds for our values."""


def write_report(result: StudyResult, folder: Path) -> list[Path]:
    """Write the report of a study, ``<study>.md``, and its pictures to a folder.

    Returns
    -------
    list[Path]
        The files: the page first, then the pictures, which need the optional drawing library.
    """
    study = result.study
    pictures = []
    if find_spec("vl_convert") is not None:
        from gossamer.studies.figure_picture import study_picture

        for drawn in result.figures:
            if drawn.figure.plot is not None:
                pictures.append(folder / f"{study.name}-{drawn.figure.name}.png")
                study_picture(drawn, pictures[-1])
    page = folder / ("-".join([study.name, *result.selected]) + ".md")
    with replacing(page) as partial:
        partial.write_text(report_page([result], pictures=bool(pictures)), encoding="utf-8")
    return [page, *pictures]


def report_rows(result: FigureResult) -> list[tuple[str, ...]]:
    """Return the cells of a figure as texts under :data:`REPORT_COLUMNS`.

    A difference has the number of its reason among :func:`report_remarks`.
    """
    reasons = list(_by_reason(result))
    return [
        (
            cell.row,
            cell.column,
            "" if cell.paper is None else _number(cell.paper),
            _number(cell.mean),
            _number(cell.spread),
            _number(cell.minimum),
            _number(cell.maximum),
            _difference(cell),
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


def report_page(results: Iterable[StudyResult], *, pictures: bool = False) -> str:
    """Return a page of Markdown with every study, figure and cell.

    With ``pictures``, the page shows the picture of each plot, from a file beside it that is named
    for study and figure.
    """
    results = list(results)
    name = f": {results[0].study.name}" if len(results) == 1 else ""
    lines = [f"# Reproduction report{name}", "", *INTRODUCTION.splitlines(), ""]
    for result in results:
        lines += _study_section(result, pictures)
    return "\n".join(lines).rstrip() + "\n"


def _study_section(result: StudyResult, pictures: bool) -> list[str]:
    study = result.study
    lines = [
        f"## {study.title}",
        "",
        f"{study.reference}. Reproduce with `gossamer reproduce {study.name}"
        f"{' --quick' if result.quick else ''}`; "
        f"{_plural(result.instances, 'instance')} of each point. "
        f"{result.agreement}.",
        "",
    ]
    for note in study.notes:
        lines += [note, ""]
    for figure in result.figures:
        lines += _figure_section(figure)
        if pictures and figure.figure.plot is not None:
            name = figure.figure.name
            lines += [f"![{figure.figure.title}]({study.name}-{name}.png)", ""]
    return lines


def _figure_section(result: FigureResult) -> list[str]:
    figure = result.figure
    heads = [figure.row_title]
    for column in figure.columns:
        within = "" if column.tolerance is None else f" (±{column.tolerance * 100:g} %)"
        heads.append(f"{column.title}{within}")
    lines = [f"### {figure.title}", "", _line(heads), _line(["---"] * len(heads))]
    for row in figure.rows:
        by_column = {cell.column: _cell_text(cell) for cell in result.row(row.label)}
        texts = [by_column.get(column.title, "") for column in figure.columns]
        lines.append(_line([row.label, *texts]))
    lines.append("")
    for statement, held in result.statements:
        lines.append(f"- {'✓' if held else '✗'} {_with_reason(statement, held)}")
    if result.statements:
        lines.append("")
    for note in figure.notes:
        lines += [note, ""]
    places = _by_reason(result)
    if places:
        lines += ["Differences:", ""]
        lines += [f"- {_places(cells)}: {reason}" for reason, cells in places.items()]
        lines.append("")
    return lines


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


def _places(cells: Iterable[Cell]) -> str:
    """List cells by column and rows, joining columns that have the same rows."""
    rows_by_column: dict[str, list[str]] = {}
    for cell in cells:
        rows_by_column.setdefault(cell.column, []).append(cell.row)
    columns_by_rows: dict[str, list[str]] = {}
    for column, rows in rows_by_column.items():
        columns_by_rows.setdefault(", ".join(rows), []).append(column)
    return "; ".join(f"{', '.join(columns)} at {rows}" for rows, columns in columns_by_rows.items())


def _cell_text(cell: Cell) -> str:
    ours = _number(cell.mean)
    if cell.instances > 1:
        ours += f" ± {_number(cell.spread)} [{_number(cell.minimum)}, {_number(cell.maximum)}]"
    if cell.paper is None:
        return ours
    mark = "✓" if cell.verdict is Verdict.AGREES else "✗"
    return f"{ours}<br>paper {_number(cell.paper)}, {_difference(cell)} {mark}"


def _difference(cell: Cell) -> str:
    if cell.difference is None:
        return ""
    return f"{round(cell.difference * 100, 1) + 0.0:+.1f} %"  # Adding 0 turns -0.0 into 0.0.


def _number(value: float) -> str:
    """Write a number with three or four significant digits, and a whole one as such."""
    if value == int(value):
        return str(int(value))
    if abs(value) < 1:
        return f"{value:.3f}"
    return f"{value:.2f}" if abs(value) < 100 else f"{value:.1f}"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
