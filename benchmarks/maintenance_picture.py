"""Distributions of the time that churn events take (ElastO, Figure 8)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gossamer.viz.curves import Curve, line_chart
from gossamer.viz.picture import draw_picture

__all__ = ["draw_times"]

Times = Mapping[str, list[float]]
COLUMNS = 3


def draw_times(panels: Mapping[str, Times], path: Path) -> None:
    """Draw a chart for each workload and size, with a curve for each strategy."""
    path.parent.mkdir(parents=True, exist_ok=True)
    names = list(dict.fromkeys(name for times in panels.values() for name in times))
    charts = [
        line_chart(
            title,
            # Every chart has every name, so that a strategy has one colour in all of them.
            [
                Curve(name, ordered, [(at + 1) / len(ordered) for at in range(len(ordered))])
                for name in names
                for ordered in (sorted(times.get(name, [])),)
            ],
            x="Milliseconds per event",
            y="Share of events",
            log_x=True,
            step="after",
        )
        for title, times in panels.items()
    ]
    draw_picture(path, "Time of churn events", charts, columns=COLUMNS, width=300)
