"""Benchmark: how soon the command answers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.harness import TINY, Case, Effort, Size, benchmark

__all__ = ["startup"]


@benchmark("startup", "Start-up of the command", sized=False)
def startup(effort: Effort) -> Iterator[Case]:
    """Time a command from start to end, beside an empty Python program."""
    command = str(Path(sys.executable).with_name("gossamer"))
    commands = {
        "python, nothing": [sys.executable, "-c", "pass"],
        "gossamer --help": [command, "--help"],
        "gossamer design --help": [command, "design", "--help"],
        "gossamer algorithms": [command, "algorithms"],
    }
    for subject, words in commands.items():
        yield Case(
            subject,
            TINY,
            _runs(words),
            against="python, nothing",
            statistic="median",
            runs=1 if effort == "tiny" else 9,
            patience=10.0,
            memory=False,
            clock="wall",
        )


def _runs(words: list[str]) -> Callable[[Size], Callable[[], None]]:
    def timed() -> None:
        subprocess.run(words, stdout=subprocess.DEVNULL, check=True)

    return lambda size: timed
