"""Sessions of nodes: tables with a header, and availability traces. Overlaps are joined."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from gossamer.errors import RecordError
from gossamer.pipeline.sources.layouts import AUTOMATIC, Fields
from gossamer.pipeline.sources.records import microseconds, parse_in_python, validate_records
from gossamer.pipeline.sources.registry import Measured, SourceSpec, source
from gossamer.pipeline.stages.presence import merge_sessions
from gossamer.tables.json_lists import EMPTY_NODE
from gossamer.tables.schema import SESSIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Origin = Literal["zero", "first"]
"""Origin of times: zero, or the start of the first session."""

BEFORE_START = "a session starts before 0 (--origin first counts from the first start)"
NOT_AFTER = "a session does not end after its start"

TABLE_EXAMPLE = "node,start_s,end_s\n11,0,2175012\n11,2182264,2419200\n12,0,2419200\n"
NO_START = "the start is neither a number nor a date, or beyond 64 bits of microseconds"
NO_END = "the end is neither a number nor a date, or beyond 64 bits of microseconds"

TRACE_EXAMPLE = (
    "# id, sessions, then start and end of each\nn1 2 0 3600 7200 9000.5\nn2 1 100 9000\n"
)
TRACE_COLUMNS = (
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


@source("sessions", layout="CSV or TSV, a header, a session a line", example=TABLE_EXAMPLE)
def sessions(
    *,
    node_column: str = "node",
    start_column: str = "start_s",
    end_column: str = "end_s",
    time_unit: Literal["s", "ms", "us", "ns"] = "s",
    origin: Origin = "zero",
    delimiter: str = AUTOMATIC,
) -> SourceSpec:
    """Session a line: node, start and end.

    Parameters
    ----------
    node_column, start_column, end_column
        Columns of nodes and times.
    time_unit
        Unit of times, which may be fractions and are rounded to microseconds. Dates such as
        2024-05-01T12:00:00Z have no unit.
    origin
        ``zero``: times count from the start of the trace. ``first``: times are shifted to count
        from the first start, as for calendar times.
    delimiter
        Field separator; see the source ``pairs``.
    """

    def parse(fields: DataFrame) -> DataFrame:
        from pyspark.sql import functions as f

        timed = fields.withColumns(
            {name: microseconds(f.col(name), time_unit) for name in ("start", "end")}
        )
        start, end = f.col("start"), f.col("end")
        checks = [
            (f.col("node") == "", EMPTY_NODE),
            (start.isNull(), NO_START),
            (end.isNull(), NO_END),
            (f.lit(origin == "zero") & (start < 0), BEFORE_START),
            (end <= start, NOT_AFTER),
        ]
        return validate_records(
            timed, checks, {name: f.col(name) for name in SESSIONS.column_names}
        )

    def table(
        records: DataFrame, measured: Measured, written: Mapping[str, DataFrame]
    ) -> DataFrame:
        first = measured.values["first"] if origin == "first" else 0
        return join_sessions(records.select(*SESSIONS.column_names), first)

    return SourceSpec(
        columns=(("node", pa.string()), ("start", pa.int64()), ("end", pa.int64())),
        parse=parse,
        tables=((SESSIONS, table),),
        names=(("node",),),
        measures={"first": "min(start)", "rows": "count(node)"},
        notes=count_joined,
        fields=Fields({"node": node_column, "start": start_column, "end": end_column}, delimiter),
    )


@source(
    "availability",
    layout="'id count start end start end …' a line, white space, seconds; # begins comments",
    example=TRACE_EXAMPLE,
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
        columns=TRACE_COLUMNS,
        parse=lambda lines: parse_in_python(lines, TRACE_COLUMNS, parse_line),
        tables=((SESSIONS, table),),
        names=(("node",),),
        measures={
            "first": "min(array_min(starts))",
            "rows": "sum(array_size(starts))",
            "without sessions": "count_if(array_size(starts) = 0)",
        },
        notes=_trace_notes,
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


def _trace_notes(measured: Measured, rows: Mapping[str, int]) -> dict[str, Any]:
    empty = {"nodes without a session, left out": measured.values["without sessions"]}
    return count_joined(measured, rows) | empty


def join_sessions(sessions: DataFrame, origin: int) -> DataFrame:
    """Join the overlapping sessions of each node, with times from ``origin``.

    Sessions that touch stay separate: the node left and came back.
    """
    from pyspark.sql import functions as f

    shifted = ((f.col(name) - origin).alias(name) for name in ("start", "end"))
    return merge_sessions(sessions).select("node", *shifted)


def count_joined(measured: Measured, rows: Mapping[str, int]) -> dict[str, Any]:
    """Return the number of sessions that were joined to others."""
    return {"overlapping sessions, joined": measured.values["rows"] - rows[SESSIONS.name]}
