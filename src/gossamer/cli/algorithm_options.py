"""Options of an algorithm, a protocol or a kind of workload, which no command declares.

``--rho 3`` and ``--rho=3`` are removed from the command line before Typer reads the options
that the command declares. They stay text until the registry entry that has them parses them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

from gossamer.column_names import similar_name
from gossamer.errors import ParameterError, UnknownOptionError

if TYPE_CHECKING:
    from gossamer.options import Options

KEY = "gossamer.algorithm_options"


class AlgorithmOptionsCommand(TyperCommand):
    """A command that accepts options it does not declare."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Collect undeclared ``--name value`` pairs at any position, then parse the others."""
        takes_value = {
            flag: not getattr(param, "is_flag", False)
            for param in self.get_params(ctx)
            for flag in (*param.opts, *param.secondary_opts)
            if flag.startswith("-")
        }
        found: dict[str, str] = {}
        declared: list[str] = []
        rest = list(args)
        while rest:
            word = rest.pop(0)
            flag, equals, value = word.partition("=")
            if word == "--":
                declared += [word, *rest]
                break
            if not word.startswith("--") or flag in takes_value:
                declared.append(word)
                if takes_value.get(word) and rest:
                    declared.append(rest.pop(0))
                continue
            if not equals and rest and not _is_option(rest[0]):
                value = rest.pop(0)  # an option without a value is rejected by its parser
            if flag[2:] in found:
                raise typer.BadParameter(f"{flag} is given twice", ctx=ctx)
            found[flag[2:]] = value
        ctx.meta[KEY] = found
        return super().parse_args(ctx, declared)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; an unknown option may be one of the command, nearly."""
        try:
            return super().invoke(ctx)
        except UnknownOptionError as fault:
            typed = fault.keyword.replace("_", "-")
            own = [keyword.replace("_", "-") for keyword in fault.known]
            flags = [flag[2:] for one in self.params for flag in one.opts if flag[:2] == "--"]
            similar = similar_name(typed, [*own, *(flag for flag in flags if flag not in own)])
            given = {name.replace("_", "-") for name in read_algorithm_options(ctx)}
            if typed not in given or similar is None or similar in own:
                raise
            start, _, end = str(fault).partition("; ")
            text = f"{start}; did you mean --{similar}? {end.partition('? ')[2] or end}"
            raise ParameterError(text) from None


def read_algorithm_options(context: typer.Context) -> dict[str, str]:
    """Return the undeclared options as text, by name without dashes."""
    found: dict[str, str] = context.meta.get(KEY, {})
    return found


def divide(
    given: Mapping[str, str], first: Options, second: Options | None
) -> tuple[dict[str, str], dict[str, str]]:
    """Divide options between two registry entries; the first gets unknown and shared names."""
    names: set[str] = set()
    if second is not None:
        names = {one.flag[2:] for one in second.listed} - {one.flag[2:] for one in first.listed}
    return (
        {name: text for name, text in given.items() if name not in names},
        {name: text for name, text in given.items() if name in names},
    )


def divide_options(
    context: typer.Context, spec: str, options: Options, workload: str | None
) -> tuple[dict[str, Any], dict[str, str]]:
    """Divide undeclared options between an algorithm or protocol and a kind of workload.

    Parameters
    ----------
    context
        Command that runs.
    spec, options
        Algorithm or protocol, as in ``low-oda:rho=5``, and its options; it gets a name that both
        have.
    workload
        Kind of workload, as in ``zipf:alpha=0.8``, if there is one.

    Returns
    -------
    tuple
        Values of the options of the algorithm or protocol, and text of those of the workload.
    """
    from gossamer.options import split_spec
    from gossamer.workloads import find_kind

    of_kind = None if workload is None else find_kind(split_spec(workload)[0]).options
    own, others = divide(read_algorithm_options(context), options, of_kind)
    return options.parse(split_spec(spec, own)[1]), others


def _is_option(word: str) -> bool:
    return word.startswith("-") and not re.match(r"-[.\d]", word)
