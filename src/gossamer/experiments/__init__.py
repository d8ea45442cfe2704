"""Comparisons of algorithms on the same interests, Pareto fronts and recommendations."""

from gossamer.experiments.comparison import Comparison, ComparisonRow, Origin, compare
from gossamer.experiments.comparison_folder import load_comparison
from gossamer.experiments.pareto_front import Front, FrontPoint, front
from gossamer.experiments.protocol_comparison import (
    ProtocolComparison,
    ProtocolRow,
    compare_protocols,
)
from gossamer.experiments.recommendation import Recommendation, recommend

__all__ = [
    "Comparison",
    "ComparisonRow",
    "Front",
    "FrontPoint",
    "Origin",
    "ProtocolComparison",
    "ProtocolRow",
    "Recommendation",
    "compare",
    "compare_protocols",
    "front",
    "load_comparison",
    "recommend",
]
