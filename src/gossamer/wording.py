"""Words of error messages: an option as it is typed, on the command line or in Python.

The command line switches to its own words while it runs a command; everything else, a notebook
included, has the words of Python.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_on_command_line: ContextVar[bool] = ContextVar("on_command_line", default=False)


@contextmanager
def words_of_command_line() -> Iterator[None]:
    """Write options as ``--node-column`` in the messages of errors within a block."""
    before = _on_command_line.set(True)
    try:
        yield
    finally:
        _on_command_line.reset(before)


def option(keyword: str) -> str:
    """Return the name of an option as it is typed.

    Examples
    --------
    >>> option("node_column")
    'node_column='
    >>> with words_of_command_line():
    ...     option("node_column")
    '--node-column'
    """
    return f"--{keyword.replace('_', '-')}" if _on_command_line.get() else f"{keyword}="


def typed(**options: str | int | bool) -> str:
    """Return options with their values as they are typed.

    Examples
    --------
    >>> typed(header=False, node_column=1)
    'header=False, node_column=1'
    >>> with words_of_command_line():
    ...     typed(header=False, node_column=1)
    '--no-header --node-column 1'
    """
    if not _on_command_line.get():
        return ", ".join(f"{keyword}={value!r}" for keyword, value in options.items())
    return " ".join(
        option(f"no_{keyword}")
        if value is False
        else f"{option(keyword)} {shlex.quote(str(value))}"
        for keyword, value in options.items()
    )


def either(command_line: str, python: str) -> str:
    """Return the first text on the command line, and the second in Python.

    Examples
    --------
    >>> either("give --follows", "use read_follows")
    'use read_follows'
    """
    return command_line if _on_command_line.get() else python


def named(keyword: str) -> str:
    """Return the name of an option as the subject of a sentence.

    Examples
    --------
    >>> named("max_in_degree")
    'max_in_degree'
    >>> with words_of_command_line():
    ...     named("max_in_degree")
    '--max-in-degree'
    """
    return option(keyword).removesuffix("=")


def quoted(keyword: str) -> str:
    """Return the name of an option in quotes; on the command line its dashes are enough."""
    return option(keyword) if _on_command_line.get() else repr(keyword)
