"""A simulation: topics connected, degrees and messages over simulated time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from gossamer.measures import label_of
from gossamer.time import SECOND
from gossamer.viz.curves import HEIGHT, Curve, bars_chart, line_chart
from gossamer.viz.dissemination import hops_chart, load_chart
from gossamer.viz.labels import statistic, subject
from gossamer.viz.picture import draw_picture

if TYPE_CHECKING:
    from gossamer.sim import Simulation

TIME = "Simulated seconds"


def simulation_picture(simulation: Simulation, path: str | os.PathLike[str]) -> None:
    """Draw topics connected, degrees and messages over time, and the degrees at the end.

    If anything was published, also hops and the copies that nodes sent.

    Parameters
    ----------
    simulation
        Result of :func:`gossamer.simulate`.
    path
        Output file: .png, .svg, .pdf or .html. It is written whole or not at all.
    """
    taken = simulation.snapshots
    times = [snapshot.time / SECOND for snapshot in taken]
    since = [0.0, *times]
    last = taken[-1]
    title = (
        f"{simulation.protocol}: {last.nodes:,} nodes, {last.topics:,} topics, seed "
        f"{simulation.scenario.seed}"
    )
    degrees = [
        Curve(statistic("mean_degree"), since, [0.0, *(s.mean_degree for s in taken)]),
        Curve(statistic("max_degree"), since, [0, *(s.max_degree for s in taken)]),
    ]
    if last.mean_view > 1.02 * last.mean_degree:
        views = [0.0, *(s.mean_view for s in taken)]
        degrees.append(Curve(label_of("mean_view"), since, views))
    messages = []
    for field, name in (("control", statistic("control")), ("messages", "all")):
        counts = [0, *(getattr(snapshot, field) for snapshot in taken)]
        rates = [
            change / max(seconds, 1e-9) / snapshot.nodes if snapshot.nodes else None
            for change, seconds, snapshot in zip(
                np.diff(counts).tolist(), np.diff(since).tolist(), taken, strict=True
            )
        ]
        messages.append(Curve(name, times, rates))
    by_degree = np.bincount(simulation.last.overlay.degrees).tolist()
    connected = [0.0, *(100 * s.topics_connected / max(s.topics, 1) for s in taken)]
    charts = [
        line_chart(
            "Topics connected", [Curve("topics", since, connected)], x=TIME, y="% of topics",
            step="after",
        ),
        line_chart(subject("mean_degree"), degrees, x=TIME, y="Links"),
        line_chart(subject("messages"), messages, x=TIME, y="Messages per node and second"),
        bars_chart(
            f"{subject('mean_degree')}, at the end",
            {"nodes": (list(range(len(by_degree))), by_degree)},
            x="Links", y="Nodes", line=(f"mean {last.mean_degree:.2f}", last.mean_degree),
        ),
    ]  # fmt: skip
    published = simulation.dissemination
    if published is not None:
        charts += [hops_chart([published]), load_chart([published])]
    draw_picture(path, title, charts, columns=2 if published is None else 3, height=HEIGHT)
