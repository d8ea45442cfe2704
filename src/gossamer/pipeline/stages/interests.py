"""Who wants what, by node and by topic: lists of topics, and the topics' popularity."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["node_interests", "topic_popularity"]


def node_interests(subscriptions: DataFrame, *, topics_are_nodes: bool = False) -> DataFrame:
    """Gather each node's topics, each once: ``node, topics``.

    One shuffle of the subscriptions, by node. With ``topics_are_nodes`` (who follows whom),
    a topic is a node too, with no topics if it follows nobody.
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
    """Count each topic's subscribers: ``topic, subscribers``; topics nobody wants are not there."""
    from pyspark.sql import functions as f

    return (
        interests.select(f.explode("topics").alias("topic"))
        .groupBy("topic")
        .agg(f.count(f.lit(1)).alias("subscribers"))
    )
