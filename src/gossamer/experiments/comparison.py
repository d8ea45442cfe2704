"""Comparison of design algorithms on the same interests: one row an algorithm.

Each algorithm runs once, or once for each of several seeds, is timed and assessed. The lower
bound of the mean degree is computed once for all of them.
"""

from __future__ import annotations

import html
import importlib.metadata
import math
import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from gossamer import quality
from gossamer.errors import ParameterError
from gossamer.experiments.candidates import parse_candidates
from gossamer.experiments.comparison_row import ComparisonRow as ComparisonRow
from gossamer.experiments.comparison_row import Distribution as Distribution
from gossamer.experiments.measurement import Trial, measure_candidates
from gossamer.measures import HALF_WIDTH, shown_interval
from gossamer.model import Interests, Overlay
from gossamer.model.interests import check_interests
from gossamer.progress import Progress, silent
from gossamer.quality.registry import MetricFunction, resolve_metrics
from gossamer.random_stream import check_seed
from gossamer.results import Result, Table
from gossamer.tables.schema import COMPARISON, DEGREES, DIAMETERS, RUNS
from gossamer.version import __version__

MAX_SEEDS = 1000


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
        One row an algorithm, in the given order; those that failed too.
    origin
        Command, seed and versions.
    seeds
        Number of runs of each algorithm, with seeds ``origin.seed``, ``origin.seed + 1`` and so
        on. The measures of a row are then means, with ``half_widths``.
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
    seeds: int = 1

    @property
    def measured(self) -> tuple[ComparisonRow, ...]:
        """The rows that have measures: without those of algorithms that failed."""
        return tuple(row for row in self.rows if not row.failed)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of own metrics, in order."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row.metrics))

    @property
    def overlays(self) -> Mapping[str, tuple[Overlay, ...]]:
        """Overlays of each run by algorithm, if they are kept; see :func:`gossamer.compare`."""
        return {row.algorithm: row.overlays for row in self.rows if row.overlays}

    @property
    def faults(self) -> Mapping[str, str]:
        """What went wrong, by algorithm: failures, broken promises and metrics that failed."""
        return {row.algorithm: row.error or row.problem for row in self.rows
                if row.error or row.problem}  # fmt: skip

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

    def __str__(self) -> str:
        faults = [f"{label}: {why}" for label, why in self.faults.items()]
        return "\n".join([super().__str__(), *([""] if faults else []), *faults])

    def _repr_html_(self) -> str:
        faults = [f"<div>{html.escape(f'{label}: {why}')}</div>" for label, why in
                  self.faults.items()]  # fmt: skip
        return "".join([super()._repr_html_(), *faults])

    def _shown_columns(self) -> Sequence[str]:
        return (*self.SHOWN, *self.metrics)

    def _shown_rows(self) -> Sequence[Mapping[str, Any]]:
        columns = dict.fromkeys(self.metrics)
        return [columns | with_half_widths(row.summary()) for row in self.rows]

    def table(self) -> Any:
        """Return the rows as an Arrow table, without the distributions.

        Columns of own metrics follow, and half-widths of intervals if there are several runs.
        """
        records = [row.summary() for row in self.rows]
        names = dict.fromkeys(name for record in records for name in record)
        added = [name for name in names if name not in COMPARISON.column_names]
        schema = COMPARISON.extended(", ".join(f"{name} double" for name in added))
        return schema.table(
            *([record.get(name) for record in records] for name in schema.column_names)
        )

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
    if isinstance(seeds, bool) or not isinstance(seeds, int) or not 1 <= seeds <= MAX_SEEDS:
        raise ParameterError(f"seeds is {seeds!r}; expected a number of runs, 1 to {MAX_SEEDS}")
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


def with_half_widths(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return measures by name, as text ``4.00 ± 0.12`` where there is a half-width."""
    return {
        name: shown_interval(value, record[name + HALF_WIDTH], name)
        if record.get(name + HALF_WIDTH) is not None
        else value
        for name, value in record.items()
        if not name.endswith(HALF_WIDTH)
    }


def _columns(distributions: Iterable[tuple[str, Distribution]]) -> list[list[Any]]:
    """Return distributions as columns: algorithm, value, count."""
    rows = [(name, value, count) for name, of in distributions for value, count in of.items()]
    return [[row[place] for row in rows] for place in range(3)]
