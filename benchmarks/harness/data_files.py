"""Pages and their data files: a page shows the rows that matter, a CSV file beside it has all."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.harness.cases import Excerpt
from benchmarks.harness.markdown import markdown_table
from gossamer.tables import replacing

__all__ = ["split_tables", "write_page"]

WHOLE_ROWS = 8
"""Number of rows up to which a page has the whole table."""

MAX_ROWS = 12
"""Number of rows up to which a page has the main rows of a longer table."""

SUBJECTS = ("what", "command", "kept by", "workload", "algorithm", "flood and links")
"""Columns that name what was measured, beside the column of sizes."""

TABLE = re.compile(r"(?:^\|.*\|\n)+", re.MULTILINE)
Cells = list[str]


def write_page(text: str, path: Path, excerpts: Mapping[str, Excerpt] | None = None) -> list[Path]:
    """Write a page, and its long tables to ``data/``; return the files, the page first.

    Parameters
    ----------
    excerpts
        What the page shows of a table, by the heading above the table.
    """
    text, tables = split_tables(text, path.stem, excerpts or {})
    files = [path]
    (path.parent / "data").mkdir(parents=True, exist_ok=True)
    for name, content in tables.items():
        files.append(path.parent / "data" / name)
        _replace(files[-1], content)
    _replace(path, text)
    return files


def _replace(path: Path, text: str) -> None:
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8")


def split_tables(
    text: str, stem: str, excerpts: Mapping[str, Excerpt]
) -> tuple[str, dict[str, str]]:
    """Shorten the long tables of a page, and those that have an excerpt.

    Returns
    -------
    tuple[str, dict[str, str]]
        The page, and by name the CSV files that have the whole tables. Each subject is shown at
        the largest size at which it was measured.
    """
    files: dict[str, str] = {}
    parts, end = [], 0
    for found in TABLE.finditer(text):
        header, rule, *rows = [_cells(line) for line in found[0].splitlines()]
        sections = re.findall(r"^#+ (.+)$", text[: found.start()], re.MULTILINE)
        excerpt = excerpts.get(sections[-1])
        if len(rows) <= WHOLE_ROWS and excerpt is None:
            continue
        base = f"{stem}-{_slug(sections[-1])}"
        again = sum(re.fullmatch(rf"{base}(-\d+)?\.csv", name) is not None for name in files)
        name = f"{base}-{again + 1}.csv" if again else f"{base}.csv"
        files[name] = _csv(header, rows)
        shown = list(_main_rows(header, rows, excerpt))
        link = f"[All {len(rows)} rows](data/{name})"
        parts.append(text[end : found.start()])
        if shown:
            columns = list(range(len(header)))
            if excerpt is not None:
                columns = [place for place in columns if header[place] in excerpt.columns]
            left = sum(rule[place] == "---" for place in columns)
            head, *body = ([line[place] for place in columns] for line in [header, *shown])
            parts.append(f"{markdown_table(head, body, left=left)}\n\n")
        parts.append(f"{link}\n")
        end = found.end()
    return "".join([*parts, text[end:]]), files


def _main_rows(header: Cells, rows: list[Cells], excerpt: Excerpt | None) -> Iterator[Cells]:
    """Yield the row of each subject at its largest size; of too many subjects none."""
    places = [header.index(name) for name in SUBJECTS if name in header]
    if excerpt is not None and excerpt.rows is not None:
        rows = [
            row for row in rows if not {row[place] for place in places}.isdisjoint(excerpt.rows)
        ]
        yield from {tuple(row[place] for place in places): row for row in rows}.values()
        return
    if "size" not in header or not places:
        return
    last = {tuple(row[place] for place in places): row for row in rows}
    if len(last) > MAX_ROWS:
        sizes = [row[header.index("size")] for row in rows]
        last = {key: row for key, row in last.items() if row[header.index("size")] == sizes[-1]}
    if len(last) <= MAX_ROWS:
        yield from last.values()


def _cells(line: str) -> Cells:
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def _csv(header: Cells, rows: list[Cells]) -> str:
    """Return a table as CSV, with numbers as numbers and names without marks."""
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        plain = [re.sub(r"[`*]", "", cell) for cell in row]
        writer.writerow(
            [
                cell.replace(",", "") if re.fullmatch(r"[-+]?[\d,]+(?:\.\d+)?", cell) else cell
                for cell in plain
            ]
        )
    return content.getvalue()


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
