"""A workload profile as pictures and as sections of a page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

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
from gossamer.viz.blocks import Chart, Section, Table
from gossamer.viz.curves import Curve, bars_chart, ccdf_chart, line_chart, named_bars_chart
from gossamer.viz.labels import subject
from gossamer.viz.picture import draw_picture

PROFILE_TITLES = {
    "interests": "Interests",
    "correlation": "Correlation of interests",
    "publications": "Publications",
    "sessions": "Sessions",
}
BARS = 12
TOPICS_LISTED = 10
INTERVALS_TOGETHER = 8


def profile_pictures(profile: WorkloadProfile, folder: str | os.PathLike[str]) -> list[Path]:
    """Draw each part of a profile, and return the files that were written to the folder.

    They are ``profile_interests.png``, ``profile_publications.png`` and
    ``profile_sessions.png``, each written whole or not at all.
    """
    pictures: dict[str, tuple[str, list[Chart]]] = {}
    if profile.interests is not None:
        found = profile.interests
        title = (
            f"{found.nodes:,} nodes, {found.topics:,} topics, {found.subscriptions:,} subscriptions"
        )
        pictures["interests"] = title, _interests(found, profile.correlation)
    if profile.publications is not None:
        pictures["publications"] = _publications(profile.publications)
    if profile.sessions is not None:
        pictures["sessions"] = _sessions(profile.sessions)
    written = []
    for name, (title, charts) in pictures.items():
        written.append(Path(folder) / f"profile_{name}.png")
        draw_picture(written[-1], title, charts, columns=3, width=360, height=300)
    return written


def profile_sections(profile: WorkloadProfile) -> list[Section]:
    """Return a profile as sections of a page, one for each part."""
    charts: dict[str, list[Chart]] = {}
    if profile.interests is not None:
        charts["interests"] = _interests(profile.interests, None)
    if profile.publications is not None:
        charts["publications"] = _publications(profile.publications)[1][:2]
    sections = []
    for part, facts in profile.facts().items():
        rows = [(name, value) for name, value in facts.items() if value is not None]
        tables = [Table("Summary", ("Measure", "Value"), rows)]
        if part == "interests" and profile.interests is not None:
            top = profile.interests.top_topics[:TOPICS_LISTED]
            tables.append(Table("Most popular topics", ("Topic", "Subscribers"), top))
        sections.append(
            Section(PROFILE_TITLES[part], charts=charts.get(part, ()), tables=tuple(tables))
        )
    return sections


def _interests(found: InterestProfile, alike: CorrelationProfile | None) -> list[Chart]:
    charts = [
        _ccdf(subject("mean_subscribers"), found.per_topic, "Subscribers", "topics"),
        _ccdf(subject("mean_topics"), found.per_node, "Topics", "nodes"),
    ]
    if alike is not None:
        overlaps = [(f"d = {depth}", value) for depth, value in alike.top_intersections]
        note = (
            f"{alike.compared:,} nodes compared with all others; {alike.sharing_pairs:.2%} of the "
            f"pairs share a topic; mean Jaccard index {alike.mean_jaccard:.3g}, of those pairs "
            f"{alike.mean_jaccard_if_any or 0:.3g}"
        )
        title = "Interest overlap with the d most similar nodes"
        charts.append(named_bars_chart(title, overlaps, value="tdi(d), %", form=".1f", note=note))
    return charts


def _publications(found: PublicationProfile) -> tuple[str, list[Chart]]:
    count = found.publications
    title = "Publication rates" if count is None else f"{count:,} publications"
    if found.per_second:
        title += f", {_rate(found.per_second)}"
    charts = [_ccdf("Publications per topic", found.per_topic, "Publications", "topics")]
    if found.per_publication is not None:
        topics = found.per_publication.histogram
        shares = (100 * topics.counts / topics.total).tolist()
        charts.append(
            bars_chart(
                "Topics per publication", {"publications": (topics.values.tolist(), shares)},
                x="Topics", y="% of publications",
            )
        )  # fmt: skip
    if found.pairs:
        pairs = [(f"{one} + {other}", count) for one, other, count in found.pairs]
        charts.append(_top("Most frequent pairs of topics", pairs))
    else:
        charts.append(_top("Topics with the most publications", found.top_topics))
    return title, charts


def _sessions(found: SessionProfile) -> tuple[str, list[Chart]]:
    title = (
        f"{found.nodes:,} nodes, {found.sessions:,} sessions in {found.hours / 24:,.1f} days; "
        f"{found.churn_per_hour:.2%} of the present nodes join or leave each hour"
    )
    median = found.lengths.histogram.percentiles([50])[0] / HOUR
    days = (found.times - found.times[0]) / (24 * HOUR)
    # Several intervals together, without those at the borders: single ones fluctuate.
    starts = np.arange(1, max(len(days) - 1, 2), INTERVALS_TOGETHER)
    hours = 24 * np.add.reduceat(np.diff(days, prepend=0.0)[:-1], starts)
    present = np.maximum(np.add.reduceat(found.present[:-1], starts), 1)
    present = present / np.diff(np.append(starts, len(days) - 1)) * hours
    moves = {"joins": found.came, "leaves": found.went}
    time = "Days since the first session"
    charts = [
        ccdf_chart(
            "Length of a session",
            {"sessions": found.lengths.histogram},
            value="Hours",
            of="sessions",
            units={"sessions": HOUR},
            line=(f"median {median:,.3g} h", median),
        ),
        # All sessions end with the window, so its last instant is left out.
        line_chart(
            "Present nodes",
            [Curve("present", days[:-1].tolist(), found.present[:-1].tolist())],
            x=time,
            y="Nodes",
        ),
        line_chart(
            "Churn",
            [
                Curve(
                    name,
                    days[starts].tolist(),
                    (100 * np.add.reduceat(counts[:-1], starts) / present).tolist(),
                )
                for name, counts in moves.items()
            ],
            x=time,
            y="% of the present nodes an hour",
        ),
    ]
    return title, charts


def _ccdf(title: str, one: FittedHistogram, value: str, of: str) -> Chart:
    """Draw a distribution and the power law fitted to it."""
    shape = one.histogram.above_zero()
    if len(one.histogram.values) == 1:
        (only,) = one.histogram.values.tolist()
        bars = {of: ([only], [100.0])}
        near = (max(only - 2, 0), only + 2)
        return bars_chart(
            title, bars, x=value, y=f"% of {of}", x_domain=near, note=f"{only:,} each"
        )
    note = f"mean {one.histogram.mean:,.1f}, maximum {shape.maximum:,}"
    if one.fit is not None:
        note += f"; dashed: power law, exponent {one.fit.exponent:.2f} from {one.fit.smallest:,}"
    name = f"{value} of {of}"
    fits = {} if one.fit is None else {name: one.fit}
    return ccdf_chart(title, {name: shape}, value=value, of=of, fits=fits, note=note)


def _top(title: str, counted: Sequence[tuple[str, float]]) -> Chart:
    return named_bars_chart(title, counted[:BARS], value="Publications")


def _rate(per_second: float) -> str:
    """Return a rate in the largest unit in which it is at least 1."""
    units = ((1, "a second"), (3_600, "an hour"), (86_400, "a day"))
    seconds, unit = next((one for one in units if per_second * one[0] >= 1), units[-1])
    return f"{per_second * seconds:,.3g} {unit}"
