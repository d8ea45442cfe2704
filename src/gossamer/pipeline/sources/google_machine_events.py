"""Machine events of the Google cluster trace of 2011: machines added, removed, updated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from gossamer.pipeline.sources.layouts import Fields
from gossamer.pipeline.sources.records import validate_records
from gossamer.pipeline.sources.registry import Measured, SourceSpec, source
from gossamer.tables.schema import SESSIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EXAMPLE = """\
0,5,0,HofLGzk1Or,0.5,0.2493
0,6,0,,,
835025364,5,1,HofLGzk1Or,,
1030926374,5,0,HofLGzk1Or,0.5,0.2493
2000000000,6,2,,0.25,0.2493
"""
FIELDS = ("time", "node", "event", "platform", "cpus", "memory")
AFTER_END = 2**63 - 1
"""Time of events after the end of the trace."""

NO_TIME = "the time is not a whole number of microseconds, 0 or more"
NO_MACHINE = "the machine is empty"
NO_EVENT = "the event is none of 0 (add), 1 (remove), 2 (update)"


@source(
    "google-machine-events",
    layout="CSV without header: time in µs, machine, event 0, 1 or 2, platform, CPUs, memory",
    example=EXAMPLE,
)
def google_machine_events() -> SourceSpec:
    """Machine events of the Google cluster trace (Reiss et al., 2011), as sessions.

    A session lasts from an add to the next remove; an update changes nothing. The session of a
    machine that is never removed ends at the last event of the trace. An add of a present
    machine, and a remove of an absent one, are counted and change nothing. At the same time,
    removes come before adds. An event with the time 2^63 - 1 is after the end of the trace.
    """

    def parse(fields: DataFrame) -> DataFrame:
        from pyspark.sql import functions as f

        time = f.when(f.col("time").rlike(r"^[0-9]{1,19}\z"), f.col("time")).try_cast("bigint")
        timed = fields.select(
            "file", "line", "reason", "node", time.alias("time"), f.col("event").alias("word")
        )
        checks = [
            (f.col("time").isNull(), NO_TIME),
            (f.col("node") == "", NO_MACHINE),
            (~f.col("word").isin("0", "1", "2"), NO_EVENT),
        ]
        columns = {
            "node": f.col("node"),
            "time": f.col("time"),
            "event": f.col("word").try_cast("int"),
        }
        return validate_records(timed, checks, columns)

    return SourceSpec(
        columns=(("node", pa.string()), ("time", pa.int64()), ("event", pa.int32())),
        parse=parse,
        tables=((SESSIONS, _sessions),),
        names=(("node",),),
        measures={
            "last": f"max(CASE WHEN time < {AFTER_END} THEN time END)",
            "updates": "count_if(event = 2)",
        },
        more_measures=_anomalies,
        notes=_notes,
        fields=Fields({key: key for key in FIELDS[:3]}, "comma", FIELDS),
    )


def _changes(records: DataFrame) -> DataFrame:
    """Return adds and removes, each with the previous one of the same machine."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    in_order = Window.partitionBy("node").orderBy("time", f.desc("event"))
    before = f.lag("event", 1).over(in_order)
    return records.where("event < 2").withColumn("before", f.coalesce(before, f.lit(1)))


def _sessions(
    records: DataFrame, measured: Measured, written: Mapping[str, DataFrame]
) -> DataFrame:
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    in_order = Window.partitionBy("node").orderBy("time", f.desc("event"))
    last = f.lit(measured.values["last"] or 0)
    turns = _changes(records).where("event != before")
    ended = turns.withColumn("end", f.coalesce(f.lead("time", 1).over(in_order), last))
    return (
        ended.where("event = 0")
        .select("node", f.col("time").alias("start"), f.least("end", last).alias("end"))
        .where("start < end")
    )


def _anomalies(records: DataFrame) -> DataFrame:
    return _changes(records).selectExpr(
        "count_if(event = 0 AND before = 0) AS added",
        "count_if(event = 1 AND before = 1) AS removed",
        "count_if(event = 0 AND before = 1) - count_if(event = 1 AND before = 0) AS open",
    )


def _notes(measured: Measured, rows: Mapping[str, int]) -> dict[str, Any]:
    return {
        "updates, ignored": measured.values["updates"],
        "adds of a present machine, ignored": measured.values["added"],
        "removes of an absent machine, ignored": measured.values["removed"],
        "machines present at the last event": measured.values["open"],
        "last event, seconds": (measured.values["last"] or 0) / 1e6,
    }
