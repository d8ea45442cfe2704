"""What is published: how much on each topic, and which topics are published on together."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["MAX_TOPICS_PAIRED", "co_topics", "each_topic_once", "topic_publications"]

MAX_TOPICS_PAIRED = 50
"""Publications on more topics are not paired: their pairs grow with the square."""


def each_topic_once(publications: DataFrame) -> DataFrame:
    """Return ``topics`` of each publication, each topic once; none where there are none."""
    from pyspark.sql import functions as f

    listed = f.array_distinct(f.array_compact("topics"))
    return publications.select(f.coalesce(listed, f.array().cast("array<string>")).alias("topics"))


def topic_publications(publications: DataFrame) -> DataFrame:
    """Count each topic's publications: ``topic, publications``. One shuffle of topics."""
    from pyspark.sql import functions as f

    return (
        each_topic_once(publications)
        .select(f.explode("topics").alias("topic"))
        .groupBy("topic")
        .agg(f.count(f.lit(1)).alias("publications"))
    )


def co_topics(publications: DataFrame, most: int) -> DataFrame:
    """Return the pairs of topics that most publications have: ``topic, other, publications``.

    ``topic`` is before ``other`` in the order of names, and equal counts are in that order
    too. Publications on more than 50 topics are left out. For k topics a publication, k²/2
    pairs are counted.
    """
    from pyspark.sql import functions as f

    chosen = each_topic_once(publications).where(f.size("topics") <= MAX_TOPICS_PAIRED)
    pairs = chosen.select(f.explode("topics").alias("topic"), "topics").select(
        "topic",
        f.explode(f.filter("topics", lambda other: other > f.col("topic"))).alias("other"),
    )
    counted = pairs.groupBy("topic", "other").agg(f.count(f.lit(1)).alias("publications"))
    return counted.orderBy(f.desc("publications"), "topic", "other").limit(most)
