"""The picture of a simulation: how the overlay forms and holds, over simulated time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from gossamer.time import SECOND
from gossamer.viz.comparison_picture import BLUE, GREY, INK, ORANGE
from gossamer.viz.curves import picture
from gossamer.viz.dissemination_picture import draw_hops, draw_loads

if TYPE_CHECKING:
    from gossamer.sim import Simulation

__all__ = ["simulation_picture"]


def simulation_picture(simulation: Simulation, path: str | os.PathLike[str]) -> None:
    """Draw topics connected, degrees and messages over time, and the degrees at the end.

    And, where anything was published, hops and the copies that nodes sent.

    Parameters
    ----------
    simulation
        What :func:`gossamer.sim.simulate` gave.
    path
        Where to write: .png, .svg or .pdf. The file appears whole or not at all.
    """
    taken = simulation.snapshots
    times = [snapshot.time / SECOND for snapshot in taken]
    since = [0.0, *times]  # when there was nothing yet
    last = taken[-1]
    title = (
        f"{simulation.protocol}: {last.nodes:,} nodes, {last.topics:,} topics, seed "
        f"{simulation.scenario.seed}"
    )
    published = simulation.dissemination
    width = 13 if published is None else 18
    with picture(path, title, width=width, height=8) as figure:
        if published is None:
            (connected, degrees), (messages, shape) = figure.subplots(2, 2)
        else:
            (connected, degrees, hops), (messages, shape, copies) = figure.subplots(2, 3)
            draw_hops(hops, [published])
            draw_loads(copies, [published])
        connected.set_title("Topics connected")
        connected.step(
            since, [0.0, *(100 * s.topics_connected / max(s.topics, 1) for s in taken)],
            where="post", color=BLUE, linewidth=2,
        )  # fmt: skip
        connected.set_ylim(0, 105)
        connected.set_ylabel("% of topics")
        degrees.set_title("Links a node")
        degrees.plot(
            since, [0, *(s.max_degree for s in taken)], color=ORANGE, label="maximum degree"
        )
        degrees.plot(
            since, [0.0, *(s.mean_degree for s in taken)], color=BLUE, linewidth=2,
            label="mean degree",
        )  # fmt: skip
        if last.mean_view > 1.02 * last.mean_degree:
            degrees.plot(
                since, [0.0, *(s.mean_view for s in taken)], color=GREY, linestyle="--",
                label="neighbours, counted on each topic",
            )  # fmt: skip
        degrees.set_ylim(bottom=0)
        degrees.legend(frameon=False)
        messages.set_title("Messages a node and second")
        before = [0.0, *times[:-1]]
        for name, color in (("messages", GREY), ("control", BLUE)):
            counts = [0, *(getattr(s, name) for s in taken)]
            rates = [  # where nobody is counted yet, there is nobody to divide by
                (after - first) / max(t - u, 1e-9) / s.nodes if s.nodes else float("nan")
                for first, after, t, u, s in zip(
                    counts, counts[1:], times, before, taken, strict=False
                )
            ]
            label = "all" if name == "messages" else "without heartbeats and gossip"
            messages.plot(times, rates, color=color, label=label)
        messages.set_ylim(bottom=0)
        messages.legend(frameon=False)
        for axes in (connected, degrees, messages):
            axes.set_xlabel("simulated seconds")
            axes.set_xlim(left=0)
        by_degree = np.bincount(simulation.last.overlay.degrees)
        shape.set_title("Degrees at the end")
        shape.bar(range(len(by_degree)), by_degree, color=BLUE, width=0.9)
        shape.axvline(last.mean_degree, color=INK, linestyle="--", linewidth=1)
        shape.set_xlabel("degree (dashed: the mean)")
        shape.set_ylabel("nodes")
        for axis in (degrees.yaxis, shape.xaxis):
            axis.get_major_locator().set_params(integer=True)
        for axes in (connected, degrees, messages, shape):
            axes.grid(True, color="#E6E6E6", linewidth=0.7, zorder=0)
            axes.set_axisbelow(True)
