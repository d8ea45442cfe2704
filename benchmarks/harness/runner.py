"""Running a benchmark: cases in processes of their own, ratios within the same run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec

from benchmarks.harness.cases import Benchmark, Case, Effort, Measurement, Row
from benchmarks.harness.machine import one_thread

__all__ = ["BenchmarkError", "compare", "run_benchmark"]

ROOT = Path(__file__).resolve().parents[2]


class BenchmarkError(Exception):
    """A case that failed, or an alternative whose answer is not ours."""


def run_benchmark(benchmark: Benchmark, effort: Effort) -> list[Row]:
    """Run every case: one that needs it in a process of its own, the others in one together."""
    cases = list(benchmark.cases(effort))
    groups = [[place for place, case in enumerate(cases) if not case.alone]]
    groups += [[place] for place, case in enumerate(cases) if case.alone]
    found: dict[int, Measurement] = {}
    for places in filter(None, groups):
        found.update(zip(places, _in_process(benchmark.name, effort, places), strict=True))
    return compare(cases, [found[place] for place in range(len(cases))])


def compare(cases: list[Case], found: list[Measurement]) -> list[Row]:
    """Divide each time by that of the case it stands against, and check that answers agree."""
    by_key = {
        (case.subject, case.size): measured for case, measured in zip(cases, found, strict=True)
    }
    rows = []
    for case, measured in zip(cases, found, strict=True):
        ratio = None
        if case.against is not None:
            reference = by_key[case.against, case.size]
            ratio = measured.seconds / reference.seconds
            if case.same and reference.answer != measured.answer:
                raise BenchmarkError(
                    f"{case.subject} at {case.size} gives {measured.answer}, "
                    f"{case.against} gives {reference.answer}; they must agree"
                )
        rows.append(Row(case, measured, ratio))
    return rows


def _in_process(name: str, effort: Effort, places: list[int]) -> list[Measurement]:
    command = [sys.executable, "-m", "benchmarks.harness.worker", name, effort]
    done = subprocess.run(
        [*command, *map(str, places)],
        cwd=ROOT,
        env=one_thread(),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BenchmarkError(f"{name}: the last case named above failed")
    return msgspec.json.decode(done.stdout.splitlines()[-1], type=list[Measurement])
