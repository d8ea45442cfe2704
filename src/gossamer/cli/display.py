"""Results on standard output: tables, or one JSON document.

A command calls the same functions for both. A table is as wide as the terminal, or complete in a
pipe. With ``--json`` the functions collect names and values, and the document is printed when the
command ends; with :func:`show_record`, which is for commands that run on, each is a line.
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import isfinite
from pathlib import Path
from typing import Any

import typer

from gossamer.atomic_files import is_standard
from gossamer.cli.common_options import show_note
from gossamer.measures import label_of, shown
from gossamer.results import key_of

PIPE_WIDTH = 120
WHOLE_WIDTH = 10_000
"""Width of a table that is never cut, however narrow the terminal is."""
HEADER_WIDTH = 11

_document: ContextVar[dict[str, Any] | None] = ContextVar("JSON document", default=None)


@contextmanager
def json_document() -> Iterator[None]:
    """Collect what is shown within a block, and print it as one JSON document at its end.

    Nothing is printed if the block fails.
    """
    document: dict[str, Any] = {}
    token = _document.set(document)
    try:
        try:
            yield
        except typer.Exit:
            _print_json(document, indent=2)
            raise
        if document:
            _print_json(document, indent=2)
    finally:
        _document.reset(token)


def is_json() -> bool:
    """Whether the output of this command is JSON."""
    return _document.get() is not None


def add_json(**values: Any) -> None:
    """Add values to the JSON document; do nothing for a table."""
    document = _document.get()
    if document is not None:
        document |= values


def show_record(text: str, **values: Any) -> None:
    """Print a line at once, for a command that runs on: text, or a JSON object."""
    if is_json():
        _print_json(values)
    else:
        show_line(text)


def show_line(text: str) -> None:
    """Print a line without wrapping; with ``--json``, as a note on standard error."""
    if not is_json():
        print(text, flush=True)
    elif text:
        show_note(text.strip())


def show_written(*paths: str | Path | None, remark: str = "") -> None:
    """Print the names of the files that were written."""
    names = [str(path) for path in paths if path is not None and not is_standard(path)]
    document = _document.get()
    if not names:
        return
    if document is not None:
        document.setdefault("wrote", []).extend(names)
    else:
        show_line(f"wrote {', '.join(names)}{remark}")


def show_facts(title: str, facts: Mapping[str, Any], *, key: str | None = None) -> None:
    """Print labels and values, one a line.

    Parameters
    ----------
    title
        Title of the table.
    facts
        Values by the name of their measure (:mod:`gossamer.measures`), or by a label.
    key
        Key of the JSON object; if not given, the facts are entries of the document.
    """
    if is_json():
        named = {key_of(name): value for name, value in facts.items()}
        add_json(**(named if key is None else {key: named}))
        return
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    for name, value in facts.items():
        table.add_row(label_of(name), shown(value, name, facts))
    _print(title, table, whole=False)


def format_options(options: Iterable[Any]) -> str:
    """Return options with their defaults as they are typed, one a line."""

    def typed(value: Any) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        return f"{value:g}" if isinstance(value, float) else str(value)

    return "\n".join(f"{option.flag} {typed(option.default)}" for option in options)


def show_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Mapping[str, Any] | Sequence[Any]],
    *,
    key: str | None = None,
    numbers: bool = False,
    apart: bool = False,
) -> None:
    """Print rows under a header.

    Parameters
    ----------
    title
        Title of the table.
    columns
        Names of the columns, whose labels are the header.
    rows
        Values of each row: by name, of which only those of ``columns`` are shown in a table, or
        in the order of the columns.
    key
        Key of the JSON array of all rows; the table is not in the document if it is not given.
    numbers
        Whether all columns but the first are aligned to the right, and nothing is wrapped in a
        narrow terminal.
    apart
        Whether a blank line separates rows, for cells of several lines.
    """
    records = [
        row if isinstance(row, Mapping) else dict(zip(columns, row, strict=True)) for row in rows
    ]
    if is_json():
        if key is not None:
            add_json(**{key: records})
        return
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(
        box=SIMPLE_HEAD,
        padding=(0, 0 if numbers else 1, 0, 0),
        pad_edge=False,
        show_edge=False,
        leading=1 if apart else 0,
    )
    for place, column in enumerate(columns):
        label = label_of(column)
        table.add_column(
            "\n".join(textwrap.wrap(label, HEADER_WIDTH, break_long_words=False))
            if numbers and place
            else label,
            justify="right" if numbers and place else "left",
            no_wrap=numbers or not place,
        )
    for record in records:
        table.add_row(*(shown(record[column], column, record) for column in columns))
    _print(title, table, whole=numbers)
    show_line("")


def show_registry(
    title: str,
    entries: Iterable[Any],
    *,
    key: str,
    reference: str = "reference",
    column: str | None = None,
    value: Callable[[Any], str] = str,
) -> None:
    """Print the entries of a registry: name, summary, reference and options.

    Parameters
    ----------
    title, entries
        Title, and entries in order.
    key
        Key of the JSON array of the entries.
    reference
        Attribute of an entry that is printed below its summary.
    column, value
        Header of one more column, and its text for an entry.
    """
    entries = list(entries)
    if is_json():
        add_json(**{
            key: [
                {
                    "name": entry.name, "summary": entry.summary.replace("`", ""),
                    reference: getattr(entry, reference, ""),
                    **({key_of(column): value(entry)} if column else {}),
                    "options": [_option_record(option) for option in entry.options.listed],
                }
                for entry in entries
            ]
        })  # fmt: skip
        return
    show_table(
        title,
        ("name", f"summary and {reference}", *([column] if column else []), "options"),
        [
            (
                entry.name,
                f"{entry.summary}\n{getattr(entry, reference, '')}".replace("`", "").strip(),
                *([value(entry)] if column else []),
                format_options(entry.options.listed),
            )
            for entry in entries
        ],
        apart=True,
    )


def show_meanings(entries: Iterable[Any]) -> None:
    """Print the meaning of each option of registry entries."""
    meanings: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        for option in entry.options.listed:
            words = f"One of {', '.join(option.choices)}." if option.choices else ""
            meaning = f"{option.meaning} {words}".strip()
            meanings.setdefault((option.flag, meaning), []).append(entry.name)
    rows = [(flag, ", ".join(names), text) for (flag, text), names in meanings.items()]
    show_table("Options", ("option", "of", "meaning"), rows)


def _option_record(option: Any) -> dict[str, Any]:
    return {
        "name": option.keyword,
        "default": option.default,
        "choices": list(option.choices),
        "meaning": option.meaning,
    }


def _print_json(document: Mapping[str, Any], indent: int | None = None) -> None:
    text = json.dumps(_plain(document), indent=indent, ensure_ascii=False, allow_nan=False)
    print(text, flush=True)


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; numbers that are not finite become null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, str | bool | int | None):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if hasattr(value, "tolist"):  # a NumPy scalar or array
        return _plain(value.tolist())
    if isinstance(value, Iterable):
        return [_plain(one) for one in value]
    return str(value)


def _print(title: str, table: Any, *, whole: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    in_terminal = sys.stdout.isatty()
    console = Console(
        width=WHOLE_WIDTH if whole else None if in_terminal else PIPE_WIDTH,
        highlight=False,
        markup=False,
    )
    if in_terminal:
        console.print(Text(title, style="bold"), soft_wrap=True)
        console.print(table)
        return
    print(title)
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        print(line.rstrip())
    sys.stdout.flush()
