"""Interests by buckets of topics: the three subscription patterns of Vitis.

Topics are grouped into buckets; a node selects a few buckets and all its topics from those, so
nodes with a common bucket share much. Every topic has the same expected popularity; only the
correlation differs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import ParameterError
from gossamer.kernels.generate import draws as sampling
from gossamer.workloads.by_popularity import ByPopularity
from gossamer.workloads.pattern import (
    Columns,
    Purpose,
    check_topics,
    checked_count,
    draw_columns,
    stream,
)
from gossamer.workloads.popularity import Uniform
from gossamer.workloads.registry import workload
from gossamer.workloads.sizes import Sizes

REFERENCE = "Rahimian et al., Vitis, IPDPS 2011, §IV-A"


@dataclass(frozen=True)
class BucketPattern:
    """Each node selects some buckets of topics, and its topics evenly from those.

    Buckets are ranges of consecutive topics; if their number does not divide the topics, some have
    one topic more. If the size of a node does not divide by its buckets, the first ones drawn
    contribute one topic more. Both choices, buckets and topics within a bucket, are uniform without
    replacement.

    Attributes
    ----------
    topic_count
        Number of topics T.
    sizes
        Subscription sizes of nodes.
    buckets
        Number of buckets.
    buckets_per_node
        Number of buckets that a node selects.
    """

    topic_count: int
    sizes: Sizes
    buckets: int
    buckets_per_node: int

    def __post_init__(self) -> None:
        check_topics(self.topic_count, self.sizes)
        checked_count("buckets", self.buckets)
        checked_count("buckets_per_node", self.buckets_per_node)
        if not 1 <= self.buckets <= max(self.topic_count, 1):
            raise ParameterError(
                f"{self.buckets} buckets for {self.topic_count} topics; "
                f"expected 1 to {max(self.topic_count, 1)}"
            )
        if not 1 <= self.buckets_per_node <= self.buckets:
            raise ParameterError(
                f"{self.buckets_per_node} buckets for a node, of {self.buckets}; "
                f"expected 1 to {self.buckets}"
            )
        smallest = self.topic_count // self.buckets
        most = -(-self.sizes.maximum // self.buckets_per_node)
        if most > smallest:
            raise ParameterError(
                f"{self.sizes.maximum} subscriptions from {self.buckets_per_node} buckets take "
                f"{most} topics from one; {self.topic_count} topics in {self.buckets} buckets "
                f"give {smallest}. Expected fewer buckets, more of them for a node, or more topics"
            )

    @property
    def bucket_starts(self) -> NDArray[np.int64]:
        """First topic of each bucket, and the number of topics at the end."""
        return np.arange(self.buckets + 1, dtype=np.int64) * self.topic_count // self.buckets

    def subscriptions_of(self, nodes: ArrayLike, *, seed: int = 0) -> Columns:
        """Return the subscriptions of these nodes, a row each.

        For N nodes with S subscriptions, b buckets a node, among T topics: O(S + N b + T) time and
        O(S + N + T) memory.
        """
        keys = stream(seed, Purpose.BUCKETS), stream(seed, Purpose.BUCKET_TOPICS)
        return draw_columns(
            self.sizes, nodes, seed,
            lambda column, offsets, topics: sampling.draw_bucketed(
                *keys, column, offsets, self.bucket_starts, self.buckets_per_node, topics
            ),
        )  # fmt: skip


@workload("random", reference=REFERENCE)
def random(topics: int, sizes: Sizes) -> ByPopularity:
    """Draw topics uniformly, without correlation: the name in Vitis of `uniform`."""
    return ByPopularity(topics, sizes, Uniform())


@workload("low-correlation", reference=REFERENCE)
def low_correlation(
    topics: int, sizes: Sizes, *, buckets: int = 100, buckets_per_node: int = 5
) -> BucketPattern:
    """Draw a node's topics from 5 of 100 buckets."""
    return BucketPattern(topics, sizes, buckets, buckets_per_node)


@workload("high-correlation", reference=REFERENCE)
def high_correlation(
    topics: int, sizes: Sizes, *, buckets: int = 100, buckets_per_node: int = 2
) -> BucketPattern:
    """Draw a node's topics from 2 of 100 buckets."""
    return BucketPattern(topics, sizes, buckets, buckets_per_node)
