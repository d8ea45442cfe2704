"""What a benchmark is: a list of cases, each a thing to time at one size.

A benchmark is a function in a module of ``benchmarks``, marked with :func:`benchmark`, that
gives its cases for an effort. Nothing is run here.
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
    "Measurement",
    "Row",
    "Size",
    "benchmark",
    "benchmarks",
    "find_benchmark",
]

Effort = Literal["tiny", "quick", "full", "large"]
"""``tiny`` shows that it runs; ``quick`` is about a minute in all; ``large`` takes long."""


MIN_WATCHED = 50_000
"""Subscriptions from which on the memory of a case is worth watching."""


class Size(NamedTuple):
    """How much there is to do: nodes, topics, and subscriptions a node."""

    nodes: int
    topics: int
    subscriptions: int

    def __str__(self) -> str:
        return f"{self.nodes:,} × {self.topics:,} × {self.subscriptions:,}"


TINY = Size(30, 8, 3)
"""What is run before the clock starts, so that everything is compiled and loaded."""


@dataclass(frozen=True)
class Case:
    """One thing to time at one size.

    Attributes
    ----------
    subject
        What is timed, in a word or two.
    size
        Given to ``prepare``, which returns what is timed; making the input is not.
    against
        The subject, at the same size, that this one's time is divided by.
    answer
        Says in a few words what came out, so that times are seen to buy the same thing.
    same
        Whether the answer must be that of ``against``; a run in which it is not fails.
    runs
        At most so many, and none is begun when ``patience`` seconds are over.
    statistic
        Which of the runs counts.
    clock
        ``process`` counts what this process computes, all threads together, so that others
        on the machine disturb little; ``wall`` is for work that other processes do.
    warm
        Whether it is run at the tiny size before the clock starts.
    memory
        Whether the peak of the process says anything about it.
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
        """Whether it gets a process of its own, to see how much memory it takes."""
        return self.memory and self.size.nodes * self.size.subscriptions >= MIN_WATCHED


class Measurement(msgspec.Struct, frozen=True):
    """What running a case gave: seconds, the peak above the start, and the answer."""

    seconds: float
    runs: int
    peak_bytes: int | None
    answer: str | None


@dataclass(frozen=True)
class Row:
    """A case that was run, and its time as a multiple of what it is compared with."""

    case: Case
    measurement: Measurement
    ratio: float | None


@dataclass(frozen=True)
class Benchmark:
    """Cases that belong together, and how to show them where a row for each is not best.

    Attributes
    ----------
    name, title, about
        As on the command line, as a heading, and in a paragraph.
    cases
        Gives the cases for an effort.
    sized
        Whether sizes mean anything here.
    tabulate
        Makes a header and rows of text of the results, instead of a row for each case.
    draw
        Draws a picture below the folder of the page, and returns its path from there.
    """

    name: str
    title: str
    about: str
    cases: Callable[[Effort], Iterator[Case]]
    sized: bool
    tabulate: Callable[[list[Row]], list[list[str]]] | None
    draw: Callable[[list[Row], Path], str] | None


REGISTRY: Registry[Benchmark] = Registry("benchmark", "benchmarks")
Cases = Callable[[Effort], Iterator[Case]]


def benchmark(
    name: str,
    title: str,
    *,
    sized: bool = True,
    tabulate: Callable[[list[Row]], list[list[str]]] | None = None,
    draw: Callable[[list[Row], Path], str] | None = None,
) -> Callable[[Cases], Cases]:
    """Mark a function as the benchmark of that name; its docstring is shown above the table."""

    def register(function: Cases) -> Cases:
        about = " ".join((function.__doc__ or "").split())
        REGISTRY.add(name, Benchmark(name, title, about, function, sized, tabulate, draw))
        return function

    return register


def benchmarks() -> dict[str, Benchmark]:
    """Return every benchmark by name, in alphabetical order."""
    return REGISTRY.all()


def find_benchmark(name: str) -> Benchmark:
    """Return the benchmark of that name, or say which there are."""
    return REGISTRY.find(name)
