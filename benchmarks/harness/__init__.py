"""Running benchmarks: what a case is, how it is timed, and how results are shown."""

from benchmarks.harness.cases import (
    TINY,
    Benchmark,
    Case,
    Effort,
    Excerpt,
    Row,
    Size,
    benchmark,
    benchmarks,
    find_benchmark,
)

__all__ = [
    "TINY",
    "Benchmark",
    "Case",
    "Effort",
    "Excerpt",
    "Row",
    "Size",
    "benchmark",
    "benchmarks",
    "find_benchmark",
]
