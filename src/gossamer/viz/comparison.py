"""A comparison of algorithms as a page and as a picture."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from gossamer.design import algorithms
from gossamer.errors import ParameterError
from gossamer.experiments.comparison import Comparison, Distribution
from gossamer.experiments.pareto_front import Front
from gossamer.experiments.protocol_comparison import ProtocolComparison
from gossamer.experiments.recommendation import Recommendation, recommend
from gossamer.viz import labels
from gossamer.viz.advice import advice_of, by_importance
from gossamer.viz.blocks import Cell, Chart, Section, Table
from gossamer.viz.charts import dots_chart
from gossamer.viz.curves import ccdf_chart
from gossamer.viz.html import render_page
from gossamer.viz.picture import draw_picture
from gossamer.viz.protocols import protocol_charts
from gossamer.viz.styles import MAX_COLOURED
from gossamer.viz.trade_off import trade_off_chart

PERCENTILES = (50, 90, 95, 99)


def comparison_page(
    comparison: Comparison,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    command: str | None = None,
    profile: Sequence[Section] = (),
    advice: Sequence[Recommendation] | None = None,
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
        Sections after the results, for instance a profile of the data.
    advice
        Recommendations (default: those of :func:`gossamer.recommend` without constraints).

    Raises
    ------
    ParameterError
        If the file cannot be written.
    MissingPackageError
        If the drawing library is not installed.
    """
    first, *others = comparison_sections(comparison, command=command, advice=advice)
    sections = [first, *others[:2], *profile, *others[2:]]
    render_page(comparison.origin.title if title is None else title, sections, path)


def comparison_picture(
    comparison: Comparison | ProtocolComparison, path: str | os.PathLike[str]
) -> None:
    """Draw a comparison.

    Of algorithms: mean degree against topic diameter, and the degrees. Of protocols: each measure
    with its intervals.

    Parameters
    ----------
    comparison
        Result of :func:`gossamer.compare` or :func:`gossamer.compare_protocols`.
    path
        Output file: .png, .svg, .pdf or .html. It is written whole or not at all.
    """
    if not comparison.measured:
        reasons = "; ".join(f"{label}: {why}" for label, why in comparison.faults.items())
        raise ParameterError(
            f"every {comparison.KEY} failed, so there is nothing to draw ({reasons})"
        )
    if isinstance(comparison, ProtocolComparison):
        draw_picture(path, labels.sizes(comparison), protocol_charts(comparison), width=360)
        return
    front = Front(comparison)
    series = by_importance(front, recommend(front))
    charts = [_trade_off(comparison, series), _degrees(comparison, series)]
    draw_picture(path, labels.sizes(comparison), charts, width=480)


def comparison_sections(
    comparison: Comparison,
    *,
    command: str | None = None,
    advice: Sequence[Recommendation] | None = None,
) -> list[Section]:
    """Return a comparison as sections of a page: recommendation, results, charts, and the rest."""
    front = Front(comparison)
    advice = recommend(front) if advice is None else advice
    series = by_importance(front, advice)
    columns = labels.columns(comparison)
    return [
        Section(
            "Recommendation",
            (
                f"{_count(len(comparison.rows), 'algorithm')} on the same interests: "
                f"{labels.sizes(comparison)}. A low degree and a short topic diameter are better. "
                "No overlay that connects every topic of these subscriptions has a mean degree "
                f"below {comparison.bound_text}; this lower bound is proven.",
            ),
            advice=advice_of(advice),
            charts=[_trade_off(comparison, series)] if series else (),
        ),
        Section(
            "Results",
            (
                f"Degrees are over all {comparison.nodes:,} nodes. Diameters are in hops, over "
                "topics with two or more subscribers; the diameter of a disconnected topic is "
                f"that of its widest component. There are {comparison.topics:,} topics. Seconds "
                "are those of the design alone, without compilation. Click the name of a column "
                "to sort by it.",
                *_runs_text(comparison),
                *(f"{label}: {why}." for label, why in comparison.faults.items()),
            ),
            tables=(
                Table(
                    "Measures of each algorithm",
                    ("Algorithm", *columns),
                    [
                        (row.algorithm, *labels.measures(row, columns.values()))
                        for row in comparison.rows
                    ],
                ),
            ),
        ),
        Section(
            "Distributions",
            (
                "Click a name or a mark to highlight it in all charts; click again to undo. Point "
                "at a mark to read its values.",
            ),
            charts=_charts(comparison, series) if series else (),
        ),
        _algorithms(comparison),
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
            "Each chooses the links of an overlay, so that the subscribers of a topic reach each "
            "other over links among themselves.",
        ),
        tables=(Table("The algorithms", ("Algorithm", "Method", "Guarantee", "Reference"), rows),),
    )


