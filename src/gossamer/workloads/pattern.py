"""Synthetic patterns of interests: their protocol, random streams, and common checks.

A pattern is a frozen, picklable value that gives the subscriptions of any nodes. **The
subscriptions of a node depend only on the seed, the node and the parameters of the pattern**: for
any division or order of the nodes, on any machine, the rows are the same.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import IntEnum
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import ParameterError
from gossamer.kernels.random import stream_key
from gossamer.model.csr import offsets_of
from gossamer.random_stream import check_seed
from gossamer.workloads.sizes import Sizes, draw

Columns = tuple[NDArray[np.int64], NDArray[np.int32]]
"""Node and topic of each subscription, nodes in the order given."""


class Purpose(IntEnum):
    """Purposes of random numbers; each has its own stream."""

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
        """Number of topics, those without subscribers included."""
        ...

    @property
    def sizes(self) -> Sizes:
        """Subscription sizes of nodes."""
        ...

    def subscriptions_of(self, nodes: ArrayLike, *, seed: int = 0) -> Columns:
        """Return the subscriptions of these nodes, a row each.

        The topics of a node are distinct.
        """
        ...


def stream(seed: int, purpose: Purpose) -> np.uint64:
    """Return the key of the random stream of a purpose, after checking the seed."""
    # Compiled code returns the word as a Python integer.
    return np.uint64(stream_key(np.uint64(check_seed(seed)), np.uint64(purpose)))


def checked_nodes(nodes: ArrayLike) -> NDArray[np.uint64]:
    """Return node identifiers as the kernels take them, or raise :class:`ParameterError`."""
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
    """Return a number of nodes or topics, or raise :class:`ParameterError`."""
    try:
        value = operator.index(count)
    except TypeError:
        raise ParameterError(f"{what} is {count!r}; expected a whole number") from None
    most = np.iinfo(np.int32).max
    if not 0 <= value <= most:
        raise ParameterError(f"{what} is {value}; expected 0 to {most}")
    return value


def check_topics(topic_count: int, sizes: Sizes) -> None:
    """Raise :class:`ParameterError` unless there are enough topics for the sizes."""
    checked_count("topics", topic_count)
    if sizes.maximum > topic_count:
        raise ParameterError(
            f"{sizes.maximum} subscriptions for a node, of {topic_count} topics; "
            f"expected at most {topic_count}"
        )


def draw_columns(
    sizes: Sizes,
    nodes: ArrayLike,
    seed: int,
    fill: Callable[[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32]], None],
) -> Columns:
    """Draw the size of each node, and its topics by ``fill(nodes, offsets, topics)``."""
    column = checked_nodes(nodes)
    drawn = draw(sizes, column, stream(seed, Purpose.SIZES))
    offsets = offsets_of(drawn)
    topics = np.empty(offsets[-1], dtype=np.int32)
    if len(topics):
        fill(column, offsets, topics)
    return np.repeat(column.astype(np.int64), drawn), topics
