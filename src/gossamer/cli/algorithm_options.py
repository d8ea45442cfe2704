"""Options that belong to an algorithm or a kind of workload, not to the command.

``--rho 3`` and ``--rho=3`` are taken off the command line before the command's
own options are read, and handed on as text; whoever owns them validates them.
"""

from __future__ import annotations

import re
from typing import Any

import typer
from typer.core import TyperCommand

__all__ = ["OwnOptionsCommand", "own_options"]

KEY = "gossamer.own_options"


class OwnOptionsCommand(TyperCommand):
    """A command that keeps the options it does not know, instead of refusing them."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Set unknown ``--name value`` pairs aside, wherever they stand."""
        takes_value = {
            flag: not getattr(param, "is_flag", False)
            for param in self.get_params(ctx)
            for flag in (*param.opts, *param.secondary_opts)
            if flag.startswith("-")
        }
        found: dict[str, str] = {}
        kept: list[str] = []
        rest = list(args)
        while rest:
            word = rest.pop(0)
            flag, equals, value = word.partition("=")
            if word == "--":
                kept += [word, *rest]
                break
            if not word.startswith("--") or flag in takes_value:
                kept.append(word)
                if takes_value.get(word) and rest:
                    kept.append(rest.pop(0))
                continue
            if not equals and rest and not _is_option(rest[0]):
                value = rest.pop(0)  # else it has none, and its owner says if it needs one
            if flag[2:] in found:
                raise typer.BadParameter(f"{flag} is given twice", ctx=ctx)
            found[flag[2:]] = value
        ctx.meta[KEY] = found
        return super().parse_args(ctx, kept)


def own_options(context: typer.Context) -> dict[str, str]:
    """Return the options that were set aside, by name without the dashes."""
    found: dict[str, str] = context.meta.get(KEY, {})
    return found


def _is_option(word: str) -> bool:
    return word.startswith("-") and not re.match(r"-[.\d]", word)
