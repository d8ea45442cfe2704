"""A cycle-driven simulation: measures over cycles, or loads of nodes at its end."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from gossamer.viz.blocks import Chart
from gossamer.viz.curves import Curve, bars_chart, line_chart
from gossamer.viz.labels import statistic, subject
from gossamer.viz.picture import draw_picture

if TYPE_CHECKING:
    from gossamer.cycles.events import CycleMeasures
    from gossamer.sim import Simulation

BINS = 10
PRESENT = "Present nodes"


def cycles_picture(simulation: Simulation, path: str | os.PathLike[str]) -> None:
    """Draw hit ratio, overhead, hops and nodes over cycles.

    If only one cycle was measured, draw instead the distributions of overhead (Vitis, Figure 5)
    and of links over nodes.

    Parameters
    ----------
    simulation
        Result of a cycle-driven simulation.
    path
        Output file: .png, .svg, .pdf or .html. It is written whole or not at all.
    """
    last = simulation.last_cycle
    title = (
        f"{simulation.protocol}: {last.nodes:,} nodes, seed {simulation.scenario.seed}, hit ratio "
        f"{last.hit_ratio:.4f}, overhead {last.traffic.overhead:.3f}, hops {last.hops:.2f}"
    )
    several = len(simulation.cycles) > 1
    charts = _over_cycles(simulation.cycles) if several else [_overheads(last), _links(last)]
    draw_picture(path, title, charts)


def _over_cycles(measured: tuple[CycleMeasures, ...]) -> list[Chart]:
    # In a cycle without deliveries to make, only the nodes can be drawn.
    counted = [one for one in measured if one.traffic.all_wanted.any()]

    def chart(
        title: str, y: str, curves: dict[str, Callable[[CycleMeasures], float]], zero: bool = True
    ) -> Chart:
        shown = list(measured) if title == PRESENT else counted
        cycles = [one.cycle for one in shown]
        return line_chart(
            title,
            [Curve(name, cycles, [of(one) for one in shown]) for name, of in curves.items()],
            x="Cycle",
            y=y,
            zero=zero,
        )

    return [
        chart(subject("hit_ratio"), "% of the expected deliveries",
              {"hit ratio": lambda one: 100 * one.hit_ratio}, zero=False),
        chart(subject("overhead"), "% not subscribed by the receiver", {
            statistic("overhead"): lambda one: 100 * one.traffic.overhead,
            statistic("overhead_with_duplicates"):
                lambda one: 100 * one.traffic.overhead_with_duplicates,
            statistic("overhead_mean_over_nodes"):
                lambda one: 100 * one.traffic.mean_over_nodes,
        }),
        chart(subject("mean_hops"), "Hops",
              {"mean": lambda one: one.hops, "maximum": lambda one: one.furthest}),
        chart(PRESENT, "Nodes", {"nodes": lambda one: one.nodes}),
    ]  # fmt: skip


def _overheads(last: CycleMeasures) -> Chart:
    shares = last.traffic.by_node
    counts, edges = np.histogram(shares, bins=BINS, range=(0.0, 1.0))
    middles = (100 * (edges[:-1] + edges[1:]) / 2).tolist()
    mean = 100 * last.traffic.mean_over_nodes
    return bars_chart(
        subject("overhead_mean_over_nodes"),
        {"nodes": (middles, (100 * counts / max(len(shares), 1)).tolist())},
        x="% of receptions on topics without subscription",
        y="% of nodes",
        width=9,
        line=(f"mean {mean:.1f}%", mean),
        x_domain=(0, 100),
    )


def _links(last: CycleMeasures) -> Chart:
    by_degree = np.bincount(last.degrees, minlength=1).tolist()
    return bars_chart(
        f"{subject('mean_degree')}, both directions",
        {"nodes": (list(range(len(by_degree))), by_degree)},
        x="Links",
        y="Nodes",
        line=(f"mean {last.links_mean:.2f}", last.links_mean),
    )
