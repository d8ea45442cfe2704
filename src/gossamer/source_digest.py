"""Digest of a module's code and of all code that it imports.

Results that are kept on disk (compiled kernels, measurements of studies) are valid as long as the
code that made them has not changed. The digest covers the compiled code of a module and of every
module of a package that it imports, directly or indirectly. It ignores comments, the text of
docstrings and line numbers. A name imported from a package leads to the module that defines the
name, not to everything that the package imports; a registry leads to every module of its package,
or to those that the caller names.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

ROOT = Path(__file__).parent

_TYPING_ONLY = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+.*\n|\n)+", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*from ([\w.]+) import (?:\(([^)]*)\)|(.*))", re.MULTILINE)
_NAME = re.compile(r"(\w+)(?: as \w+)?\s*(?:,|$)", re.MULTILINE)
_REGISTRY = re.compile(r'\bRegistry\(\s*"[^"]*",\s*"([\w.]+)"')


@functools.cache
def source_digest(
    path: Path,
    root: Path = ROOT,
    package: str = "gossamer",
    registered: frozenset[str] | None = None,
    without: frozenset[str] = frozenset(),
) -> str:
    """Return the digest of a module.

    Parameters
    ----------
    path
        File of the module.
    root, package
        Folder and name of the package within which imports are followed.
    registered, without
        See :func:`modules_behind`.
    """
    modules = modules_behind(path, root, package, registered, without)
    digests = (_code_digest(module) for module in modules)
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def modules_behind(
    path: Path,
    root: Path = ROOT,
    package: str = "gossamer",
    registered: frozenset[str] | None = None,
    without: frozenset[str] = frozenset(),
) -> list[Path]:
    """Return the files of a module and of all modules that it imports, sorted.

    Parameters
    ----------
    path, root, package
        File of the module; folder and name of the package within which imports are followed.
    registered
        Files and folders to which registries lead, such as ``protocols/stan``; all if None.
    without
        Files and folders to which nothing leads.
    """
    modules, pending = {path}, [path]
    while pending:
        module = pending.pop()
        found = set(_imports(module, root, package))
        for one in _registered(module, root, package):
            if registered is None or _is_among(registered, one, root):
                found.add(one)
        for one in found - modules:
            if not _is_among(without, one, root):
                modules.add(one)
                pending.append(one)
    return sorted(modules)


def _is_among(names: frozenset[str], path: Path, root: Path) -> bool:
    """Whether a file, without its ending, or one of its folders is among some names."""
    place = path.relative_to(root).with_suffix("")
    return not names.isdisjoint(map(Path.as_posix, (place, *place.parents)))


@functools.cache
def _imports(path: Path, root: Path, package: str) -> frozenset[Path]:
    """Return the files of the package whose code a module imports."""
    found: set[Path | None] = set()
    for module, several, one in _IMPORT.findall(_source(path)):
        for name in _NAME.findall(several or one):
            found.add(_definition(module, name, root, package))
    return frozenset(one for one in found if one is not None)


@functools.cache
def _registered(path: Path, root: Path, package: str) -> frozenset[Path]:
    """Return the files of the packages whose modules the registries of a module import."""
    found: set[Path] = set()
    for listed in _REGISTRY.findall(_source(path)):
        home = _file(listed, root, package)
        if home is not None:
            found.update(home.parent.glob("*.py"), home.parent.glob("*/__init__.py"))
    return frozenset(found)


def _source(path: Path) -> str:
    return _TYPING_ONLY.sub("", path.read_text(encoding="utf-8"))


def _definition(module: str, name: str, root: Path, package: str) -> Path | None:
    """Return the file that defines an imported name; None outside the package."""
    home = _file(module, root, package)
    if home is None or home.name != "__init__.py":
        return home
    submodule = _file(f"{module}.{name}", root, package)
    if submodule is not None:
        return submodule
    for origin, several, one in _IMPORT.findall(home.read_text(encoding="utf-8")):
        if name in _NAME.findall(several or one) and origin != module:
            return _definition(origin, name, root, package)
    return home


def _file(module: str, root: Path, package: str) -> Path | None:
    """Return the file of a module of the package; None for any other module."""
    if module != package and not module.startswith(f"{package}."):
        return None
    place = root.joinpath(*module[len(package) + 1 :].split("."))
    found = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return found if found.is_file() else None


@functools.cache
def _code_digest(path: Path) -> str:
    source = path.read_text(encoding="utf-8")
    code = compile(source, path.name, "exec", dont_inherit=True, optimize=2)  # 2: no docstrings
    return hashlib.sha256(repr(list(_flatten(code))).encode()).hexdigest()


def _flatten(code: CodeType) -> Iterator[object]:
    """Yield what the behaviour of a code object depends on: no line numbers."""
    yield code.co_code, code.co_names, code.co_varnames
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _flatten(constant)
        elif isinstance(constant, frozenset):  # its order differs between processes
            yield sorted(map(repr, constant))
        else:
            yield constant
