"""Titles of measures, the same in pictures, pages and their tables."""

from __future__ import annotations

from gossamer.experiments.comparison import Comparison

__all__ = [
    "DISCONNECTED",
    "DOMINATED",
    "LINKS",
    "MAX_DEGREE",
    "MAX_DIAMETER",
    "MEAN_DEGREE",
    "MEAN_DIAMETER",
    "P95_DEGREE",
    "RATIO",
    "SECONDS",
    "bound_line",
    "sizes",
]

MEAN_DEGREE = "Mean degree"
MAX_DEGREE = "Maximum degree"
P95_DEGREE = "95th percentile of degrees"
LINKS = "Links"
MAX_DIAMETER = "Maximum topic diameter (hops)"
MEAN_DIAMETER = "Mean topic diameter (hops)"
RATIO = "Ratio to the lower bound"
SECONDS = "Seconds"

DISCONNECTED = "some topics are disconnected"
DOMINATED = "dominated by another overlay"


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
