"""The page of a degree–diameter front: what to take, charts, every measure, how to run it again."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from gossamer.experiments.pareto_front import Front, Which
from gossamer.experiments.recommendation import Recommendation, recommend
from gossamer.viz.blocks import Chart, Section, Table
from gossamer.viz.charts import scatter_chart
from gossamer.viz.comparison_page import IN_PIECES, again_section
from gossamer.viz.html import render_page

__all__ = ["front_page", "front_sections"]


MAX_HEADING = 70


def front_page(
    front: Front,
    path: str | os.PathLike[str],
    *,
    advice: Sequence[Recommendation] | None = None,
    title: str | None = None,
) -> None:
    """Write a front as one HTML page that opens from disk, without any network.

    Parameters
    ----------
    front
        What :func:`gossamer.front` gave.
    path
        Where to write: .html or .htm. The file appears whole or not at all.
    advice
        What :func:`gossamer.viz.recommend` said; for the usual wishes if not given.
    title
        The heading; the front's own if not given.

    Raises
    ------
    ParameterError
        If the path cannot be written to, or what draws charts is not installed.
    """
    heading = front.comparison.origin.title if title is None else title
    render_page(heading, front_sections(front, advice=advice), path)


def _wish(text: str) -> str:
    """Return what an answer is an answer to, as a heading."""
    wish, found, _ = text.partition(", take")
    if not found:
        return "What to take"
    brief = re.sub(r" \([^)]*\)", "", wish)
    return brief if len(brief) <= MAX_HEADING else f"{re.split(', | and ', brief)[0]} and more"


def front_sections(
    front: Front, *, advice: Sequence[Recommendation] | None = None
) -> list[Section]:
    """Return a front as sections of a page."""
    size = front.comparison
    said = recommend(front) if advice is None else advice
    return [
        *(
            Section(
                _wish(one.text),
                (one.text.replace("`", ""),),
                commands=(one.command,) if one.command else (),
            )
            for one in said
        ),
        Section(
            "The front",
            (
                f"{len(front.points):,} overlays for the same {size.nodes:,} nodes, "
                f"{size.topics:,} topics and {size.subscriptions:,} subscriptions. An overlay is "
                "on the front if no other is as good in mean degree, maximum degree and largest "
                "topic diameter, and better in one of them. The charts show all: a click on a "
                "name brings it out. Hollow points are beaten by another in the two measures of "
                "their chart, or leave some topics in pieces.",
                *_proven(front),
                *(f"Left out: {label}; {why}." for label, why in front.left_out.items()),
            ),
            charts=_charts(front),
            tables=(_table(front),),
        ),
        again_section(size, size.origin.command),
    ]


def _proven(front: Front) -> list[str]:
    if not front.bound_method:
        return ["Nothing is proven of the least possible mean degree: the table is too large."]
    return [
        "It is proven for these very subscriptions that no overlay which connects every topic "
        f"has a mean degree below {front.comparison.bound_text} (by {front.bound_method})."
    ]


def _charts(front: Front) -> list[Chart]:
    bound = front.comparison.lower_bound
    panels: tuple[tuple[Which, str, str], ...] = (
        ("mean", "mean degree", "Links a node keeps on average, and hops: lower left is better"),
        ("max", "maximum degree", "Links of the busiest node, and hops: lower left is better"),
    )
    return [
        scatter_chart(
            title,
            {
                point.label: (
                    point.mean_degree if which == "mean" else float(point.max_degree),
                    float(point.max_diameter),
                )
                for point in front.points
            },
            x=name,
            y="largest topic diameter, hops",
            notes={
                point.label: "another beats it" if point.connected else IN_PIECES
                for point in front.points
                if which not in point.on
            },
            line=(f"no mean degree below {front.comparison.bound_text}", bound)
            if which == "mean" and bound > 0
            else None,
        )
        for which, name, title in panels
    ]


def _table(front: Front) -> Table:
    points = sorted(front.points, key=lambda p: (p.max_diameter, p.mean_degree, p.max_degree))
    return Table(
        "Every overlay, the shortest paths first",
        (
            "algorithm",
            "whose",
            "on the front",
            "max diameter",
            "mean degree",
            "÷ lower bound",
            "max degree",
            "95th percentile",
            "links",
            "mean diameter",
            "every topic connected",
            "seconds",
        ),
        [
            (
                point.label,
                point.kind,
                "all" in point.on,
                point.max_diameter,
                point.mean_degree,
                point.ratio,
                point.max_degree,
                point.p95_degree,
                point.links,
                point.mean_diameter,
                point.connected,
                point.seconds,
            )
            for point in points
        ],
    )
