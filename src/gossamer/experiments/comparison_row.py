"""A row of a comparison: the measures of one algorithm, over one run or several."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from gossamer.confidence import confidence_interval
from gossamer.measures import HALF_WIDTH
from gossamer.results import Result
from gossamer.tables.schema import COMPARISON

Distribution = Mapping[int, int]
"""Count of each value, in order of the values."""

MEASURED = (
    "mean_degree", "max_degree", "p95_degree", "links", "topics_connected", "max_diameter",
    "mean_diameter", "seconds", "ratio_to_lower_bound",
)  # fmt: skip
"""Measures of every run."""

NAN = math.nan
Number = int | float
"""A count, or the mean of counts."""


@dataclass(frozen=True)
class Run:
    """Measures of one run of an algorithm.

    Attributes
    ----------
    seed
        Seed of the random number generator.
    measures
        Values by name: those of every run, then those of own metrics; None if there is none.
    """

    seed: int
    measures: Mapping[str, Number | None] = field(hash=False)


def means_of(runs: Sequence[Run]) -> tuple[dict[str, Any], dict[str, float]]:
    """Return the mean of each measure, and the half-widths of the intervals if there are several.

    A measure that some run has not is None. That of a single run keeps its type.
    """
    values: dict[str, Any] = {}
    half_widths: dict[str, float] = {}
    for name in runs[0].measures:
        observed = [run.measures.get(name) for run in runs]
        known = [value for value in observed if value is not None]
        if len(known) < len(runs):
            values[name] = None
        elif len(runs) == 1:
            values[name] = known[0]
        else:
            values[name], half_width, _ = confidence_interval(known)
            if half_width is not None:
                half_widths[name] = half_width
    return values, half_widths


@dataclass(frozen=True, repr=False)
class ComparisonRow(Result):
    """Measures of one algorithm; means, if it ran with several seeds.

    A row of an algorithm that failed has an ``error``, and NaN in place of its measures.

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
        Number of nodes of each degree, in the first run.
    diameters
        Number of topics of each diameter, among those with two or more subscribers, in the first
        run.
    metrics
        Own metrics by name. One that could not be measured is missing, and ``problem`` says why.
    half_widths
        Half-width of the 95 % confidence interval of each measure and metric, by name; empty for
        a single run. The interval of the mean degree is ``mean_degree`` ±
        ``half_widths["mean_degree"]``.
    runs
        Seed and measures of each run.
    error
        Reason why there are no measures; empty if there are.
    problem
        What is wrong with an overlay that was measured: a promise that the algorithm breaks, or
        a metric that failed; empty if nothing is.
    overlays
        The overlay of each run, if they are kept.
    """

    BRIEF: ClassVar = ("algorithm", "mean_degree", "max_degree", "max_diameter", "error")

    algorithm: str
    mean_degree: float
    max_degree: Number
    p95_degree: Number
    links: Number
    topics_connected: Number
    topics: int
    max_diameter: Number
    mean_diameter: float
    seconds: float
    ratio_to_lower_bound: float | None
    degrees: Distribution = field(default_factory=dict, repr=False, hash=False)
    diameters: Distribution = field(default_factory=dict, repr=False, hash=False)
    metrics: Mapping[str, float] = field(default_factory=dict, hash=False)
    half_widths: Mapping[str, float] = field(default_factory=dict, hash=False)
    runs: tuple[Run, ...] = field(default=(), repr=False)
    error: str = ""
    problem: str = ""
    overlays: tuple[Any, ...] = field(default=(), repr=False, hash=False, compare=False)

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

    @classmethod
    def of_runs(cls, label: str, runs: Sequence[Run], *, topics: int, **more: Any) -> ComparisonRow:
        """Return the row of one run or several: their means, and the intervals."""
        values, half_widths = means_of(runs)
        metrics = {
            name: value
            for name, value in values.items()
            if name not in MEASURED and value is not None
        }
        return cls(
            algorithm=label,
            topics=topics,
            metrics=metrics,
            half_widths=half_widths,
            runs=tuple(runs),
            **{name: values[name] for name in MEASURED},
            **more,
        )

    @classmethod
    def of_failure(cls, label: str, error: str, *, topics: int) -> ComparisonRow:
        """Return the row of an algorithm that failed."""
        measures: dict[str, Any] = dict.fromkeys(MEASURED, NAN) | {"ratio_to_lower_bound": None}
        return cls(algorithm=label, topics=topics, error=error, **measures)

    @property
    def failed(self) -> bool:
        """Whether the algorithm failed, so that there are no measures."""
        return bool(self.error)

    @property
    def topic_connected(self) -> bool:
        """Whether every topic is connected, in every run."""
        return self.topics_connected == self.topics

    def summary(self) -> dict[str, Any]:
        """Return the measures by name, with half-widths of intervals; None if there is none."""
        named = {name: getattr(self, name) for name in COMPARISON.column_names} | dict(self.metrics)
        found = {}
        for name, value in named.items():
            found[name] = None if value != value or value == "" else value  # NaN, or no text
            if name in self.half_widths:
                found[name + HALF_WIDTH] = self.half_widths[name]
        return found
