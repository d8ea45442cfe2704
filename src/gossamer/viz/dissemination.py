"""Publications: hops to each delivery, and the load of each node."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from gossamer.quality.dissemination import Dissemination, savings
from gossamer.quality.distributions import Histogram
from gossamer.viz.blocks import Chart
from gossamer.viz.curves import HEIGHT, Curve, bars_chart, ccdf_chart, line_chart
from gossamer.viz.labels import subject
from gossamer.viz.picture import draw_picture

MIN_SAVING = -50.0
SHOWN = 99.0
"""Percentage of deliveries up to whose hops the horizontal axis reaches; tails may be very long."""
MAX_BARS = 30


def dissemination_picture(
    found: Sequence[Dissemination], title: str, path: str | os.PathLike[str]
) -> None:
    """Draw hops, copies and bytes of a node, and the savings of one flood over the other.

    Parameters
    ----------
    found
        One flood, or *simple* and *crosspost* on the same publications.
    title
        Title above the charts.
    path
        Output file: .png, .svg, .pdf or .html. It is written whole or not at all.
    """
    by_flood = {one.flood: one for one in found}
    last = (
        _savings(by_flood["simple"], by_flood["crosspost"])
        if len(by_flood) == 2
        else _farthest(found[0])
    )
    draw_picture(
        path, title, [hops_chart(found), load_chart(found), _bandwidth(found), last], height=HEIGHT
    )


def hops_chart(found: Sequence[Dissemination]) -> Chart:
    """Draw the distribution of hops over deliveries, as bars or, if long, as lines."""
    end = max((one.hops.percentiles([SHOWN])[0] for one in found if one.hops.total), default=1)
    shares = {}
    for one in found:
        inside = one.hops.values <= end
        name = f"{one.flood}: mean {one.hops.mean:.2f}, maximum {one.hops.maximum:,}"
        counts = 100 * one.hops.counts[inside] / max(one.hops.total, 1)
        shares[name] = (one.hops.values[inside].tolist(), counts.tolist())
    whole = end >= max((one.hops.maximum for one in found), default=0)
    across = "Hops" if whole else f"Hops ({SHOWN:g}% of deliveries; the others take more)"
    title, up = subject("mean_hops"), "% of deliveries"
    if end <= MAX_BARS:
        domain = (0.4, end + 0.6)
        return bars_chart(title, shares, x=across, y=up, width=0.8, x_domain=domain)
    curves = [Curve(name, *values) for name, values in shares.items()]
    return line_chart(title, curves, x=across, y=up)


def load_chart(found: Sequence[Dissemination]) -> Chart:
    """Draw the distribution of copies sent over nodes."""
    counts = {
        f"{one.flood}: mean {float(one.sent.mean()) if len(one.sent) else 0.0:,.1f}, "
        f"maximum {int(one.sent.max(initial=0)):,}": Histogram.of(one.sent).above_zero()
        for one in found
    }
    return ccdf_chart(subject("mean_copies"), counts, value="Copies", of="senders")


def _bandwidth(found: Sequence[Dissemination]) -> Chart:
    counts = {
        f"{one.flood}: mean {float(one.bytes.mean()) / 1000 if len(one.bytes) else 0.0:,.1f} kB":
        Histogram.of(one.bytes).above_zero()
        for one in found
    }  # fmt: skip
    units = dict.fromkeys(counts, 1000.0)
    return ccdf_chart(subject("mean_bytes"), counts, value="kB sent", of="senders", units=units)


def _savings(before: Dissemination, after: Dissemination) -> Chart:
    """Draw the distribution of savings over nodes, as in StaN, Figure 10(a)."""
    saved = savings(before, after)
    total = 100 * (1 - after.sent.sum() / max(before.sent.sum(), 1))
    shares = 100 * np.arange(1, len(saved) + 1) / max(len(saved), 1)
    # A node that sends almost nothing may send several times as much.
    shown = np.maximum(saved, MIN_SAVING)
    return line_chart(
        "Savings of crosspost over simple",
        [Curve("nodes", shown.tolist(), shares.tolist())],
        x="% fewer copies sent by a node",
        y="% of nodes with at most that saving",
        step="after",
        line=(f"in total {total:.1f}%", float(total)),
    )


def _farthest(one: Dissemination) -> Chart:
    farthest = Histogram.of(one.furthest[one.delivered > 0])
    shares = (100 * np.cumsum(farthest.counts) / max(farthest.total, 1)).tolist()
    return line_chart(
        "Hops to the farthest delivery of a publication",
        [Curve(one.flood, farthest.values.tolist(), shares)],
        x="Hops",
        y="% of publications with at most that many hops",
        step="after",
    )
