"""Sessions: the intervals in which each node is present."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import InputError
from gossamer.model.interests import freeze
from gossamer.model.wording import quoted
from gossamer.results import Ids, Result, Table


@dataclass(frozen=True, eq=False, repr=False)
class Sessions(Result):
    """Intervals of presence, one row per session, sorted by node and start.

    The sessions of a node do not overlap. A node without a row is never present.

    Attributes
    ----------
    nodes
        Identifier of the node of each session.
    starts, ends
        Start and end (excluded) of each session in microseconds.
    """

    BRIEF: ClassVar = ("sessions",)

    nodes: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    def summary(self) -> dict[str, Any]:
        """Return the number of sessions by name."""
        return {"sessions": len(self.nodes)}

    def _tables(self) -> Mapping[str, Table]:
        def sessions() -> dict[str, Any]:
            return {"node": Ids("node", self.nodes), "start": self.starts, "end": self.ends}

        return {"sessions": sessions}

    @classmethod
    def from_columns(
        cls,
        nodes: ArrayLike,
        starts: ArrayLike,
        ends: ArrayLike,
        *,
        names: Sequence[Any] | NDArray[Any] | None = None,
    ) -> Sessions:
        """Build sessions from three columns in any order.

        Parameters
        ----------
        nodes, starts, ends
            Node identifier, start and end in microseconds of each session.
        names
            Names of the nodes in error messages; their identifiers if not given.
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
        return cls(freeze(node_column), freeze(start_column), freeze(end_column))

    def scaled(self, time_scale: float) -> Sessions:
        """Return the sessions with times divided by a factor.

        Sessions last at least a microsecond, and go where that would overlap the next one.
        """
        if time_scale == 1:
            return self
        starts = np.floor(self.starts / time_scale).astype(np.int64)
        ends = np.maximum(np.floor(self.ends / time_scale).astype(np.int64), starts + 1)
        followed = self.nodes[1:] == self.nodes[:-1]
        ends[:-1][followed] = np.minimum(ends[:-1][followed], starts[1:][followed])
        kept = ends > starts
        return Sessions.from_columns(self.nodes[kept], starts[kept], ends[kept])

    def check(self, node_count: int) -> None:
        """Raise :class:`InputError` if a session is of a node outside 0 .. node_count - 1."""
        if len(self.nodes) and not 0 <= self.nodes[0] <= self.nodes[-1] < node_count:
            wrong = int(self.nodes[0] if self.nodes[0] < 0 else self.nodes[-1])
            raise InputError(f"a session names node {wrong}; expected 0 to {node_count - 1}")

    def __len__(self) -> int:
        return len(self.nodes)
