"""Numbers for names: ranks, which do not depend on how a frame is partitioned."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["node_lists", "number_topics", "popularity", "rank"]

SAMPLED = 1024
BUCKETS = 32


def popularity(subscriptions: DataFrame) -> DataFrame:
    """Count each topic's subscribers, repeated rows once: ``topic, subscribers``."""
    from pyspark.sql import functions as f

    return subscriptions.groupBy("topic").agg(f.count_distinct("node").alias("subscribers"))


def number_topics(topics: DataFrame) -> DataFrame:
    """Give topics numbers from 0 by ascending popularity, then name, as ``topic_id``.

    Those of a single subscriber, which need no links, come first and have numbers below 0.
    """
    from pyspark.sql import functions as f

    shared = rank(topics.where("subscribers >= 2"), ["subscribers", "topic"], "topic_id")
    alone = topics.where("subscribers < 2").withColumn("topic_id", f.lit(-1).cast("bigint"))
    return shared.unionByName(alone)


def node_lists(subscriptions: DataFrame, topics: DataFrame) -> DataFrame:
    """Give every node its shared topics, in ascending order: ``node, topics, size``.

    A node that shares no topic has an empty list.
    """
    from pyspark.sql import functions as f

    numbers = topics.where("topic_id >= 0").select("topic", f.col("topic_id").cast("int"))
    return (
        subscriptions.join(numbers, "topic", "left")
        .groupBy("node")
        .agg(f.sort_array(f.collect_set("topic_id")).alias("topics"))
        .withColumn("size", f.size("topics"))
    )


def rank(frame: DataFrame, keys: list[str], name: str) -> DataFrame:
    """Add each row's rank in the order of the keys, from 0; a key begun with ``-`` descends.

    Rows are told apart by the keys. The frame is read up to three times, so it should be one that
    is written. Ranges of keys, cut by a sample, are sorted in tasks of their own: where the
    cuts lie makes no difference to the ranks.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    columns = [f.col(key.lstrip("-")) for key in keys]
    signs = [-1 if key.startswith("-") else 1 for key in keys]
    order = [
        column.desc() if sign < 0 else column for column, sign in zip(columns, signs, strict=True)
    ]
    # Ordering by a hash takes a sample that is the same at any partitioning.
    sample = frame.select(*columns).orderBy(f.xxhash64(*columns), *columns).limit(SAMPLED).collect()
    ordered = sorted(
        (tuple(row) for row in sample),
        key=lambda row: tuple(
            value * sign if sign < 0 else value for value, sign in zip(row, signs, strict=True)
        ),
    )
    if len(sample) < SAMPLED:  # all of it
        rank = f.row_number().over(Window.partitionBy(f.lit(0)).orderBy(*order)) - 1
        return frame.withColumn(name, rank.cast("bigint"))
    cuts = ordered[:: max(1, len(ordered) // BUCKETS)][1:]

    def beyond(cut: tuple[object, ...]) -> Column:
        """Whether a row stands at or after a cut."""
        reached = f.lit(True)
        for column, sign, value in reversed(list(zip(columns, signs, cut, strict=True))):
            later = column < f.lit(value) if sign < 0 else column > f.lit(value)
            reached = later | ((column == f.lit(value)) & reached)
        return reached.cast("int")

    bucket = reduce(lambda one, cut: one + beyond(cut), cuts, f.lit(0))
    bucketed = frame.withColumn("_bucket", bucket)
    counts = {row["_bucket"]: row["count"] for row in bucketed.groupBy("_bucket").count().collect()}
    before, offsets = 0, f.lit(0).cast("bigint")
    for place in sorted(counts):
        offsets = f.when(f.col("_bucket") == place, f.lit(before).cast("bigint")).otherwise(offsets)
        before += counts[place]
    within = f.row_number().over(Window.partitionBy("_bucket").orderBy(*order)) - 1
    return bucketed.withColumn(name, (within + offsets).cast("bigint")).drop("_bucket")
