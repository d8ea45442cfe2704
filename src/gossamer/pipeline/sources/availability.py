"""Availability traces: a node and all its sessions on a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from gossamer.errors import RecordError
from gossamer.pipeline.sources.presence import (
    BEFORE_START,
    NOT_AFTER,
    Origin,
    count_joined,
    join_sessions,
)
from gossamer.pipeline.sources.records import parse_in_python
from gossamer.pipeline.sources.registry import Measured, SourceSpec, source
from gossamer.tables.schema import SESSIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["availability", "sessions_of_line"]

EXAMPLE = "# id, sessions, then start and end of each\nn1 2 0 3600 7200 9000.5\nn2 1 100 9000\n"
COLUMNS = (
    ("node", pa.string()),
    ("starts", pa.list_(pa.int64())),
    ("ends", pa.list_(pa.int64())),
)
MAX_LINE = 16 << 20
NUMBER = re.compile(r"[+-]?(\d{1,13}(\.\d{0,20})?|\.\d{1,20})([eE][+-]?\d)?", re.ASCII)

NO_COUNT = "does not begin with a node and the number of its sessions"
WRONG_COUNT = "does not have as many sessions as it says"
NOT_NUMBERS = "has a time that is not a number"
OVERLAPPING = "has sessions that overlap or are not in order"


@source(
    "availability",
    layout="'id count start end start end …' a line, white space, seconds; # begins comments",
    example=EXAMPLE,
)
def availability(*, origin: Origin = "zero") -> SourceSpec:
    """Node a line with all its sessions, in seconds (Overnet, Skype and other traces).

    A node without sessions (a count of 0) is not in the table. The sessions of a node on several
    lines are combined.

    Parameters
    ----------
    origin
        ``zero``: times count from the start of the trace. ``first``: times are shifted to count
        from the first start, as for calendar times.
    """

    def parse_line(file: str, line: str) -> Iterator[tuple[Any, ...]]:
        node, starts, ends = sessions_of_line(line)
        if origin == "zero" and starts and starts[0] < 0:
            raise RecordError(BEFORE_START)
        yield node, starts, ends

    def table(
        records: DataFrame, measured: Measured, written: Mapping[str, DataFrame]
    ) -> DataFrame:
        first = measured.values["first"] if origin == "first" else 0
        rows = records.selectExpr("node", "inline(arrays_zip(starts, ends))")
        return join_sessions(rows.toDF(*SESSIONS.column_names), first)

    return SourceSpec(
        columns=COLUMNS,
        parse=lambda lines: parse_in_python(lines, COLUMNS, parse_line),
        tables=((SESSIONS, table),),
        names=(("node",),),
        measures={
            "first": "min(array_min(starts))",
            "rows": "sum(array_size(starts))",
            "without sessions": "count_if(array_size(starts) = 0)",
        },
        notes=_notes,
        comments=("#", "%", "//"),
        max_line=MAX_LINE,
    )


def sessions_of_line(line: str) -> tuple[str, list[int], list[int]]:
    """Return the node of a line, and the starts and ends of its sessions in microseconds.

    Examples
    --------
    >>> sessions_of_line("n1 2 0 3600 7200 9000.5")
    ('n1', [0, 7200000000], [3600000000, 9000500000])
    """
    node, *words = line.split()
    if not words or not re.fullmatch(r"\d{1,9}", words[0], re.ASCII):
        raise RecordError(NO_COUNT)
    if len(words) - 1 != 2 * int(words[0]):
        raise RecordError(WRONG_COUNT)
    if not all(NUMBER.fullmatch(word) for word in words[1:]):
        raise RecordError(NOT_NUMBERS)
    times = [round(Decimal(word) * 1_000_000) for word in words[1:]]
    starts, ends = times[0::2], times[1::2]
    if any(abs(time) >= 2**62 for time in times):
        raise RecordError(NOT_NUMBERS)
    if any(end <= start for start, end in zip(starts, ends, strict=True)):
        raise RecordError(NOT_AFTER)
    if any(start < end for start, end in zip(starts[1:], ends, strict=False)):
        raise RecordError(OVERLAPPING)
    return node, starts, ends


def _notes(measured: Measured, rows: Mapping[str, int]) -> dict[str, Any]:
    empty = {"nodes without a session, left out": measured.values["without sessions"]}
    return count_joined(measured, rows) | empty
