"""Size of modules and names of classes."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from tests.architecture.test_layers import MODULES, SOURCE

MAX_LINES = 500
MAX_COMMAND_LINES = 120
VAGUE = {"utils", "helpers", "common", "misc", "manager"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_modules_have_a_docstring_and_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(text)), "a module's docstring says what is in it"
    assert len(text.splitlines()) <= MAX_LINES, "split the module: it holds two ideas"
    assert path.stem not in VAGUE


def test_commands_are_thin() -> None:
    commands = [path for path in MODULES if path.parent == SOURCE / "cli"]
    long = [
        path.stem
        for path in commands
        if "\nEXAMPLES" in (text := path.read_text(encoding="utf-8"))
        and len(text.splitlines()) > MAX_COMMAND_LINES
    ]
    assert not long, "what a command checks or computes is in the library"


def test_each_class_name_stands_for_one_class() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path.relative_to(SOURCE)))
    shared = {name: found for name, found in places.items() if len(found) > 1}
    assert not shared
