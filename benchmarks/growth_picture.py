"""Charts of growth on logarithmic axes, one for each group of subjects and growing quantity."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gossamer.viz.curves import Curve as Line
from gossamer.viz.curves import line_chart
from gossamer.viz.picture import draw_picture

__all__ = ["Curve", "draw_growth"]

ROWS = {
    "Few links": ("greedy-merge", "low-oda", "minmax-oda", "subset-merge"),
    "Short paths, and assessing": (
        "cd-oda", "cd-oda-1", "cd-oda-2", "td-cd-oda", "2d-oda", "assess",
    ),
}  # fmt: skip
X_TITLES = {"nodes": "Nodes", "topics": "Topics", "subscriptions": "Subscriptions of a node"}


@dataclass(frozen=True)
class Curve:
    """The seconds of one subject while one quantity grows, and the slope on logarithmic axes."""

    subject: str
    axis: str
    values: tuple[int, ...]
    seconds: tuple[float, ...]
    exponent: float


def draw_growth(curves: list[Curve], path: Path) -> None:
    """Draw a row of charts for each group of subjects, a column for each growing quantity."""
    path.parent.mkdir(parents=True, exist_ok=True)
    axes = list(dict.fromkeys(curve.axis for curve in curves))
    charts = [
        line_chart(
            title,
            [
                Line(subject, curve.values, curve.seconds)
                for subject in subjects
                for curve in curves
                if (curve.subject, curve.axis) == (subject, axis)
            ],
            x=X_TITLES.get(axis, axis),
            y="Seconds",
            log_x=True,
            log_y=True,
            points=40,
        )
        for title, subjects in ROWS.items()
        for axis in axes
    ]
    draw_picture(path, "Time as the workload grows", charts, columns=len(axes), width=300)
