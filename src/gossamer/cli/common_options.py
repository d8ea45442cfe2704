"""Options that every command takes, declared once.

``main`` adds them to each command, after those that the command declares. They are applied before
the others are checked. A command that depends on one reads :func:`common_options`.
"""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from gossamer.atomic_files import is_standard
from gossamer.cli.option_groups import option, options_of_group, output_tables
from gossamer.errors import ParameterError, PluginWarning, TableWarning


@dataclass(frozen=True)
class CommonOptions:
    """Options of every command."""

    PANEL: ClassVar = "Every command"

    plugin: Annotated[
        list[str] | None,
        option(
            "Python file or module with algorithms, protocols, workloads, sources or strategies "
            "of your own; may be repeated.",
            metavar="FILE|MODULE",
        ),
    ] = None
    as_json: Annotated[
        bool, option("Print JSON on standard output instead of text and tables.", "--json")
    ] = False
    quiet: Annotated[
        bool, option("Show no progress and no notes on standard error; errors remain.")
    ] = False

    @contextmanager
    def applied(self, outputs: Sequence[str] = ()) -> Iterator[None]:
        """Apply the options within a block: plug-ins, warnings as notes, and the JSON document.

        ``outputs`` are the options by which standard output is a table.
        """
        from gossamer.cli.display import json_document

        token = _current.set(self)
        try:
            with warnings.catch_warnings(), self._messages(outputs):
                _show_warnings_as_notes(warnings.showwarning)
                for plugin in self.plugin or ():
                    from gossamer.plugins import load_plugin

                    load_plugin(plugin)
                with json_document() if self.as_json else nullcontext():
                    yield
        finally:
            _current.reset(token)

    @contextmanager
    def _messages(self, outputs: Sequence[str]) -> Iterator[None]:
        """Print messages on standard error, or nowhere if quiet, if standard output is a table."""
        if not outputs:
            yield
            return
        if self.as_json or len(outputs) > 1:
            named = [*outputs, *(["json"] if self.as_json else [])]
            flags = " and ".join(f"--{name.replace('_', '-')}" for name in named)
            raise ParameterError(f"{flags} both use standard output; name a file for the table")
        from gossamer.tables.standard_streams import messages_on

        with (
            open(os.devnull, "w") if self.quiet else nullcontext(sys.stderr) as stream,
            messages_on(stream),
        ):
            yield


_current: ContextVar[CommonOptions | None] = ContextVar("common options", default=None)


def common_options() -> CommonOptions:
    """Return the common options of the command that runs."""
    return _current.get() or CommonOptions()


def show_note(text: str) -> None:
    """Print a line on standard error, unless the command is quiet."""
    if not common_options().quiet:
        typer.echo(text, err=True)


def with_common_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes the common options too."""
    added = tuple(options_of_group(CommonOptions))
    outputs = output_tables(inspect.signature(command).parameters.values())

    @wraps(command)
    def expanded(**values: Any) -> None:
        common = CommonOptions(**{one.name: values.pop(one.name) for one in fields(CommonOptions)})
        given = [name for name, one in values.items() if isinstance(one, Path) and is_standard(one)]
        if len(set(given) - set(outputs)) > 1:
            raise ParameterError("two inputs are -, standard input; name a file for one of them")
        with common.applied([name for name in outputs if is_standard(values[name])]):
            command(**values)

    vars(expanded).pop("__wrapped__")
    parameters = (*inspect.signature(command).parameters.values(), *added)
    vars(expanded)["__signature__"] = inspect.Signature(parameters)
    expanded.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": None}
    return expanded


def _show_warnings_as_notes(show: Callable[..., None]) -> None:
    """Print our warnings as one line; leave the others to Python, or hide them if quiet."""

    def print_note(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, (PluginWarning, TableWarning)):
            show_note(f"note: {message}")
        elif not common_options().quiet:
            show(message, category, *where, **more)

    warnings.simplefilter("always", PluginWarning)
    warnings.simplefilter("always", TableWarning)
    warnings.showwarning = print_note
