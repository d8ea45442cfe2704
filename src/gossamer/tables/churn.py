"""The table of churn: joins, leaves and changes of interests in order of time.

A row has a time, a node and an event: join, leave, subscribe or unsubscribe. Times are in
microseconds (``time``), in seconds (``time_s``), or dates. The optional column ``topic`` has the
topic of a change of interests, and is empty for joins and leaves. A node whose first event is a
join is absent at the start. A node that is never present has the single event ``away``. A table of
sessions is accepted too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from gossamer.errors import InputError, ParameterError, TableError
from gossamer.model import ChurnEvents, Interests, Sessions
from gossamer.model.churn import JOIN, KINDS, LEAVE, NO_TOPIC, UNSUBSCRIBE
from gossamer.model.churn_faults import first_fault
from gossamer.model.interests import freeze
from gossamer.model.wording import quoted
from gossamer.tables.files import find_table
from gossamer.tables.names import encode_column, find_ids, name_column
from gossamer.tables.rows import Rows, column_names, read_rows
from gossamer.tables.schema import CHURN, SESSIONS
from gossamer.tables.sessions import read_sessions
from gossamer.tables.write import write_table

LAYOUTS = [("time", "node", "event"), ("time_s", "node", "event")]
UNITS = {"time": 1, "time_s": 1_000_000}
TOPIC = "topic"
WORDS = np.array([*KINDS, "away"])
AWAY = len(KINDS)


@dataclass(frozen=True, eq=False)
class NamedChurn:
    """Events of nodes and topics that are numbered by their sorted names.

    Attributes
    ----------
    names
        Names of the nodes in the table.
    topic_names
        Names of the topics in the table.
    events
        Joins, leaves and changes of interests.
    present
        Presence of each node of the table at the start.
    """

    names: NDArray[Any]
    topic_names: NDArray[Any]
    events: ChurnEvents
    present: NDArray[np.bool_]

    def of(self, interests: Interests) -> tuple[Interests, NDArray[np.bool_], ChurnEvents]:
        """Return the events with the ids of interests, and the presence of nodes at the start.

        Nodes that are not in the table are always present. Names are compared as text. Topics that
        the interests lack are added to them, so ids of topics may change.

        Returns
        -------
        tuple
            Interests at the start, over all topics; presence at the start; and the events.

        Raises
        ------
        TableError
            If a node of the table has no subscriptions.
        """
        ids = _ids(self.names, interests)
        present = np.ones(interests.node_count, dtype=np.bool_)
        present[ids] = self.present
        further = self.topic_names[find_ids(self.topic_names, interests.topic_names) < 0]
        interests = _with_topics(interests, further)
        # The last place stands for no topic, -1.
        topics = np.append(find_ids(self.topic_names, interests.topic_names), NO_TOPIC)
        events = self.events
        return (
            interests,
            freeze(present),
            ChurnEvents.from_columns(
                events.times, ids[events.nodes], events.kinds, topics[events.topics]
            ),
        )


def read_churn(path: str | os.PathLike[str]) -> NamedChurn:
    """Read joins, leaves and changes of interests from Parquet or text, plain or gzipped.

    Rows need not be sorted; rows of the same time keep their order.

    Raises
    ------
    TableError
        If a column is missing, a time or an event is invalid, a change of interests has no topic,
        or ``away`` is not the first event of a node.
    """
    return _read(path).churn


class _Read(NamedTuple):
    """Churn, and the rows of the table; ``order`` has the row of each event."""

    churn: NamedChurn
    rows: Rows
    order: NDArray[np.int64]


def _read(path: str | os.PathLike[str]) -> _Read:
    rows = read_rows(path, CHURN.name, LAYOUTS, optional=TOPIC)
    unit = rows.columns[0]
    words = rows.strings("event")
    kinds = pa.compute.index_in(words, value_set=pa.array(WORDS)).fill_null(-1).to_numpy()
    if len(kinds) and kinds.min() < 0:
        row = int(np.argmin(kinds))
        raise TableError(
            f"{rows.where(row)}: the event is {quoted(words[row].as_py())}; expected join or leave "
            "(or subscribe or unsubscribe with a topic, or away of a node that is never present)"
        )
    nodes = rows.table.column("node")
    if nodes.null_count:
        row = pa.compute.index(pa.compute.is_null(nodes), True).as_py()
        raise TableError(f"{rows.where(row)}: the field 'node' is null; expected a name")
    (times,) = rows.microseconds([unit], UNITS[unit])
    in_text = not rows.sources[0].columnar
    encoded = encode_column(nodes, numbers_in_text=in_text)
    if encoded.unusable is not None:
        raise TableError(f"{path}: a node's name is empty or has a NUL in it; expected a name")
    topic_names, topics = _read_topics(rows, kinds)
    order = np.argsort(times, kind="stable")
    times, kinds, codes, topics = times[order], kinds[order], encoded.codes[order], topics[order]
    present = np.ones(len(encoded.names), dtype=np.bool_)
    moves = np.flatnonzero((kinds <= JOIN) | (kinds == AWAY))
    nodes, first = np.unique(codes[moves], return_index=True)
    present[nodes] = kinds[moves[first]] == LEAVE
    late = np.setdiff1d(np.flatnonzero(kinds == AWAY), moves[first])
    if len(late):
        raise TableError(
            f"{rows.where(int(order[late[0]]))}: the event 'away' of "
            f"{quoted(str(encoded.names[codes[late[0]]]))} follows another event of that node; "
            "expected it once, and first"
        )
    kept = kinds < AWAY
    events = ChurnEvents.from_columns(times[kept], codes[kept], kinds[kept], topics[kept])
    churn = NamedChurn(encoded.names, topic_names, events, freeze(present))
    return _Read(churn, rows, order[kept])


def _read_topics(rows: Rows, kinds: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the sorted names of the topics, and the topic of each row; -1 for none."""
    topics = np.full(len(kinds), NO_TOPIC, dtype=np.int32)
    changes = (kinds >= UNSUBSCRIBE) & (kinds < AWAY)
    if TOPIC not in rows.table.column_names:
        if changes.any():
            row = int(np.argmax(changes))
            raise TableError(
                f"{rows.where(row)}: the event is {str(WORDS[kinds[row]])!r}, and the table has no "
                f"column {TOPIC!r}; expected one, empty for joins and leaves"
            )
        return np.empty(0, dtype=object), topics
    column = rows.table.column(TOPIC)
    texts = rows.strings(TOPIC).fill_null("")
    given = pa.compute.not_equal(texts, "").to_numpy(zero_copy_only=False)
    wrong = np.flatnonzero(given != changes)
    if len(wrong):
        row = int(wrong[0])
        found = f"{quoted(texts[row].as_py())}; expected none" if given[row] else "missing"
        raise TableError(
            f"{rows.where(row)}: the event is {str(WORDS[kinds[row]])!r}, and the topic is {found}"
            + ("" if given[row] else "; expected the name of a topic")
        )
    named = column.filter(pa.array(changes))
    encoded = encode_column(named, numbers_in_text=not rows.sources[0].columnar)
    if encoded.unusable is not None:
        raise TableError(f"{rows.sources[0].name}: a topic's name has a NUL in it; expected a name")
    topics[changes] = encoded.codes
    return encoded.names, topics


