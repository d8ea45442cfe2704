"""Queries of an interest view over one shared index: the nodes that cover given topics.

Counts are scratch by node, zero before and after. Ties are broken uniformly, by reservoir sampling
from a random word; word 0 breaks those of ``most_covering`` towards the lowest identifier.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gossamer.kernels.jit import Bools, Int32s, Int64s, kernel
from gossamer.kernels.random import GOLDEN, mix64, randbelow

NO_NODE = -1
EXCLUDED = -(1 << 30)


class Subscribers(NamedTuple):
    """Lists of nodes by topic that grow and shrink.

    Those of topic t are ``members[starts[t] : starts[t] + lengths[t]]``.
    """

    starts: Int64s
    lengths: Int64s
    members: Int32s


@kernel
def _scale_to(word: np.uint64, bound: int) -> int:
    """Return an integer in 0 .. bound - 1 from the upper bits of a random word; bound ≪ 2^32."""
    return int(((word >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@kernel
def most_covering(
    index: Subscribers, topics: Int32s, without: Int32s, counts: Int32s, word: np.uint64
) -> int:
    """Return a node that subscribes to most of the topics, or -1 if none does.

    Two passes over the subscribers of the topics.
    """
    by_identifier = word == np.uint64(0)
    for node in without:
        counts[node] = EXCLUDED
    for topic in topics:
        start = index.starts[topic]
        for place in range(start, start + index.lengths[topic]):
            counts[index.members[place]] += 1
    best, ties, chosen = 0, 0, NO_NODE
    for topic in topics:
        start = index.starts[topic]
        for place in range(start, start + index.lengths[topic]):
            node = index.members[place]
            count = counts[node]
            if count > 0:
                if count > best:
                    best, ties, chosen = count, 1, node
                elif count == best and by_identifier:
                    chosen = min(chosen, node)
                elif count == best:
                    ties += 1
                    word = mix64(word + GOLDEN)
                    if _scale_to(word, ties) == 0:
                        chosen = node
                counts[node] = 0
    for node in without:
        counts[node] = 0
    return chosen


@kernel
def any_covering(
    index: Subscribers, topics: Int32s, without: Int32s, counts: Int32s, word: np.uint64
) -> int:
    """Return a uniform random node that subscribes to one of the topics, or -1 if none does.

    O(number of the topics' subscribers).
    """
    for node in without:
        counts[node] = 1
    seen, chosen = 0, NO_NODE
    for topic in topics:
        start = index.starts[topic]
        for place in range(start, start + index.lengths[topic]):
            node = index.members[place]
            if counts[node] == 0:
                counts[node] = 1
                seen += 1
                word = mix64(word + GOLDEN)
                if _scale_to(word, seen) == 0:
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
    """Return the next higher subscriber of a topic, cyclically; -1 if there is no other.

    O(subscribers).
    """
    above, lowest = NO_NODE, NO_NODE
    start = index.starts[topic]
    for place in range(start, start + index.lengths[topic]):
        other = index.members[place]
        if other == node:
            continue
        if other > node and (above == NO_NODE or other < above):
            above = other
        if lowest == NO_NODE or other < lowest:
            lowest = other
    return above if above != NO_NODE else lowest


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
    """Return the node of a view that subscribes to most of the wanted topics; -1 if none does.

    O(subscriptions of the nodes in the view).
    """
    by_identifier = word == np.uint64(0)
    best, ties, chosen = 0, 0, NO_NODE
    for node in view:
        if left_out[node]:
            continue
        count = _wanted_of(node_starts, node_lengths, node_topics, node, wanted)
        if count > best:
            best, ties, chosen = count, 1, node
        elif count == best and count > 0 and by_identifier:
            chosen = min(chosen, node)
        elif count == best and count > 0:
            ties += 1
            word = mix64(word + GOLDEN)
            if _scale_to(word, ties) == 0:
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
    """Return a random node of a view that subscribes to a wanted topic, or -1."""
    seen, chosen = 0, NO_NODE
    for node in view:
        if left_out[node]:
            continue
        if _wanted_of(node_starts, node_lengths, node_topics, node, wanted) > 0:
            seen += 1
            word = mix64(word + GOLDEN)
            if _scale_to(word, seen) == 0:
                chosen = node
    return chosen


@kernel
def draw_others(nodes: int, me: int, entries: int, key: np.uint64) -> Int32s:
    """Draw ``entries`` distinct nodes other than ``me``, every set with equal probability.

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
