"""Messages name options that exist: those of the command itself, or of the command they advise."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from typer.main import get_command

import gossamer
from gossamer.cli.main import app
from gossamer.design import algorithms
from gossamer.maintain.strategies.registry import strategies
from gossamer.options import Options
from gossamer.pipeline.sources.registry import sources
from gossamer.protocols import protocols
from gossamer.workloads.registry import kinds
from tests.architecture.test_layers import nodes_of

SOURCE = Path(gossamer.__file__).parent
COMMANDS = get_command(app).commands  # type: ignore[attr-defined]
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
OF_OTHERS = ("--help", "--version", "--add-modules", "--list-modules")
"""Options of all commands, and of Java."""
WORDING = re.compile(r"\b(?:option|typed)\(([^()]*)\)")
KEYWORD = re.compile(r"(?:^[\"']|(?:^|, ))(\w+)(?==|[\"']$)")
ADVICE = re.compile(r"gossamer ([a-z]+)((?: [^:;,]*)?)")


def flags_of_command(name: str) -> set[str]:
    """Return the options that a command declares."""
    return {flag for one in COMMANDS[name].params for flag in (*one.opts, *one.secondary_opts)}


def flags_of_entries() -> set[str]:
    """Return the options of every algorithm, protocol, workload, source and strategy."""
    listed: list[Options] = [one.all_options for one in algorithms().values()]
    listed += [one.options for one in protocols().values()]
    listed += [one.options for one in kinds().values()]
    listed += [one.options for one in sources().values()]
    listed += [one.options for one in strategies().values()]
    return {option.flag for options in listed for option in options.listed}


@cache
def texts_of(path: Path) -> tuple[str, ...]:
    """Return the string constants of a module, docstrings left out."""
    described = {
        node.body[0].value
        for node in nodes_of(path)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return tuple(
        node.value
        for node in nodes_of(path)
        if isinstance(node, ast.Constant) and node not in described and isinstance(node.value, str)
    )


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_messages_of_a_command_name_options_that_it_has(name: str) -> None:
    known = flags_of_command(name) | flags_of_entries()
    for text in texts_of(SOURCE / "cli" / f"{name.replace('-', '_')}.py"):
        if "gossamer " not in text:
            assert set(FLAG.findall(text)) <= known, text


def test_messages_of_the_library_name_options_that_a_command_has() -> None:
    known = set().union(*map(flags_of_command, COMMANDS)) | flags_of_entries() | {*OF_OTHERS}
    for path in SOURCE.rglob("*.py"):
        for text in texts_of(path):
            if "--" in text:
                assert set(FLAG.findall(text)) <= known, f"{path.name}: {text}"


def test_options_in_the_words_of_the_reader_exist_on_the_command_line() -> None:
    known = set().union(*map(flags_of_command, COMMANDS)) | flags_of_entries()
    found = set()
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "from gossamer.wording import" in text:
            found |= {words for call in WORDING.findall(text) for words in KEYWORD.findall(call)}
    assert {"node_column", "header", "delimiter", "layout"} <= found
    assert {f"--{'no-' * (one == 'header')}{one.replace('_', '-')}" for one in found} <= known


def test_advised_commands_have_the_options_of_the_advice() -> None:
    for path in SOURCE.rglob("*.py"):
        for text in texts_of(path):
            for name, words in ADVICE.findall(text):
                if name in COMMANDS:
                    known = flags_of_command(name) | flags_of_entries()
                    assert set(FLAG.findall(words)) <= known, f"{path.name}: {text}"
