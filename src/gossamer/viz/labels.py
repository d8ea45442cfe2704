"""Titles of measures, the same in pictures, pages and their tables."""

from __future__ import annotations

from collections.abc import Iterable

from gossamer.experiments.comparison import Comparison, ComparisonRow
from gossamer.experiments.protocol_comparison import ProtocolComparison
from gossamer.measures import HALF_WIDTH, MEASURES, title_of
from gossamer.viz.blocks import Cell, Value

FIELDS = (
    "mean_degree", "ratio_to_lower_bound", "p95_degree", "max_degree", "links",
    "topics_connected", "mean_diameter", "max_diameter", "seconds",
)  # fmt: skip
"""Measures of every row, in the order of the columns."""

MEAN_DEGREE = MEASURES["mean_degree"].title
MAX_DEGREE = MEASURES["max_degree"].title
MAX_DIAMETER = MEASURES["max_diameter"].title
MEAN_DIAMETER = MEASURES["mean_diameter"].title
RATIO = MEASURES["ratio_to_lower_bound"].title
SECONDS = MEASURES["seconds"].title


def subject(name: str) -> str:
    """Return what a measure counts, for a chart of several statistics of it.

    Examples
    --------
    >>> subject("mean_degree"), statistic("p95_degree")
    ('Links per node', '95th percentile')
    """
    return MEASURES[name].title.partition(",")[0]


def statistic(name: str) -> str:
    """Return the statistic of a measure: mean, maximum, 95th percentile."""
    return MEASURES[name].label.partition(", ")[2]


DISCONNECTED = "some topics are disconnected"
INTERVALS = "bars: 95 % confidence intervals"
DOMINATED = "dominated by another overlay"


def columns(comparison: Comparison) -> dict[str, str]:
    """Return the measure of each column of a table: those of every row, and own metrics."""
    names = (*FIELDS, *comparison.metrics)
    return {title_of(name): name for name in names}


def measures(row: ComparisonRow, names: Iterable[str]) -> list[Cell]:
    """Return measures of a row with their intervals; None for those it has not."""
    record = row.summary()
    return [
        None if record.get(name) is None
        else Value(name, record[name], record.get(name + HALF_WIDTH))
        for name in names
    ]  # fmt: skip


def bound_line(comparison: Comparison) -> tuple[str, float] | None:
    """Return name and value of the line of the lower bound; None if the bound is 0."""
    bound = comparison.lower_bound
    return (f"lower bound {comparison.bound_text}", bound) if bound > 0 else None


def sizes(comparison: Comparison | ProtocolComparison) -> str:
    """Return the numbers of nodes, topics and subscriptions, in words."""
    facts = comparison.summary()
    return ", ".join(f"{facts[name]:,} {name}" for name in ("nodes", "topics", "subscriptions"))
