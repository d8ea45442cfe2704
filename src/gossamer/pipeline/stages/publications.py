"""Publications by topic, and pairs of topics that share publications."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MAX_TOPICS_PAIRED = 50
"""Maximum number of topics of a publication whose pairs are counted."""


def each_topic_once(publications: DataFrame) -> DataFrame:
    """Return ``topics`` of each publication without repetitions, empty if there are none."""
    from pyspark.sql import functions as f

    listed = f.array_distinct(f.array_compact("topics"))
    return publications.select(f.coalesce(listed, f.array().cast("array<string>")).alias("topics"))


def topic_publications(publications: DataFrame) -> DataFrame:
    """Count the publications of each topic: ``topic, publications``. One shuffle of topics."""
    from pyspark.sql import functions as f

    return (
        each_topic_once(publications)
        .select(f.explode("topics").alias("topic"))
        .groupBy("topic")
        .agg(f.count(f.lit(1)).alias("publications"))
    )


def co_topics(publications: DataFrame, most: int) -> DataFrame:
    """Return the pairs of topics with most publications: ``topic, other, publications``.

    ``topic`` is before ``other`` by name; equal counts are ordered by name. Publications on more
    than 50 topics are left out. A publication on k topics has k²/2 pairs.
    """
    from pyspark.sql import functions as f

    chosen = each_topic_once(publications).where(f.size("topics") <= MAX_TOPICS_PAIRED)
    pairs = chosen.select(f.explode("topics").alias("topic"), "topics").select(
        "topic",
        f.explode(f.filter("topics", lambda other: other > f.col("topic"))).alias("other"),
    )
    counted = pairs.groupBy("topic", "other").agg(f.count(f.lit(1)).alias("publications"))
    return counted.orderBy(f.desc("publications"), "topic", "other").limit(most)
