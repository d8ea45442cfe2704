"""A maintained overlay: degrees, links and nodes over the events."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from gossamer.viz.axes import is_wide
from gossamer.viz.curves import Curve, line_chart
from gossamer.viz.labels import statistic, subject
from gossamer.viz.picture import draw_picture

if TYPE_CHECKING:
    from gossamer.maintain import Maintenance

MAX_WINDOW = 50
"""Events in the window of a moving mean; at most a tenth of all events."""


def maintenance_picture(maintenance: Maintenance, path: str | os.PathLike[str]) -> None:
    """Draw degrees, nodes, links added and removed, and the time of events.

    Parameters
    ----------
    maintenance
        Result of :func:`gossamer.maintain`.
    path
        Output file: .png, .svg, .pdf or .html. It is written whole or not at all.
    """
    done, first = maintenance, maintenance.first
    count, at_first = len(done.events), int(done.first_present.sum())
    title = (
        f"{done.strategy}: {count:,} events, {int(done.present.sum()):,} of "
        f"{done.interests.node_count:,} nodes present at the end, seed {done.seed}"
    )
    events = list(range(count + 1))
    maxima = [int(first.degrees.max(initial=0)), *done.max_degree.tolist()]
    means = [2 * first.link_count / max(at_first, 1), *done.mean_degree.tolist()]
    window = max(1, min(MAX_WINDOW, count // 10))
    note = f" (moving mean of {window} events)" if window > 1 else ""

    def moving(name: str, values: Any) -> Curve:
        return Curve(name, events[1:], _moving_mean(values, window))

    x, times = "Events", moving("time", done.milliseconds)
    charts = [
        line_chart(
            subject("mean_degree"),
            [
                Curve(statistic("mean_degree"), events, means),
                Curve(statistic("max_degree"), events, maxima),
            ],
            x=x, y="Links",
        ),
        line_chart(
            "Present nodes", [Curve("nodes", events, [at_first, *done.nodes.tolist()])],
            x=x, y="Nodes",
        ),
        line_chart(
            f"Links changed{note}",
            [moving("added", done.added), moving("removed", done.removed)],
            x=x, y="Links per event",
        ),
        line_chart(
            f"Time of an event{note}", [times], x=x, y="Milliseconds",
            log_y=is_wide([time for time in times.y if time is not None], 100),
        ),
    ]  # fmt: skip
    draw_picture(path, title, charts)


def _moving_mean(values: Any, window: int) -> list[float]:
    sums = np.cumsum(np.concatenate(([0.0], values)))
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(ends - window, 0)
    means: list[float] = ((sums[ends] - sums[starts]) / (ends - starts)).tolist()
    return means
