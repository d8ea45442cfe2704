"""Everything a run needs to know of the world: interests, rates, sessions, latency.

Only interests are always there. Times are integer microseconds from the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import InputError
from gossamer.model.interests import Interests, frozen
from gossamer.model.wording import quoted

__all__ = ["Latency", "Sessions", "Workload"]


@dataclass(frozen=True, eq=False)
class Sessions:
    """When each node is there: one row a session, sorted by node, then start.

    A node's sessions do not overlap; a node without a row is never there.
    """

    nodes: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    @classmethod
    def from_columns(
        cls,
        nodes: ArrayLike,
        starts: ArrayLike,
        ends: ArrayLike,
        *,
        names: Sequence[Any] | NDArray[Any] | None = None,
    ) -> Sessions:
        """Build from three columns: node id, start and end in microseconds.

        In a message nodes are called by their names, if given, else by their ids.
        """
        node_column = np.asarray(nodes, dtype=np.int32).ravel()
        start_column = np.asarray(starts, dtype=np.int64).ravel()
        end_column = np.asarray(ends, dtype=np.int64).ravel()
        if not len(node_column) == len(start_column) == len(end_column):
            raise InputError(
                f"sessions need three columns of the same length; got {len(node_column)} nodes, "
                f"{len(start_column)} starts, {len(end_column)} ends"
            )
        wrong = np.flatnonzero((end_column <= start_column) | (start_column < 0))
        if len(wrong):
            row = int(wrong[0])
            raise InputError(
                f"session {row} runs from {start_column[row]} to {end_column[row]}; "
                "expected 0 <= start < end"
            )
        order = np.lexsort((start_column, node_column))
        node_column, start_column = node_column[order], start_column[order]
        end_column = end_column[order]
        overlap = np.flatnonzero(
            (node_column[1:] == node_column[:-1]) & (start_column[1:] < end_column[:-1])
        )
        if len(overlap):
            row = int(overlap[0])
            node = int(node_column[row])
            raise InputError(
                f"node {node if names is None else quoted(names[node])} has overlapping sessions: "
                f"[{start_column[row]}, {end_column[row]}) and one from {start_column[row + 1]}"
            )
        return cls(frozen(node_column), frozen(start_column), frozen(end_column))

    def __len__(self) -> int:
        return len(self.nodes)


@dataclass(frozen=True, eq=False)
class Latency:
    """One-way delay between sites, and the site of each node.

    ``matrix[a, b]`` is the delay from site a to site b in microseconds.
    """

    matrix: NDArray[np.int64]
    sites: NDArray[np.int32]

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, sites: ArrayLike) -> Latency:
        """Build from a square matrix of microseconds and each node's row in it."""
        delays = np.asarray(matrix, dtype=np.int64)
        places = np.asarray(sites, dtype=np.int32).ravel()
        if delays.ndim != 2 or delays.shape[0] != delays.shape[1]:
            raise InputError(f"a latency matrix must be square; got shape {delays.shape}")
        if delays.size and delays.min() < 0:
            raise InputError(f"a latency is {delays.min()} µs; expected 0 or more")
        if len(places) and (places.min() < 0 or places.max() >= len(delays)):
            raise InputError(f"a node's site is outside 0 to {len(delays) - 1}")
        return cls(frozen(delays), frozen(places))

    def between(self, source: int, target: int) -> int:
        """Return the delay from one node to another, in microseconds."""
        return int(self.matrix[self.sites[source], self.sites[target]])


@dataclass(frozen=True, eq=False)
class Workload:
    """Interests, and what else is known: publications per second, churn, latency."""

    interests: Interests
    rates: NDArray[np.float64] | None = None
    sessions: Sessions | None = None
    latency: Latency | None = None

    def __post_init__(self) -> None:
        topics, nodes = self.interests.topic_count, self.interests.node_count
        if self.rates is not None:
            rates = np.array(self.rates, dtype=np.float64)
            if rates.shape != (topics,):
                raise InputError(f"{rates.size} publication rates for {topics} topics")
            if not (np.isfinite(rates).all() and (rates >= 0).all()):
                raise InputError("publication rates must be finite and 0 or more")
            object.__setattr__(self, "rates", frozen(rates))
        if self.sessions is not None and len(self.sessions):
            node = int(self.sessions.nodes[-1])
            first = int(self.sessions.nodes[0])
            if first < 0 or node >= nodes:
                raise InputError(
                    f"a session names node {min(first, node) if first < 0 else node}; "
                    f"expected 0 to {nodes - 1}"
                )
        if self.latency is not None and len(self.latency.sites) != nodes:
            raise InputError(f"latency places {len(self.latency.sites)} nodes; there are {nodes}")
