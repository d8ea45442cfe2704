"""How many each user follows and is followed by, and how many users have each number."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["count_values", "degree_counts", "user_degrees"]


def user_degrees(follows: DataFrame) -> DataFrame:
    """Count followers and followed of everybody who is in a relation.

    Repeated relations count once. All relations are shuffled once, by follower; what is
    shuffled by user after that is counted in each partition first.

    Parameters
    ----------
    follows
        ``follower, followed``.

    Returns
    -------
    DataFrame
        ``node, followers, followed``.
    """
    from pyspark.sql import functions as f

    # Not counted before it is shuffled: hardly a relation is there twice.
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


def count_values(frame: DataFrame, column: str, *, value: str, counted: str) -> DataFrame:
    """Count the rows of each value of a column: two columns, named as asked, both bigint."""
    from pyspark.sql import functions as f

    return frame.groupBy(f.col(column).cast("bigint").alias(value)).agg(
        f.count(f.lit(1)).alias(counted)
    )
