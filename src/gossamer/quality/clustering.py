"""Local clustering: the share of a node's pairs of neighbours that are linked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.measure.clustering import count_triangles
from gossamer.model import Overlay
from gossamer.model.interests import freeze


def clustering_coefficients(overlay: Overlay) -> NDArray[np.float64]:
    """Return the local clustering coefficient of each node (Watts and Strogatz, 1998).

    The share of pairs of its neighbours that are linked, 0 with fewer than two neighbours.
    O(links^1.5) time for any degrees, O(nodes + links) memory.

    Examples
    --------
    >>> clustering_coefficients(Overlay.from_links(4, [(0, 1), (1, 2), (0, 2), (0, 3)])).round(2)
    array([0.33, 1.  , 1.  , 0.  ])
    """
    offsets, neighbours = overlay.adjacency
    triangles = count_triangles(offsets, neighbours)
    degrees = overlay.degrees
    pairs = degrees * (degrees - 1) // 2
    return freeze(triangles / np.maximum(pairs, 1))


def mean_clustering(overlay: Overlay) -> float:
    """Return the mean local clustering coefficient over all nodes, 0 without nodes.

    Costs what :func:`clustering_coefficients` costs.
    """
    coefficients = clustering_coefficients(overlay)
    return float(coefficients.mean()) if len(coefficients) else 0.0
