"""Benchmarks: lists of cases, each of which is timed at one size.

A benchmark is a function in a module of ``benchmarks``, marked with :func:`benchmark`, that
yields its cases for an effort. Nothing runs here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from gossamer.registry import Registry

__all__ = [
    "TINY",
    "Benchmark",
    "Case",
    "Effort",
    "Excerpt",
    "Measurement",
    "Row",
    "Size",
    "benchmark",
    "benchmarks",
    "find_benchmark",
]

Effort = Literal["tiny", "quick", "full", "large"]
"""``tiny`` only checks that cases run; ``quick`` takes about a minute in all."""


MIN_WATCHED = 50_000
"""Subscriptions from which the memory of a case is measured."""


class Size(NamedTuple):
    """Size of an input: nodes, topics, and subscriptions a node."""

    nodes: int
    topics: int
    subscriptions: int

    def __str__(self) -> str:
        return f"{self.nodes:,} × {self.topics:,} × {self.subscriptions:,}"


TINY = Size(30, 8, 3)
"""Size of the run before the clock starts, which compiles and loads everything."""


@dataclass(frozen=True)
class Case:
    """A subject at one size.

    Attributes
    ----------
    subject
        Name of the subject.
    size
        Argument of ``prepare``, which returns the function to time.
    against
        Subject of the same size whose time divides this one's.
    answer
        Function that summarises the result in a few words.
    same
        Whether the answer must equal that of ``against``.
    runs
        Maximum number of runs; none starts after ``patience`` seconds.
    statistic
        Run that counts.
    clock
        ``process``: processor time of all threads; ``wall``: wall-clock time, for work of other
        processes.
    warm
        Whether it runs at the tiny size before the clock starts.
    memory
        Whether the peak memory of the process is meaningful.
    """

    subject: str
    size: Size
    prepare: Callable[[Size], Callable[[], Any]]
    against: str | None = None
    answer: Callable[[Any], str] | None = None
    same: bool = False
    runs: int = 5
    patience: float = 2.0
    statistic: Literal["best", "median"] = "best"
    clock: Literal["process", "wall"] = "process"
    warm: bool = True
    memory: bool = True

    @property
    def alone(self) -> bool:
        """Whether it runs in a process of its own, to measure its memory."""
        return self.memory and self.size.nodes * self.size.subscriptions >= MIN_WATCHED


class Measurement(msgspec.Struct, frozen=True):
    """Seconds, peak memory above the start, and answer of a case."""

    seconds: float
    runs: int
    peak_bytes: int | None
    answer: str | None


@dataclass(frozen=True)
class Row:
    """A case with its measurement and ratio."""

    case: Case
    measurement: Measurement
    ratio: float | None


@dataclass(frozen=True)
class Excerpt:
    """What a page shows of a table; the data file beside the page has all of it.

    Attributes
    ----------
    rows
        Subjects, each at the largest size at which it was measured; ``None`` for all.
    columns
        Columns by header; those that the table does not have are ignored.
    """

    rows: tuple[str, ...] | None = None
    columns: tuple[str, ...] = ("size", "what", "seconds", "ratio", "peak MiB")


@dataclass(frozen=True)
class Benchmark:
    """A group of cases, and the functions that present them.

    Attributes
    ----------
    name, title, about
        Name on the command line, heading, and introduction.
    cases
        Function that yields the cases of an effort.
    sized
        Whether the size is shown.
    tabulate
        Function that returns a header and rows of text, instead of a row for each case.
    draw
        Function that draws a picture below the folder of the page, and returns its path there.
    excerpt
        What the page shows of the table.
    """

    name: str
    title: str
    about: str
    cases: Callable[[Effort], Iterator[Case]]
    sized: bool
    tabulate: Callable[[list[Row]], list[list[str]]] | None
    draw: Callable[[list[Row], Path], str] | None
    excerpt: Excerpt | None


REGISTRY: Registry[Benchmark] = Registry("benchmark", "benchmarks")
Cases = Callable[[Effort], Iterator[Case]]


def benchmark(
    name: str,
    title: str,
    *,
    sized: bool = True,
    tabulate: Callable[[list[Row]], list[list[str]]] | None = None,
    draw: Callable[[list[Row], Path], str] | None = None,
    excerpt: Excerpt | None = None,
) -> Callable[[Cases], Cases]:
    """Register a function as a benchmark; its docstring is the introduction."""

    def register(function: Cases) -> Cases:
        about = " ".join((function.__doc__ or "").split())
        entry = Benchmark(name, title, about, function, sized, tabulate, draw, excerpt)
        REGISTRY.add(name, entry, function)
        return function

    return register


def benchmarks() -> dict[str, Benchmark]:
    """Return every benchmark by name, in alphabetical order."""
    return REGISTRY.all()


def find_benchmark(name: str) -> Benchmark:
    """Return the benchmark with this name; an unknown name raises an error that lists all."""
    return REGISTRY.find(name)
