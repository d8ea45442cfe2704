"""The sessions table: when each node is there. Read into :class:`gossamer.model.Sessions`.

A Parquet table or a folder of its parts, as ``gossamer ingest`` leaves it, has times in
microseconds; a text table has ``start, end`` in microseconds, or ``start_s, end_s`` in seconds.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet
from numpy.typing import NDArray

from gossamer.errors import TableError
from gossamer.model import Sessions
from gossamer.model.interests import encode_names
from gossamer.model.wording import quoted
from gossamer.tables.delimited import find_delimiter, read_delimited, read_header
from gossamer.tables.schema import SESSIONS
from gossamer.tables.sources import find_table

__all__ = ["NamedSessions", "read_sessions"]

UNITS = {("start", "end"): 1.0, ("start_s", "end_s"): 1_000_000.0}


@dataclass(frozen=True, eq=False)
class NamedSessions:
    """Sessions of nodes that are numbered by their sorted names."""

    names: NDArray[Any]
    sessions: Sessions

    def of(self, order: Sequence[int], *, time_scale: float = 1.0) -> Sessions:
        """Return the sessions of some nodes, which are numbered anew in the order given.

        Times are divided by ``time_scale``; sessions that become too short for a microsecond go.
        """
        number = np.full(len(self.names), -1, dtype=np.int64)
        number[np.asarray(order, dtype=np.int64)] = np.arange(len(order))
        rows = number[self.sessions.nodes] >= 0
        columns = (self.sessions.starts[rows], self.sessions.ends[rows])
        chosen = Sessions.from_columns(number[self.sessions.nodes[rows]], *columns)
        return chosen.scaled(time_scale)


def read_sessions(path: str | os.PathLike[str]) -> NamedSessions:
    """Read when each node is there, from Parquet or text, plain or gzipped.

    Raises
    ------
    TableError
        If a column is missing, a time is no number, or sessions of a node overlap.
    """
    found = find_table(path, [SESSIONS.name])
    tables = []
    units = 1.0
    for source in found.sources:
        if source.parquet:
            with source.faults(), source.arrow_stream() as stream:
                try:
                    table = pa.parquet.read_table(stream)
                except pa.ArrowException as fault:
                    said = str(fault).splitlines()[0]
                    raise TableError(f"{source.path}: cannot be read ({said})") from None
            start, end = _times(str(source.path), table.column_names)
            tables.append(table.select(["node", start, end]).rename_columns(["node", "s", "e"]))
        else:
            delimiter = find_delimiter(source, None)
            start, end = _times(str(source.path), read_header(source, delimiter))
            text = read_delimited(source, ["node", start, end], delimiter)
            tables.append(text.select(["node", start, end]).rename_columns(["node", "s", "e"]))
        units = UNITS[start, end]
    whole = pa.concat_tables(tables, promote_options="permissive")
    if not whole.num_rows:
        raise TableError(f"{path}: the table has no rows; expected at least one session")
    columns = [_microseconds(str(path), whole.column(name), units) for name in ("s", "e")]
    nodes = whole.column("node")
    if pa.types.is_dictionary(nodes.type):
        nodes = nodes.cast(pa.string())
    _check_order(str(path), whole, columns, units)
    names, codes = encode_names(_numbers_or_texts(nodes.to_pylist()))
    try:
        return NamedSessions(names, Sessions.from_columns(codes, *columns, names=names))
    except ValueError as fault:
        raise TableError(f"{path}: {fault}") from None


def _times(path: str, columns: list[str]) -> tuple[str, str]:
    for pair in UNITS:
        if {"node", *pair} <= set(columns):
            return pair
    raise TableError(
        f"{path}: is not a table of sessions; expected the columns node, start, end "
        f"(microseconds) or node, start_s, end_s (seconds); the columns are: {', '.join(columns)}"
    )


def _check_order(path: str, table: Any, columns: list[NDArray[np.int64]], units: float) -> None:
    """Name the first session that does not end after it starts, in the unit of the table."""
    starts, ends = columns
    wrong = np.flatnonzero((ends <= starts) | (starts < 0))
    if len(wrong):
        row = int(wrong[0])
        unit = "s" if units > 1 else "µs"
        name = quoted(table.column("node")[row].as_py())
        raise TableError(
            f"{path}: session {row + 1:,}, of {name}, runs from "
            f"{starts[row] / units:g} to {ends[row] / units:g} {unit}; expected 0 <= start < end"
        )


def _microseconds(path: str, column: Any, units: float) -> NDArray[np.int64]:
    try:
        if pa.types.is_dictionary(column.type):
            column = column.cast(pa.string())
        numbers = column.cast(pa.float64()).to_numpy()
    except pa.ArrowException as fault:
        raise TableError(f"{path}: a time is no number ({fault})") from None
    if not np.isfinite(numbers).all() or (np.abs(numbers * units) > 2**62).any():
        raise TableError(f"{path}: a time is missing or too large")
    rounded: NDArray[np.int64] = np.round(numbers * units).astype(np.int64)
    return rounded


def _numbers_or_texts(values: list[Any]) -> list[Any]:
    if all(isinstance(value, str) and value.isascii() and value.isdigit() for value in values):
        return [int(value) for value in values]
    return values
