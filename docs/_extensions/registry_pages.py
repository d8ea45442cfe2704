"""Pages of the Reference for registered entries, measures and tables, from the lists themselves."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from gossamer.cycles.models import MODELS
from gossamer.design import algorithms
from gossamer.maintain.strategies.registry import strategies
from gossamer.measures import GROUPS
from gossamer.pipeline.sources import sources
from gossamer.protocols import protocols
from gossamer.tables import schema
from gossamer.tables.schema import TableSchema
from gossamer.workloads import kinds

Entries = Iterable[tuple[Any, list[tuple[str, str]]]]

ALGORITHMS = """
`gossamer design TABLE --algorithm NAME` and `gossamer.design(interests, NAME)` run an algorithm;
`NAME:option=value` sets options wherever a name is expected. Every algorithm also takes
`resilient`, which adds links until no single link failure disconnects a topic.
"""
PROTOCOLS = """
`gossamer simulate NAME` simulates a protocol; `gossamer node --protocol NAME` and
`gossamer cluster --protocol NAME` run it live. Options follow the name, as in `spidercast:kg=2`, or
are given beside it: `--kg 2`, and in Python `gossamer.simulate(scenario, "spidercast", kg=2)`.
"""
CYCLES = "`gossamer simulate NAME --engine cycles` runs these."
STRATEGIES = """
`gossamer maintain --strategy NAME` and `gossamer.maintain(scenario, NAME)` keep an overlay under
churn.
"""
WORKLOADS = """
`gossamer workload NAME` and `gossamer.generate_interests(NAME, ...)` generate interests;
`--workload NAME` does in commands that read subscriptions. Options follow the name, as in
`zipf:alpha=0.8`, or are given beside it: `--alpha 0.8`, and `alpha=0.8` in Python.
"""
SOURCES = "`gossamer ingest NAME FILES --out FOLDER` converts raw files to tables."
MEASURES = """
The name is the key of `summary()` in Python, of `--json` on the command line, and the column of
tables. The label is what terminals, pictures and pages show. A share is a number from 0 to 1. A
value that was not measured is `null`.

`gossamer COMMAND --json` prints one JSON object on standard output; progress and notes go to
standard error.
"""
TABLES = """
Tables are CSV or Parquet files. A folder of tables has one Parquet table for each name. A column
of *names* (nodes, topics, users) holds whole numbers if every name in it is a whole number in its
usual form, and strings otherwise, so `007` stays `007`. Times are microseconds; a column named
`time_s`, `start_s` or `end_s` is in seconds.
"""


def registry_pages() -> Iterator[tuple[str, str]]:
    """Yield name and text of each page."""
    yield "algorithms", _page("Design algorithms and their options", ALGORITHMS, _algorithms())
    models: Entries = ((one, []) for one in MODELS.values())
    by_protocol = _page("Protocols and their options", PROTOCOLS, _protocols())
    yield (
        "protocols",
        by_protocol + f"\n## Cycle-driven engine\n\n{CYCLES}\n\n" + _each(models, "###"),
    )
    yield "strategies", _page("Maintenance strategies", STRATEGIES, _strategies())
    yield (
        "workloads",
        _page("Synthetic interests", WORKLOADS, ((one, []) for one in kinds().values())),
    )
    yield "sources", _page("Sources of raw data", SOURCES, _sources())
    yield "json", _measures()
    yield "tables", _tables()


def _algorithms() -> Entries:
    for one in algorithms().values():
        function = f"{{py:func}}`gossamer.{one.design.__name__}`"
        yield one, [("Guarantee", one.guarantee), ("Function", function)]


def _protocols() -> Entries:
    for one in protocols().values():
        facts = [
            ("Connects every topic", "yes" if one.topic_connected else "no"),
            ("Delivers to every subscriber", "yes" if one.delivers else "no"),
        ]
        if one.installs_links:
            facts.append(("Initial overlay", "the links of a design (`--initial-overlay`)"))
        yield one, facts


def _strategies() -> Entries:
    for one in strategies().values():
        yield one, [("Interrupted runs", "resume" if one.resumable else "start again")]


def _sources() -> Entries:
    for one in sources().values():
        tables = ", ".join(f"`{name}`" for name in one.tables)
        example = f"\n\n  ```text\n{textwrap.indent(one.example.rstrip(), '  ')}\n  ```"
        yield one, [("Layout", one.layout), ("Tables", tables), ("Example", example)]


def _number(value: float) -> str:
    """Write a bound in full, with separators."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:g}"


def _page(title: str, text: str, entries: Entries) -> str:
    return f"# {title}\n\n{text.strip()}\n\n" + _each(entries)


def _each(entries: Entries, level: str = "##") -> str:
    """Return a section for each entry: summary, reference, facts, and a table of its options."""
    lines = []
    for entry, facts in entries:
        lines += [f"{level} {entry.name}", "", _text(entry.summary), ""]
        reference = getattr(entry, "reference", "")
        for name, value in [*([("Reference", reference)] if reference else []), *facts]:
            lines += [f"- {name}: {value}"]
        lines += ["", *_options(entry.options.listed)]
    return "\n".join(lines)


def _options(options: Iterable[Any]) -> list[str]:
    rows = [
        f"| `{one.keyword}` | {_allowed(one)} | `{one.default}` | {_text(one.meaning)} |"
        for one in options
    ]
    if not rows:
        return ["No options.", ""]
    return ["| option | value | default | meaning |", "| --- | --- | --- | --- |", *rows, ""]


def _allowed(option: Any) -> str:
    if option.choices:
        return ", ".join(f"`{choice}`" for choice in option.choices)
    text = str(option.expected)
    if option.low is None:
        return text
    return f"{text}, {_number(option.low)} or more" if option.high is None else (
        f"{text}, {_number(option.low)} to {_number(option.high)}"
    )  # fmt: skip


def _measures() -> str:
    lines = ["# Measures and JSON", "", MEASURES.strip(), ""]
    head = ["| name | label | unit | meaning |", "| --- | --- | --- | --- |"]
    for group, measures in GROUPS.items():
        lines += [f"## {group}", "", *head]
        lines += [
            f"| `{one.name}` | {_text(one.label)} | {one.unit or '–'} | {_text(one.meaning)} |"
            for one in measures
        ]
        lines.append("")
    return "\n".join(lines)


def _tables() -> str:
    lines = ["# Tables", "", TABLES.strip(), ""]
    for name, text in _documented(schema):
        table: TableSchema = getattr(schema, name)
        lines += [f"## {table.name}", "", _text(text), "", "| column | type |", "| --- | --- |"]
        lines += [
            f"| `{column}` | {'name' if kind is schema.NAME else kind} |"
            for column, kind in table.columns
        ]
        lines.append("")
    return "\n".join(lines)


def _documented(module: Any) -> Iterator[tuple[str, str]]:
    """Yield each schema of a module with the string below it, as in the source."""
    body = ast.parse(Path(inspect.getfile(module)).read_text(encoding="utf-8")).body
    for one, after in pairwise(body):
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
            name = one.targets[0].id
            if isinstance(getattr(module, name), TableSchema):
                documented = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                assert documented, f"{name} has no docstring"
                yield name, inspect.cleandoc(after.value.value)  # type: ignore[attr-defined]


def _text(text: str) -> str:
    """Escape what Markdown would read as a mark, and turn reST's code into Markdown's."""
    return " ".join(text.replace("``", "`").replace("|", "\\|").replace("*", "\\*").split())
