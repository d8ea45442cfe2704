"""Synthetic subscriptions of the nodes of a frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from gossamer.workloads import Pattern

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["draw_subscriptions", "drawn_batches"]

ROWS_AT_ONCE = 1 << 18


def draw_subscriptions(nodes: DataFrame, pattern: Pattern, *, seed: int) -> DataFrame:
    """Draw the subscriptions of nodes: a frame ``node, topic``, a row each.

    A node's rows depend on the seed and the node alone, so any division of the nodes
    gives the same rows. Within a part of the frame they come in the order of the nodes,
    a node's topics ascending. What the pattern costs, spread over the parts; a task
    holds O(2^18 + the largest size) rows at a time.

    Parameters
    ----------
    nodes
        One column of whole numbers, ascending in each part.
    pattern
        Gives the subscriptions of any nodes.
    seed
        0 to 2^64 - 1.
    """

    def draw(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from drawn_batches(batch, pattern, seed)

    return nodes.mapInArrow(draw, "node bigint, topic bigint")


def drawn_batches(batch: pa.RecordBatch, pattern: Pattern, seed: int) -> Iterator[pa.RecordBatch]:
    """Draw the subscriptions of a batch of nodes, some nodes at a time."""
    nodes = batch.column(0).to_numpy()
    topics = max(pattern.topic_count, 1)
    step = max(1, ROWS_AT_ONCE // max(1, pattern.sizes.maximum))
    for start in range(0, len(nodes), step):
        node_column, topic_column = pattern.subscriptions_of(nodes[start : start + step], seed=seed)
        keys = node_column * topics + topic_column
        keys.sort()
        yield pa.RecordBatch.from_arrays(
            [pa.array(keys // topics), pa.array(keys % topics)], names=["node", "topic"]
        )
