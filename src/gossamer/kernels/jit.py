"""Compilation of kernels, and the array types that kernels take.

A kernel is a small function on plain arrays. Numba compiles it on first use and caches the
result on disk. Numba's own cache key covers only the file of a kernel, but compiled code
contains the kernels that it calls. The key used here covers the code of every kernel module
that the file imports, directly or indirectly. It ignores comments, docstrings and line numbers,
so an edit of prose or of an unrelated kernel compiles nothing.
"""

from __future__ import annotations

import functools
import hashlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
from numba.core import event as numba_event
from numba.core.caching import IndexDataCacheFile
from numpy.typing import NDArray

__all__ = [
    "Bools",
    "Bytes",
    "Floats",
    "Int32s",
    "Int64s",
    "UInt64s",
    "kernel",
    "on_compile",
    "source_stamp",
]

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
UInt64s = NDArray[np.uint64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]

P = ParamSpec("P")
R = TypeVar("R")

KERNELS = Path(__file__).parent
_IMPORTS = re.compile(r"^from gossamer\.kernels\.([\w.]+) import", re.MULTILINE)


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile ``function`` with numba: no Python objects, no GIL, cached on disk."""
    compiled = numba.njit(cache=True, nogil=True)(function)
    cache = getattr(compiled, "_cache", None)  # None if NUMBA_DISABLE_JIT is set
    if cache is not None:
        path = Path(function.__code__.co_filename)
        name = f"{path.stem}.{function.__qualname__}.{sys.implementation.cache_tag}"
        cache._cache_file = IndexDataCacheFile(cache.cache_path, name, source_stamp(path))
    return cast("Callable[P, R]", compiled)


@functools.cache
def source_stamp(path: Path, root: Path = KERNELS) -> str:
    """Return a digest of the code of a module and of all kernel modules that it imports."""
    modules, pending = {path}, [path]
    while pending:
        for imported in _read(pending.pop(), root)[1]:
            if imported not in modules:
                modules.add(imported)
                pending.append(imported)
    digests = (_read(module, root)[0] for module in sorted(modules))
    return hashlib.sha256("".join(digests).encode()).hexdigest()


@functools.cache
def _read(path: Path, root: Path) -> tuple[str, list[Path]]:
    """Return the digest of a module's code and the paths of the kernel modules it imports."""
    source = path.read_text()
    code = compile(source, path.name, "exec", dont_inherit=True, optimize=2)  # 2: no docstrings
    digest = hashlib.sha256(repr(list(_flatten(code))).encode()).hexdigest()
    return digest, [root / f"{name.replace('.', '/')}.py" for name in _IMPORTS.findall(source)]


def _flatten(code: CodeType) -> Iterator[object]:
    """Yield what the behaviour of a code object depends on: no line numbers."""
    yield code.co_code, code.co_names, code.co_varnames
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _flatten(constant)
        else:
            yield constant


class _CompileListener(numba_event.Listener):  # type: ignore[misc]
    def __init__(self, announce: Callable[[], None]) -> None:
        self.announce = announce

    def on_start(self, event: Any) -> None:
        self.announce()

    def on_end(self, event: Any) -> None:
        pass


def on_compile(announce: Callable[[], None]) -> None:
    """Call ``announce`` whenever a kernel is about to be compiled (not when it is cached)."""
    numba_event.register("numba:compile", _CompileListener(announce))
