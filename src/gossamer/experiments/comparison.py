"""Comparison of design algorithms on the same interests: one row an algorithm.

Each algorithm runs once, is timed and assessed. The lower bound of the mean degree is computed
once for all of them.
"""

from __future__ import annotations

import importlib.metadata
import math
import os
import platform
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from gossamer import quality
from gossamer.errors import GossamerError
from gossamer.experiments.candidates import Candidate, parse_candidates, parse_protocols
from gossamer.model import Interests
from gossamer.model.interests import check_interests
from gossamer.progress import Progress, silent
from gossamer.results import Result, Table
from gossamer.tables.schema import COMPARISON, DEGREES, DIAMETERS
from gossamer.version import __version__

Distribution = Mapping[int, int]
"""Count of each value, in order of the values."""


@dataclass(frozen=True, repr=False)
class ComparisonRow(Result):
    """Measures of one algorithm.

    Attributes
    ----------
    algorithm
        Name with the given options.
    mean_degree, max_degree, p95_degree
        Degrees over all nodes.
    links
        Number of links.
    topics_connected, topics
        Number of topics whose subscribers are connected among themselves, and of all topics.
    max_diameter, mean_diameter
        Topic diameters in hops.
    seconds
        Time of the design alone, without compilation.
    ratio_to_lower_bound
        Mean degree as a multiple of the lower bound; None if the bound is 0, or if some topic
        is disconnected, since the bound is for overlays that connect all topics.
    degrees
        Number of nodes of each degree.
    diameters
        Number of topics of each diameter, among those with two or more subscribers.
    """

    BRIEF: ClassVar = ("algorithm", "mean_degree", "max_degree", "max_diameter")

    algorithm: str
    mean_degree: float
    max_degree: int
    p95_degree: int
    links: int
    topics_connected: int
    topics: int
    max_diameter: int
    mean_diameter: float
    seconds: float
    ratio_to_lower_bound: float | None
    degrees: Distribution = field(default_factory=dict, repr=False, hash=False)
    diameters: Distribution = field(default_factory=dict, repr=False, hash=False)

    @classmethod
    def of(cls, label: str, found: Any, seconds: float, **more: Any) -> ComparisonRow:
        """Return the row of an assessment, from memory or from Spark."""
        return cls(
            algorithm=label,
            mean_degree=found.mean_degree,
            max_degree=found.max_degree,
            p95_degree=found.p95_degree,
            links=found.links,
            topics_connected=found.topics_connected,
            topics=found.topics,
            max_diameter=found.max_diameter,
            mean_diameter=found.mean_diameter,
            seconds=seconds,
            **more,
        )

    @property
    def topic_connected(self) -> bool:
        """Whether every topic is connected."""
        return self.topics_connected == self.topics

    def summary(self) -> dict[str, Any]:
        """Return the measures by name."""
        return {name: getattr(self, name) for name in COMPARISON.column_names}


@dataclass(frozen=True)
class Origin:
    """Origin of a comparison, sufficient to reproduce it.

    Attributes
    ----------
    title
        Heading of its page.
    command
        Command, or call from Python, that made it.
    seed
        Seed of the random number generator.
    versions
        Versions of this tool, of Python, and of the libraries that results depend on.
    table
        File of the subscriptions with its format options, as they are typed after a command;
        empty if it is not known.
    """

    title: str = "Overlay algorithms side by side"
    command: str = ""
    seed: int = 0
    versions: Mapping[str, str] = field(default_factory=dict, hash=False)
    table: str = ""

    @classmethod
    def now(cls, title: str, command: str, seed: int) -> Origin:
        """Return an origin with the installed versions."""
        libraries = ("numpy", "numba", "pyarrow")
        versions = {
            "gossamer": __version__,
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in libraries},
        }
        return cls(title, command, seed, versions)


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Algorithms side by side on the same interests.

    Attributes
    ----------
    nodes, topics, subscriptions
        Size of the interests.
    lower_bound
        Lower bound of the mean degree of a topic-connected overlay.
    rows
        One row an algorithm, in the given order.
    origin
        Command, seed and versions.
    """

    BRIEF: ClassVar = ("algorithms", "nodes", "topics", "lower_bound")
    SHOWN: ClassVar = (
        "algorithm", "mean_degree", "max_degree", "links", "topics_connected", "max_diameter",
        "mean_diameter", "seconds", "ratio_to_lower_bound",
    )  # fmt: skip

    nodes: int
    topics: int
    subscriptions: int
    lower_bound: float
    rows: tuple[ComparisonRow, ...]
    origin: Origin = field(default_factory=Origin)

    @property
    def bound_text(self) -> str:
        """The lower bound to two decimals, rounded down, so that it is still a lower bound."""
        return f"{math.floor(self.lower_bound * 100) / 100:.2f}"

    def summary(self) -> dict[str, Any]:
        """Return the size of the interests, the lower bound and the seed, by name."""
        return {
            "algorithms": len(self.rows),
            "nodes": self.nodes,
            "topics": self.topics,
            "subscriptions": self.subscriptions,
            "lower_bound": self.lower_bound,
            "seed": self.origin.seed,
        }

    def _tables(self) -> Mapping[str, Table]:
        return {
            "comparison": self.table,
            "degrees": self.degrees_table,
            "diameters": self.diameters_table,
        }

    def table(self) -> Any:
        """Return the rows as an Arrow table, without the distributions."""
        return COMPARISON.table(
            *([getattr(row, name) for row in self.rows] for name in COMPARISON.column_names)
        )

    def degrees_table(self) -> Any:
        """Return the number of nodes of each degree, for all algorithms, as an Arrow table."""
        return DEGREES.table(*_columns((row.algorithm, row.degrees) for row in self.rows))

    def diameters_table(self) -> Any:
        """Return the number of topics of each diameter, for all algorithms, as an Arrow table."""
        return DIAMETERS.table(*_columns((row.algorithm, row.diameters) for row in self.rows))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write everything to a folder; :func:`gossamer.load_comparison` reads it.

        The folder is created if it does not exist. It holds comparison.parquet,
        degrees.parquet, diameters.parquet and about.json, which is written last.

        Raises
        ------
        ParameterError
            If the folder cannot be created or written to.
        """
        from gossamer.experiments.comparison_folder import save_comparison

        save_comparison(self, folder)


