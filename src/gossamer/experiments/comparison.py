"""Design algorithms side by side on the same interests: one row an algorithm.

Each is run once, timed and assessed; how small a mean degree could be at all is
proven once for all of them. Papers' values have no place here; they are in the
studies.
"""

from __future__ import annotations

import importlib.metadata
import math
import os
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from gossamer import quality
from gossamer.design import Algorithm, algorithms, find_algorithm
from gossamer.errors import GossamerError, ParameterError
from gossamer.model import Interests
from gossamer.progress import Progress, silent
from gossamer.registry import split_spec
from gossamer.tables.schema import COMPARISON, DEGREES, DIAMETERS
from gossamer.version import __version__

__all__ = [
    "Candidate",
    "Comparison",
    "ComparisonRow",
    "Origin",
    "compare",
    "measure_candidates",
    "parse_candidates",
    "parse_protocols",
    "versions",
]

AS_PROTOCOL = " (protocol)"
"""What follows a protocol's name where an algorithm has the same."""

Distribution = Mapping[int, int]
"""How often each value was found, in order of the values."""


@dataclass(frozen=True)
class Candidate:
    """An algorithm with its options, and how both are written: ``low-oda:rho=5``.

    A protocol counts as one too: what it designs is the overlay that it comes to rest with.
    """

    label: str
    algorithm: Algorithm
    options: Mapping[str, Any]
    protocol: bool = False


@dataclass(frozen=True)
class ComparisonRow:
    """How one algorithm did.

    Attributes
    ----------
    algorithm
        Its name, with the options that were given.
    mean_degree, max_degree, p95_degree
        Links a node keeps.
    links
        Links in all.
    topics_connected, topics
        Topics whose subscribers are connected among themselves, and all topics.
    max_diameter, mean_diameter
        Of the topics' subgraphs, in hops.
    seconds
        For the design alone, kernels having been compiled before.
    ratio_to_lower_bound
        The mean degree as a multiple of the bound; none where the bound is 0, or where some
        topic is in pieces, since the bound is for overlays that connect them all.
    degrees
        How many nodes have each degree.
    diameters
        How many topics have each diameter, among those of two subscribers or more.
    """

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

    @property
    def topic_connected(self) -> bool:
        """Whether every topic is connected."""
        return self.topics_connected == self.topics


