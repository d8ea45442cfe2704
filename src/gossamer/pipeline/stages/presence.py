"""Sessions: merged, counted by length, and the arrivals and departures over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

DIGITS = 4
"""Significant digits of session lengths, rounded down."""


def whole_sessions(sessions: DataFrame) -> DataFrame:
    """Merge sessions of a node that overlap or touch, without empty ones: ``node, start, end``."""
    return merge_sessions(sessions.where("start < end"), touching=True)


def merge_sessions(sessions: DataFrame, *, touching: bool = False) -> DataFrame:
    """Merge sessions of a node that overlap: ``node, start, end``. One shuffle, by node.

    With ``touching``, a session that starts at the end of another is merged with it too.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    in_order = Window.partitionBy("node").orderBy("start", "end")
    reached = f.max("end").over(in_order.rowsBetween(Window.unboundedPreceding, -1))
    so_far = in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    joined = f.col("start") <= reached if touching else f.col("start") < reached
    numbered = sessions.withColumn("begins", f.when(joined, 0).otherwise(1)).withColumn(
        "session", f.sum("begins").over(so_far)
    )
    return (
        numbered.groupBy("node", "session")
        .agg(f.min("start").alias("start"), f.max("end").alias("end"))
        .select("node", "start", "end")
    )


def session_lengths(sessions: DataFrame) -> DataFrame:
    """Count sessions by length in microseconds, to four significant digits: ``value, count``.

    There are at most about ten thousand rows, and percentiles are correct to a thousandth.
    """
    from pyspark.sql import functions as f

    text = "CAST(end - start AS STRING)"
    length = f"CAST(rpad(substr({text}, 1, {DIGITS}), length({text}), '0') AS BIGINT)"
    return sessions.groupBy(f.expr(length).alias("value")).agg(f.count(f.lit(1)).alias("count"))


def arrivals(sessions: DataFrame, *, start: int, step: int) -> DataFrame:
    """Count joins and leaves between instants: ``interval, joins, leaves``.

    The k-th instant is ``start + k · step``. The k-th interval ends with the k-th instant,
    inclusive; a node that leaves at an instant is absent at it.
    """
    from pyspark.sql import functions as f

    def counted(column: str, kind: str) -> DataFrame:
        interval = f.expr(f"({column} - {start} + {step - 1}L) DIV {step}L")
        other = "leaves" if kind == "joins" else "joins"
        return (
            sessions.groupBy(interval.alias("interval"))
            .agg(f.count(f.lit(1)).alias(kind))
            .select("interval", kind, f.lit(0).cast("bigint").alias(other))
        )

    both = counted("start", "joins").unionByName(counted("end", "leaves"))
    return both.groupBy("interval").agg(
        f.sum("joins").alias("joins"), f.sum("leaves").alias("leaves")
    )
