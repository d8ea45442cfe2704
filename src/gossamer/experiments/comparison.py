"""Comparison of design algorithms on the same interests: one row an algorithm.

Each algorithm runs once, or once for each of several seeds, is timed and assessed. The lower
bound of the mean degree is computed once for all of them.
"""

from __future__ import annotations

import importlib.metadata
import math
import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from gossamer import quality
from gossamer.experiments.candidates import parse_candidates
from gossamer.experiments.comparison_row import ComparisonRow as ComparisonRow
from gossamer.experiments.comparison_row import Distribution as Distribution
from gossamer.experiments.measurement import Trial, measure_candidates
from gossamer.experiments.side_by_side import SideBySide, check_seeds
from gossamer.model import Interests, Overlay
from gossamer.model.interests import check_interests
from gossamer.progress import Progress, silent
from gossamer.quality.registry import MetricFunction, resolve_metrics
from gossamer.random_stream import check_seed
from gossamer.results import Table
from gossamer.tables.schema import COMPARISON, DEGREES, DIAMETERS, RUNS
from gossamer.version import __version__


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
class Comparison(SideBySide):
    """Algorithms side by side on the same interests.

    Attributes
    ----------
    nodes, topics, subscriptions
        Size of the interests.
    lower_bound
        Lower bound of the mean degree of a topic-connected overlay.
    rows
        One row an algorithm, in the given order; those that failed too.
    origin
        Command, seed and versions.
    seeds
        Number of runs of each algorithm, with seeds ``origin.seed``, ``origin.seed + 1`` and so
        on. The measures of a row are then means, with ``half_widths``.
    """

    KEY: ClassVar = "algorithm"
    SCHEMA: ClassVar = COMPARISON
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
    seeds: int = 1

    @property
    def overlays(self) -> Mapping[str, tuple[Overlay, ...]]:
        """Overlays of each run by algorithm, if they are kept; see :func:`gossamer.compare`."""
        return {row.algorithm: row.overlays for row in self.rows if row.overlays}

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
            "seeds": self.seeds,
        }

    def _tables(self) -> Mapping[str, Table]:
        return {
            "comparison": self.table,
            "runs": self.runs_table,
            "degrees": self.degrees_table,
            "diameters": self.diameters_table,
        }

    def runs_table(self) -> Any:
        """Return the measures of each run, for all algorithms, as an Arrow table."""
        rows = [
            (row.algorithm, run.seed, name, value)
            for row in self.rows
            for run in row.runs
            for name, value in run.measures.items()
        ]
        return RUNS.table(*([row[place] for row in rows] for place in range(4)))

    def degrees_table(self) -> Any:
        """Return the number of nodes of each degree, for all algorithms, as an Arrow table."""
        return DEGREES.table(*_columns((row.algorithm, row.degrees) for row in self.rows))

    def diameters_table(self) -> Any:
        """Return the number of topics of each diameter, for all algorithms, as an Arrow table."""
        return DIAMETERS.table(*_columns((row.algorithm, row.diameters) for row in self.rows))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write everything to a folder; :func:`gossamer.load_comparison` reads it.

        The folder is created if it does not exist. It holds comparison.parquet, runs.parquet,
        degrees.parquet, diameters.parquet and about.json, which is written last. Overlays are
        not written.

        Raises
        ------
        ParameterError
            If the folder cannot be created or written to.
        """
        from gossamer.experiments.comparison_folder import save_comparison

        save_comparison(self, folder)


def compare(
    interests: Interests,
    algorithms: str | Callable[..., Overlay] | Sequence[str | Callable[..., Overlay]] | None = None,
    *,
    metrics: Mapping[str, str | MetricFunction] | Sequence[str | MetricFunction] | None = None,
    seed: int = 0,
    seeds: int = 1,
    keep_overlays: bool = False,
    progress: Progress | None = None,
    session: Any = None,
) -> Comparison:
    """Run design algorithms on the same interests, and measure their overlays.

    Kernels are compiled before anything is timed, by a run on a tiny instance. An algorithm that
    fails has a row that says why, and the others go on. So has one that breaks its promise.

    Parameters
    ----------
    interests
        Subscriptions.
    algorithms
        Names with options, as in ``low-oda:rho=5:resilient=yes``; and functions
        ``my_idea(interests, *, seed) -> Overlay``, registered by ``gossamer.algorithm`` or not
        (default: all registered algorithms).
    metrics
        Metrics beside those of every row: functions ``gini(interests, overlay) -> float`` by
        name, as in ``{"gini": gini}``; or a list of functions and of names that
        :func:`gossamer.metrics` lists.
    seed
        Seed of the random number generator; the first one, if there are several.
    seeds
        Number of runs of each algorithm, with seeds ``seed``, ``seed + 1`` and so on, the same for
        all. The measures are then means with 95 % confidence intervals (Student's t).
    keep_overlays
        Whether rows keep their overlays, in ``row.overlays`` and ``comparison.overlays``.
    progress
        Called with the stage and the share of the work that is done.
    session
        ``SparkSession`` that runs each algorithm and seed as a task, side by side (default: one
        after the other in this process). The overlays are the same; the times are those of a
        busier machine.

    Raises
    ------
    ParameterError
        If there is no such algorithm or metric, or it has no such option.
    PluginError
        If a function does not fit; the error names its file and line.

    Examples
    --------
    >>> def star(interests, *, seed):
    ...     pairs = [(0, node) for node in range(1, interests.node_count)]
    ...     return Overlay.from_links(interests.node_count, pairs)
    >>> interests = Interests.from_lists({"ann": ["tea"], "bob": ["tea"], "cy": ["tea"]})
    >>> found = compare(interests, [star, "greedy-merge"], seeds=3)
    >>> [(row.algorithm, row.mean_degree, row.max_degree) for row in found.rows]
    [('star', 1.3333333333333333, 2.0), ('greedy-merge', 1.3333333333333333, 2.0)]
    """
    check_interests(interests)
    check_seed(seed)
    check_seeds(seeds)
    single = isinstance(algorithms, str) or callable(algorithms)
    candidates = parse_candidates([algorithms] if single else algorithms)  # type: ignore[list-item, arg-type]
    own_metrics = resolve_metrics(metrics)
    progress = progress or silent
    bound = quality.links_lower_bound(interests, progress=progress)
    trial = Trial(interests, bound, range(seed, seed + seeds), own_metrics, keep_overlays)
    rows = dict(measure_candidates(candidates, trial, progress=progress, session=session))
    labels = [candidate.label for candidate in candidates]
    given = ", ".join(
        [f"gossamer.compare(interests, {labels}"]
        + [f"metrics={list(own_metrics)}"] * bool(own_metrics)
        + [f"seed={seed}"]
        + [f"seeds={seeds}"] * (seeds > 1)
    )
    return Comparison(
        nodes=interests.node_count,
        topics=interests.topic_count,
        subscriptions=interests.subscription_count,
        lower_bound=bound.mean_degree,
        rows=tuple(rows[place] for place in range(len(candidates))),
        origin=Origin.now(Origin.title, f"{given})", seed),
        seeds=seeds,
    )


def _columns(distributions: Iterable[tuple[str, Distribution]]) -> list[list[Any]]:
    """Return distributions as columns: algorithm, value, count."""
    rows = [(name, value, count) for name, of in distributions for value, count in of.items()]
    return [[row[place] for row in rows] for place in range(3)]
