"""The table of churn: joins and leaves in the order in which they happen.

A row has a time in microseconds (``time``; ``time_s`` in seconds), a node and an event: join or
leave. A node is present at the start unless its first event is a join; a node that is never present
has the one event ``away``. A table of sessions holds the same, and is accepted in its place.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from gossamer.errors import InputError, TableError
from gossamer.model import ChurnEvents, Interests, Sessions
from gossamer.model.interests import freeze
from gossamer.model.wording import quoted
from gossamer.tables.files import find_table
from gossamer.tables.names import encode_column, find_ids, name_column
from gossamer.tables.rows import column_names, read_rows
from gossamer.tables.schema import CHURN, SESSIONS
from gossamer.tables.sessions import read_sessions
from gossamer.tables.write import write_table

LAYOUTS = [("time", "node", "event"), ("time_s", "node", "event")]
UNITS = {"time": 1, "time_s": 1_000_000}
WORDS = np.array(["leave", "join", "away"])
JOIN, AWAY = 1, 2


@dataclass(frozen=True, eq=False)
class NamedChurn:
    """Events of nodes that are numbered by their sorted names.

    Attributes
    ----------
    names
        Names of the nodes in the table.
    events
        Joins and leaves.
    present
        Presence of each of these nodes at the start.
    """

    names: NDArray[Any]
    events: ChurnEvents
    present: NDArray[np.bool_]

    def of(self, interests: Interests) -> tuple[NDArray[np.bool_], ChurnEvents]:
        """Return the presence of the nodes of interests at the start, and the events by their ids.

        Nodes that are not in the table are present. Names are compared as text.

        Raises
        ------
        TableError
            If a node of the table has no subscriptions.
        """
        ids = _ids(self.names, interests)
        present = np.ones(interests.node_count, dtype=np.bool_)
        present[ids] = self.present
        events = self.events
        return freeze(present), ChurnEvents.from_columns(
            events.times, ids[events.nodes], events.joins
        )


def read_churn(path: str | os.PathLike[str]) -> NamedChurn:
    """Read joins and leaves from Parquet or text, plain or gzipped.

    Rows need not be sorted; rows of the same time keep their order.

    Raises
    ------
    TableError
        If a column is missing, a time or an event is invalid, or ``away`` is not the first event
        of a node.
    """
    rows = read_rows(path, CHURN.name, LAYOUTS)
    unit = rows.columns[0]
    words = rows.strings("event")
    kinds = pa.compute.index_in(words, value_set=pa.array(WORDS)).fill_null(-1).to_numpy()
    if len(kinds) and kinds.min() < 0:
        row = int(np.argmin(kinds))
        raise TableError(
            f"{rows.where(row)}: the event is {quoted(words[row].as_py())}; expected join or leave "
            "(or away, of a node that is never present)"
        )
    nodes = rows.table.column("node")
    if nodes.null_count:
        row = pa.compute.index(pa.compute.is_null(nodes), True).as_py()
        raise TableError(f"{rows.where(row)}: the field 'node' is null; expected a name")
    times = rows.microseconds(unit, UNITS[unit])
    encoded = encode_column(nodes, numbers_in_text=not rows.sources[0].columnar)
    if encoded.unusable is not None:
        raise TableError(f"{path}: a node's name is empty or has a NUL in it; expected a name")
    order = np.argsort(times, kind="stable")
    times, kinds, codes = times[order], kinds[order], encoded.codes[order]
    present = np.ones(len(encoded.names), dtype=np.bool_)
    nodes, first = np.unique(codes, return_index=True)
    present[nodes] = kinds[first] == 0
    late = np.setdiff1d(np.flatnonzero(kinds == AWAY), first)
    if len(late):
        raise TableError(
            f"{path}: the event 'away' of {quoted(str(encoded.names[codes[late[0]]]))} follows "
            "another event of that node; expected it once, and first"
        )
    kept = kinds < AWAY
    events = ChurnEvents.from_columns(times[kept], codes[kept], kinds[kept] == JOIN)
    return NamedChurn(encoded.names, events, freeze(present))


def is_churn(path: str | os.PathLike[str]) -> bool:
    """Whether a table has the columns of churn; it may be one of sessions otherwise."""
    return "event" in _columns(path)


def read_churn_or_sessions(
    path: str | os.PathLike[str], interests: Interests
) -> tuple[NDArray[np.bool_], ChurnEvents]:
    """Read events of the nodes of interests, from a table of churn or of sessions.

    In a table of sessions, nodes without a session are never present, and the last end of all is
    the end of the trace: no node leaves then.

    Returns
    -------
    present, events
        Presence of each node at the start, and the events.

    Raises
    ------
    TableError
        If the table is neither, names a node that has no subscriptions, or has an impossible
        event.
    """
    columns = _columns(path)
    if "event" in columns:
        churn = read_churn(path)
        with _naming(path):
            present, events = churn.of(interests)
            events.check(present, interests.node_names)
        return present, events
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
    return ChurnEvents.from_sessions(sessions, interests.node_count, until=int(given.ends.max()))


def write_churn(
    path: str | os.PathLike[str],
    names: NDArray[Any],
    events: ChurnEvents,
    present: NDArray[np.bool_] | None = None,
) -> None:
    """Write events by the names of their nodes, atomically: Parquet or text, by the ending.

    Parameters
    ----------
    path
        The file.
    names
        Names of all nodes, by id.
    events
        Joins and leaves.
    present
        Presence at the start. An absent node that never joins gets an ``away`` row.
    """
    away = np.empty(0, dtype=np.int64)
    if present is not None:
        events.check(present)
        away = np.setdiff1d(np.flatnonzero(~present), events.nodes)
    times = np.concatenate((np.zeros(len(away), dtype=np.int64), events.times))
    nodes = np.concatenate((away, events.nodes.astype(np.int64)))
    kinds = np.concatenate((np.full(len(away), AWAY), events.joins.astype(np.int64)))
    write_table(path, CHURN.table(times, name_column(names, nodes), WORDS[kinds]))


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
            "the subscriptions"
        )
    return ids
