"""Degrees of a sample beside those of the whole graph (Vitis, Figure 8; ElastO, Figure 2)."""

from __future__ import annotations

import os

from gossamer.quality.shape import FittedHistogram, ShapeCheck
from gossamer.viz.blocks import Chart
from gossamer.viz.curves import ccdf_chart
from gossamer.viz.picture import draw_picture

SHARE = "Share with at least that degree, of users with any"


def sample_picture(
    followers: ShapeCheck, followed: ShapeCheck, path: str | os.PathLike[str]
) -> None:
    """Draw the degrees of a graph, of a sample of it, and of both divided by their means.

    Parameters
    ----------
    followers, followed
        In-degrees and out-degrees, as :func:`gossamer.pipeline.sample` measures them.
    path
        Output file: .png, .svg, .pdf or .html. It is written whole or not at all.
    """
    whole, part = followers.full.histogram, followers.sample.histogram
    checks = {"followers": followers, "followed": followed}
    rescaled = {
        f"{name}, {graph}": one.histogram.above_zero()
        for name, check in checks.items()
        for graph, one in (("whole", check.full), ("sample", check.sample))
    }
    gaps = ", ".join(f"{name} {check.rescaled_distance:.0%}" for name, check in checks.items())
    charts = [
        _degrees("Whole graph", {name: check.full for name, check in checks.items()}),
        _degrees("Sample", {name: check.sample for name, check in checks.items()}),
        ccdf_chart(
            "Both, degrees divided by their mean",
            rescaled,
            value="Degree ÷ mean degree",
            of="users",
            share=SHARE,
            units={name: max(shape.mean, 1e-9) for name, shape in rescaled.items()},
            note=f"Kolmogorov–Smirnov distance: {gaps}",
        ),
    ]
    title = f"Breadth-first sample: {part.total:,} of {whole.total:,} users"
    draw_picture(path, title, charts, columns=3, width=380, height=340)


def _degrees(title: str, degrees: dict[str, FittedHistogram]) -> Chart:
    fits = {_name(name, one): one.fit for name, one in degrees.items() if one.fit is not None}
    return ccdf_chart(
        title,
        {_name(name, one): one.histogram.above_zero() for name, one in degrees.items()},
        value="Degree",
        of="users",
        share=SHARE,
        fits=fits,
        note="dashed: fitted power laws" if fits else "",
    )


def _name(name: str, one: FittedHistogram) -> str:
    """Return the name of a series with its mean and the exponent of its power law."""
    if one.fit is None:
        return name
    law = f"exponent {one.fit.exponent:.2f} from {one.fit.smallest:,}"
    return f"{name}: mean {one.histogram.mean:,.1f}, {law}"
