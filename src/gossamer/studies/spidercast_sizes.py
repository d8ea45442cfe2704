"""SpiderCast §3.6: subscription lists of equal and of different lengths."""

from __future__ import annotations

from collections.abc import Mapping

from gossamer.studies.schema import Column, Figure, Plot, Row, Statement
from gossamer.studies.spidercast_points import Options, run

__all__ = ["SIZES_DIFFER"]


def _histogram(name: str, title: str, fixed: int, spread: str) -> Figure:
    series: Options = {
        f"all {fixed}": {"subscriptions": fixed, "depth": 2 * fixed},
        f"any of {spread}": {"subscriptions": spread, "depth": 2 * fixed},
    }
    small = {label: run(nodes=1000, **more) for label, more in series.items()}
    large = {label: run(nodes=10_000, **more) for label, more in series.items()}

    def row(label: str, points: Mapping[str, str], quick: bool) -> Row:
        return Row(label, points=points, quick=quick)

    measures = (
        ("average degree", "degree"),
        ("standard deviation", "deviation"),
        ("95th percentile", "percentile 95"),
        ("maximum", "maximum"),
    )
    columns = tuple(
        Column(f"{what}, {label}", measure, series=label)
        for what, measure in measures
        for label in series
    )
    return Figure(
        name,
        title,
        "Nodes",
        columns,
        (row("10,000", large, False), row("1,000", small, True)),
        (),
        ("The histograms themselves are in the next table.",),
        (
            Statement(
                "“The actual distribution of the number of subscriptions per-node has a "
                "negligible effect on the average node degree.”",
                lambda seen: all(
                    abs(value / seen[f"average degree, all {fixed}"][label] - 1) < 0.1
                    for label, value in seen[f"average degree, any of {spread}"].items()
                ),
            ),
            Statement(
                "“The histogram of the node degree is concentrated around the average.” "
                "(Ours: with a standard deviation below half the average.)",
                lambda seen: all(
                    seen[f"standard deviation, {label}"][row_label]
                    < seen[f"average degree, {label}"][row_label] / 2
                    for label in series
                    for row_label in seen[f"average degree, {label}"]
                ),
                "Where all have as many topics, it is. Where sizes differ, degrees follow them, as "
                "the paper says next (“a node's degree is proportional to the number topics”), and "
                "those of 70 topics have far more links than the average.",
            ),
        ),
    )


def _histogram_rows(name: str, title: str, fixed: int, spread: str, most: int) -> Figure:
    series: Options = {
        f"all {fixed}": {"subscriptions": fixed, "depth": 2 * fixed},
        f"any of {spread}": {"subscriptions": spread, "depth": 2 * fixed},
    }
    points = {label: run(nodes=1000, **more) for label, more in series.items()}
    return Figure(
        name,
        title,
        "Degree",
        tuple(Column(label, "share/*", series=label) for label in series),
        tuple(Row(str(degree), points=points, x=degree) for degree in range(2, most)),
        notes=("The share of nodes with each degree, at 1,000 nodes.",),
        plot=Plot("degree", "share of nodes"),
    )


FIGURE_9A = _histogram("figure-9a", "Figure 9(a): an average of 20 subscriptions", 20, "10-30")
FIGURE_9B = _histogram("figure-9b", "Figure 9(b): an average of 40 subscriptions", 40, "10-70")
FIGURE_9A_ROWS = _histogram_rows(
    "figure-9a-histogram", "Figure 9(a): node degree histogram", 20, "10-30", 26
)
FIGURE_9B_ROWS = _histogram_rows(
    "figure-9b-histogram", "Figure 9(b): node degree histogram", 40, "10-70", 26
)


SIZES_DIFFER = (FIGURE_9A, FIGURE_9A_ROWS, FIGURE_9B, FIGURE_9B_ROWS)
