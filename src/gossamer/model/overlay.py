"""Overlays: undirected links between nodes, without loops or duplicates.

Links are one sorted array of pairs (u, v) with u < v, so overlays with the same links have the same
array. Neighbour lists are built on demand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import OverlayError, ParameterError
from gossamer.model.csr import offsets_of
from gossamer.model.interests import Interests, check_interests, freeze
from gossamer.model.wording import quoted
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
        if not isinstance(node_count, int | np.integer) or node_count < 0:
            raise OverlayError(f"node_count is {node_count!r}; expected a number of 0 or more")
        pairs = np.asarray(list(links) if isinstance(links, Iterator) else links)
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

    @classmethod
    def from_networkx(cls, graph: Any, names: Interests | Sequence[Any]) -> Overlay:
        """Build from the edges of a networkx graph, whose nodes have these names.

        Parameters
        ----------
        graph
            Graph of networkx; directions and parallel edges do not count.
        names
            Interests, or the name of each node by id.

        Raises
        ------
        OverlayError
            If an edge has an unknown node, or joins a node with itself.
        """
        from gossamer.convert.graphs import graph_links

        return cls._from_named(graph_links(graph), names)

    @classmethod
    def _from_named(
        cls, links: Sequence[tuple[Any, Any]], names: Interests | Sequence[Any]
    ) -> Overlay:
        known = _names(names, None)
        distinct = list(dict.fromkeys(name for link in links for name in link))
        ids = dict(zip(distinct, _ids(distinct, known), strict=True))
        pairs = [(ids[one], ids[other]) for one, other in links]
        return cls.from_links(len(known), np.array(pairs, dtype=np.int64).reshape(-1, 2))

    @classmethod
    def from_igraph(cls, graph: Any, names: Interests | Sequence[Any]) -> Overlay:
        """Build from the edges of an igraph graph, whose vertices have these names as ``name``.

        As :meth:`from_networkx`.
        """
        from gossamer.convert.graphs import igraph_links

        return cls._from_named(igraph_links(graph), names)

    @classmethod
    def from_scipy(cls, matrix: Any) -> Overlay:
        """Build from a square sparse matrix of SciPy; row i is node i, and a value is a link.

        Raises
        ------
        InputError
            If the object is no sparse matrix, is not square, or links a node with itself.
        """
        from gossamer.convert.graphs import matrix_links

        return cls.from_links(*matrix_links(matrix))

    @classmethod
    def from_arrow(
        cls,
        frame: Any,
        names: Interests | Sequence[Any],
        *,
        source: str = "source",
        target: str = "target",
    ) -> Overlay:
        """Build from a table or data frame with a row per link.

        Parameters
        ----------
        frame
            Object with the Arrow PyCapsule interface, such as a data frame of pandas or polars.
        names
            Interests, or the name of each node by id.
        source, target
            Names of the columns of the two ends.

        Raises
        ------
        InputError
            If the object is no frame, a column is missing, a name is null or unknown, or a node is
            linked to itself.
        """
        from gossamer.convert.frames import name_codes

        known = _names(names, None)
        ends = [
            np.array(_ids(found, known), dtype=np.int64)[codes]
            for found, codes in name_codes(frame, {"source": source, "target": target})
        ]
        return cls.from_links(len(known), np.column_stack(ends))

    from_pandas = from_arrow
    from_polars = from_arrow

    def to_networkx(self, names: Interests | Sequence[Any] | None = None) -> Any:
        """Return a ``networkx.Graph`` of all nodes and links.

        Parameters
        ----------
        names
            Interests, or the name of each node by id; the ids if not given.

        Examples
        --------
        >>> Overlay.from_links(3, [(0, 1)]).to_networkx(["ann", "bob", "cy"]).edges
        EdgeView([('ann', 'bob')])
        """
        from gossamer.convert.graphs import to_networkx

        return to_networkx(_names(names, self.node_count), self.links)

    def to_igraph(self, names: Interests | Sequence[Any] | None = None) -> Any:
        """Return an ``igraph.Graph``: vertex i is node i, with its name in the attribute ``name``.

        Names are text there, as igraph looks them up. ``names`` is as of :meth:`to_networkx`.
        """
        from gossamer.convert.graphs import to_igraph

        return to_igraph(_names(names, self.node_count), self.links)

    def to_scipy(self) -> Any:
        """Return the symmetric adjacency matrix, a ``scipy.sparse.csr_array``; row i is node i."""
        from gossamer.convert.graphs import to_scipy

        return to_scipy(self.node_count, self.links)

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

    def _check_interests(self, interests: Interests) -> None:
        check_fit(interests, self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Overlay):
            return NotImplemented
        return self.node_count == other.node_count and np.array_equal(self.links, other.links)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Overlay({self.node_count} nodes, {self.link_count} links)"


def check_overlay(value: Any) -> None:
    """Raise if an argument is not an :class:`Overlay`, and say where it belongs."""
    if isinstance(value, Overlay):
        return
    way = ", as gossamer.design(interests).overlay" * isinstance(value, str)
    if isinstance(getattr(value, "overlay", None), Overlay):
        way = ", its attribute overlay"
    raise ParameterError(f"overlay is of type {type(value).__name__}; expected an Overlay{way}")


def check_fit(interests: Interests, overlay: Overlay) -> None:
    """Raise unless the arguments are interests and an overlay over their nodes."""
    check_interests(interests)
    check_overlay(overlay)
    if overlay.node_count != interests.node_count:
        raise OverlayError(
            f"the overlay has {overlay.node_count} nodes and the interests have "
            f"{interests.node_count}; expected the same nodes in both"
        )


def _names(names: Interests | Sequence[Any] | None, count: int | None) -> list[Any]:
    """Return the names of all nodes, by id."""
    if names is None:
        return list(range(count or 0))
    listed = names.node_names if isinstance(names, Interests) else names
    listed = listed.tolist() if isinstance(listed, np.ndarray) else list(listed)
    if count is not None and len(listed) != count:
        raise OverlayError(f"{len(listed):,} names for {count:,} nodes; expected one for each node")
    if len(set(listed)) < len(listed):
        raise OverlayError("two nodes have the same name; expected different names")
    return listed


def _ids(names: Sequence[Any], known: Sequence[Any]) -> list[int]:
    """Return the ids of names; integers match the same numbers as text."""
    ids = {str(name): place for place, name in enumerate(known)}
    for name in names:
        if str(name) not in ids:
            raise OverlayError(
                f"{quoted(name)} is not one of the {len(known):,} nodes; expected the names of the "
                "interests"
            )
    return [ids[str(name)] for name in names]
