"""Benchmark: the wait before an algorithm's first result, with and without compiled kernels."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator

from benchmarks.harness import TINY, Case, Effort, Size, benchmark
from gossamer.design import algorithms

__all__ = ["compile_time"]

RUN = """
from gossamer.design import find_algorithm
from gossamer.model import Interests
table = {node: [(node + step) % 6 for step in (0, 1, 3)] for node in range(12)}
overlay = find_algorithm("NAME")(Interests.from_lists(table))
"""
ASSESS = """
from gossamer.model import Interests, Overlay
from gossamer.quality import assess
table = {node: [(node + step) % 6 for step in (0, 1, 3)] for node in range(12)}
assess(Interests.from_lists(table), Overlay.from_links(12, [(0, 1), (1, 2), (0, 2)]))
"""
GENERATE = """
from gossamer.workloads import generate_interests
generate_interests("rss", nodes=12, topics=6, subscriptions=3)
"""


@benchmark("compile-time", "The first run on a machine", sized=False)
def compile_time(effort: Effort) -> Iterator[Case]:
    """Design for a table of 12 nodes, with all kernels to compile and with none."""
    names = list(algorithms())
    if effort in ("tiny", "quick"):
        names = ["ring-per-topic"] if effort == "tiny" else ["greedy-merge", "cd-oda-2"]
    scripts = {name: RUN.replace("NAME", name) for name in names}
    if effort != "tiny":
        scripts |= {"assess": ASSESS, "workload": GENERATE}
    for subject, script in scripts.items():
        yield Case(
            subject,
            TINY,
            _kept(script),
            memory=False,
            runs=2,
            patience=30.0,
            warm=False,
            clock="wall",
        )
        yield Case(
            f"{subject}, nothing compiled", TINY, _fresh(script), against=subject,
            memory=False, runs=1, warm=False, clock="wall",
        )  # fmt: skip


def _kept(script: str) -> Callable[[Size], Callable[[], None]]:
    return lambda size: lambda: _run(script, {})


def _fresh(script: str) -> Callable[[Size], Callable[[], None]]:
    def timed() -> None:
        with tempfile.TemporaryDirectory() as folder:
            _run(script, {"NUMBA_CACHE_DIR": folder})

    return lambda size: timed


def _run(script: str, variables: dict[str, str]) -> None:
    subprocess.run([sys.executable, "-c", script], env={**os.environ, **variables}, check=True)
