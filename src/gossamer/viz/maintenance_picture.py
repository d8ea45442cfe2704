"""The picture of an overlay that is kept in order: degrees, links and nodes along the events."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from gossamer.viz.comparison_picture import BLUE, GREY, INK, ORANGE
from gossamer.viz.curves import picture

if TYPE_CHECKING:
    from gossamer.maintain import Maintenance

__all__ = ["maintenance_picture"]

SMOOTH = 50
"""Events that a mean is taken over, at most a tenth of them all."""


def maintenance_picture(maintenance: Maintenance, path: str | os.PathLike[str]) -> None:
    """Draw degrees, nodes, links added and removed, and the time that events took.

    Parameters
    ----------
    maintenance
        What :func:`gossamer.maintain` gave.
    path
        Where to write: .png, .svg or .pdf. The file appears whole or not at all.
    """
    done = maintenance
    count = len(done.events)
    title = (
        f"{done.strategy}: {count:,} events, {int(done.present.sum()):,} of "
        f"{done.interests.node_count:,} nodes there at the end, seed {done.seed}"
    )
    rounds = np.arange(count + 1)
    first, nodes_first = done.first, int(done.first_present.sum())
    first_mean = 2 * first.link_count / max(nodes_first, 1)
    with picture(path, title, width=13, height=8) as figure:
        (degrees, nodes), (changes, times) = figure.subplots(2, 2)
        degrees.set_title("Links a node")
        largest = [int(first.degrees.max(initial=0)), *done.max_degree.tolist()]
        degrees.plot(rounds, largest, color=ORANGE, label="maximum degree")
        means = [first_mean, *done.mean_degree.tolist()]
        degrees.plot(rounds, means, color=BLUE, linewidth=2, label="mean degree")
        nodes.set_title("Nodes there")
        nodes.plot(rounds, [nodes_first, *done.nodes.tolist()], color=INK)
        changes.set_title("Links changed by an event" + _window(count))
        for values, label, color in ((done.added, "added", BLUE), (done.removed, "removed", GREY)):
            changes.plot(rounds[1:], _smooth(values), color=color, label=label)
        times.set_title("Milliseconds an event" + _window(count))
        times.plot(rounds[1:], _smooth(done.milliseconds), color=INK)
        for axes in (degrees, changes):
            axes.legend(frameon=False)
        for axes in (degrees, nodes, changes, times):
            axes.set_ylim(0, 1.04 * axes.get_ylim()[1])
            axes.set_xlim(0, max(count, 1))
            axes.set_xlabel("events")
            axes.grid(True, color="#E6E6E6", linewidth=0.7, zorder=0)
            axes.set_axisbelow(True)


def _width(count: int) -> int:
    return max(1, min(SMOOTH, count // 10))


def _window(count: int) -> str:
    return f", mean of {_width(count)}" if _width(count) > 1 else ""


def _smooth(values: Any) -> Any:
    """Return the mean of the last values at each place."""
    width = _width(len(values))
    sums = np.cumsum(np.concatenate(([0.0], values)))
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(ends - width, 0)
    return (sums[ends] - sums[starts]) / (ends - starts)
