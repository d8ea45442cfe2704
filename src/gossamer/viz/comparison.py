"""A comparison of algorithms as a page and as a picture."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from gossamer.design import algorithms
from gossamer.errors import ParameterError
from gossamer.experiments.comparison import Comparison, Distribution
from gossamer.viz import labels
from gossamer.viz.blocks import Cell, Chart, Section, Table
from gossamer.viz.charts import ChartPoint, dots_chart, scatter_chart
from gossamer.viz.curves import ccdf_chart
from gossamer.viz.html import render_page
from gossamer.viz.picture import draw_picture

PERCENTILES = (50, 90, 95, 99)


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
        Result of :func:`gossamer.compare` or :func:`gossamer.load_comparison`.
    path
        Output file: .html or .htm. It is written whole or not at all.
    title, command
        Heading, and the command that made the comparison (default: the comparison's own).
    profile
        Sections before the comparison, for instance a profile of the data.

    Raises
    ------
    ParameterError
        If the file cannot be written, or the drawing library is not installed.
    """
    sections = [*(profile or ()), *comparison_sections(comparison, command=command)]
    render_page(comparison.origin.title if title is None else title, sections, path)


def comparison_picture(comparison: Comparison, path: str | os.PathLike[str]) -> None:
    """Draw a comparison: mean degree against topic diameter, and the degrees.

    Parameters
    ----------
    comparison
        Result of :func:`gossamer.compare`.
    path
        Output file: .png, .svg or .pdf. It is written whole or not at all.
    """
    if not comparison.measured:
        reasons = "; ".join(f"{label}: {why}" for label, why in comparison.faults.items())
        raise ParameterError(f"every algorithm failed, so there is nothing to draw ({reasons})")
    charts = [_trade_off(comparison), _degrees(comparison)]
    draw_picture(path, labels.sizes(comparison), charts, width=480)


def comparison_sections(comparison: Comparison, *, command: str | None = None) -> list[Section]:
    """Return a comparison as sections of a page."""
    return [
        _algorithms(comparison),
        Section(
            "Results",
            (
                f"No overlay that connects every topic of these subscriptions has a mean degree "
                f"below {comparison.bound_text}; this lower bound is proven.",
                f"Degrees are over all {comparison.nodes:,} nodes. Diameters are in hops, over "
                "topics with two or more subscribers; the diameter of a disconnected topic is "
                f"that of its widest component. There are {comparison.topics:,} topics. Seconds "
                "are those of the design alone, without compilation. Click the name of a column "
                "to sort by it.",
            ),
            tables=(
                Table(
                    "Measures of each algorithm",
                    ("Algorithm", *labels.COLUMNS),
                    [(row.algorithm, *labels.measures(row)) for row in comparison.rows],
                ),
            ),
        ),
        Section(
            "Charts",
            (
                "Click a name or a mark to highlight it in all charts; click again to undo. Point "
                "at a mark to read its values. A hollow point leaves some topics disconnected.",
            ),
            charts=_charts(comparison) if comparison.measured else (),
        ),
        reproduction_section(comparison, comparison.origin.command if command is None else command),
    ]


def _algorithms(comparison: Comparison) -> Section:
    known = algorithms()
    rows: list[tuple[Cell, ...]] = []
    for row in comparison.rows:
        found = known.get(row.algorithm.split(":")[0])
        guarantee = found.guarantee if found is not None and found.topic_connected else None
        rows.append(
            (
                row.algorithm,
                found.summary.replace("`", "") if found else None,
                guarantee,
                found.reference if found else None,
            )
        )
    return Section(
        "Algorithms",
        (
            f"{len(rows):,} algorithm{'s' * (len(rows) != 1)} on the same interests: "
            f"{labels.sizes(comparison)}. Each chooses the links of an overlay, so that the "
            "subscribers of a topic reach each other over links among themselves. A low degree and "
            "a short topic diameter are better.",
        ),
        tables=(Table("The algorithms", ("Algorithm", "Method", "Guarantee", "Reference"), rows),),
    )


def _charts(comparison: Comparison) -> list[Chart]:
    rows = comparison.measured
    degrees = {row.algorithm: row.degrees for row in rows if row.degrees}
    diameters = {row.algorithm: row.diameters for row in rows if row.diameters}
    charts = [_trade_off(comparison), _degrees(comparison)]
    if degrees:
        table = _percentiles("Degrees of nodes", "Nodes", degrees)
        charts.append(
            ccdf_chart("Distribution of degrees", degrees, value="Degree", of="nodes", table=table)
        )
    if diameters:
        table = _percentiles(
            "Diameters of topics with two or more subscribers", "Topics", diameters
        )
        charts.append(
            ccdf_chart(
                "Distribution of topic diameters", diameters, value="Topic diameter (hops)",
                of="topics", table=table,
            )
        )  # fmt: skip
    charts.append(
        dots_chart(
            "Time of the design",
            {"seconds": {row.algorithm: row.seconds for row in rows}},
            value=labels.SECONDS,
        )
    )
    return charts


def _trade_off(comparison: Comparison) -> Chart:
    points = [
        ChartPoint(
            row.algorithm,
            row.mean_degree,
            row.mean_diameter,
            row.algorithm,
            look="solid" if row.topic_connected else "hollow",
            facts={"note": "every topic connected" if row.topic_connected else labels.DISCONNECTED},
        )
        for row in comparison.measured
    ]
    return scatter_chart(
        "Mean degree against topic diameter (lower left is better)",
        points,
        x=labels.MEAN_DEGREE,
        y=labels.MEAN_DIAMETER,
        line=labels.bound_line(comparison),
        named=True,
    )


def _degrees(comparison: Comparison) -> Chart:
    rows = comparison.measured
    return dots_chart(
        "Degrees of the nodes",
        {
            "mean": {row.algorithm: row.mean_degree for row in rows},
            "95th percentile": {row.algorithm: row.p95_degree for row in rows},
            "maximum": {row.algorithm: row.max_degree for row in rows},
        },
        value="Degree",
        line=labels.bound_line(comparison),
    )


def _percentiles(caption: str, of: str, distributions: Mapping[str, Distribution]) -> Table:
    return Table(
        f"{caption}: minimum, percentiles and maximum",
        ("Algorithm", of, "Minimum", *(f"{percent}th" for percent in PERCENTILES), "Maximum"),
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
    """Return the smallest value that at least this percentage of the counts do not exceed."""
    needed = sum(distribution.values()) * percent
    seen = 0
    for value in sorted(distribution):
        seen += distribution[value]
        if 100 * seen >= needed:
            return value
    raise AssertionError("the counts sum to 100 %")


def reproduction_section(comparison: Comparison, command: str) -> Section:
    """Return command, seed and versions as a section of a page."""
    origin = comparison.origin
    facts: Iterable[tuple[str, str]] = (("seed", str(origin.seed)), *origin.versions.items())
    return Section(
        "Reproduce",
        (
            "The same subscriptions, seed and versions give the same overlays on any machine; "
            "only the seconds differ.",
        ),
        commands=(command,) if command else (),
        tables=(Table("Seed and versions", ("Name", "Value"), list(facts)),),
    )
