"""Picture of a cycle-driven simulation: measures over cycles, or loads of nodes at the end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from gossamer.viz.comparison_picture import BLUE, GREY, INK, ORANGE
from gossamer.viz.curves import picture

if TYPE_CHECKING:
    from gossamer.cycles.events import CycleMeasures
    from gossamer.sim import Simulation

__all__ = ["cycles_picture"]

BINS = 10


def cycles_picture(simulation: Simulation, path: str | os.PathLike[str]) -> None:
    """Draw hit ratio, overhead, hops and nodes over cycles.

    If only one cycle was measured, draw the distributions of overhead (Vitis, Figure 5) and links
    over nodes instead.

    Parameters
    ----------
    simulation
        Result of the cycle-driven engine.
    path
        File to write: .png, .svg or .pdf. It appears whole or not at all.
    """
    last = simulation.last_cycle
    title = (
        f"{simulation.protocol}: {last.nodes:,} nodes, seed {simulation.scenario.seed}, hit ratio "
        f"{last.hit_ratio:.4f}, overhead {last.traffic.overhead:.3f}, hops {last.hops:.2f}"
    )
    several = len(simulation.cycles) > 1
    with picture(path, title, width=13, height=8 if several else 4.4) as figure:
        if several:
            _draw_over_cycles(figure, simulation.cycles)
        else:
            shares, links = figure.subplots(1, 2)
            _draw_shares(shares, last)
            _draw_links(links, last)


def _draw_over_cycles(figure: Any, measured: tuple[CycleMeasures, ...]) -> None:
    (hits, overhead), (hops, nodes) = figure.subplots(2, 2)
    cycles = [one.cycle for one in measured]
    nodes.plot(cycles, [one.nodes for one in measured], color=INK)
    # Without an eligible subscriber there are no publications to draw.
    measured = tuple(one for one in measured if one.traffic.all_wanted.any())
    cycles = [one.cycle for one in measured]
    hits.set_title("Hit ratio")
    hits.plot(cycles, [100 * one.hit_ratio for one in measured], color=BLUE, linewidth=2)
    hits.set_ylabel("% of the expected deliveries")
    hits.set_ylim(top=100.5)
    overhead.set_title("Traffic overhead")
    for values, label, color, style in (
        ([one.traffic.overhead for one in measured], "of first receptions", BLUE, "-"),
        (
            [one.traffic.overhead_with_duplicates for one in measured],
            "of all receptions",
            ORANGE,
            "--",
        ),
        ([one.traffic.mean_over_nodes for one in measured], "mean over nodes", GREY, ":"),
    ):
        shares = [100 * value for value in values]
        overhead.plot(cycles, shares, color=color, linestyle=style, label=label)
    overhead.set_ylabel("% of no interest to the receiver")
    overhead.set_ylim(bottom=0)
    overhead.legend(frameon=False)
    hops.set_title("Hops of a delivery")
    hops.plot(cycles, [one.furthest for one in measured], color=ORANGE, label="most")
    hops.plot(cycles, [one.hops for one in measured], color=BLUE, linewidth=2, label="mean")
    hops.set_ylim(bottom=0)
    hops.legend(frameon=False)
    nodes.set_title("Nodes")
    nodes.set_ylim(bottom=0)
    for axes in (hits, overhead, hops, nodes):
        axes.set_xlabel("cycle")
        _finish(axes)


def _draw_shares(axes: Any, last: CycleMeasures) -> None:
    axes.set_title("Traffic overhead of a node")
    shares = last.traffic.by_node
    counts, edges = np.histogram(shares, bins=BINS, range=(0.0, 1.0))
    middles = 100 * (edges[:-1] + edges[1:]) / 2
    axes.bar(middles, 100 * counts / max(len(shares), 1), width=9, color=BLUE)
    axes.axvline(100 * last.traffic.mean_over_nodes, color=INK, linestyle="--", linewidth=1)
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of its notifications that are of no interest (dashed: the mean)")
    axes.set_ylabel("% of nodes")
    _finish(axes)


def _draw_links(axes: Any, last: CycleMeasures) -> None:
    axes.set_title("Links of a node, both directions")
    by_degree = np.bincount(last.degrees) if len(last.degrees) else np.zeros(1, dtype=np.int64)
    axes.bar(range(len(by_degree)), by_degree, color=BLUE, width=0.9)
    axes.axvline(last.links_mean, color=INK, linestyle="--", linewidth=1)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("links (dashed: the mean)")
    axes.set_ylabel("nodes")
    _finish(axes)


def _finish(axes: Any) -> None:
    axes.grid(True, color="#E6E6E6", linewidth=0.7, zorder=0)
    axes.set_axisbelow(True)