def is_churn(path: str | os.PathLike[str]) -> bool:
    """Whether a table has the columns of churn; it may be one of sessions otherwise."""
    return "event" in _columns(path)


def first_date(path: str | os.PathLike[str]) -> int | None:
    """Return the first date of a table of churn or of sessions, which is 0 in its times.

    It is in microseconds since 1970; None if the times are numbers.
    """
    if is_churn(path):
        rows = read_rows(path, CHURN.name, [(layout[0],) for layout in LAYOUTS])
    else:
        rows = read_rows(path, SESSIONS.name, [("start", "end"), ("start_s", "end_s")])
    return rows.first_date(rows.columns)


def read_churn_or_sessions(
    path: str | os.PathLike[str], interests: Interests
) -> tuple[Interests, NDArray[np.bool_], ChurnEvents]:
    """Read events of the nodes of interests, from a table of churn or of sessions.

    In a table of sessions, nodes without a session are never present, and the last end of all is
    the end of the trace: no node leaves then.

    Returns
    -------
    interests, present, events
        The interests, with topics added that only the table has; presence of each node at the
        start; and the events.

    Raises
    ------
    TableError
        If the table is neither, names a node that has no subscriptions, or has an impossible
        event.
    """
    columns = _columns(path)
    if "event" in columns:
        found = _read(path)
        with _naming(path):
            interests, present, events = found.churn.of(interests)
        fault = first_fault(events, present, interests=interests)
        if fault is not None:
            raise TableError(f"{found.rows.where(int(found.order[fault.row]))}: {fault.text}")
        return interests, present, events
    if not columns & {"start", "start_s"}:
        raise TableError(
            f"{path}: is no table of churn or sessions; expected the columns "
            f"{', '.join(CHURN.column_names)}, or {', '.join(SESSIONS.column_names)}; the columns "
            f"are: {', '.join(sorted(columns))}"
        )
    named = read_sessions(path)
    with _naming(path):
        ids = _ids(named.names, interests)
    given = named.sessions
    sessions = Sessions.from_columns(ids[given.nodes], given.starts, given.ends)
    until = int(given.ends.max())
    return interests, *ChurnEvents.from_sessions(sessions, interests.node_count, until=until)


