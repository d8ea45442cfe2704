"""Degrees of nodes: mean, maximum and percentiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gossamer.model import Overlay


@dataclass(frozen=True, slots=True)
class DegreeStatistics:
    """Degrees over all nodes, those without links included.

    The p-th percentile is the smallest degree that at least p of a hundred nodes do not exceed, so
    some node has it; the median is the 50th.
    """

    mean: float
    maximum: int
    median: int
    percentile_95: int
    percentile_99: int


def degree_statistics(overlay: Overlay) -> DegreeStatistics:
    """Return the degree statistics; all zero without nodes. O(nodes log nodes + links).

    Examples
    --------
    >>> degree_statistics(Overlay.from_links(4, [(0, 1), (0, 2), (0, 3)])).median
    1
    """
    degrees = overlay.degrees
    if not len(degrees):
        return DegreeStatistics(0.0, 0, 0, 0, 0)
    median, high, highest = (
        int(degree) for degree in np.percentile(degrees, (50, 95, 99), method="inverted_cdf")
    )
    return DegreeStatistics(
        mean=2 * overlay.link_count / overlay.node_count,
        maximum=int(degrees.max()),
        median=median,
        percentile_95=high,
        percentile_99=highest,
    )
