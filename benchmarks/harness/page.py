"""Results as people read them: a table in the terminal, a page in the docs."""

from __future__ import annotations

from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.harness.cases import Benchmark, Row
from benchmarks.harness.machine import describe_machine

__all__ = ["markdown_table", "page", "seconds", "show_rows", "table_of"]

WHOLE = 240
"""Wide enough that no cell is cut; a narrower terminal breaks lines instead."""

INTRODUCTION = """# {title}

Written by `script/bench`. Run it again for the numbers of your machine.

{machine}.{note}

All work runs on one core. A row with a memory peak runs in a process of its own. Each case runs
once on a tiny table first, so that kernels are compiled and loaded before the clock starts (that
cost is a benchmark of its own). *Seconds* are processor time over all threads, which equals the
wait on an idle core; where other processes are timed they are wall-clock time. *Runs* names the
run that counts: the best or the median of n. No new run starts after some seconds, so long cases
run once. *Peak* is the largest memory of the process above its memory after imports: input, work
and result. *Ratio* divides the seconds of a row by those of the named row of the same size, in
the same run. A size is nodes × topics × subscriptions a node. Topics are popular as RSS feeds are
(Zipf 0.5) unless stated otherwise; the seed is 1.
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


def markdown_table(header: list[str], rows: list[list[str]], *, left: int = 1) -> str:
    """Write a table in Markdown, all columns but the first ``left`` to the right."""
    rule = ["---" if place < left else "---:" for place in range(len(header))]
    return "\n".join("| " + " | ".join(line) + " |" for line in (header, rule, *rows))


def page(
    results: dict[str, tuple[Benchmark, list[Row]]],
    folder: Path,
    *,
    title: str = "Benchmarks",
    note: str = "",
) -> str:
    """Return a page of results in Markdown; its pictures are written to the folder."""
    note = f" {note}" if note else ""
    parts = [INTRODUCTION.format(title=title, machine=describe_machine(), note=note)]
    for benchmark, rows in results.values():
        parts.append(f"## {benchmark.title}\n\n{benchmark.about}\n")
        if benchmark.draw:
            parts.append(f"![{benchmark.title}]({benchmark.draw(rows, folder)})\n")
        header, *body = table_of(benchmark, rows)
        parts.append(markdown_table(header, body) + "\n")
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
