"""Size of modules and names of classes."""

from __future__ import annotations

import ast
from collections import defaultdict

from tests.architecture.test_layers import MODULES, SOURCE, nodes_of

MAX_LINES = 500
MAX_COMMAND_LINES = 120
VAGUE = {"utils", "helpers", "common", "misc", "manager"}


def test_modules_have_a_docstring_and_stay_small() -> None:
    for path in MODULES:
        name = str(path.relative_to(SOURCE))
        module = nodes_of(path)[0]
        assert isinstance(module, ast.Module)
        assert ast.get_docstring(module), f"{name}: a module's docstring says what is in it"
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= MAX_LINES, f"split {name}: it holds two ideas"
        assert path.stem not in VAGUE, name


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
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path.relative_to(SOURCE)))
    shared = {name: found for name, found in places.items() if len(found) > 1}
    assert not shared
