"""The picture of publications: over how many hops they come, and what they cost each node."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from gossamer.quality.dissemination import Dissemination, savings
from gossamer.quality.distributions import Histogram
from gossamer.viz.comparison_picture import BLUE, INK, ORANGE
from gossamer.viz.curves import draw_ccdf, explain, log_log, picture

__all__ = ["LOOKS", "dissemination_picture", "draw_hops", "draw_loads"]

GREEN = "#009E73"
LOOKS = {"crosspost": (BLUE, "o"), "simple": (ORANGE, "^"), "notify": (GREEN, "s")}
MIN_SAVING = -50.0
SHOWN = 99.0
"""Hops are drawn up to what so many of a hundred deliveries take: tails may be very long."""


def dissemination_picture(
    found: Sequence[Dissemination], title: str, path: str | os.PathLike[str]
) -> None:
    """Draw hops, copies and bytes of a node, and what one flood saves on the other.

    Parameters
    ----------
    found
        One flood, or *simple* and *crosspost* on the same publications.
    title
        What stands above it.
    path
        Where to write: .png, .svg or .pdf. The file appears whole or not at all.
    """
    by_flood = {one.flood: one for one in found}
    with picture(path, title, width=13, height=8.4) as figure:
        (hops, copies), (volumes, last) = figure.subplots(2, 2)
        draw_hops(hops, found)
        draw_loads(copies, found)
        log_log(volumes, "Bandwidth of a node", "kB sent", "share of senders with so much or more")
        for one in found:
            color, marker = LOOKS[one.flood]
            mean = float(one.bytes.mean()) / 1000 if len(one.bytes) else 0.0
            draw_ccdf(
                volumes, Histogram.of(one.bytes), f"{one.flood}: mean {mean:,.1f} kB", color,
                marker=marker, unit=1000.0,
            )  # fmt: skip
        _explain(volumes)
        if len(by_flood) == 2:
            _draw_savings(last, by_flood["simple"], by_flood["crosspost"])
        else:
            _draw_furthest(last, found[0])


def draw_hops(axes: Any, found: Sequence[Dissemination]) -> None:
    """Draw which share of deliveries took how many hops."""
    axes.set_title("Hops to a delivery")
    most = max((one.hops.percentiles([SHOWN])[0] for one in found if one.hops.total), default=1)
    width = 0.8 / max(len(found), 1)
    few = most <= 30
    for place, one in enumerate(found):
        color, _ = LOOKS[one.flood]
        inside = one.hops.values <= most
        values, shares = one.hops.values[inside], 100 * one.hops.counts[inside] / one.hops.total
        label = f"{one.flood}: mean {one.hops.mean:.2f}, most {one.hops.maximum:,}"
        if few:
            shift = (place - (len(found) - 1) / 2) * width
            axes.bar(values + shift, shares, width=width, color=color, label=label)
        else:
            axes.plot(
                values, shares, color=color, label=label, linewidth=1.5,
                linestyle="--" if place else "-",
            )  # fmt: skip
    whole = most >= max((one.hops.maximum for one in found), default=0)
    axes.set_xlabel("hops" if whole else f"hops (of {SHOWN:g}% of deliveries; others take more)")
    axes.set_ylabel("% of deliveries")
    axes.set_xlim(0.4 if few else 0, most + 0.6)
    axes.xaxis.get_major_locator().set_params(integer=True)
    _finish(axes)


def draw_loads(axes: Any, found: Sequence[Dissemination]) -> None:
    """Draw which share of nodes sent so many copies or more."""
    log_log(axes, "Copies sent by a node", "copies", "share of senders with so many or more")
    for one in found:
        color, marker = LOOKS[one.flood]
        mean = float(one.sent.mean()) if len(one.sent) else 0.0
        label = f"{one.flood}: mean {mean:,.1f}, most {int(one.sent.max(initial=0)):,}"
        draw_ccdf(axes, Histogram.of(one.sent), label, color, marker=marker)
    _explain(axes)


def _draw_savings(axes: Any, before: Dissemination, after: Dissemination) -> None:
    """Draw the share of nodes that save so much or less: StaN, Figure 10(a)."""
    axes.set_title("What crosspost saves on simple")
    saved = savings(before, after)
    whole = 100 * (1 - after.sent.sum() / max(before.sent.sum(), 1))
    shares = 100 * np.arange(1, len(saved) + 1) / max(len(saved), 1)
    axes.step(saved, shares, where="post", color=BLUE, linewidth=2)
    axes.axvline(whole, color=INK, linestyle="--", linewidth=1)
    axes.set_xlabel(f"% fewer copies sent by a node (dashed: all together, {whole:.1f}%)")
    axes.set_ylabel("% of nodes that save so much or less")
    axes.set_ylim(0, 102)
    if len(saved):  # a node that sends next to nothing may send several times as much
        axes.set_xlim(max(float(saved[0]), MIN_SAVING) - 2, max(float(saved[-1]), whole) + 2)
    _finish(axes)


def _draw_furthest(axes: Any, one: Dissemination) -> None:
    axes.set_title("The farthest delivery of each publication")
    farthest = Histogram.of(one.furthest[one.delivered > 0])
    color, _ = LOOKS[one.flood]
    if farthest.total:
        shares = 100 * np.cumsum(farthest.counts) / farthest.total
        across = [*farthest.values.tolist(), farthest.maximum + 1]
        axes.step(across, [*shares, 100.0], where="post", color=color, linewidth=2)
        axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("hops")
    axes.set_ylabel("% of publications that come no farther")
    axes.set_ylim(0, 102)
    axes.set_xlim(left=0)
    _finish(axes)


def _explain(axes: Any) -> None:
    if axes.get_legend_handles_labels()[0]:
        explain(axes)
    else:
        axes.text(0.5, 0.5, "nobody sends anything", ha="center", transform=axes.transAxes)


def _finish(axes: Any) -> None:
    axes.grid(True, color="#E6E6E6", linewidth=0.7, zorder=0)
    axes.set_axisbelow(True)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=9)
