"""The table of sessions: the intervals in which each node is present.

Times are in microseconds (``start, end``) or in seconds (``start_s, end_s``), or dates.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import TableError
from gossamer.model import Sessions
from gossamer.model.interests import encode_names
from gossamer.model.wording import quoted
from gossamer.tables.rows import read_rows
from gossamer.tables.schema import SESSIONS

LAYOUTS = [("node", "start", "end"), ("node", "start_s", "end_s")]
UNITS = {"start": 1, "start_s": 1_000_000}


@dataclass(frozen=True, eq=False)
class NamedSessions:
    """Sessions of nodes that are numbered by their sorted names."""

    names: NDArray[Any]
    sessions: Sessions

    def of(self, order: Sequence[int], *, time_scale: float = 1.0) -> Sessions:
        """Return the sessions of some nodes, renumbered in the given order.

        Times are divided by ``time_scale``; sessions shorter than a microsecond are dropped.
        """
        number = np.full(len(self.names), -1, dtype=np.int64)
        number[np.asarray(order, dtype=np.int64)] = np.arange(len(order))
        rows = number[self.sessions.nodes] >= 0
        columns = (self.sessions.starts[rows], self.sessions.ends[rows])
        chosen = Sessions.from_columns(number[self.sessions.nodes[rows]], *columns)
        return chosen.scaled(time_scale)


def read_sessions(path: str | os.PathLike[str]) -> NamedSessions:
    """Read the sessions of each node from Parquet or text, plain or gzipped.

    Raises
    ------
    TableError
        If a column is missing, a time is invalid, or sessions of a node overlap.
    """
    rows = read_rows(path, SESSIONS.name, LAYOUTS)
    if not rows.table.num_rows:
        raise TableError(f"{path}: the table has no rows; expected at least one session")
    _, *times = rows.columns
    starts, ends = rows.microseconds(times, UNITS[times[0]])
    wrong = np.flatnonzero(ends <= starts)
    if len(wrong):
        row = int(wrong[0])
        name, start, end = (quoted(rows.table.column(one)[row].as_py()) for one in rows.columns)
        raise TableError(
            f"{rows.where(row)}: the session of {name} runs from {start} to {end}; expected an end "
            "after its start"
        )
    names, codes = encode_names(_numbers_or_texts(rows.table.column("node").to_pylist()))
    try:
        return NamedSessions(names, Sessions.from_columns(codes, starts, ends, names=names))
    except ValueError as fault:
        raise TableError(f"{path}: {fault}") from None


def _numbers_or_texts(values: list[Any]) -> list[Any]:
    if all(isinstance(value, str) and value.isascii() and value.isdigit() for value in values):
        return [int(value) for value in values]
    return values
