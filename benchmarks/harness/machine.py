"""One core, how much memory a process has had, and what machine this is."""

from __future__ import annotations

import os
import platform
import resource
import sys
from importlib.metadata import version
from pathlib import Path

__all__ = ["describe_machine", "memory_now", "one_thread", "peak_memory", "use_one_core"]

STATUS = Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")
THREADS = (
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "ARROW_NUM_THREADS",
)


def one_thread() -> dict[str, str]:
    """Return the environment of a process whose libraries use one thread."""
    return {**os.environ, **dict.fromkeys(THREADS, "1")}


def use_one_core() -> None:
    """Keep this process on one core, where the system can."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def memory_now() -> int:
    """Return the bytes held now, and let the peak start again from here where that is possible.

    The peak is the process's own: ``ru_maxrss`` would begin with what the parent held.
    """
    try:
        CLEAR.write_text("5")
        return _status("VmRSS")
    except OSError:
        return peak_memory()


def peak_memory() -> int:
    """Return the most bytes this process has held."""
    try:
        return _status("VmHWM")
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _status(field: str) -> int:
    for line in STATUS.read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise OSError(f"{STATUS} has no {field}")


def describe_machine() -> str:
    """Return the processor and the versions that times depend on."""
    versions = ", ".join(
        f"{name} {version(name)}" for name in ("numba", "numpy", "scipy", "networkx", "pyarrow")
    )
    return (
        f"{_processor()}, {os.cpu_count()} cores of which one is used; "
        f"{platform.system()}, Python {platform.python_version()}, {versions}"
    )


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
