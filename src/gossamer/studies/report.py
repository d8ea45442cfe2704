"""The reproduction report: every figure with paper and ours side by side, and why they differ.

:func:`report_page` renders results as one page of Markdown; :func:`report_rows`
gives the same cells as texts for a table in the terminal. Both only render.
"""

from __future__ import annotations

from collections.abc import Iterable

from gossamer.studies.comparison import Cell, FigureResult, StudyResult, Verdict

__all__ = ["REPORT_COLUMNS", "report_page", "report_rows"]

REPORT_COLUMNS = (
    "row",
    "column",
    "paper",
    "ours",
    "±",
    "least",
    "most",
    "difference",
    "verdict",
)
"""The headings of :func:`report_rows`."""


def report_rows(result: FigureResult) -> list[tuple[str, ...]]:
    """Return each cell of a figure or table as texts under :data:`REPORT_COLUMNS`."""
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
            cell.verdict_text,
        )
        for cell in result.cells
    ]


def report_page(results: Iterable[StudyResult], *, pictures: bool = False) -> str:
    """Return one page of Markdown with every study, figure and cell.

    With ``pictures``, those of figures are shown, from files beside the page that are named
    for study and figure.
    """
    lines = [
        "# Reproduction report",
        "",
        "The papers' tables and figures, and ours beside them. A cell gives our mean ± the "
        "standard deviation over seeded instances, with the least and the most of them in "
        "brackets; below it the paper's value, and by how much our mean differs from it. A ✓ "
        "is a difference within the tolerance of the column, a ✗ one beyond it, with the "
        "reason under the table. Columns without a paper's value are ours alone.",
        "",
    ]
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
        why = f" {statement.reason}" if not held and statement.reason else ""
        lines.append(f"- {'✓' if held else '✗'} {statement.text}{why}")
    if result.statements:
        lines.append("")
    for note in figure.notes:
        lines += [note, ""]
    places: dict[str, list[Cell]] = {}
    for cell in result.cells:
        if cell.verdict is Verdict.DIFFERS:
            places.setdefault(cell.reason or "Unexplained.", []).append(cell)
    if places:
        lines += ["Where they differ:", ""]
        lines += [f"- {_places(cells)}: {reason}" for reason, cells in places.items()]
        lines.append("")
    return lines


def _places(cells: Iterable[Cell]) -> str:
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
