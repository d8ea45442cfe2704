"""The command ``gossamer``: its subcommands and exit codes.

An error in the input is one line on standard error and exit code 2. Another error of gossamer
is one line and exit code 1; an interruption is exit code 130. Each command has its own module.
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

from gossamer.__main__ import INTERRUPTED
from gossamer.cli import (
    algorithms,
    assess,
    churn,
    cluster,
    compare,
    compare_protocols,
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
from gossamer.cli.common_options import with_common_options
from gossamer.cli.usage_errors import UsageError, explain_usage
from gossamer.definitions import describe_failure, is_from_plugin
from gossamer.errors import GossamerError, InputError, Stopped
from gossamer.extras import explain_import_error
from gossamer.version import __version__
from gossamer.wording import words_of_command_line

BAD_INPUT, FAILED = 2, 1


class Commands(TyperGroup):
    """Group of commands that turns errors into one line and an exit code."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what precedes the command; an option of a command is none of it."""
        try:
            return list(super().parse_args(ctx, args))
        except UsageError as fault:
            if not args:
                raise  # the help
            follow = "options follow the command, as in gossamer algorithms --json"
            typer.echo(f"error: {explain_usage(fault)}; {follow}", err=True)
            raise typer.Exit(BAD_INPUT) from None

    def invoke(self, ctx: Any) -> Any:
        """Run a command; show no traceback for errors of gossamer."""
        try:
            with words_of_command_line():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except UsageError as fault:
            typer.echo(f"error: {explain_usage(fault)}", err=True)
            raise typer.Exit(BAD_INPUT) from None
        except MemoryError:
            typer.echo("error: not enough memory for input of this size", err=True)
            raise typer.Exit(FAILED) from None
        except ImportError as fault:
            missing = explain_import_error(fault, f"gossamer {ctx.invoked_subcommand}")
            if missing is None:
                raise
            raise _error(missing, FAILED) from None
        except GossamerError as fault:
            wrong_input = isinstance(fault, InputError)
            raise _error(fault, BAD_INPUT if wrong_input else FAILED) from None
        except (Exception, SystemExit) as fault:
            if isinstance(fault, Stopped) or not is_from_plugin(fault):
                raise
            raise _error(fault, BAD_INPUT) from None


def _error(fault: BaseException, code: int) -> typer.Exit:
    """Print an error in one line; return the exit."""
    typer.echo(f"error: {describe_failure(fault)}", err=True)
    return typer.Exit(code)


app = typer.Typer(
    name="gossamer",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="Start with: gossamer compare --workload rss --nodes 1000 --topics 100 "
    "--subscriptions 10",
)


def _show_version(requested: bool) -> None:
    if requested:
        typer.echo(f"gossamer {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Design overlays for topic-based publish/subscribe: which links should exist.

    The subscribers of each topic are connected, node degrees are small, and paths are short.
    """


def _add(module: ModuleType, name: str, *, algorithm_options: bool = False) -> None:
    """Add the command of a module, with the common options, and its examples below its help."""
    command = getattr(module, name.replace("-", "_"))
    app.command(
        name,
        help=_unwrap(command.__doc__ or ""),
        cls=AlgorithmOptionsCommand if algorithm_options else None,
        epilog="\n\n".join(("Examples:", *module.EXAMPLES)),
    )(with_common_options(command))


def _unwrap(text: str) -> str:
    """Return each paragraph on one line, to be wrapped to the width of the terminal."""
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
_add(compare_protocols, "compare-protocols", algorithm_options=True)
_add(disseminate, "disseminate", algorithm_options=True)
_add(node, "node", algorithm_options=True)
_add(replay, "replay")
_add(cluster, "cluster", algorithm_options=True)
_add(algorithms, "algorithms")
_add(reproduce, "reproduce")
_add(report, "report")


def _stop(number: int, _frame: Any) -> None:
    raise Stopped(128 + number)


def run() -> None:
    """Run the command line; the entry point of the installed command."""
    for name in ("SIGTERM", "SIGHUP"):  # remove partial files
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _stop)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  # until the end
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # show "?" for symbols that the terminal lacks
            reconfigure(errors="replace")
    try:
        app()
    except OSError as fault:  # of the terminal or pipe; errors of files are ours
        _exit_without_output(fault)
    except SystemExit as ended:
        try:
            sys.stdout.flush()
        except OSError as fault:
            _exit_without_output(fault)
        raise ended from None


def _exit_without_output(fault: OSError) -> NoReturn:
    """Exit when standard output cannot be written, with one error line at most."""
    if not isinstance(fault, BrokenPipeError):
        typer.echo(f"error: cannot write to standard output ({fault.strerror or fault})", err=True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(FAILED)
