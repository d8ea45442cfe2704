"""Whom to choose for some topics: the questions of an interest view, over one shared index.

``Subscribers`` are lists of nodes by topic that grow and shrink: topic t's are
``members[starts[t] : starts[t] + lengths[t]]``. Counts are scratch space, one a node, zero
before and after. Ties are broken by reservoir sampling from a word, so uniformly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gossamer.kernels.jit import Bools, Int32s, Int64s, kernel
from gossamer.kernels.random import GOLDEN, mix64, randbelow

__all__ = [
    "Subscribers",
    "any_covering",
    "any_covering_among",
    "draw_others",
    "most_covering",
    "most_covering_among",
    "next_subscriber",
]

NOBODY = -1
LEFT_OUT = -(1 << 30)


class Subscribers(NamedTuple):
    """Lists of nodes by topic, with room to grow."""

    starts: Int64s
    lengths: Int64s
    members: Int32s


@kernel
def _below(word: np.uint64, bound: int) -> int:
    """Return 0 .. bound - 1 from the upper bits of a random word; bound is far below 2^32."""
    return int(((word >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@kernel
def most_covering(
    index: Subscribers, topics: Int32s, without: Int32s, counts: Int32s, word: np.uint64
) -> int:
    """Return a node that wants most of the topics, or -1 if nobody wants any.

    Two passes over the subscribers of the topics: O(their number).
    """
    for node in without:
        counts[node] = LEFT_OUT
    for topic in topics:
        start = index.starts[topic]
        for place in range(start, start + index.lengths[topic]):
            counts[index.members[place]] += 1
    best, ties, chosen = 0, 0, NOBODY
    for topic in topics:
        start = index.starts[topic]
        for place in range(start, start + index.lengths[topic]):
            node = index.members[place]
            count = counts[node]
            if count > 0:
                if count > best:
                    best, ties, chosen = count, 1, node
                elif count == best:
                    ties += 1
                    word = mix64(word + GOLDEN)
                    if _below(word, ties) == 0:
                        chosen = node
                counts[node] = 0
    for node in without:
        counts[node] = 0
    return chosen


@kernel
def any_covering(
    index: Subscribers, topics: Int32s, without: Int32s, counts: Int32s, word: np.uint64
) -> int:
    """Return a node that wants one of the topics, all equally likely, or -1 if nobody does.

    O(number of the topics' subscribers).
    """
    for node in without:
        counts[node] = 1
    seen, chosen = 0, NOBODY
    for topic in topics:
        start = index.starts[topic]
        for place in range(start, start + index.lengths[topic]):
            node = index.members[place]
            if counts[node] == 0:
                counts[node] = 1
                seen += 1
                word = mix64(word + GOLDEN)
                if _below(word, seen) == 0:
                    chosen = node
    for topic in topics:
        start = index.starts[topic]
        for place in range(start, start + index.lengths[topic]):
            counts[index.members[place]] = 0
    for node in without:
        counts[node] = 0
    return chosen


@kernel
def next_subscriber(index: Subscribers, topic: int, node: int) -> int:
    """Return the next higher subscriber of a topic, or the lowest if there is none above.

    -1 if there is nobody else. O(subscribers).
    """
    above, lowest = NOBODY, NOBODY
    start = index.starts[topic]
    for place in range(start, start + index.lengths[topic]):
        other = index.members[place]
        if other == node:
            continue
        if other > node and (above == NOBODY or other < above):
            above = other
        if lowest == NOBODY or other < lowest:
            lowest = other
    return above if above != NOBODY else lowest


@kernel
def _wanted_of(
    node_starts: Int64s, node_lengths: Int64s, node_topics: Int32s, node: int, wanted: Bools
) -> int:
    found = 0
    start = node_starts[node]
    for place in range(start, start + node_lengths[node]):
        if wanted[node_topics[place]]:
            found += 1
    return found


@kernel
def most_covering_among(
    view: Int32s,
    node_starts: Int64s,
    node_lengths: Int64s,
    node_topics: Int32s,
    wanted: Bools,
    left_out: Bools,
    word: np.uint64,
) -> int:
    """Return, of the nodes of a view, one that wants most of what is wanted; -1 if nobody does.

    O(subscriptions of the nodes in the view).
    """
    best, ties, chosen = 0, 0, NOBODY
    for node in view:
        if left_out[node]:
            continue
        count = _wanted_of(node_starts, node_lengths, node_topics, node, wanted)
        if count > best:
            best, ties, chosen = count, 1, node
        elif count == best and count > 0:
            ties += 1
            word = mix64(word + GOLDEN)
            if _below(word, ties) == 0:
                chosen = node
    return chosen


@kernel
def any_covering_among(
    view: Int32s,
    node_starts: Int64s,
    node_lengths: Int64s,
    node_topics: Int32s,
    wanted: Bools,
    left_out: Bools,
    word: np.uint64,
) -> int:
    """Return, of the nodes of a view, any that wants something of what is wanted, or -1."""
    seen, chosen = 0, NOBODY
    for node in view:
        if left_out[node]:
            continue
        if _wanted_of(node_starts, node_lengths, node_topics, node, wanted) > 0:
            seen += 1
            word = mix64(word + GOLDEN)
            if _below(word, seen) == 0:
                chosen = node
    return chosen


@kernel
def draw_others(nodes: int, me: int, entries: int, key: np.uint64) -> Int32s:
    """Draw different nodes other than ``me``, every set of so many as likely as the next.

    Fisher and Yates, stopped early: O(nodes) time and memory.
    """
    pool = np.arange(nodes - 1).astype(np.int32)
    for place in range(entries):
        other = place + randbelow(key, place, nodes - 1 - place)
        pool[place], pool[other] = pool[other], pool[place]
    drawn = pool[:entries].copy()
    for place in range(entries):
        if drawn[place] >= me:
            drawn[place] += 1
    return drawn
