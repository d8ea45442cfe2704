"""Overlays: undirected links between nodes, without loops or duplicates.

Links are one sorted array of pairs (u, v) with u < v, so overlays with the same links have the same
array. Neighbour lists are built on demand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import OverlayError
from gossamer.model.csr import offsets_of
from gossamer.model.interests import freeze
from gossamer.results import Ids, Result, Table


@dataclass(frozen=True, eq=False, repr=False)
class Overlay(Result):
    """Undirected links between nodes. Build it with :meth:`from_links`.

    Attributes
    ----------
    node_count
        Number of nodes, those without links included.
    links
        Array of shape (m, 2), int32, read-only: u < v in each row, rows ascending and distinct.

    Examples
    --------
    >>> overlay = Overlay.from_links(4, [(2, 0), (0, 1), (1, 0)])
    >>> overlay
    Overlay(4 nodes, 2 links)
    >>> overlay.neighbours_of(0).tolist()
    [1, 2]
    """

    node_count: int
    links: NDArray[np.int32]

    @classmethod
    def from_links(cls, node_count: int, links: ArrayLike) -> Overlay:
        """Build from pairs of node ids in any order and direction; repeated pairs are merged."""
        pairs = np.asarray(links)
        if pairs.size and pairs.dtype.kind not in "iu":
            raise OverlayError(f"links must be pairs of node ids; got an array of {pairs.dtype}")
        pairs = pairs.astype(np.int64)
        if pairs.size == 0:
            return cls(node_count, freeze(np.empty((0, 2), dtype=np.int32)))
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise OverlayError(f"links must be pairs, an array of shape (m, 2); got {pairs.shape}")
        if pairs.min() < 0 or pairs.max() >= node_count:
            bad = pairs[((pairs < 0) | (pairs >= node_count)).any(axis=1)][0]
            raise OverlayError(
                f"link {tuple(bad.tolist())} names a node outside 0 to {node_count - 1} "
                f"({node_count} nodes)"
            )
        low, high = pairs.min(axis=1), pairs.max(axis=1)
        if (low == high).any():
            node = int(low[low == high][0])
            raise OverlayError(f"node {node} is linked to itself")
        keys = np.unique(low * node_count + high)
        both = np.stack((keys // node_count, keys % node_count), axis=1).astype(np.int32)
        return cls(node_count, freeze(both))

    @property
    def link_count(self) -> int:
        """Number of links."""
        return len(self.links)

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """Number of links of each node."""
        return freeze(np.bincount(self.links.ravel(), minlength=self.node_count))

    @cached_property
    def adjacency(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Compressed neighbour lists: (offsets, neighbours), each list ascending."""
        ends = np.concatenate((self.links, self.links[:, ::-1]))
        order = np.lexsort((ends[:, 1], ends[:, 0]))
        offsets = offsets_of(self.degrees)
        return freeze(offsets), freeze(ends[order, 1])

    def neighbours_of(self, node: int) -> NDArray[np.int32]:
        """Return the neighbours of a node, ascending."""
        offsets, neighbours = self.adjacency
        return neighbours[offsets[node] : offsets[node + 1]]

    def summary(self) -> dict[str, Any]:
        """Return the numbers of nodes and links by name."""
        return {
            "nodes": self.node_count,
            "links": self.link_count,
            "mean_degree": 2 * self.link_count / max(self.node_count, 1),
            "max_degree": int(self.degrees.max(initial=0)),
        }

    def _tables(self) -> Mapping[str, Table]:
        def links() -> dict[str, Any]:
            return {
                "source": Ids("node", self.links[:, 0]),
                "target": Ids("node", self.links[:, 1]),
            }

        return {"links": links}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Overlay):
            return NotImplemented
        return self.node_count == other.node_count and np.array_equal(self.links, other.links)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Overlay({self.node_count} nodes, {self.link_count} links)"
