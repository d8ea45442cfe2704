"""Who is there when: whole sessions, their lengths, and how many are present over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["DIGITS", "arrivals", "session_lengths", "whole_sessions"]

DIGITS = 4
"""Lengths are counted to so many significant digits, rounded down."""


def whole_sessions(sessions: DataFrame) -> DataFrame:
    """Join sessions of a node that overlap or touch: ``node, start, end``.

    Empty sessions are left out: a session's end is excluded. One shuffle, by node.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    in_order = Window.partitionBy("node").orderBy("start", "end")
    before = in_order.rowsBetween(Window.unboundedPreceding, -1)
    so_far = in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    begins = f.when(f.col("start") <= f.max("end").over(before), 0).otherwise(1)
    numbered = (
        sessions.where(f.col("start") < f.col("end"))
        .withColumn("begins", begins)
        .withColumn("session", f.sum("begins").over(so_far))
    )
    return (
        numbered.groupBy("node", "session")
        .agg(f.min("start").alias("start"), f.max("end").alias("end"))
        .select("node", "start", "end")
    )


def session_lengths(sessions: DataFrame) -> DataFrame:
    """Count sessions by length in microseconds, to four significant digits: ``value, count``.

    So there are at most some ten thousand rows, and percentiles are right to a thousandth.
    """
    from pyspark.sql import functions as f

    text = "CAST(end - start AS STRING)"
    length = f"CAST(rpad(substr({text}, 1, {DIGITS}), length({text}), '0') AS BIGINT)"
    return sessions.groupBy(f.expr(length).alias("value")).agg(f.count(f.lit(1)).alias("count"))


def arrivals(sessions: DataFrame, *, start: int, step: int) -> DataFrame:
    """Count who came and went between instants: ``interval, joins, leaves``.

    The k-th instant is ``start + k · step``. What happens at an instant is in its interval,
    which reaches from just after the instant before; one who leaves at an instant is no
    longer there at it.
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
