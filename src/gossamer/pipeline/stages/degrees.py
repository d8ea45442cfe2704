"""Degrees of a follower graph: followers and followed of each user, and their distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def user_degrees(follows: DataFrame) -> DataFrame:
    """Count followers and followed of each user: ``node, followers, followed``.

    Repeated relations count once. All relations are shuffled once, by follower; the second
    shuffle, by user, is of counts.
    """
    from pyspark.sql import functions as f

    # Duplicates are dropped after the shuffle, since few relations are repeated.
    pairs = follows.repartition("follower").dropDuplicates(["follower", "followed"])
    one, none = f.lit(1), f.lit(0)
    ends = f.array(
        f.struct(f.col("followed").alias("node"), one.alias("followers"), none.alias("followed")),
        f.struct(f.col("follower").alias("node"), none.alias("followers"), one.alias("followed")),
    )
    return (
        pairs.select(f.inline(ends))
        .groupBy("node")
        .agg(f.sum("followers").alias("followers"), f.sum("followed").alias("followed"))
    )


def degree_counts(users: DataFrame, graph: str) -> DataFrame:
    """Count users by followers and by followed: ``graph, direction, degree, nodes``."""
    from pyspark.sql import functions as f

    both = [
        count_values(users, direction, value="degree", counted="nodes").withColumn(
            "direction", f.lit(direction)
        )
        for direction in ("followers", "followed")
    ]
    return (
        both[0]
        .unionByName(both[1])
        .select(f.lit(graph).alias("graph"), "direction", "degree", "nodes")
    )


def count_values(
    frame: DataFrame, column: str, *, value: str = "value", counted: str = "count"
) -> DataFrame:
    """Count the rows of each value of a column, in two columns of type bigint."""
    from pyspark.sql import functions as f

    return frame.groupBy(f.col(column).cast("bigint").alias(value)).agg(
        f.count(f.lit(1)).alias(counted)
    )
