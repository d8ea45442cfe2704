"""What every synthetic workload promises, and the checks they share.

A pattern is a frozen, picklable value that gives the subscriptions of any nodes
asked for. **A node's subscriptions depend only on the seed, the node and the
pattern's parameters**: whole or in pieces, in any order, on one machine or many,
the rows are the same. Drawing itself is in the kernels.
"""

from __future__ import annotations

import operator
from enum import IntEnum
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import ParameterError
from gossamer.kernels.random import stream_key
from gossamer.workloads.sizes import Sizes

__all__ = [
    "Columns",
    "Pattern",
    "Purpose",
    "check_topics",
    "checked_count",
    "checked_nodes",
    "stream",
]

Columns = tuple[NDArray[np.int64], NDArray[np.int32]]
"""The node and the topic of each subscription, nodes in the order they were asked for."""


class Purpose(IntEnum):
    """What random words are for; each purpose has a stream of its own."""

    SIZES = 1
    TOPICS = 2
    REMAINING_TOPICS = 3
    BUCKETS = 4
    BUCKET_TOPICS = 5


@runtime_checkable
class Pattern(Protocol):
    """Subscriptions of any nodes, from a seed."""

    @property
    def topic_count(self) -> int:
        """Number of topics, those that nobody happens to want included."""
        ...

    @property
    def sizes(self) -> Sizes:
        """How many topics a node subscribes to."""
        ...

    def subscriptions_of(self, nodes: ArrayLike, *, seed: int = 0) -> Columns:
        """Return the subscriptions of these nodes, a row each; a node's topics are distinct."""
        ...


def stream(seed: int, purpose: Purpose) -> np.uint64:
    """Return the key of a purpose's random stream, after checking the seed."""
    try:
        value = operator.index(seed)
    except TypeError:
        raise ParameterError(f"seed is {seed!r}; expected a whole number") from None
    if not 0 <= value < 2**64:
        raise ParameterError(f"seed is {value}; expected 0 to 2^64 - 1")
    # From compiled code the word comes back as a Python integer.
    return np.uint64(stream_key(np.uint64(value), np.uint64(purpose)))


def checked_nodes(nodes: ArrayLike) -> NDArray[np.uint64]:
    """Return node ids as the kernels take them, or say which is none."""
    column = np.asarray(nodes)
    if column.size == 0:
        return np.empty(0, dtype=np.uint64)
    if column.dtype.kind not in "iu" or column.ndim != 1:
        raise ParameterError(
            f"nodes are {column.dtype} of shape {column.shape}; expected one column of integers"
        )
    if column.min() < 0 or column.max() > np.iinfo(np.int64).max:
        bad = column.min() if column.min() < 0 else column.max()
        raise ParameterError(f"a node is {bad}; expected 0 to 2^63 - 1")
    return np.ascontiguousarray(column, dtype=np.uint64)


def checked_count(what: str, count: int) -> int:
    """Return a number of nodes or topics, or say what is wrong with it."""
    try:
        value = operator.index(count)
    except TypeError:
        raise ParameterError(f"{what} is {count!r}; expected a whole number") from None
    most = np.iinfo(np.int32).max
    if not 0 <= value <= most:
        raise ParameterError(f"{what} is {value}; expected 0 to {most}")
    return value


def check_topics(topic_count: int, sizes: Sizes) -> None:
    """Refuse a number of topics that is none, or too small for the sizes."""
    checked_count("topics", topic_count)
    if sizes.maximum > topic_count:
        raise ParameterError(
            f"{sizes.maximum} subscriptions for a node, of {topic_count} topics; "
            f"expected at most {topic_count}"
        )
