"""When nodes are there: what the sources of sessions share.

A node's sessions do not overlap in the table; those that do in the files are joined.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from gossamer.pipeline.sources.registry import Measured
from gossamer.tables.schema import SESSIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["BEFORE_START", "NOT_AFTER", "Origin", "count_joined", "join_sessions"]

Origin = Literal["zero", "first"]
"""From where times count: from zero as they are, or from the first session's start."""

BEFORE_START = "a session starts before 0 (--origin first counts from the first start)"
NOT_AFTER = "a session does not end after its start"


def join_sessions(sessions: DataFrame, origin: int) -> DataFrame:
    """Join what overlaps of each node's sessions, and count times from ``origin``.

    Sessions that only touch stay apart: the node left and came back.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    in_order = Window.partitionBy("node").orderBy("start", "end")
    before = in_order.rowsBetween(Window.unboundedPreceding, -1)
    so_far = in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    reached = sessions.withColumn("reached", f.max("end").over(before))
    begins = f.when(f.col("start") < f.col("reached"), 0).otherwise(1)
    grouped = reached.withColumn("begins", begins).withColumn(
        "session", f.sum("begins").over(so_far)
    )
    joined = grouped.groupBy("node", "session").agg(
        f.min("start").alias("start"), f.max("end").alias("end")
    )
    return joined.select(
        "node", (f.col("start") - origin).alias("start"), (f.col("end") - origin).alias("end")
    )


def count_joined(measured: Measured, rows: Mapping[str, int]) -> dict[str, Any]:
    """Tell how many sessions went into others."""
    return {"overlapping sessions, joined": measured.values["rows"] - rows[SESSIONS.name]}
