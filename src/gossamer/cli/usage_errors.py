"""Errors in the use of a command, in one line: what was given, and what was expected."""

from __future__ import annotations

import re
from typing import Any

import typer

from gossamer.column_names import NUMBER

UsageError: Any = typer.BadParameter.__base__
"""Wrong use of a command: an unknown option, a missing argument, a value of another type."""

EXPECTED = {
    r"^Value error, .* is not one of (.*)$": r"expected one of \1",
    r"^Input should be greater than or equal to (\S+)$": r"expected \1 or more",
    r"^Input should be less than or equal to (\S+)$": r"expected \1 or less",
    r"^Input should be a valid integer.*$": "expected a whole number",
    r"^Input should be a valid number.*$": "expected a number",
    r"^Input should be ": "expected ",
}
"""Patterns of the reasons for a bad value, each with the words of other errors in its place."""


def explain_usage(fault: Any) -> str:
    """Return a usage error in one line, with the command that explains the use.

    Examples
    --------
    >>> explain_usage(UsageError("Missing argument 'subscriptions'."))
    "missing argument 'subscriptions'"
    """
    text = " ".join(fault.format_message().split()).rstrip(".")
    cause = fault.__cause__ or fault.__context__
    parameter = getattr(fault, "param", None)
    if parameter is not None and hasattr(cause, "errors"):
        given, said = str(cause.errors()[0]["input"]), text.partition(": ")[2]
        for pattern, words in EXPECTED.items():
            said = re.sub(pattern, words, said)
        name = parameter.opts[-1] if parameter.param_type_name == "option" else parameter.name
        shown = given if NUMBER.fullmatch(given) else repr(given)
        text = f"{name} is {shown}; {said}"
    else:
        text = text[:1].lower() + text[1:]
    context = getattr(fault, "ctx", None)
    if context is not None and text.startswith("got unexpected extra argument"):
        text += _example_of(context.command)
    return f"{text}; see: {context.command_path} --help" if context is not None else text


def _example_of(command: Any) -> str:
    """Return the first example of a command, in the help below its options."""
    examples = [one for one in str(command.epilog or "").split("\n\n") if "gossamer " in one]
    return f"; expected arguments as in: {examples[0]}" if examples else ""
