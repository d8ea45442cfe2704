"""Pictures of a workload's profile: interests, correlation, publications, sessions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gossamer.quality.profiles import (
    CorrelationProfile,
    InterestProfile,
    PublicationProfile,
    SessionProfile,
    WorkloadProfile,
)
from gossamer.quality.shape import FittedHistogram
from gossamer.time import HOUR
from gossamer.viz.comparison_picture import BLUE, INK, ORANGE
from gossamer.viz.curves import draw_ccdf, draw_fit, explain, log_log, picture

__all__ = ["profile_pictures"]

BARS = 12
TOGETHER = 8


def profile_pictures(profile: WorkloadProfile, folder: str | os.PathLike[str]) -> list[Path]:
    """Draw what the profile has, and return the files that were written to the folder.

    ``profile_interests.png``, ``profile_publications.png`` and ``profile_sessions.png``, each
    only if there is something to show. Each appears whole or not at all.
    """
    place = Path(folder)
    written = []
    if profile.interests is not None:
        written.append(place / "profile_interests.png")
        _draw_interests(profile.interests, profile.correlation, written[-1])
    if profile.publications is not None:
        written.append(place / "profile_publications.png")
        _draw_publications(profile.publications, written[-1])
    if profile.sessions is not None:
        written.append(place / "profile_sessions.png")
        _draw_sessions(profile.sessions, written[-1])
    return written


def _draw_interests(found: InterestProfile, alike: CorrelationProfile | None, path: Path) -> None:
    title = f"{found.nodes:,} nodes, {found.topics:,} topics, {found.subscriptions:,} subscriptions"
    with picture(path, title, width=15, height=4.8) as figure:
        left, middle, right = figure.subplots(1, 3)
        _ccdf(
            left, found.per_topic, "Subscribers of a topic", "subscribers", "share of topics", BLUE
        )
        _ccdf(middle, found.per_node, "Topics of a node", "topics", "share of nodes", ORANGE)
        if alike is None:
            right.set_axis_off()
            return
        depths = [f"{depth}" for depth, _ in alike.top_intersections]
        values = [value for _, value in alike.top_intersections]
        right.set_title("Interests in common")
        bars = right.bar(depths, values, color=BLUE, width=0.55)
        right.bar_label(bars, [f"{value:.1f} %" for value in values], padding=3, color=INK)
        right.set_ylim(0, 115)
        right.set_ylabel("tdi(d), per cent")
        right.set_xlabel(
            "d most similar of all other nodes\n"
            f"{alike.compared:,} nodes compared; {alike.sharing_pairs:.2%} of pairs have a topic "
            f"in common\nmean Jaccard index {alike.mean_jaccard:.3g}, of those pairs "
            f"{alike.mean_jaccard_if_any or 0:.3g}",
            fontsize=9,
        )


def _draw_publications(found: PublicationProfile, path: Path) -> None:
    count = found.publications
    many = "Publication rates" if count is None else f"{count:,} publications"
    if found.per_second:
        many += f", {_rate(found.per_second)}"
    with picture(path, many, width=15, height=4.8) as figure:
        left, middle, right = figure.subplots(1, 3)
        _ccdf(
            left,
            found.per_topic,
            "Publications on a topic",
            "publications",
            "share of topics",
            BLUE,
        )
        if found.per_publication is None:
            middle.set_axis_off()
        else:
            middle.set_title("Topics of a publication")
            topics = found.per_publication.histogram
            middle.bar(topics.values, topics.counts / topics.total, color=ORANGE, width=0.6)
            middle.set_xlabel("topics")
            middle.set_ylabel("share of publications")
            middle.xaxis.get_major_locator().set_params(integer=True)
        if found.pairs:
            names = [f"{one} + {other}" for one, other, _ in found.pairs]
            _bars(right, "Topics most often together", names, [row[2] for row in found.pairs])
        else:
            names = [name for name, _ in found.top_topics]
            _bars(right, "Busiest topics", names, [many for _, many in found.top_topics])
        right.set_xlabel("publications")


def _draw_sessions(found: SessionProfile, path: Path) -> None:
    title = (
        f"{found.nodes:,} nodes, {found.sessions:,} sessions in {found.hours / 24:,.1f} days; "
        f"{found.churn_per_hour:.2%} of those present join or leave each hour"
    )
    with picture(path, title, width=15, height=4.8) as figure:
        left, middle, right = figure.subplots(1, 3)
        log_log(left, "How long sessions are", "hours", "share of sessions this long or longer")
        lengths = found.lengths.histogram
        draw_ccdf(left, lengths, "", BLUE, unit=HOUR)
        median = lengths.percentiles([50])[0] / HOUR
        left.axvline(median, color=INK, linestyle="--", linewidth=1)
        left.annotate(
            f"median {median:,.3g} h",
            (median, 1),
            xytext=(4, 2),
            textcoords="offset points",
            color=INK,
            fontsize=9,
        )
        days = (found.times - found.times[0]) / (24 * HOUR)
        # At the last instant the window has ended, and everybody with it.
        middle.set_title("How many are there")
        middle.plot(days[:-1], found.present[:-1], color=BLUE, linewidth=1.4)
        middle.yaxis.set_major_formatter("{x:,.0f}")
        middle.set_ylim(0, 1.1 * max(int(found.present.max()), 1))
        middle.set_xlabel("days from the first start")
        middle.set_ylabel("nodes present")
        right.set_title("How many come and go")
        # Several intervals together, without the border's: a line for each is a thicket.
        starts = np.arange(1, max(len(days) - 1, 2), TOGETHER)
        hours = 24 * np.add.reduceat(np.diff(days, prepend=0.0)[:-1], starts)
        there = np.maximum(np.add.reduceat(found.present[:-1], starts), 1)
        there = there / np.diff(np.append(starts, len(days) - 1)) * hours
        for name, moves, color in (("join", found.came, BLUE), ("leave", found.went, ORANGE)):
            share = 100 * np.add.reduceat(moves[:-1], starts) / there
            right.plot(days[starts], share, color=color, linewidth=1.4, label=name)
        right.set_ylim(bottom=0)
        right.set_xlabel("days from the first start")
        right.set_ylabel("per cent of those present, per hour")
        right.legend(frameon=False, fontsize=9)


def _ccdf(
    axes: Any, one: FittedHistogram, title: str, across: str, things: str, color: str
) -> None:
    log_log(axes, title, across, f"{things} with this many or more")
    shape = one.histogram
    draw_ccdf(axes, shape, f"mean {shape.mean:,.1f}, most {shape.maximum:,}", color)
    draw_fit(axes, one)
    if one.fit is not None:
        axes.plot(
            [],
            [],
            color="#8C8C8C",
            linestyle="--",
            label=f"power law, exponent {one.fit.exponent:.2f} from {one.fit.smallest:,} on",
        )
    explain(axes)


def _bars(axes: Any, title: str, names: Sequence[str], counts: Sequence[int]) -> None:
    shown = [name if len(name) <= 30 else f"{name[:29]}…" for name in names[:BARS]]
    axes.set_title(title)
    bars = axes.barh(range(len(shown)), counts[:BARS], color=BLUE, height=0.65)
    axes.bar_label(bars, [f"{count:,}" for count in counts[:BARS]], padding=3, fontsize=8)
    axes.set_yticks(range(len(shown)), shown)
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.12)


def _rate(per_second: float) -> str:
    """Write a rate in the unit in which it is a number that people can read."""
    units = ((1, "a second"), (3_600, "an hour"), (86_400, "a day"))
    seconds, unit = next((one for one in units if per_second * one[0] >= 1), units[-1])
    return f"{per_second * seconds:,.3g} {unit}"
