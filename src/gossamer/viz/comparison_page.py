"""The page of a comparison: what was compared, charts, tables, and how to run it again.

What is said and shown is decided here; how charts and HTML are made is elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from gossamer.design import algorithms
from gossamer.experiments.comparison import Comparison, Distribution
from gossamer.viz.blocks import Cell, Chart, Section, Table
from gossamer.viz.charts import ccdf_chart, dots_chart, scatter_chart, spread_chart
from gossamer.viz.html import render_page

__all__ = ["IN_PIECES", "again_section", "comparison_page", "comparison_sections"]

PERCENTILES = (50, 90, 95, 99)
IN_PIECES = "some topics are in pieces"


def comparison_page(
    comparison: Comparison,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    command: str | None = None,
    profile: Sequence[Section] | None = None,
) -> None:
    """Write a comparison as one HTML page that opens from disk, without any network.

    Parameters
    ----------
    comparison
        What :func:`gossamer.compare` or :func:`gossamer.load_comparison` gave.
    path
        Where to write: .html or .htm. The file appears whole or not at all.
    title, command
        The heading, and what made the comparison; the comparison's own if not given.
    profile
        Sections to put before the comparison, about the data for instance.

    Raises
    ------
    ParameterError
        If the path cannot be written to, or what draws charts is not installed.
    """
    sections = [*(profile or ()), *comparison_sections(comparison, command=command)]
    render_page(comparison.origin.title if title is None else title, sections, path)


def comparison_sections(comparison: Comparison, *, command: str | None = None) -> list[Section]:
    """Return a comparison as sections of a page."""
    return [
        _compared(comparison),
        Section(
            "Results",
            (
                "It is proven for these very subscriptions that no overlay which connects every "
                f"topic has a mean degree below {comparison.bound_text}.",
                f"Degrees are over all {comparison.nodes:,} nodes. Diameters are in hops, over "
                "topics of two subscribers or more; of a topic in pieces, that of its widest "
                f"piece. Topics connected are of {comparison.topics:,}. Seconds are of the design "
                "alone, kernels having been compiled before. A click on a column's name sorts by "
                "it.",
            ),
            tables=(_results(comparison),),
        ),
        Section(
            "Charts",
            (
                "A click on a name, or on a mark, brings it out in all charts; another click "
                "takes that back. Rest on a mark to read its numbers. Hollow points leave some "
                "topics in pieces.",
            ),
            charts=_charts(comparison),
        ),
        again_section(comparison, comparison.origin.command if command is None else command),
    ]


def _compared(comparison: Comparison) -> Section:
    known = algorithms()
    rows: list[tuple[Cell, ...]] = []
    for row in comparison.rows:
        found = known.get(row.algorithm.split(":")[0])
        promise = found.promise if found is not None and found.topic_connected else None
        rows.append(
            (
                row.algorithm,
                found.summary.replace("`", "") if found else None,
                promise,
                found.reference if found else None,
            )
        )
    return Section(
        "What was compared",
        (
            f"{len(rows):,} algorithm{'s' * (len(rows) != 1)} on the same interests: "
            f"{comparison.nodes:,} nodes, {comparison.topics:,} topics, "
            f"{comparison.subscriptions:,} subscriptions. Each chooses the links of an overlay, so "
            "that the subscribers of a topic can reach each other over links among themselves. "
            "Few links a node and short paths within topics are better.",
        ),
        tables=(Table("The algorithms", ("algorithm", "what it does", "promises", "from"), rows),),
    )


def _results(comparison: Comparison) -> Table:
    return Table(
        "Every measure of every algorithm",
        (
            "algorithm",
            "mean degree",
            "÷ lower bound",
            "95th percentile",
            "max degree",
            "links",
            "topics connected",
            "mean diameter",
            "max diameter",
            "seconds",
        ),
        [
            (
                row.algorithm,
                row.mean_degree,
                row.ratio_to_lower_bound,
                row.p95_degree,
                row.max_degree,
                row.links,
                row.topics_connected,
                row.mean_diameter,
                row.max_diameter,
                row.seconds,
            )
            for row in comparison.rows
        ],
    )


def _charts(comparison: Comparison) -> list[Chart]:
    rows = comparison.rows
    bound = (f"no mean degree below {comparison.bound_text}", comparison.lower_bound)
    degrees = {row.algorithm: row.degrees for row in rows if row.degrees}
    diameters = {row.algorithm: row.diameters for row in rows if row.diameters}
    charts = [
        scatter_chart(
            "Few links or short paths: lower left is better",
            {row.algorithm: (row.mean_degree, row.mean_diameter) for row in rows},
            x="mean degree",
            y="mean topic diameter, hops",
            notes={row.algorithm: IN_PIECES for row in rows if not row.topic_connected},
            line=bound if comparison.lower_bound > 0 else None,
        ),
        dots_chart(
            "Links that a node keeps, and the least that is possible",
            {
                "mean": {row.algorithm: row.mean_degree for row in rows},
                "p95": {row.algorithm: row.p95_degree for row in rows},
                "max": {row.algorithm: row.max_degree for row in rows},
            },
            value="degree",
            line=bound if comparison.lower_bound > 0 else None,
        ),
    ]
    if degrees:
        charts.append(
            ccdf_chart(
                "How degrees are distributed",
                degrees,
                value="degree",
                of="nodes",
                table=_percentiles("Degrees of nodes", "nodes", degrees),
            )
        )
    if diameters:
        charts.append(
            spread_chart(
                "How topic diameters are distributed: larger circles, more topics",
                diameters,
                value="topic diameter, hops",
                of="topics",
                table=_percentiles(
                    "Diameters of topics of two subscribers or more", "topics", diameters
                ),
            )
        )
    charts.append(
        dots_chart(
            "How long the design took",
            {"seconds": {row.algorithm: row.seconds for row in rows}},
            value="seconds",
        )
    )
    return charts


def _percentiles(caption: str, of: str, distributions: Mapping[str, Distribution]) -> Table:
    return Table(
        f"{caption}: least, percentiles and most",
        ("algorithm", of, "least", *(f"{percent}th" for percent in PERCENTILES), "most"),
        [
            (
                name,
                sum(found.values()),
                min(found),
                *(_percentile(found, percent) for percent in PERCENTILES),
                max(found),
            )
            for name, found in distributions.items()
        ],
    )


def _percentile(distribution: Distribution, percent: int) -> int:
    """Return the smallest value that at least so many of a hundred do not exceed."""
    needed = sum(distribution.values()) * percent
    seen = 0
    for value in sorted(distribution):
        seen += distribution[value]
        if 100 * seen >= needed:
            return value
    raise AssertionError("a distribution holds all of itself")


def again_section(comparison: Comparison, command: str) -> Section:
    """Return what is needed to run it again, as a section of a page."""
    origin = comparison.origin
    facts: Iterable[tuple[str, str]] = (("seed", str(origin.seed)), *origin.versions.items())
    return Section(
        "Run it again",
        (
            "The same subscriptions, seed and versions give the same overlays on any machine; "
            "only the seconds differ.",
        ),
        commands=(command,) if command else (),
        tables=(Table("What it was made with", ("what", "value"), list(facts)),),
    )
