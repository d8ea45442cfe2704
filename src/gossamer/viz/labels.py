"""Titles of measures, the same in pictures, pages and their tables."""

from __future__ import annotations

from gossamer.experiments.comparison import Comparison, ComparisonRow
from gossamer.viz.blocks import Cell

MEAN_DEGREE = "Mean degree"
MAX_DEGREE = "Maximum degree"
MAX_DIAMETER = "Maximum topic diameter (hops)"
MEAN_DIAMETER = "Mean topic diameter (hops)"
RATIO = "Ratio to the lower bound"
SECONDS = "Seconds"

COLUMNS = {
    MEAN_DEGREE: "mean_degree",
    RATIO: "ratio_to_lower_bound",
    "95th percentile of degrees": "p95_degree",
    MAX_DEGREE: "max_degree",
    "Links": "links",
    "Topics connected": "topics_connected",
    MEAN_DIAMETER: "mean_diameter",
    MAX_DIAMETER: "max_diameter",
    SECONDS: "seconds",
}
"""Field of a row for each column of a table of measures."""

DISCONNECTED = "some topics are disconnected"
DOMINATED = "dominated by another overlay"


def measures(row: ComparisonRow) -> list[Cell]:
    """Return the measures of a row, in the order of ``COLUMNS``."""
    return [getattr(row, name) for name in COLUMNS.values()]


def bound_line(comparison: Comparison) -> tuple[str, float] | None:
    """Return name and value of the line of the lower bound; None if the bound is 0."""
    bound = comparison.lower_bound
    return (f"lower bound {comparison.bound_text}", bound) if bound > 0 else None


def sizes(comparison: Comparison) -> str:
    """Return the numbers of nodes, topics and subscriptions, in words."""
    return (
        f"{comparison.nodes:,} nodes, {comparison.topics:,} topics, "
        f"{comparison.subscriptions:,} subscriptions"
    )