def compare(
    interests: Interests,
    algorithms: Sequence[str] | None = None,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    session: Any = None,
) -> Comparison:
    """Run design algorithms on the same interests, and measure their overlays.

    Kernels are compiled before anything is timed, by a run on a tiny instance.

    Parameters
    ----------
    interests
        Subscriptions.
    algorithms
        Names with options, as in ``low-oda:rho=5:resilient=yes`` (default: all algorithms).
    seed
        Seed of the random number generator.
    progress
        Called with the stage and the share of the work that is done.
    session
        ``SparkSession`` that runs each algorithm as a task, side by side (default: one after the
        other in this process). The overlays are the same; the times are those of a busier
        machine.

    Raises
    ------
    ParameterError
        If there is no such algorithm, or it has no such option.
    GossamerError
        If an algorithm rejects these interests; the message names it.
    """
    check_interests(interests)
    candidates = parse_candidates([algorithms] if isinstance(algorithms, str) else algorithms)
    progress = progress or silent
    bound = quality.links_lower_bound(interests, progress=progress)
    rows = dict(
        measure_candidates(
            candidates, interests, seed=seed, bound=bound, progress=progress, session=session
        )
    )
    labels = [candidate.label for candidate in candidates]
    return Comparison(
        nodes=interests.node_count,
        topics=interests.topic_count,
        subscriptions=interests.subscription_count,
        lower_bound=bound.mean_degree,
        rows=tuple(rows[place] for place in range(len(candidates))),
        origin=Origin.now(
            Origin.title, f"gossamer.compare(interests, {labels}, seed={seed})", seed
        ),
    )


def measure_candidates(
    candidates: Sequence[Candidate],
    interests: Interests,
    *,
    seed: int,
    bound: quality.LowerBound,
    progress: Progress,
    session: Any = None,
) -> Iterator[tuple[int, ComparisonRow]]:
    """Run candidates, in this process or as Spark tasks, and yield each row when it is done.

    Yields
    ------
    tuple
        Position of a candidate, and its row.
    """
    count = len(candidates)
    if session is not None:
        from gossamer.pipeline import map_tasks

        progress(f"{count} algorithms on Spark", 0.0)
        run = partial(_run_named, interests=interests, seed=seed, bound=bound)
        named = [(candidate.label, candidate.protocol) for candidate in candidates]
        for done, (place, row) in enumerate(map_tasks(session, run, named, per_task=1), start=1):
            progress(f"{row.algorithm}: done", done / count)
            yield place, row
        return
    for place, candidate in enumerate(candidates):
        yield place, _run(candidate, interests, seed, bound, part_of(progress, candidate.label,
                                                                     place, count))  # fmt: skip


def part_of(progress: Progress, label: str, place: int, count: int) -> Progress:
    """Return the progress of one of several candidates."""

    def part(stage: str, done: float) -> None:
        progress(f"{label}: {stage}", (place + min(max(done, 0.0), 1.0)) / count)

    return part


def _run_named(
    named: tuple[str, bool], *, interests: Interests, seed: int, bound: quality.LowerBound
) -> ComparisonRow:
    label, protocol = named
    (candidate,) = (parse_protocols if protocol else parse_candidates)([label])
    return _run(candidate, interests, seed, bound, silent)


def _run(
    candidate: Candidate,
    interests: Interests,
    seed: int,
    bound: quality.LowerBound,
    progress: Progress,
) -> ComparisonRow:
    progress("warming up", 0.0)
    # Some options do not fit so small an instance; kernels are then compiled while timed.
    with suppress(GossamerError):
        candidate.algorithm(_tiny(), seed=0, **candidate.options)
    try:
        start = time.perf_counter()
        overlay = candidate.algorithm(interests, seed=seed, progress=progress, **candidate.options)
        seconds = time.perf_counter() - start
    except GossamerError as fault:
        raise type(fault)(f"{candidate.label}: {fault}") from fault
    assessment = quality.assess(interests, overlay, lower_bound=bound, progress=progress)
    return ComparisonRow.of(
        candidate.label,
        assessment,
        seconds,
        ratio_to_lower_bound=assessment.ratio,
        degrees=_counts(overlay.degrees),
        diameters=_counts(assessment.topic_diameters[interests.popularity >= 2]),
    )


def _counts(values: Any) -> Distribution:
    found, counts = np.unique(values, return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))


def _columns(distributions: Iterable[tuple[str, Distribution]]) -> list[list[Any]]:
    """Return distributions as columns: algorithm, value, count."""
    rows = [(name, value, count) for name, of in distributions for value, count in of.items()]
    return [[row[place] for row in rows] for place in range(3)]


def _tiny() -> Interests:
    """Return twelve nodes with three of six topics each: enough to compile every kernel."""
    return Interests.from_lists(
        {node: [(node + step) % 6 for step in (0, 1, 3)] for node in range(12)}
    )
