"""Pages of the Reference for the commands, from the command line itself."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from typer.main import get_command

from gossamer.cli.main import app

KINDS = {int: "INTEGER", float: "NUMBER", str: "TEXT", Path: "PATH"}


def command_pages() -> Iterator[tuple[str, str]]:
    """Yield name and text of a page for each command, and of their list."""
    commands: dict[str, Any] = vars(get_command(app))["commands"]
    yield "commands", _list_of(commands)
    for name, command in commands.items():
        yield f"commands/{name}", _page(name, command)


def _list_of(commands: dict[str, Any]) -> str:
    lines = [
        "# Commands", "",
        "`gossamer COMMAND --help` prints the same text in a terminal. Exit codes: 0 for success, "
        "2 for wrong input, 1 for another error, 130 for an interruption. An error is one line on "
        "standard error.", "",
        "| command | purpose |", "| --- | --- |",
    ]  # fmt: skip
    for name, command in commands.items():
        purpose = _paragraphs(command.help)[0]
        lines.append(f"| [`{name}`](commands/{name}.md) | {purpose} |")
    hidden = "\n".join(f"commands/{name}" for name in commands)
    return "\n".join([*lines, "", "```{toctree}", ":hidden:", "", hidden, "```", ""])


def _page(name: str, command: Any) -> str:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option"]
    usage = [f"gossamer {name}", *map(_usage_of, arguments), "[OPTIONS]"]
    examples = [line for line in command.epilog.splitlines() if line.startswith("gossamer")]
    lines = [f"# gossamer {name}", "", *_separated(_paragraphs(command.help))]
    lines += ["```text", " ".join(usage), "```", ""]
    lines += ["## Examples", "", "```sh", *examples, "```", ""]
    lines += [f"```{{program}} gossamer {name}", "```", ""]
    if arguments:
        lines += ["## Arguments", ""]
        for one in arguments:
            lines += [f"`{one.name.upper()}`", f": {_sentence(one)}", ""]
    panels: dict[str, list[Any]] = {}
    for one in options:
        if not one.hidden:
            panels.setdefault(one.rich_help_panel or "Options", []).append(one)
    for panel, listed in panels.items():
        lines += [f"## {panel}", ""]
        for one in listed:
            lines += [f"```{{option}} {_forms(one)}", _sentence(one), "```", ""]
    return "\n".join(lines)


def _usage_of(argument: Any) -> str:
    name = argument.name.upper() + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _forms(option: Any) -> str:
    """Return the flags of an option and what stands for its value."""
    flags = [*option.opts, *option.secondary_opts]
    if option.is_flag:
        return ", ".join(flags)
    return ", ".join(f"{flag} {_value_of(option)}" for flag in flags)


def _value_of(option: Any) -> str:
    kind = option.type_descriptor.annotation
    if option.metavar:
        return str(option.metavar)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "|".join(str(one.value) for one in kind)
    return KINDS.get(kind, "TEXT")


def _sentence(parameter: Any) -> str:
    """Return the help of a parameter, with its default and whether it is required."""
    text = _markdown(parameter.help or "")
    default = parameter.default
    default = default.value if isinstance(default, Enum) else default
    if parameter.param_type_name == "option" and parameter.required:
        text += " Required."
    elif parameter.show_default and default is not None and not isinstance(default, bool):
        text += f" Default: `{default}`."
    return text


def _paragraphs(text: str) -> list[str]:
    return [_markdown(part) for part in textwrap.dedent(text or "").split("\n\n")]


def _separated(paragraphs: list[str]) -> list[str]:
    return [line for paragraph in paragraphs for line in (paragraph, "")]


def _markdown(text: str) -> str:
    """Mark options and quoted words as code, and escape what Markdown would read as a mark."""
    text = text.replace("\b", "").replace("|", "\\|").replace("*", "\\*").replace("<", "\\<")
    return re.sub(r"(?<![\w`-])(--[a-z][\w-]*)", r"`\1`", text)
