"""How a kernel is compiled, and the array types that kernels take.

A kernel is a small function on plain arrays. It is compiled on first use and
cached on disk, so only the first run on a machine waits. Numba's cache looks
only at the file a kernel stands in; ours looks at all kernel sources, because
kernels call each other across files and a stale caller would be silently wrong.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
from numba.core import event as numba_event
from numpy.typing import NDArray

__all__ = ["Bools", "Bytes", "Floats", "Int32s", "Int64s", "UInt64s", "kernel", "on_compile"]

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
UInt64s = NDArray[np.uint64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]

P = ParamSpec("P")
R = TypeVar("R")


def _sources_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


_SOURCES = _sources_digest()


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile ``function`` with numba: no Python objects, no GIL, cached on disk."""
    compiled = numba.njit(cache=True, nogil=True)(function)
    cache_file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if cache_file is not None and hasattr(cache_file, "_source_stamp"):
        cache_file._source_stamp = _SOURCES
    return cast("Callable[P, R]", compiled)


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
