"""Draws without replacement from counter-based random numbers.

The draws of a node depend on its key only. Integer arithmetic decides everything except the tail
of a skewed draw (:func:`draw_remaining`), which compares logarithms.
"""

from __future__ import annotations

import math

import numpy as np

from gossamer.kernels.csr import lower_bound
from gossamer.kernels.jit import Floats, Int32s, Int64s, UInt64s, kernel
from gossamer.kernels.random import ONE, node_key, randbelow, u64_at


@kernel
def draw_index(thresholds: UInt64s, word: np.uint64) -> int:
    """Return the first index whose threshold exceeds 63 bits of the word.

    Their number if none does.
    """
    return lower_bound(thresholds, (word >> ONE) + ONE, 0, len(thresholds))


@kernel
def draw_sizes(
    stream: np.uint64, nodes: UInt64s, thresholds: UInt64s, minimum: int, sizes: Int64s
) -> None:
    """Draw the subscription size of each node: ``minimum`` plus an index of the thresholds."""
    for place in range(len(nodes)):
        key = node_key(stream, nodes[place])
        counter = 0
        index = draw_index(thresholds, u64_at(key, counter))
        while index == len(thresholds):
            counter += 1
            index = draw_index(thresholds, u64_at(key, counter))
        sizes[place] = minimum + index


@kernel
def draw_distinct(
    key: np.uint64,
    thresholds: UInt64s,
    stamps: Int64s,
    stamp: int,
    chosen: Int32s,
    start: int,
    stop: int,
) -> int:
    """Fill ``chosen[start:stop]`` with distinct indices, by rejection of repeats.

    Stops after four draws per entry and sixteen more; returns the end of the filled part.
    ``stamps[index] == stamp`` marks the chosen indices.
    """
    filled = start
    for counter in range(4 * (stop - start) + 16):
        if filled == stop:
            break
        index = draw_index(thresholds, u64_at(key, counter))
        if index < len(thresholds) and stamps[index] != stamp:
            stamps[index] = stamp
            chosen[filled] = index
            filled += 1
    return filled


@kernel
def draw_remaining(
    key: np.uint64,
    log_weights: Floats,
    stamps: Int64s,
    stamp: int,
    chosen: Int32s,
    start: int,
    stop: int,
) -> None:
    """Fill ``chosen[start:stop]`` exactly, from the indices without the stamp.

    Every such index i has an exponential arrival time E_i / w_i, E_i of mean 1; the earliest
    arrivals are chosen (Efraimidis and Spirakis, 2006). Times are compared by their logarithms, so
    no weight is too small. The entries are a heap with the latest arrival first: O(T log(stop -
    start)).
    """
    capacity = stop - start
    times = np.empty(capacity, dtype=np.float64)
    held = 0
    for index in range(len(log_weights)):
        if stamps[index] == stamp:
            continue
        # Half a step off the grid, so that neither 0 nor 1 occurs.
        share = (float(u64_at(key, index) >> np.uint64(12)) + 0.5) / 4503599627370496.0
        time = math.log(-math.log(share)) - log_weights[index]
        if held < capacity:
            hole = held
            held += 1
            while hole > 0 and times[(hole - 1) // 2] < time:
                times[hole] = times[(hole - 1) // 2]
                chosen[start + hole] = chosen[start + (hole - 1) // 2]
                hole = (hole - 1) // 2
        elif time < times[0]:
            hole = 0
            while 2 * hole + 1 < capacity:
                child = 2 * hole + 1
                if child + 1 < capacity and times[child + 1] > times[child]:
                    child += 1
                if times[child] <= time:
                    break
                times[hole] = times[child]
                chosen[start + hole] = chosen[start + child]
                hole = child
        else:
            continue
        times[hole] = time
        chosen[start + hole] = index


@kernel
def draw_by_weight(
    stream: np.uint64,
    remaining_stream: np.uint64,
    nodes: UInt64s,
    offsets: Int64s,
    thresholds: UInt64s,
    log_weights: Floats,
    chosen: Int32s,
) -> None:
    """Draw ``chosen[offsets[i]:offsets[i + 1]]``, the distinct topics of each ``nodes[i]``."""
    stamps = np.zeros(len(thresholds), dtype=np.int64)
    for place in range(len(nodes)):
        start, stop = offsets[place], offsets[place + 1]
        key = node_key(stream, nodes[place])
        filled = draw_distinct(key, thresholds, stamps, place + 1, chosen, start, stop)
        if filled < stop:
            key = node_key(remaining_stream, nodes[place])
            draw_remaining(key, log_weights, stamps, place + 1, chosen, filled, stop)


@kernel
def draw_subset(
    key: np.uint64,
    counter: int,
    first: int,
    end: int,
    stamps: Int64s,
    stamp: int,
    chosen: Int32s,
    start: int,
    stop: int,
) -> None:
    """Fill ``chosen[start:stop]`` with a uniform subset of ``first .. end - 1``.

    Robert Floyd's method: one draw per entry, none rejected (Bentley and Floyd, CACM 1987). Uses
    the counters from ``counter`` on, one per entry.
    """
    places = stop - start
    for step in range(places):
        newest = end - places + step
        index = first + randbelow(key, counter + step, newest - first + 1)
        if stamps[index] == stamp:
            index = newest
        stamps[index] = stamp
        chosen[start + step] = index


@kernel
def draw_bucketed(
    bucket_stream: np.uint64,
    topic_stream: np.uint64,
    nodes: UInt64s,
    offsets: Int64s,
    bucket_starts: Int64s,
    buckets_per_node: int,
    chosen: Int32s,
) -> None:
    """Draw the buckets of each node, then topics from each of them, as evenly as possible.

    Bucket b holds the topics ``bucket_starts[b] .. bucket_starts[b + 1] - 1``. A remainder goes to
    the buckets drawn first, one topic each.
    """
    bucket_stamps = np.zeros(len(bucket_starts) - 1, dtype=np.int64)
    topic_stamps = np.zeros(bucket_starts[-1], dtype=np.int64)
    buckets = np.empty(buckets_per_node, dtype=np.int32)
    for place in range(len(nodes)):
        stamp = place + 1
        key = node_key(bucket_stream, nodes[place])
        draw_subset(
            key, 0, 0, len(bucket_stamps), bucket_stamps, stamp, buckets, 0, buckets_per_node
        )
        # Floyd's subset is uniform but its order is not: shuffle, for the uneven remainder.
        for last in range(buckets_per_node - 1, 0, -1):
            other = randbelow(key, 2 * buckets_per_node - last, last + 1)
            buckets[last], buckets[other] = buckets[other], buckets[last]
        key = node_key(topic_stream, nodes[place])
        first, size = offsets[place], offsets[place + 1] - offsets[place]
        at = 0
        for turn in range(buckets_per_node):
            bucket = buckets[turn]
            share = size // buckets_per_node + (1 if turn < size % buckets_per_node else 0)
            draw_subset(
                key,
                at,
                bucket_starts[bucket],
                bucket_starts[bucket + 1],
                topic_stamps,
                stamp,
                chosen,
                first + at,
                first + at + share,
            )
            at += share
