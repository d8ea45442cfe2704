"""The command line of this run, for a report that repeats it."""

from __future__ import annotations

import shlex

import typer

from gossamer.cli.algorithm_options import read_algorithm_options
from gossamer.cli.option_groups import is_given

NOT_REPEATED = ("quiet",)
"""Options that change nothing in a report."""


def typed_command(context: typer.Context) -> str:
    """Return the command with the options that were given, without defaults.

    Arguments come first, and options of an algorithm last.
    """
    arguments: list[str] = []
    options: list[str] = []
    for parameter in context.command.params:
        name = parameter.name
        if name is None or not is_given(context, name):
            continue
        value = context.params[name]
        if name in NOT_REPEATED:
            continue
        if parameter.param_type_name == "argument":
            arguments.append(str(value))
        elif value is True:
            options.append(parameter.opts[0])
        elif value is not False:
            for each in value if isinstance(value, list | tuple) else [value]:
                options += [parameter.opts[0], str(each)]
    for name, value in read_algorithm_options(context).items():
        options += [f"--{name}", value]
    return shlex.join(["gossamer", str(context.info_name), *arguments, *options])
