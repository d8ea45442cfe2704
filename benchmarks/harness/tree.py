"""A command and everything that it starts: how long it takes, and the most memory all hold."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["Watched", "watch"]

SECONDS_BETWEEN_LOOKS = 0.25
PROCESSES = Path("/proc")


class Watched(NamedTuple):
    """What a command printed, its seconds on the wall, and the peak of its process tree.

    Memory that processes share is counted once (each one's proportional share).
    """

    printed: str
    seconds: float
    peak_bytes: int


def watch(command: Sequence[str]) -> Watched:
    """Run a command to its end; raise :class:`subprocess.CalledProcessError` if it fails."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    peak = 0
    finished = threading.Event()

    def look() -> None:
        nonlocal peak
        while not finished.wait(SECONDS_BETWEEN_LOOKS):
            peak = max(peak, sum(map(_share_of, _family(process.pid))))

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    printed, complained = process.communicate()
    seconds = time.perf_counter() - begun
    finished.set()
    looking.join()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, printed, complained)
    return Watched(printed, seconds, peak)


def _family(root: int) -> list[int]:
    """Return a process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for place in PROCESSES.iterdir():
        if place.name.isdigit():
            try:
                fields = (place / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            children.setdefault(int(fields[1]), []).append(int(place.name))
    found, waiting = [], [root]
    while waiting:
        process = waiting.pop()
        found.append(process)
        waiting += children.get(process, [])
    return found


def _share_of(process: int) -> int:
    try:
        for line in (PROCESSES / str(process) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0
