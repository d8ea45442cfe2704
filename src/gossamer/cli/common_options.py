"""Options that every command takes, declared once.

``main`` adds them to each command, after those that the command declares. They are applied before
the others are checked. A command that depends on one reads :func:`common_options`.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import wraps
from typing import Annotated, Any, ClassVar

import typer

from gossamer.cli.option_groups import option, options_of_group
from gossamer.errors import PluginWarning


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
    quiet: Annotated[
        bool, option("Show no progress and no notes on standard error; errors remain.")
    ] = False

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Apply the options within a block: load the plug-ins, and show warnings as notes."""
        token = _current.set(self)
        try:
            with warnings.catch_warnings():
                _show_warnings_as_notes(warnings.showwarning)
                for plugin in self.plugin or ():
                    from gossamer.plugins import load_plugin

                    load_plugin(plugin)
                yield
        finally:
            _current.reset(token)


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

    @wraps(command)
    def expanded(**values: Any) -> None:
        common = CommonOptions(**{one.name: values.pop(one.name) for one in fields(CommonOptions)})
        with common.applied():
            command(**values)

    vars(expanded).pop("__wrapped__")
    parameters = (*inspect.signature(command).parameters.values(), *added)
    vars(expanded)["__signature__"] = inspect.Signature(parameters)
    expanded.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": None}
    return expanded


def _show_warnings_as_notes(show: Callable[..., None]) -> None:
    """Print warnings of plug-ins as one line; leave the others to Python, or hide them if quiet."""

    def print_note(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, PluginWarning):
            show_note(f"note: {message}")
        elif not common_options().quiet:
            show(message, category, *where, **more)

    warnings.simplefilter("always", PluginWarning)
    warnings.showwarning = print_note
