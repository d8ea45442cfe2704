"""Interests by node, and popularity by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def node_interests(subscriptions: DataFrame, *, topics_are_nodes: bool = False) -> DataFrame:
    """Gather the topics of each node, without repetitions: ``node, topics``.

    One shuffle of the subscriptions, by node. With ``topics_are_nodes`` (a follower graph), each
    topic is a node too, with an empty list if it follows no user.
    """
    from pyspark.sql import functions as f

    pairs = subscriptions.select("node", "topic")
    if topics_are_nodes:
        others = pairs.select("topic").distinct()
        nothing = f.lit(None).cast(pairs.schema["topic"].dataType)
        pairs = pairs.unionByName(
            others.select(f.col("topic").alias("node"), nothing.alias("topic"))
        )
    return pairs.groupBy("node").agg(f.collect_set("topic").alias("topics"))


def topic_popularity(interests: DataFrame) -> DataFrame:
    """Count the subscribers of each topic that has any: ``topic, subscribers``."""
    from pyspark.sql import functions as f

    return (
        interests.select(f.explode("topics").alias("topic"))
        .groupBy("topic")
        .agg(f.count(f.lit(1)).alias("subscribers"))
    )
