"""Churn as a sequence of joins and leaves, equivalent to sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import InputError
from gossamer.model.interests import freeze
from gossamer.model.sessions import Sessions
from gossamer.model.wording import quoted
from gossamer.results import Ids, Result, Table
from gossamer.time import SECOND


@dataclass(frozen=True, eq=False, repr=False)
class ChurnEvents(Result):
    """Joins and leaves in the order in which they happen. Build it with :meth:`from_columns`.

    Attributes
    ----------
    times
        Times in microseconds from the start, ascending.
    nodes
        Node of each event, by id.
    joins
        Whether the node joins; it leaves otherwise.

    Examples
    --------
    >>> events = ChurnEvents.from_columns([20, 10], [1, 0], [True, False])
    >>> events.nodes.tolist(), events.joins.tolist()
    ([0, 1], [False, True])
    """

    BRIEF: ClassVar = ("joins", "leaves")

    times: NDArray[np.int64]
    nodes: NDArray[np.int32]
    joins: NDArray[np.bool_]

    @classmethod
    def from_columns(cls, times: ArrayLike, nodes: ArrayLike, joins: ArrayLike) -> ChurnEvents:
        """Build from three columns; events of the same time keep their order."""
        time_column = np.asarray(times, dtype=np.int64).ravel()
        node_column = np.asarray(nodes, dtype=np.int32).ravel()
        join_column = np.asarray(joins, dtype=np.bool_).ravel()
        if not len(time_column) == len(node_column) == len(join_column):
            raise InputError(
                f"events need three columns of the same length; got {len(time_column)} times, "
                f"{len(node_column)} nodes, {len(join_column)} joins"
            )
        for what, column in (("time", time_column), ("node", node_column)):
            wrong = np.flatnonzero(column < 0)
            if len(wrong):
                row = int(wrong[0])
                raise InputError(f"event {row + 1} has {what} {column[row]}; expected 0 or more")
        order = np.argsort(time_column, kind="stable")
        return cls(
            freeze(time_column[order]), freeze(node_column[order]), freeze(join_column[order])
        )

    @classmethod
    def from_sessions(
        cls, sessions: Sessions, node_count: int, *, until: int | None = None
    ) -> tuple[NDArray[np.bool_], ChurnEvents]:
        """Return the presence of each node at time 0, and every later start and end of a session.

        At the same time, leaves precede joins, and lower ids higher ones. A session that starts
        when another of the node ends is merged with it.

        Parameters
        ----------
        sessions
            Sessions of each node.
        node_count
            Number of nodes; a node without a session is never present.
        until
            Time from which events are left out. In a trace, the sessions of all present nodes end
            with it, although no node leaves then.

        Examples
        --------
        >>> sessions = Sessions.from_columns([0, 0, 1], [0, 5, 3], [5, 9, 9])
        >>> present, events = ChurnEvents.from_sessions(sessions, 3)
        >>> present.tolist(), events.times.tolist(), events.joins.tolist()
        ([True, False, False], [3, 9, 9], [True, False, False])
        """
        nodes, starts, ends = sessions.nodes, sessions.starts, sessions.ends
        if len(nodes) and (nodes[0] < 0 or nodes[-1] >= node_count):
            wrong = int(nodes[0] if nodes[0] < 0 else nodes[-1])
            raise InputError(f"a session names node {wrong}; expected 0 to {node_count - 1}")
        goes_on = (nodes[1:] == nodes[:-1]) & (starts[1:] == ends[:-1])
        first = np.concatenate((np.ones(min(len(nodes), 1), dtype=np.bool_), ~goes_on))
        last = np.concatenate((~goes_on, np.ones(min(len(nodes), 1), dtype=np.bool_)))
        present = np.zeros(node_count, dtype=np.bool_)
        present[nodes[starts == 0]] = True
        begins = first & (starts > 0)
        times = np.concatenate((ends[last], starts[begins]))
        moved = np.concatenate((nodes[last], nodes[begins]))
        joins = np.arange(len(times)) >= np.count_nonzero(last)
        if until is not None:
            kept = times < until
            times, moved, joins = times[kept], moved[kept], joins[kept]
        order = np.lexsort((moved, joins, times))
        return freeze(present), cls.from_columns(times[order], moved[order], joins[order])

    def sessions(self, present: NDArray[np.bool_], *, until: int) -> Sessions:
        """Return the sessions up to a time, given the presence of each node at the start.

        Examples
        --------
        >>> events = ChurnEvents.from_columns([3, 5], [1, 0], [True, False])
        >>> found = events.sessions(np.array([True, False]), until=9)
        >>> found.nodes.tolist(), found.starts.tolist(), found.ends.tolist()
        ([0, 1], [0, 3], [5, 9])
        """
        self.check(present)
        rows = self.times < until
        initial = np.flatnonzero(present)
        starts = self.joins & rows
        nodes = np.concatenate((initial, self.nodes[starts]))
        times = np.concatenate((np.zeros(len(initial), dtype=np.int64), self.times[starts]))
        ends = np.full(len(nodes), until, dtype=np.int64)
        order = np.lexsort((times, nodes))
        nodes, times = nodes[order], times[order]
        gone = np.flatnonzero(~self.joins & rows)
        gone = gone[np.lexsort((self.times[gone], self.nodes[gone]))]
        # The k-th leave of a node ends its k-th session.
        offsets = np.searchsorted(nodes, self.nodes[gone])
        first = np.searchsorted(self.nodes[gone], self.nodes[gone])
        ends[offsets + np.arange(len(gone)) - first] = self.times[gone]
        kept = ends > times
        return Sessions.from_columns(nodes[kept], times[kept], ends[kept])

    def summary(self) -> dict[str, Any]:
        """Return the numbers of events by name."""
        return {
            "events": len(self),
            "joins": int(self.joins.sum()),
            "leaves": int((~self.joins).sum()),
            "last_second": int(self.times[-1]) / SECOND if len(self) else 0.0,
        }

    def _tables(self) -> Mapping[str, Table]:
        def churn() -> dict[str, Any]:
            words = np.where(self.joins, "join", "leave").tolist()
            return {"time": self.times, "node": Ids("node", self.nodes), "event": words}

        return {"churn": churn}

    def __len__(self) -> int:
        return len(self.times)

    def present_at_first(self, node_count: int) -> NDArray[np.bool_]:
        """Return the default presence at the start: a node is absent if its first event is a join.

        Examples
        --------
        >>> events = ChurnEvents.from_columns([1, 2, 3], [0, 1, 0], [True, False, False])
        >>> events.present_at_first(3).tolist()
        [False, True, True]
        """
        present = np.ones(node_count, dtype=np.bool_)
        nodes, first = np.unique(self.nodes, return_index=True)
        known = nodes < node_count
        present[nodes[known]] = ~self.joins[first[known]]
        return freeze(present)

    def check(
        self, present: NDArray[np.bool_], names: Sequence[Any] | NDArray[Any] | None = None
    ) -> None:
        """Raise if a present node joins or an absent one leaves. O(events log events).

        Parameters
        ----------
        present
            Presence of each node at the start.
        names
            Names of nodes in messages; their ids if not given.

        Raises
        ------
        InputError
            If an event is impossible; events count from 1.
        """
        count = len(present)
        unknown = self.nodes >= count
        order = np.argsort(self.nodes, kind="stable")
        nodes, joins = self.nodes[order], self.joins[order]
        online = np.empty(len(nodes), dtype=np.bool_)  # before each event
        known = ~unknown[order]
        online[1:] = joins[:-1]
        opening = np.concatenate(
            (np.ones(min(len(nodes), 1), dtype=np.bool_), nodes[1:] != nodes[:-1])
        )
        opening &= known
        online[opening] = present[nodes[opening]]
        wrong = order[(online == joins) | ~known]
        if not len(wrong):
            return
        row = int(wrong.min())
        node, joining = int(self.nodes[row]), bool(self.joins[row])
        what = f"event {row + 1}, at {self.times[row]} µs: node "
        what += str(node) if names is None or node >= count else quoted(names[node])
        what += " joins" if joining else " leaves"
        if unknown[row]:
            raise InputError(f"{what}; expected a node of 0 to {count - 1}")
        if joining:
            raise InputError(f"{what}, but is present; expected an absent node")
        raise InputError(f"{what}, but is absent; expected a present node")
