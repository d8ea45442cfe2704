"""Latency: one-way delays between sites, and the site of each node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import InputError
from gossamer.model.interests import freeze


@dataclass(frozen=True, eq=False)
class Latency:
    """One-way delays between sites, and the site of each node.

    Attributes
    ----------
    matrix
        ``matrix[a, b]`` is the delay from site a to site b in microseconds.
    sites
        Site of each node, a row of the matrix.
    """

    matrix: NDArray[np.int64]
    sites: NDArray[np.int32]

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, sites: ArrayLike) -> Latency:
        """Build a latency from a square matrix of microseconds and the row of each node."""
        delays = np.asarray(matrix, dtype=np.int64)
        places = np.asarray(sites, dtype=np.int32).ravel()
        if delays.ndim != 2 or delays.shape[0] != delays.shape[1]:
            raise InputError(f"a latency matrix must be square; got shape {delays.shape}")
        if delays.size and delays.min() < 0:
            raise InputError(f"a latency is {delays.min()} µs; expected 0 or more")
        if len(places) and (places.min() < 0 or places.max() >= len(delays)):
            raise InputError(f"a node's site is outside 0 to {len(delays) - 1}")
        return cls(freeze(delays), freeze(places))

    def between(self, source: int, target: int) -> int:
        """Return the delay from one node to another in microseconds."""
        return int(self.matrix[self.sites[source], self.sites[target]])
