"""Compilation of kernels, and the array types that kernels take.

A kernel is a small function on plain arrays. Numba compiles it on first use and caches the
result on disk. Numba's own cache key covers only the file of a kernel, but compiled code
contains the kernels that it calls. The key used here covers the code of every kernel module
that the file imports, directly or indirectly. It ignores comments, docstrings and line numbers,
so an edit of prose or of an unrelated kernel compiles nothing.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
from numba.core import event as numba_event
from numba.core.caching import IndexDataCacheFile
from numba.core.dispatcher import Dispatcher
from numba.core.types.misc import unliteral
from numpy.typing import NDArray

from gossamer.source_digest import source_digest

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
UInt64s = NDArray[np.uint64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]

P = ParamSpec("P")
R = TypeVar("R")

KERNELS = Path(__file__).parent


class _CacheFile(IndexDataCacheFile):  # type: ignore[misc]
    """Cache file that counts as empty if it names types that no longer exist."""

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except (AttributeError, ImportError, EOFError, pickle.UnpicklingError):
            return {}


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile ``function`` with numba: no Python objects, no GIL, cached on disk."""
    compiled = numba.njit(cache=True, nogil=True)(function)
    if isinstance(compiled, Dispatcher):
        _forget_literals(compiled)
    cache = getattr(compiled, "_cache", None)  # None if NUMBA_DISABLE_JIT is set
    if cache is not None:
        path = Path(function.__code__.co_filename)
        name = f"{path.stem}.{function.__qualname__}.{sys.implementation.cache_tag}"
        cache._cache_file = _CacheFile(
            cache.cache_path, name, source_digest(path, KERNELS, "gossamer.kernels")
        )
    return cast("Callable[P, R]", compiled)


def _forget_literals(compiled: Any) -> None:
    """Compile a kernel that another one calls with a literal, such as 0, as for any number."""
    get_call_template = compiled.get_call_template

    def without_literals(args: Any, kws: dict[str, Any]) -> Any:
        plain = {name: unliteral(given) for name, given in kws.items()}
        return get_call_template(tuple(unliteral(given) for given in args), plain)

    compiled.get_call_template = without_literals


class _CompileListener(numba_event.Listener):  # type: ignore[misc]
    def __init__(self, announce: Callable[[], None]) -> None:
        self.announce = announce

    def on_start(self, event: Any) -> None:
        self.announce()

    def on_end(self, event: Any) -> None:
        pass


@contextmanager
def on_compile(announce: Callable[[], None]) -> Iterator[None]:
    """Call ``announce`` whenever a kernel is about to be compiled (not when it is cached)."""
    with numba_event.install_listener("numba:compile", _CompileListener(announce)):
        yield