def write_churn(
    path: str | os.PathLike[str],
    names: NDArray[Any],
    events: ChurnEvents,
    present: NDArray[np.bool_] | None = None,
    *,
    topic_names: NDArray[Any] | None = None,
) -> None:
    """Write events by the names of their nodes, atomically: Parquet or text, by the ending.

    Parameters
    ----------
    path
        File to write.
    names
        Names of all nodes, by id.
    events
        Joins, leaves and changes of interests.
    present
        Presence at the start. An absent node that never joins gets an ``away`` row.
    topic_names
        Names of all topics, by id; not needed without changes of interests.
    """
    changes = bool((events.kinds >= UNSUBSCRIBE).any())
    if changes and topic_names is None:
        raise ParameterError("the events change interests; expected the names of the topics too")
    away = np.empty(0, dtype=np.int64)
    if present is not None:
        events.check(present)
        moved = events.nodes[events.kinds <= JOIN]
        away = np.setdiff1d(np.flatnonzero(~present), moved)
    times = np.concatenate((np.zeros(len(away), dtype=np.int64), events.times))
    nodes = np.concatenate((away, events.nodes.astype(np.int64)))
    kinds = np.concatenate((np.full(len(away), AWAY), events.kinds.astype(np.int64)))
    columns = [times, name_column(names, nodes), WORDS[kinds]]
    if changes and topic_names is not None:
        topics = np.concatenate((np.full(len(away), NO_TOPIC), events.topics))
        columns.append(name_column(topic_names, topics, TOPIC, missing=topics < 0))
    write_table(path, CHURN.table(*columns))


def _columns(path: str | os.PathLike[str]) -> set[str]:
    return set(column_names(find_table(path, [CHURN.name, SESSIONS.name]).sources[0]))


@contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Put the file in front of the message of an input error."""
    try:
        yield
    except InputError as fault:
        raise TableError(f"{path}: {fault}") from None


def _ids(names: NDArray[Any], interests: Interests) -> NDArray[np.int32]:
    ids = find_ids(names, interests.node_names)
    if len(ids) and ids.min() < 0:
        name = str(names[int(np.argmin(ids))])
        raise TableError(
            f"the node {quoted(name)} is not one of the {interests.node_count} nodes of "
            "the subscriptions; add its row there, also if it joins later"
        )
    return ids


def _with_topics(interests: Interests, names: NDArray[Any]) -> Interests:
    """Return interests over further topics; unless all names are integers, all become texts."""
    known = interests.topic_names
    if len(names) and names.dtype != known.dtype:
        texts = np.array([str(name) for name in known.tolist()], dtype=object)
        interests = replace(interests, topic_names=freeze(texts))
        names = np.array([str(name) for name in names.tolist()], dtype=object)
    return interests.with_topics(names)
