"""The churn table: who joins and who leaves, in the order in which it happens.

A row has a time in microseconds (``time``; ``time_s`` in seconds), a node and an event: join or
leave. Who is there at the start need not be said: whoever does not join first. Only for a node
that is away all along there is a third word, away. A sessions table says as much, and is taken
wherever events are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet
from numpy.typing import NDArray

from gossamer.errors import InputError, TableError
from gossamer.model import ChurnEvents, Interests, Sessions
from gossamer.model.interests import frozen
from gossamer.model.wording import quoted
from gossamer.tables.columns import read_column_names
from gossamer.tables.delimited import find_delimiter, line_of_row, read_delimited, read_header
from gossamer.tables.names import encode_column, names_array, names_as_text
from gossamer.tables.schema import CHURN, SESSIONS
from gossamer.tables.sessions import read_sessions
from gossamer.tables.sources import Source, find_table
from gossamer.tables.write import write_table

__all__ = ["NamedChurn", "is_churn", "read_churn", "read_churn_or_sessions", "write_churn"]

UNITS = {"time": 1, "time_s": 1_000_000}
WORDS = ("leave", "join", "away")
LATEST = 2**62


@dataclass(frozen=True, eq=False)
class NamedChurn:
    """Events of nodes that are numbered by their sorted names.

    Attributes
    ----------
    names
        Of the nodes in the table.
    events
        What happens.
    present
        Whether each of them is there at the start.
    """

    names: NDArray[Any]
    events: ChurnEvents
    present: NDArray[np.bool_]

    def of(self, interests: Interests) -> tuple[NDArray[np.bool_], ChurnEvents]:
        """Return who of these nodes is there at the start, and the events by their ids.

        Whoever is not in the table is there. Names are compared as text.

        Raises
        ------
        TableError
            If a node of the table has no subscriptions.
        """
        ids = _places(self.names, interests)
        present = np.ones(interests.node_count, dtype=np.bool_)
        present[ids] = self.present
        events = self.events
        return frozen(present), ChurnEvents.from_columns(
            events.times, ids[events.nodes], events.joins
        )


def read_churn(path: str | os.PathLike[str]) -> NamedChurn:
    """Read who joins and who leaves, from Parquet or text, plain or gzipped.

    Rows need not be sorted; those of one time are taken in the order in which they stand.

    Raises
    ------
    TableError
        If a column is missing, a time or an event is none, or a node that is away is said to be
        so when it has joined or left already.
    """
    found = find_table(path, [CHURN.name])
    parts = [_read(source) for source in found.sources]
    times = np.concatenate([part.times for part in parts])
    kinds = np.concatenate([part.kinds for part in parts])
    nodes = pa.concat_tables(
        [pa.table({"node": part.nodes}) for part in parts if len(parts) == 1 or len(part.nodes)]
        or [pa.table({"node": parts[0].nodes})]
    ).column("node")
    encoded = encode_column(nodes, numbers_in_text=not found.sources[0].parquet)
    if encoded.unusable is not None:
        raise TableError(f"{path}: a node's name is empty or has a NUL in it; expected a name")
    order = np.argsort(times, kind="stable")
    times, kinds, codes = times[order], kinds[order], encoded.codes[order]
    present = np.ones(len(encoded.names), dtype=np.bool_)
    named, first = np.unique(codes, return_index=True)
    present[named] = kinds[first] == 0
    away = np.flatnonzero(kinds == 2)
    if len(away):
        late = np.setdiff1d(away, first)
        if len(late):
            name = str(encoded.names[codes[late[0]]])
            raise TableError(
                f"{path}: {quoted(name)} is said to be away after another event of it; expected "
                "that once, and first"
            )
    kept = kinds < 2
    events = ChurnEvents.from_columns(times[kept], codes[kept], kinds[kept] == 1)
    return NamedChurn(encoded.names, events, frozen(present))


def is_churn(path: str | os.PathLike[str]) -> bool:
    """Whether a table says who joins and leaves, by its columns; else it may be one of sessions."""
    return "event" in read_column_names(path, [CHURN.name, SESSIONS.name])


def read_churn_or_sessions(
    path: str | os.PathLike[str], interests: Interests
) -> tuple[NDArray[np.bool_], ChurnEvents]:
    """Read events of the nodes of these interests, from a table of churn or of sessions.

    In a table of sessions, whoever has none is never there, and the last end of all is the end
    of the trace: nobody leaves then.

    Returns
    -------
    present, events
        Whether each node is there at the start, and what happens.

    Raises
    ------
    TableError
        If it is neither, names a node that has no subscriptions, or lets somebody join who is
        there or leave who is not.
    """
    columns = set(read_column_names(path, [CHURN.name, SESSIONS.name]))
    if "event" not in columns and not columns & {"start", "start_s"}:
        raise TableError(
            f"{path}: is no table of churn or sessions; expected the columns "
            f"{', '.join(CHURN.column_names)}, or {', '.join(SESSIONS.column_names)}; the columns "
            f"are: {', '.join(sorted(columns))}"
        )
    if "event" in columns:
        named = read_churn(path)
        with _of_file(path):
            present, events = named.of(interests)
            events.check(present, interests.node_names)
        return present, events
    given = read_sessions(path)
    with _of_file(path):
        ids = _places(given.names, interests)
    sessions = given.sessions
    moved = Sessions.from_columns(ids[sessions.nodes], sessions.starts, sessions.ends)
    return ChurnEvents.from_sessions(moved, interests.node_count, until=int(sessions.ends.max()))


def write_churn(
    path: str | os.PathLike[str],
    names: NDArray[Any],
    events: ChurnEvents,
    present: NDArray[np.bool_] | None = None,
) -> None:
    """Write events by the names of their nodes: Parquet or text, by the path's ending.

    Parameters
    ----------
    path
        Where to write; the file appears whole or not at all.
    names
        Of all nodes, by id.
    events
        What happens.
    present
        Who is there at the start. Whoever is not, and never joins, gets a row that says so.
    """
    silent = np.empty(0, dtype=np.int64)
    if present is not None:
        events.check(present)
        silent = np.setdiff1d(np.flatnonzero(~present), events.nodes)
    times = np.concatenate((np.zeros(len(silent), dtype=np.int64), events.times))
    nodes = np.concatenate((silent, events.nodes.astype(np.int64)))
    kinds = np.concatenate((np.full(len(silent), 2), events.joins.astype(np.int64)))
    words = pa.array(WORDS).take(pa.array(kinds))
    listed = names_array(names, "node").take(pa.array(nodes))
    write_table(path, CHURN.table(times, listed, words))


@contextmanager
def _of_file(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except InputError as fault:
        raise TableError(f"{path}: {fault}") from None


def _places(names: NDArray[Any], interests: Interests) -> NDArray[np.int32]:
    """Return the id of each name."""
    known = names_as_text(interests.node_names)
    found = pa.compute.index_in(names_as_text(names), value_set=known)
    ids: NDArray[np.int32] = found.fill_null(-1).to_numpy().astype(np.int32)
    if len(ids) and ids.min() < 0:
        name = str(names[int(np.argmin(ids))])
        raise TableError(
            f"the node {quoted(name)} is not one of the {interests.node_count} nodes of "
            "the subscriptions"
        )
    return ids


@dataclass(frozen=True)
class _Part:
    """The rows of a file: times in microseconds, names, and places in ``WORDS``."""

    times: NDArray[np.int64]
    nodes: Any
    kinds: NDArray[np.int64]


def _read(source: Source) -> _Part:
    delimiter = ""
    if source.parquet:
        with source.faults(), source.arrow_stream() as stream:
            try:
                content = pa.BufferReader(stream.read_buffer()) if source.gzipped else stream
                table = pa.parquet.read_table(content)
            except pa.ArrowException as fault:
                said = str(fault).splitlines()[0]
                raise TableError(f"{source.path}: cannot be read ({said})") from None
        unit = _unit(source, table.column_names)
    else:
        delimiter = find_delimiter(source, None)
        unit = _unit(source, read_header(source, delimiter))
        table = read_delimited(source, [unit, "node", "event"], delimiter)

    def where(row: int) -> str:
        if source.parquet:
            return f"{source.path}, row {row + 1}"
        return f"{source.path}, line {line_of_row(source, delimiter, row)}"

    times, nodes, words = (table.column(name) for name in (unit, "node", "event"))
    words = _plain(words).cast(pa.string())
    kinds = pa.compute.index_in(words, value_set=pa.array(WORDS)).fill_null(-1).to_numpy()
    if len(kinds) and kinds.min() < 0:
        row = int(np.argmin(kinds))
        raise TableError(
            f"{where(row)}: the event is {quoted(words[row].as_py())}; expected join or leave (or "
            "away, of a node that is never there)"
        )
    nodes = _plain(nodes)
    if nodes.null_count:
        row = pa.compute.index(pa.compute.is_null(nodes), True).as_py()
        raise TableError(f"{where(row)}: the field 'node' is null; expected a name")
    if pa.types.is_integer(nodes.type):
        nodes = nodes.cast(pa.int64())
    return _Part(_times(_plain(times), UNITS[unit], where), nodes, kinds.astype(np.int64))


def _plain(column: Any) -> Any:
    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    return column


def _unit(source: Source, columns: Sequence[str]) -> str:
    for unit in UNITS:
        if {unit, "node", "event"} <= set(columns):
            return unit
    raise TableError(
        f"{source.path}: is not a table of churn; expected the columns time, node, event "
        f"(microseconds) or time_s, node, event (seconds); the columns are: {', '.join(columns)}"
    )


def _times(column: Any, unit: int, where: Callable[[int], str]) -> NDArray[np.int64]:
    """Return times in microseconds; they must be numbers, and not negative."""
    if pa.types.is_string(column.type):
        column = pa.compute.utf8_trim_whitespace(column)
        usable = pa.compute.match_substring_regex(column, r"^[0-9]{1,18}(\.[0-9]*)?$")
        row = pa.compute.index(usable.fill_null(False), False).as_py()
        if row >= 0:
            raise TableError(
                f"{where(row)}: the time is {quoted(column[row].as_py())}; expected a "
                "number, 0 or more"
            )
    elif not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise TableError(f"{where(0)}: the time is of type {column.type}; expected a number")
    if unit == 1 and pa.types.is_integer(column.type):
        numbers = column.fill_null(-1).to_numpy()
    else:
        numbers = column.cast(pa.float64()).fill_null(-1).to_numpy() * unit
    wrong = np.flatnonzero(~((numbers >= 0) & (numbers < LATEST)))
    if len(wrong):
        row = int(wrong[0])
        raise TableError(
            f"{where(row)}: the time is {column[row].as_py()}; expected a number, 0 or more"
        )
    rounded: NDArray[np.int64] = np.round(numbers).astype(np.int64)
    return rounded
