"""Tables of sessions: node, start and end, CSV or TSV with a header."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import pyarrow as pa

from gossamer.pipeline.sources.layouts import AUTOMATIC, Fields
from gossamer.pipeline.sources.pairs import EMPTY_NODE
from gossamer.pipeline.sources.presence import (
    BEFORE_START,
    NOT_AFTER,
    Origin,
    count_joined,
    join_sessions,
)
from gossamer.pipeline.sources.records import microseconds, validate_records
from gossamer.pipeline.sources.registry import Measured, SourceSpec, source
from gossamer.tables.schema import SESSIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["sessions"]

EXAMPLE = "node,start_s,end_s\n11,0,2175012\n11,2182264,2419200\n12,0,2419200\n"
NO_START = "the start is not a number, or beyond 64 bits of microseconds"
NO_END = "the end is not a number, or beyond 64 bits of microseconds"


@source("sessions", layout="CSV or TSV, a header, a session a line", example=EXAMPLE)
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
        Unit of times, which may be fractions and are rounded to microseconds.
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
