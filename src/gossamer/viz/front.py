"""A degree–diameter Pareto front as a page and as a picture."""

from __future__ import annotations

import os
from collections.abc import Sequence

from gossamer.experiments.candidates import SWEEPS
from gossamer.experiments.pareto_front import Front, FrontPoint, Kind
from gossamer.experiments.recommendation import Recommendation, recommend
from gossamer.viz import labels
from gossamer.viz.advice import advice_of
from gossamer.viz.blocks import Chart, Section, Table
from gossamer.viz.comparison import reproduction_section
from gossamer.viz.html import render_page
from gossamer.viz.picture import draw_picture
from gossamer.viz.trade_off import TITLES, Degree, trade_off_chart

KINDS: dict[Kind, str] = {
    "ours": "Gossamer's own algorithms (radius n: bounded-radius)",
    "published": "published algorithms and baselines",
    "plugin": "plug-ins and functions of yours",
    "protocol": "protocols, converged, with full views",
}
SIGNS = {"rho": "ρ"}


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
        Result of :func:`gossamer.front`.
    path
        Output file: .html or .htm. It is written whole or not at all.
    advice
        Recommendations (default: those of :func:`gossamer.recommend` without constraints).
    title
        Heading (default: the front's own).

    Raises
    ------
    ParameterError
        If the file cannot be written.
    MissingPackageError
        If the drawing library is not installed.
    """
    heading = front.comparison.origin.title if title is None else title
    render_page(heading, front_sections(front, advice=advice), path)


def front_picture(front: Front, path: str | os.PathLike[str]) -> None:
    """Draw a front: mean and maximum degree against the largest topic diameter.

    Parameters
    ----------
    front
        Result of :func:`gossamer.front`.
    path
        Output file: .png, .svg, .pdf or .html. It is written whole or not at all.
    """
    size, charts = front.comparison, [_chart(front, which) for which in TITLES]
    draw_picture(path, f"{size.origin.title}: {labels.sizes(size)}", charts, width=560)


def front_sections(
    front: Front, *, advice: Sequence[Recommendation] | None = None
) -> list[Section]:
    """Return a front as sections of a page."""
    size = front.comparison
    return [
        Section(
            "Recommendation",
            (
                f"{len(front.points):,} overlays for the same {labels.sizes(size)}. "
                f"{_bound_text(front)}",
            ),
            advice=advice_of(recommend(front) if advice is None else advice),
            charts=[_chart(front, which) for which in TITLES],
        ),
        Section(
            "Pareto front",
            (
                "An overlay is on the front if no other is at least as good in mean degree, "
                "maximum degree and maximum topic diameter, and better in one of them. Point at a "
                "mark to read its values. A faint point is dominated in the two measures of its "
                "chart; a grey ring leaves some topics disconnected.",
                *(f"Left out: {label}; {why}." for label, why in front.left_out.items()),
            ),
            tables=(_table(front),),
        ),
        reproduction_section(size, size.origin.command),
    ]


def short_label(point: FrontPoint) -> str:
    """Return the name of a point in a chart: ``low-oda ρ 3``, ``radius 6``."""
    sweep = SWEEPS.get(point.family, ("", ()))[0]
    # The radius alone names an overlay of bounded-radius.
    plain = point.family == "bounded-radius" and sweep in point.options
    words = [] if plain else [point.family]
    for name, value in point.options.items():
        shown = SIGNS.get(name, name)
        words.append(f"{shown} {value}" if name == sweep else f"{shown}={value}")
    return " ".join(words)


def _bound_text(front: Front) -> str:
    if not front.bound_method:
        return "There is no lower bound of the mean degree: the table is too large."
    return (
        "No overlay that connects every topic of these subscriptions has a mean degree below "
        f"{front.comparison.bound_text}; this lower bound is proven (by {front.bound_method})."
    )


def _chart(front: Front, which: Degree) -> Chart:
    order = list(KINDS)
    return trade_off_chart(
        front,
        which,
        sorted(front.points, key=lambda point: order.index(point.kind)),
        name=lambda point: short_label(point) if which in point.on or point.kind == "protocol"
        else "",
        series=lambda point: KINDS[point.kind],
        faint=True,
    )  # fmt: skip


def _table(front: Front) -> Table:
    points = sorted(front.points, key=lambda p: (p.max_diameter, p.mean_degree, p.max_degree))
    columns = labels.columns(front.comparison)
    return Table(
        "Overlays in order of the maximum topic diameter",
        ("Algorithm", "Kind", "On the front", *columns),
        [
            (one.label, one.kind, "all" in one.on, *labels.measures(one, columns.values()))
            for one in points
        ],
    )
