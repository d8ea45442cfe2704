"""The picture of a sample: its degrees beside those of the whole graph.

As in Vitis Figure 8 and ElastO Figure 2: CCDFs on logarithmic axes.
"""

from __future__ import annotations

import os

from gossamer.quality.shape import FittedHistogram, ShapeCheck
from gossamer.viz.comparison_picture import BLUE, ORANGE
from gossamer.viz.curves import draw_ccdf, draw_fit, explain, log_log, picture

__all__ = ["sample_picture"]


def sample_picture(
    followers: ShapeCheck, followed: ShapeCheck, path: str | os.PathLike[str]
) -> None:
    """Draw the degrees of a whole graph, of a sample of it, and of both divided by their means.

    Parameters
    ----------
    followers, followed
        In-degrees and out-degrees, as :func:`gossamer.pipeline.sample` found them.
    path
        Where to write: .png, .svg or .pdf. The file appears whole or not at all.
    """
    whole, part = followers.full.histogram, followers.sample.histogram
    title = f"{part.total:,} of {whole.total:,} users, breadth first"
    kinds = (("followers", followers, BLUE, "o"), ("followed", followed, ORANGE, "^"))
    with picture(path, title, width=15, height=5.2) as figure:
        left, middle, right = figure.subplots(1, 3)
        for axes, heading, which in (
            (left, "The whole graph", "full"),
            (middle, "The sample", "sample"),
        ):
            log_log(axes, heading, "degree", "share with this degree or more, of users with any")
            for name, check, color, marker in kinds:
                one: FittedHistogram = getattr(check, which)
                draw_ccdf(axes, one.histogram, f"{name}{_exponent(one)}", color, marker=marker)
                draw_fit(axes, one)
            explain(axes)
        log_log(
            right,
            "Both, degrees divided by their mean",
            "degree ÷ mean degree",
            "share with this degree or more, of users with any",
        )
        for name, check, color, marker in kinds:
            for which, one, shade in (
                ("whole", check.full, color),
                ("sample", check.sample, _lighter(color)),
            ):
                shown = one.histogram.above_zero()
                label = f"{name}, {which}"
                if which == "sample":
                    label += f" (at most {check.rescaled_distance:.0%} apart)"
                draw_ccdf(right, shown, label, shade, marker=marker, unit=max(shown.mean, 1e-9))
        explain(right)


def _exponent(one: FittedHistogram) -> str:
    if one.fit is None:
        return ""
    law = f"exponent {one.fit.exponent:.2f} from {one.fit.smallest:,} on"
    return f": mean {one.histogram.mean:,.1f}, {law}"


def _lighter(color: str) -> str:
    parts = [int(color[place : place + 2], 16) for place in (1, 3, 5)]
    return "#" + "".join(f"{(2 * part + 3 * 255) // 5:02x}" for part in parts)
