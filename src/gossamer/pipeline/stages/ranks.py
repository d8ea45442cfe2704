"""Dense ids for names: ranks, which do not depend on the partitions of a frame."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

SAMPLED = 1024
BUCKETS = 32


def popularity(subscriptions: DataFrame) -> DataFrame:
    """Count the distinct subscribers of each topic: ``topic, subscribers``."""
    from pyspark.sql import functions as f

    return subscriptions.groupBy("topic").agg(f.count_distinct("node").alias("subscribers"))


def number_topics(topics: DataFrame) -> DataFrame:
    """Add ``topic_id``: the rank by ascending popularity, then name, from 0.

    A topic of one subscriber, which needs no links, has the id -1.
    """
    from pyspark.sql import functions as f

    shared = rank(topics.where("subscribers >= 2"), ["subscribers", "topic"], "topic_id")
    alone = topics.where("subscribers < 2").withColumn("topic_id", f.lit(-1).cast("bigint"))
    return shared.unionByName(alone)


def node_lists(subscriptions: DataFrame, topics: DataFrame) -> DataFrame:
    """Return the shared topics of each node in ascending order: ``node, topics, size``.

    The list of a node that shares no topic is empty.
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
    """Add the rank of each row in the order of the keys, from 0; a key with ``-`` descends.

    The keys of rows are distinct. The frame is read up to three times, so it should be a written
    one. A sample cuts the keys into ranges, each sorted in a task; the ranks do not depend on the
    cuts.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    columns = [f.col(key.lstrip("-")) for key in keys]
    signs = [-1 if key.startswith("-") else 1 for key in keys]
    order = [
        column.desc() if sign < 0 else column for column, sign in zip(columns, signs, strict=True)
    ]
    # The order of a hash gives the same sample whatever the partitions.
    sample = frame.select(*columns).orderBy(f.xxhash64(*columns), *columns).limit(SAMPLED).collect()
    ordered = sorted(
        (tuple(row) for row in sample),
        key=lambda row: tuple(
            value * sign if sign < 0 else value for value, sign in zip(row, signs, strict=True)
        ),
    )
    if len(sample) < SAMPLED:  # the whole frame
        rank = f.row_number().over(Window.partitionBy(f.lit(0)).orderBy(*order)) - 1
        return frame.withColumn(name, rank.cast("bigint"))
    cuts = ordered[:: max(1, len(ordered) // BUCKETS)][1:]

    def beyond(cut: tuple[object, ...]) -> Column:
        """Whether a row is at or after a cut."""
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