@dataclass(frozen=True)
class Origin:
    """Where a comparison came from, and what is needed to make it again.

    Attributes
    ----------
    title
        What it is called on a page.
    command
        The command, or the call from Python, that made it.
    seed
        What settled every random choice.
    versions
        Of the tool, of Python, and of the libraries that results go through.
    """

    title: str = "Overlay algorithms side by side"
    command: str = ""
    seed: int = 0
    versions: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Comparison:
    """Algorithms side by side on the same interests.

    Attributes
    ----------
    nodes, topics, subscriptions
        The size of the interests.
    lower_bound
        No topic-connected overlay for them has a smaller mean degree.
    rows
        One an algorithm, in the order they were asked for.
    origin
        What made it.
    """

    nodes: int
    topics: int
    subscriptions: int
    lower_bound: float
    rows: tuple[ComparisonRow, ...]
    origin: Origin = field(default_factory=Origin)

    @property
    def bound_text(self) -> str:
        """The bound to two decimals, rounded down, so that what is said of it is true."""
        return f"{math.floor(self.lower_bound * 100) / 100:.2f}"

    def table(self) -> Any:
        """Return the rows as an Arrow table, without the distributions."""
        return COMPARISON.table(
            *([getattr(row, name) for row in self.rows] for name in COMPARISON.column_names)
        )

    def degrees_table(self) -> Any:
        """Return how many nodes have each degree, for all algorithms, as an Arrow table."""
        return DEGREES.table(*_columns({row.algorithm: row.degrees for row in self.rows}))

    def diameters_table(self) -> Any:
        """Return how many topics have each diameter, for all algorithms, as an Arrow table."""
        return DIAMETERS.table(*_columns({row.algorithm: row.diameters for row in self.rows}))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write everything to a folder; :func:`gossamer.load_comparison` reads it back.

        The folder is created if it is not there. It holds comparison.parquet,
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
    """Run design algorithms on the same interests, and measure what each gives.

    Kernels are compiled before anything is timed, by a run on a tiny instance.

    Parameters
    ----------
    interests
        Who wants what.
    algorithms
        Names, with options after a colon, as in ``low-oda:rho=5:resilient=yes``; all if not
        given.
    seed
        Settles every random choice.
    progress
        Told what is being done and how far it is.
    session
        A ``SparkSession``, to run each algorithm as a task there, side by side; what they
        give is the same, only their times are those of a busier machine. Without it they
        run one after the other in this process.

    Raises
    ------
    ParameterError
        If there is no such algorithm, or it has no such option.
    GossamerError
        If an algorithm refuses these interests; the message names it.
    """
    candidates = parse_candidates([algorithms] if isinstance(algorithms, str) else algorithms)
    tell = progress or silent
    bound = quality.links_lower_bound(interests, progress=tell)
    rows = dict(
        measure_candidates(
            candidates, interests, seed=seed, bound=bound, progress=tell, session=session
        )
    )
    return Comparison(
        nodes=interests.node_count,
        topics=interests.topic_count,
        subscriptions=interests.subscription_count,
        lower_bound=bound.mean_degree,
        rows=tuple(rows[place] for place in range(len(candidates))),
        origin=Origin(
            command="gossamer.compare(interests, "
            f"{[candidate.label for candidate in candidates]}, seed={seed})",
            seed=seed,
            versions=versions(),
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
    """Run candidates, here in their order or as Spark tasks, and yield each when it is done.

    Yields
    ------
    tuple
        A candidate's place among them, and how it did.
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

        def told(stage: str, done: float, place: int = place, label: str = candidate.label) -> None:
            progress(f"{label}: {stage}", (place + min(max(done, 0.0), 1.0)) / count)

        yield place, _run(candidate, interests, seed, bound, told)


def _run_named(
    named: tuple[str, bool], *, interests: Interests, seed: int, bound: quality.LowerBound
) -> ComparisonRow:
    label, protocol = named
    (candidate,) = (parse_protocols if protocol else parse_candidates)([label])
    return _run(candidate, interests, seed, bound, silent)


def parse_candidates(texts: Sequence[str] | None) -> list[Candidate]:
    """Read algorithms as they are written: a name, then ``:option=value`` for each option.

    Examples
    --------
    >>> [found.label for found in parse_candidates(["greedy-merge:ties=random"])]
    ['greedy-merge:ties=random']
    """
    if texts is None:
        return [Candidate(name, found, {}) for name, found in algorithms().items()]
    if not texts:
        raise ParameterError(f"no algorithms are named; there are {', '.join(algorithms())}")
    candidates: dict[str, Candidate] = {}
    for text in texts:
        name, options = split_spec(text)
        found = find_algorithm(name)
        candidates[text] = Candidate(text, found, found.all_options.parse(options))
    return list(candidates.values())


def parse_protocols(texts: Sequence[str]) -> list[Candidate]:
    """Read protocols as they are written: a name, then ``:option=value`` for each option.

    Examples
    --------
    >>> [found.label for found in parse_protocols(["spidercast:kr=1", "ring-per-topic"])]
    ['spidercast:kr=1', 'ring-per-topic (protocol)']
    """
    from gossamer.sim.converged_design import converged_algorithm

    candidates: dict[str, Candidate] = {}
    for text in texts:
        bare = text.removesuffix(AS_PROTOCOL)
        name, options = split_spec(bare)
        found = converged_algorithm(name)
        label = bare + AS_PROTOCOL * (name in algorithms())
        candidates[label] = Candidate(label, found, found.options.parse(options), protocol=True)
    return list(candidates.values())


def _run(
    candidate: Candidate,
    interests: Interests,
    seed: int,
    bound: quality.LowerBound,
    progress: Progress,
) -> ComparisonRow:
    progress("warming up", 0.0)
    with suppress(GossamerError):  # too small for some options; then it is compiled when timed
        candidate.algorithm(_tiny(), seed=0, **candidate.options)
    try:
        start = time.perf_counter()
        overlay = candidate.algorithm(interests, seed=seed, progress=progress, **candidate.options)
        seconds = time.perf_counter() - start
    except GossamerError as fault:
        raise type(fault)(f"{candidate.label}: {fault}") from fault
    assessment = quality.assess(interests, overlay, lower_bound=bound, progress=progress)
    return ComparisonRow(
        algorithm=candidate.label,
        mean_degree=assessment.mean_degree,
        max_degree=assessment.max_degree,
        p95_degree=assessment.percentile_95_degree,
        links=assessment.links,
        topics_connected=assessment.topics_connected,
        topics=assessment.topics,
        max_diameter=assessment.max_topic_diameter,
        mean_diameter=assessment.mean_topic_diameter,
        seconds=seconds,
        ratio_to_lower_bound=assessment.ratio,
        degrees=_counts(overlay.degrees),
        diameters=_counts(assessment.topic_diameters[interests.popularity >= 2]),
    )


def _counts(values: Any) -> Distribution:
    found, counts = np.unique(values, return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))


def _columns(distributions: Mapping[str, Distribution]) -> list[list[Any]]:
    """Turn distributions into columns: whose, the value, and how often."""
    rows = [
        (name, value, count)
        for name, distribution in distributions.items()
        for value, count in distribution.items()
    ]
    return [[row[place] for row in rows] for place in range(3)]


def versions() -> dict[str, str]:
    """Return the versions of whatever a result may depend on."""
    libraries = ("numpy", "numba", "pyarrow")
    return {
        "gossamer": __version__,
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in libraries},
    }


def _tiny() -> Interests:
    """Return twelve nodes with three of six topics each: enough to compile every kernel."""
    return Interests.from_lists(
        {node: [(node + step) % 6 for step in (0, 1, 3)] for node in range(12)}
    )