def _charts(comparison: Comparison, series: Sequence[str]) -> list[Chart]:
    rows = {row.algorithm: row for row in comparison.rows}
    degrees = {name: rows[name].degrees for name in series if rows[name].degrees}
    diameters = {name: rows[name].diameters for name in series if rows[name].diameters}
    charts = [_degrees(comparison, series)]
    note = f"of the run with seed {comparison.origin.seed}" if comparison.seeds > 1 else ""
    if degrees:
        title = labels.subject("mean_degree")
        table = _percentiles(f"{title}, over {comparison.nodes:,} nodes", degrees)
        charts.append(
            ccdf_chart(
                f"Distribution of {title.lower()}", degrees, value=title, of="nodes",
                table=table, note=note,
            )
        )  # fmt: skip
    if diameters:
        title = labels.subject("mean_diameter")
        table = _percentiles(f"{title}, over topics with two or more subscribers", diameters)
        charts.append(
            ccdf_chart(
                f"Distribution of {title.lower()}", diameters, value=f"{title} (hops)",
                of="topics", table=table, note=note,
            )
        )  # fmt: skip
    charts.append(
        dots_chart(
            "Time of the design",
            {"seconds": {name: rows[name].seconds for name in series}},
            value=labels.SECONDS,
        )
    )
    return charts


def _trade_off(comparison: Comparison, series: Sequence[str]) -> Chart:
    """Draw the chart that shows the recommendations: links against hops."""
    front = Front(comparison)
    points = {point.label: point for point in front.points}
    return trade_off_chart(
        front,
        "mean",
        [points[name] for name in series],
        name=lambda point: point.label,
        series=lambda point: point.label,
        named=True,
        note=["colours: recommended or on the Pareto front"] * (len(series) > MAX_COLOURED),
    )


def _degrees(comparison: Comparison, series: Sequence[str]) -> Chart:
    rows = {row.algorithm: row for row in comparison.rows}
    title = labels.subject("mean_degree")
    names = {labels.statistic(name): name for name in ("mean_degree", "p95_degree", "max_degree")}
    spread = {
        shown: {name: rows[name].half_widths.get(measure, 0.0) for name in series}
        for shown, measure in names.items()
    }
    return dots_chart(
        title,
        {
            shown: {name: getattr(rows[name], measure) for name in series}
            for shown, measure in names.items()
        },
        value=title,
        line=labels.bound_line(comparison),
        spread=spread,
        note=labels.INTERVALS if any(any(found.values()) for found in spread.values()) else "",
    )


def _runs_text(comparison: Comparison) -> list[str]:
    if comparison.seeds == 1:
        return []
    first = comparison.origin.seed
    return [
        f"Numbers are means over {comparison.seeds:,} runs, with seeds {first} to "
        f"{first + comparison.seeds - 1}; ± is half of the 95 % confidence interval."
    ]


def _percentiles(caption: str, distributions: Mapping[str, Distribution]) -> Table:
    return Table(
        f"{caption}: minimum, percentiles and maximum",
        ("Algorithm", "Minimum", *(f"{percent}th" for percent in PERCENTILES), "Maximum"),
        [
            (
                name,
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


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
