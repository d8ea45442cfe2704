"""Tables on standard output: as wide as the terminal, or complete in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

PIPE_WIDTH = 120


def show_line(text: str) -> None:
    """Print a line without wrapping."""
    print(text, flush=True)


def show_facts(title: str, facts: Mapping[str, Any]) -> None:
    """Print labels and values, one a line."""
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    for label, value in facts.items():
        table.add_row(label, shown(value))
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
    rows: Iterable[Sequence[Any]],
    *,
    numbers: bool = False,
    apart: bool = False,
) -> None:
    """Print rows under a header.

    Parameters
    ----------
    title, columns, rows
        Title, names of the columns, and cells.
    numbers
        Whether all columns but the first are aligned to the right, and nothing is wrapped in a
        narrow terminal.
    apart
        Whether a blank line separates rows, for cells of several lines.
    """
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
        table.add_column(
            column,
            justify="right" if numbers and place else "left",
            no_wrap=numbers or not place,
        )
    for row in rows:
        table.add_row(*(shown(value) for value in row))
    _print(title, table, whole=numbers)
    show_line("")


def show_registry(
    title: str,
    entries: Iterable[Any],
    *,
    reference: str = "reference",
    column: str | None = None,
    value: Callable[[Any], str] = str,
) -> None:
    """Print the entries of a registry: name, summary, reference and options.

    Parameters
    ----------
    title, entries
        Title, and entries in order.
    reference
        Attribute of an entry that is printed below its summary.
    column, value
        Header of one more column, and its text for an entry.
    """
    show_table(
        title,
        ("name", f"summary and {reference}", *([column] if column else []), "options"),
        [
            (
                entry.name,
                f"{entry.summary}\n{getattr(entry, reference)}".replace("`", ""),
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
            meanings.setdefault((option.flag, option.meaning), []).append(entry.name)
    rows = [(flag, ", ".join(names), text) for (flag, text), names in meanings.items()]
    show_table("Options", ("option", "of", "meaning"), rows)


def shown(value: Any) -> str:
    """Format a value: 1,000,000, 3.14, yes, –."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        size = abs(value)
        return (
            f"{value:,.0f}" if size >= 10_000 else f"{value:,.2f}" if size >= 1 else f"{value:.3g}"
        )
    return str(value)


def _print(title: str, table: Any, *, whole: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    in_terminal = sys.stdout.isatty()
    console = Console(
        width=PIPE_WIDTH if whole or not in_terminal else None, highlight=False, markup=False
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
