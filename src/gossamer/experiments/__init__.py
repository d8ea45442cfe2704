"""Experiments: algorithms compared on the same interests, the Pareto front, a recommendation."""

from gossamer.experiments.comparison import Comparison, ComparisonRow, Origin, compare
from gossamer.experiments.comparison_folder import load_comparison
from gossamer.experiments.front_run import front
from gossamer.experiments.pareto_front import Front, FrontPoint
from gossamer.experiments.recommendation import Recommendation, recommend

__all__ = [
    "Comparison",
    "ComparisonRow",
    "Front",
    "FrontPoint",
    "Origin",
    "Recommendation",
    "compare",
    "front",
    "load_comparison",
    "recommend",
]
