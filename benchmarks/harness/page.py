"""Results as people read them: a table in the terminal, a page in the docs."""

from __future__ import annotations

from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.harness.cases import Benchmark, Row
from benchmarks.harness.machine import describe_machine
from benchmarks.harness.markdown import markdown_table

__all__ = ["TITLE", "page", "seconds", "show_rows", "table_of"]

WHOLE = 240
"""Wide enough that no cell is cut; a narrower terminal breaks lines instead."""

TITLE = "How fast designs and assessments run"

INTRODUCTION = """# {title}

Measured by `{command}` ([how to read the tables](index.md#how-to-read-a-benchmark)): \
{machine}.{note}
"""


def table_of(benchmark: Benchmark, rows: list[Row]) -> list[list[str]]:
    """Return the header of a benchmark's table and its rows."""
    if benchmark.tabulate:
        return benchmark.tabulate(rows)
    size = ["size"] if benchmark.sized else []
    header = [*size, "what", "seconds", "ratio", "peak MiB", "runs", "gives"]
    table = [header, *(_cells(benchmark, row) for row in rows)]
    used = [any(cell.strip("–") for cell in column[1:]) for column in zip(*table, strict=True)]
    return [[cell for cell, keep in zip(line, used, strict=True) if keep] for line in table]


def _cells(benchmark: Benchmark, row: Row) -> list[str]:
    measured = row.measurement
    peak = "–" if measured.peak_bytes is None else f"{measured.peak_bytes / 2**20:,.0f}"
    return [
        *([str(row.case.size)] if benchmark.sized else []),
        row.case.subject,
        seconds(measured.seconds),
        "–" if row.ratio is None else f"{ratio(row.ratio)} × {row.case.against}",
        peak,
        "once" if measured.runs == 1 else f"{row.case.statistic} of {measured.runs}",
        measured.answer or "",
    ]


def seconds(value: float) -> str:
    """Write seconds with three digits that mean something."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def ratio(value: float) -> str:
    """Write a ratio with two or three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}" if value < 0.1 else f"{value:.3g}"


def page(
    results: dict[str, tuple[Benchmark, list[Row]]],
    folder: Path,
    *,
    title: str = TITLE,
    note: str = "",
    command: str = "script/bench",
) -> str:
    """Return a page of results in Markdown; its pictures are written to the folder."""
    note = f" {note}" if note else ""
    parts = [
        INTRODUCTION.format(title=title, machine=describe_machine(), note=note, command=command)
    ]
    for benchmark, rows in results.values():
        parts.append(f"## {benchmark.title}\n\n{benchmark.about}\n")
        if benchmark.draw:
            parts.append(f"![{benchmark.title}]({benchmark.draw(rows, folder)})\n")
        header, *body = table_of(benchmark, rows)
        named = sum(cell in ("size", "what") for cell in header)
        parts.append(markdown_table(header, body, left=max(named, 1)) + "\n")
    return "\n".join(parts)


def show_rows(benchmark: Benchmark, rows: list[Row]) -> None:
    """Print a benchmark's table."""
    table = Table(title=benchmark.title, title_justify="left", box=box.SIMPLE_HEAD)
    header, *body = table_of(benchmark, rows)
    for place, column in enumerate(header):
        table.add_column(column, justify="left" if place == 0 else "right", no_wrap=True)
    for cells in body:
        table.add_row(*cells)
    Console(width=WHOLE).print(table)
