"""Churn as a sequence of joins, leaves and changes of interests.

Joins and leaves alone are equivalent to sessions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import InputError
from gossamer.model.churn_faults import first_fault
from gossamer.model.interests import Interests, freeze
from gossamer.model.sessions import Sessions
from gossamer.model.wording import quoted
from gossamer.results import Ids, Result, Table
from gossamer.time import SECOND

KINDS = ("leave", "join", "unsubscribe", "subscribe")
"""Kinds of events; the code of a kind is its position."""
LEAVE, JOIN, UNSUBSCRIBE, SUBSCRIBE = range(4)
NO_TOPIC = -1


@dataclass(frozen=True, eq=False, repr=False)
class ChurnEvents(Result):
    """Joins, leaves and changes of interests, in order. Build it with :meth:`from_columns`.

    A node keeps its interests while it is absent, and may change them then: the change takes
    effect when it joins.

    Attributes
    ----------
    times
        Times in microseconds from the start, ascending.
    nodes
        Node of each event, by id.
    kinds
        Kind of each event: a position in ``KINDS``, which are leave, join, unsubscribe and
        subscribe.
    topics
        Topic of each change of interests, by id; -1 for joins and leaves.

    Examples
    --------
    >>> events = ChurnEvents.from_columns([20, 10], [1, 0], ["join", "leave"])
    >>> events.nodes.tolist(), events.joins.tolist()
    ([0, 1], [False, True])
    """

    BRIEF: ClassVar = ("joins", "leaves", "subscribes", "unsubscribes")

    times: NDArray[np.int64]
    nodes: NDArray[np.int32]
    kinds: NDArray[np.int8]
    topics: NDArray[np.int32]

    @classmethod
    def from_columns(
        cls, times: ArrayLike, nodes: ArrayLike, kinds: ArrayLike, topics: ArrayLike | None = None
    ) -> ChurnEvents:
        """Build from columns; events of the same time keep their order.

        Parameters
        ----------
        times, nodes
            Times in microseconds, and nodes by id.
        kinds
            ``join``, ``leave``, ``subscribe`` and ``unsubscribe``; or truth values: whether each
            event is a join, and not a leave; or codes.
        topics
            Topics by id, -1 for joins and leaves; not needed if there are no other events.
        """
        time_column = np.asarray(times, dtype=np.int64).ravel()
        node_column = np.asarray(nodes, dtype=np.int32).ravel()
        kind_column = _codes(np.asarray(kinds).ravel())
        topic_column = np.full(len(kind_column), NO_TOPIC, dtype=np.int32)
        if topics is not None:
            topic_column = np.asarray(topics, dtype=np.int32).ravel()
        columns = (time_column, node_column, kind_column, topic_column)
        if len({len(column) for column in columns}) > 1:
            raise InputError(
                f"events need columns of the same length; got {len(time_column)} times, "
                f"{len(node_column)} nodes, {len(kind_column)} kinds, {len(topic_column)} topics"
            )
        for what, column in (("time", time_column), ("node", node_column)):
            wrong = np.flatnonzero(column < 0)
            if len(wrong):
                row = int(wrong[0])
                raise InputError(f"event {row + 1} has {what} {column[row]}; expected 0 or more")
        wrong = np.flatnonzero((topic_column >= 0) != (kind_column >= UNSUBSCRIBE))
        if len(wrong):
            row = int(wrong[0])
            expected = "no topic (-1)" if topic_column[row] >= 0 else "a topic, 0 or more"
            raise InputError(
                f"event {row + 1}, {KINDS[kind_column[row]]}, has topic {topic_column[row]}; "
                f"expected {expected}"
            )
        order = np.argsort(time_column, kind="stable")
        return cls(*(freeze(column[order]) for column in columns))

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

        Sessions have no changes of interests; see :attr:`interest_changes`.

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
        gone = np.flatnonzero(self.leaves & rows)
        gone = gone[np.lexsort((self.times[gone], self.nodes[gone]))]
        # The k-th leave of a node ends its k-th session.
        offsets = np.searchsorted(nodes, self.nodes[gone])
        first = np.searchsorted(self.nodes[gone], self.nodes[gone])
        ends[offsets + np.arange(len(gone)) - first] = self.times[gone]
        kept = ends > times
        return Sessions.from_columns(nodes[kept], times[kept], ends[kept])

    @property
    def joins(self) -> NDArray[np.bool_]:
        """Whether each event is a join."""
        joins: NDArray[np.bool_] = self.kinds == JOIN
        return joins

    @property
    def leaves(self) -> NDArray[np.bool_]:
        """Whether each event is a leave."""
        leaves: NDArray[np.bool_] = self.kinds == LEAVE
        return leaves

    @property
    def interest_changes(self) -> ChurnEvents:
        """The events ``subscribe`` and ``unsubscribe`` alone."""
        rows = self.kinds >= UNSUBSCRIBE
        return ChurnEvents(self.times[rows], self.nodes[rows], self.kinds[rows], self.topics[rows])

    def summary(self) -> dict[str, Any]:
        """Return the numbers of events by name."""
        counts = np.bincount(self.kinds, minlength=len(KINDS)).tolist()
        changes = {"subscribes": counts[SUBSCRIBE], "unsubscribes": counts[UNSUBSCRIBE]}
        return {
            "events": len(self),
            "joins": counts[JOIN],
            "leaves": counts[LEAVE],
            **(changes if any(changes.values()) else {}),
            "last_second": int(self.times[-1]) / SECOND if len(self) else 0.0,
        }

    def _tables(self) -> Mapping[str, Table]:
        def churn() -> dict[str, Any]:
            words = np.array(KINDS)[self.kinds].tolist()
            columns = {"time": self.times, "node": Ids("node", self.nodes), "event": words}
            if (self.topics >= 0).any():
                columns["topic"] = Ids("topic", self.topics)
            return columns

        return {"churn": churn}

    def __len__(self) -> int:
        return len(self.times)

    def present_at_first(self, node_count: int) -> NDArray[np.bool_]:
        """Return the default presence at the start: a node is present unless it joins first.

        Changes of interests do not count.

        Examples
        --------
        >>> events = ChurnEvents.from_columns([1, 2, 3], [0, 1, 0], [True, False, False])
        >>> events.present_at_first(3).tolist()
        [False, True, True]
        """
        present = np.ones(node_count, dtype=np.bool_)
        rows = np.flatnonzero(self.kinds <= JOIN)
        nodes, first = np.unique(self.nodes[rows], return_index=True)
        known = nodes < node_count
        present[nodes[known]] = self.leaves[rows[first[known]]]
        return freeze(present)

    def present_after(self, present: NDArray[np.bool_], count: int) -> NDArray[np.bool_]:
        """Return the presence of each node after the first events, given that at the start."""
        after = np.array(present)
        rows = np.flatnonzero(self.kinds[:count] <= JOIN)
        after[self.nodes[rows]] = self.kinds[rows] == JOIN  # the last event of a node counts
        return after

    def interests_after(self, interests: Interests, count: int | None = None) -> Interests:
        """Return the interests after the first events, or after all, given those at the start.

        Examples
        --------
        >>> interests = Interests.from_lists({"ann": ["tea"], "bob": ["jazz"]})
        >>> events = ChurnEvents.from_columns([1], [0], ["subscribe"], [0])
        >>> after = events.interests_after(interests)
        >>> after.topic_names[after.topics_of(0)].tolist()
        ['jazz', 'tea']
        """
        rows = np.flatnonzero(self.kinds[:count] >= UNSUBSCRIBE)
        if not len(rows):
            return interests
        width = interests.topic_count
        keys = interests.node_column.astype(np.int64) * width + interests.node_topics
        changed = self.nodes[rows].astype(np.int64) * width + self.topics[rows]
        changed, last = np.unique(changed[::-1], return_index=True)
        held = self.kinds[rows[::-1][last]] == SUBSCRIBE
        keys = np.union1d(np.setdiff1d(keys, changed[~held]), changed[held])
        return Interests.from_ids(
            keys // width,
            keys % width,
            node_names=interests.node_names,
            topic_names=interests.topic_names,
        )

    def check(
        self,
        present: NDArray[np.bool_],
        names: Sequence[Any] | NDArray[Any] | None = None,
        *,
        interests: Interests | None = None,
    ) -> None:
        """Raise if an event is impossible. O(events log events), and O(subscriptions) if given.

        A present node cannot join, an absent one cannot leave, no node can subscribe to a topic
        that it has, or unsubscribe from one that it lacks.

        Parameters
        ----------
        present
            Presence of each node at the start.
        names
            Names of nodes in messages; those of the interests, or ids, if not given.
        interests
            Interests at the start; changes of interests are not checked if not given.

        Raises
        ------
        InputError
            If an event is impossible; events count from 1.
        """
        fault = first_fault(self, present, names, interests)
        if fault is not None:
            raise InputError(fault.text)


def _codes(kinds: NDArray[Any]) -> NDArray[np.int8]:
    """Return kinds as codes; they are words, truth values or codes."""
    if kinds.dtype.kind not in "UO":
        wrong = np.flatnonzero((kinds < LEAVE) | (kinds > SUBSCRIBE))
        codes = kinds.astype(np.int8)
    else:
        place = {word: code for code, word in enumerate(KINDS)}
        codes = np.array([place.get(word, -1) for word in kinds.tolist()], dtype=np.int8)
        wrong = np.flatnonzero(codes < 0)
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            f"event {row + 1} is {quoted(kinds.tolist()[row])}; expected one of {', '.join(KINDS)}"
        )
    return codes
