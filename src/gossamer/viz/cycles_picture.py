"""The picture of a simulation in rounds: measures over rounds, or loads of nodes at its end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from gossamer.viz.comparison_picture import BLUE, GREY, INK, ORANGE
from gossamer.viz.curves import picture

if TYPE_CHECKING:
    from gossamer.cycles import RoundSimulation
    from gossamer.cycles.events import RoundMeasures

__all__ = ["rounds_picture"]

BINS = 10


def rounds_picture(simulation: RoundSimulation, path: str | os.PathLike[str]) -> None:
    """Draw hit ratio, overhead, hops and nodes over rounds.

    Where only one round was measured, instead, how overhead is spread over nodes (Vitis, Figure 5),
    and links.

    Parameters
    ----------
    simulation
        What :func:`gossamer.sim.simulate_rounds` gave.
    path
        Where to write: .png, .svg or .pdf. The file appears whole or not at all.
    """
    last = simulation.last
    title = (
        f"{simulation.protocol}: {last.nodes:,} nodes, seed {simulation.seed}, hit ratio "
        f"{last.hit_ratio:.4f}, overhead {last.traffic.overhead:.3f}, hops {last.hops:.2f}"
    )
    several = len(simulation.measured) > 1
    with picture(path, title, width=13, height=8 if several else 4.4) as figure:
        if several:
            _draw_over_rounds(figure, simulation.measured)
        else:
            shares, links = figure.subplots(1, 2)
            _draw_shares(shares, last)
            _draw_links(links, last)


def _draw_over_rounds(figure: Any, measured: tuple[RoundMeasures, ...]) -> None:
    (hits, overhead), (hops, nodes) = figure.subplots(2, 2)
    rounds = [one.now for one in measured]
    nodes.plot(rounds, [one.nodes for one in measured], color=INK)
    # Where nobody counts yet, nothing is published, and there is nothing to draw.
    measured = tuple(one for one in measured if one.traffic.all_wanted.any())
    rounds = [one.now for one in measured]
    hits.set_title("Hit ratio")
    hits.plot(rounds, [100 * one.hit_ratio for one in measured], color=BLUE, linewidth=2)
    hits.set_ylabel("% of deliveries that there should be")
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
        overhead.plot(rounds, shares, color=color, linestyle=style, label=label)
    overhead.set_ylabel("% that the receiver does not want")
    overhead.set_ylim(bottom=0)
    overhead.legend(frameon=False)
    hops.set_title("Hops of a delivery")
    hops.plot(rounds, [one.furthest for one in measured], color=ORANGE, label="most")
    hops.plot(rounds, [one.hops for one in measured], color=BLUE, linewidth=2, label="mean")
    hops.set_ylim(bottom=0)
    hops.legend(frameon=False)
    nodes.set_title("Nodes")
    nodes.set_ylim(bottom=0)
    for axes in (hits, overhead, hops, nodes):
        axes.set_xlabel("round")
        _finish(axes)


def _draw_shares(axes: Any, last: RoundMeasures) -> None:
    axes.set_title("Traffic overhead of a node")
    shares = last.traffic.by_node
    counts, edges = np.histogram(shares, bins=BINS, range=(0.0, 1.0))
    middles = 100 * (edges[:-1] + edges[1:]) / 2
    axes.bar(middles, 100 * counts / max(len(shares), 1), width=9, color=BLUE)
    axes.axvline(100 * last.traffic.mean_over_nodes, color=INK, linestyle="--", linewidth=1)
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of what it gets that it does not want (dashed: the mean)")
    axes.set_ylabel("% of nodes")
    _finish(axes)


def _draw_links(axes: Any, last: RoundMeasures) -> None:
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
