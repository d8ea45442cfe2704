"""The command ``gossamer``: its subcommands, and how it ends.

What was wrong with the input is one line on standard error and exit code 2;
what else went wrong on purpose is one line and 1; an interruption is 130.
Commands live in files of their own.
"""

from __future__ import annotations

import inspect
import os
import signal
import sys
from types import ModuleType
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from gossamer.cli import (
    algorithms,
    assess,
    churn,
    cluster,
    compare,
    design,
    disseminate,
    front,
    ingest,
    maintain,
    node,
    profile,
    reinforce,
    replay,
    report,
    reproduce,
    sample,
    simulate,
    workload,
)
from gossamer.cli.algorithm_options import AlgorithmOptionsCommand
from gossamer.version import __version__

__all__ = ["app", "run"]

BAD_INPUT, FAILED, INTERRUPTED = 2, 1, 130


class Commands(TyperGroup):
    """The group of commands, which turns errors into a line and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; never show a traceback for what a user can put right."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except MemoryError:
            typer.echo("error: not enough memory for input of this size", err=True)
            raise typer.Exit(FAILED) from None
        except Exception as fault:
            errors = sys.modules.get("gossamer.errors")
            if errors is None or not isinstance(fault, errors.GossamerError):
                raise
            typer.echo(f"error: {' '.join(str(fault).splitlines())}", err=True)
            wrong_input = isinstance(fault, errors.InputError)
            raise typer.Exit(BAD_INPUT if wrong_input else FAILED) from None


app = typer.Typer(
    name="gossamer",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="Start with: gossamer compare --workload rss --nodes 1000 --topics 100 "
    "--subscriptions 10",
)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"gossamer {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Design overlays for topic-based publish/subscribe: which links should exist.

    Every topic's subscribers are connected among themselves, each node keeps few
    links, and paths are short.
    """


def _add(module: ModuleType, name: str, *, algorithm_options: bool = False) -> None:
    """Add the command that a module holds, with its examples under its help."""
    command = getattr(module, name)
    app.command(
        name,
        help=_reflowed(command.__doc__ or ""),
        cls=AlgorithmOptionsCommand if algorithm_options else None,
        epilog="\n\n".join(("Examples:", *module.EXAMPLES)),
    )(command)


def _reflowed(text: str) -> str:
    """Put each paragraph on one line, for terminals of any width to fold."""
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))


_add(ingest, "ingest", algorithm_options=True)
_add(sample, "sample")
_add(profile, "profile")
_add(design, "design", algorithm_options=True)
_add(assess, "assess")
_add(reinforce, "reinforce")
_add(compare, "compare", algorithm_options=True)
_add(front, "front", algorithm_options=True)
_add(workload, "workload", algorithm_options=True)
_add(churn, "churn")
_add(maintain, "maintain", algorithm_options=True)
_add(simulate, "simulate", algorithm_options=True)
_add(disseminate, "disseminate", algorithm_options=True)
_add(node, "node", algorithm_options=True)
_add(replay, "replay")
_add(cluster, "cluster", algorithm_options=True)
_add(algorithms, "algorithms")
_add(reproduce, "reproduce")
_add(report, "report")


def _stop(number: int, _frame: Any) -> None:
    raise SystemExit(128 + number)


def run() -> None:
    """Run the command line; the entry point of the installed command."""
    for name in ("SIGTERM", "SIGHUP"):  # so that what is half-written is removed
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _stop)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a terminal that lacks a symbol shows a "?" for it
            reconfigure(errors="replace")
    try:
        app()
    except OSError as fault:  # of the terminal or the pipe: files have errors of their own
        _give_up_output(fault)
    except SystemExit as ended:
        try:
            sys.stdout.flush()
        except OSError as fault:
            _give_up_output(fault)
        raise ended from None


def _give_up_output(fault: OSError) -> NoReturn:
    """End where standard output cannot be written to, without a second complaint."""
    if not isinstance(fault, BrokenPipeError):
        typer.echo(f"error: cannot write to standard output ({fault.strerror or fault})", err=True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(FAILED)
