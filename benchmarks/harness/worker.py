"""One process that runs some cases of one benchmark and prints what it measured, as JSON."""

from __future__ import annotations

import gc
import statistics
import sys
import time

import msgspec

from benchmarks.harness.cases import TINY, Case, Effort, Measurement, find_benchmark
from benchmarks.harness.machine import memory_now, peak_memory, use_one_core

__all__ = ["measure", "run_cases"]


def measure(case: Case) -> Measurement:
    """Run a case as often as it asks for.

    Memory is counted from what the process holds when everything is imported, compiled
    and loaded; so it includes the input.
    """
    if case.warm:
        case.prepare(TINY)()
    if case.alone:
        gc.collect()
    held = memory_now()
    timed = case.prepare(case.size)
    seconds: list[float] = []
    result = None
    clock = time.process_time if case.clock == "process" else time.perf_counter
    while len(seconds) < case.runs and sum(seconds) < case.patience:
        result = None
        start = clock()
        result = timed()
        seconds.append(clock() - start)
    peak = max(peak_memory() - held, 0)
    return Measurement(
        seconds=min(seconds) if case.statistic == "best" else statistics.median(seconds),
        runs=len(seconds),
        peak_bytes=peak if case.alone else None,
        answer=case.answer(result) if case.answer else None,
    )


def run_cases(name: str, effort: Effort, places: list[int]) -> list[Measurement]:
    """Measure the cases at these places of a benchmark's list, in this process."""
    cases = list(find_benchmark(name).cases(effort))
    found = []
    for place in places:
        case = cases[place]
        size = f" at {case.size}" if case.size != TINY else ""
        print(f"· {name}: {case.subject}{size}", file=sys.stderr, flush=True)
        found.append(measure(case))
    return found


def main(arguments: list[str]) -> None:
    """Run ``NAME EFFORT PLACE...``."""
    name, effort, *places = arguments
    use_one_core()
    found = run_cases(name, msgspec.convert(effort, Effort), [int(place) for place in places])
    sys.stdout.write("\n" + msgspec.json.encode(found).decode() + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
