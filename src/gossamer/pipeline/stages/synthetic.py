"""Synthetic subscriptions of a frame of nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from gossamer.workloads import Pattern

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BATCH_ROWS = 1 << 18


def draw_subscriptions(nodes: DataFrame, pattern: Pattern, *, seed: int) -> DataFrame:
    """Draw the subscriptions of nodes: a frame ``node, topic``.

    The rows of a node depend on the seed and the node only, not on the partitions. Rows of a
    partition are ordered by node, then topic. A task holds O(2^18 + the largest size) rows at a
    time.

    Parameters
    ----------
    nodes
        One column of whole numbers, ascending in each partition.
    pattern
        Pattern of the subscriptions.
    seed
        Seed of the random number generator, 0 to 2^64 - 1.
    """

    def draw(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from draw_batch(batch, pattern, seed)

    return nodes.mapInArrow(draw, "node bigint, topic bigint")


def draw_batch(batch: pa.RecordBatch, pattern: Pattern, seed: int) -> Iterator[pa.RecordBatch]:
    """Draw the subscriptions of a batch of nodes, in smaller batches."""
    nodes = batch.column(0).to_numpy()
    topics = max(pattern.topic_count, 1)
    step = max(1, BATCH_ROWS // max(1, pattern.sizes.maximum))
    for start in range(0, len(nodes), step):
        node_column, topic_column = pattern.subscriptions_of(nodes[start : start + step], seed=seed)
        keys = node_column * topics + topic_column
        keys.sort()
        yield pa.RecordBatch.from_arrays(
            [pa.array(keys // topics), pa.array(keys % topics)], names=["node", "topic"]
        )
