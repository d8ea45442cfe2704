"""The command as it was typed, so that it can be typed again."""

from __future__ import annotations

import shlex

import typer

from gossamer.cli.algorithm_options import read_algorithm_options

__all__ = ["typed_command"]


def typed_command(context: typer.Context) -> str:
    """Return the command with everything that was given, and nothing that was left out.

    Options come after arguments, and own options last.
    """
    arguments: list[str] = []
    options: list[str] = []
    for parameter in context.command.params:
        name = parameter.name
        source = context.get_parameter_source(name) if name else None
        if name is None or source is None or source.name != "COMMANDLINE":
            continue
        value = context.params[name]
        if parameter.param_type_name == "argument":
            arguments.append(str(value))
        elif value is True:
            options.append(parameter.opts[0])
        elif value is not False:
            options += [parameter.opts[0], str(value)]
    for name, value in read_algorithm_options(context).items():
        options += [f"--{name}", value]
    return shlex.join(["gossamer", str(context.info_name), *arguments, *options])
