"""Candidates for the backups of a joining node, gathered from the views of other nodes."""

from __future__ import annotations

import numpy as np

from gossamer.kernels.jit import Bools, Int32s, Int64s, UInt64s, kernel
from gossamer.kernels.random import next_below
from gossamer.kernels.repair.blocks import Blocks
from gossamer.kernels.repair.circle import successors
from gossamer.kernels.repair.known_backups import choose_among
from gossamer.kernels.repair.local_views import Knowledge, sample_of_circle, view_of

MAX_QUESTIONS = 10_000


@kernel
def count_lacking(topics: Int32s, subscribers: Blocks, present: Bools, factor: int) -> Int32s:
    """Return the required cover of each topic: ``factor``, or all other subscribers if fewer.

    The scan of a topic ends at ``factor`` + 1 present subscribers.
    """
    lacking = np.zeros(len(topics), dtype=np.int32)
    for k in range(len(topics)):
        others = -1
        start = subscribers.starts[topics[k]]
        for at in range(start, start + subscribers.counts[topics[k]]):
            if present[subscribers.pool[at]]:
                others += 1
                if others >= factor:
                    break
        lacking[k] = max(others, 0)
    return lacking


@kernel
def cover(nodes: Int32s, own: Blocks, present: Bools, places: Int32s, lacking: Int32s) -> int:
    """Subtract the cover that present nodes give; return the number of topics that lack cover.

    ``own`` has the topics of each node, and ``places`` the index of each topic in ``lacking``, or
    -1. O(subscriptions of the nodes).
    """
    for node in nodes:
        if present[node]:
            start = own.starts[node]
            for at in range(start, start + own.counts[node]):
                if places[own.pool[at]] >= 0:
                    lacking[places[own.pool[at]]] -= 1
    count = 0
    for one in lacking:
        count += one > 0
    return count


@kernel
def gather_candidates(
    node: int,
    topics: Int32s,
    factor: int,
    subscribers: Blocks,
    known: Knowledge,
    sampled: int,
    marks: Bools,
    stream: UInt64s,
    draws: np.random.Generator,
) -> tuple[Int32s, int]:
    """Return the nodes that the successor of a joining node finds, and the number of its requests.

    The successor begins with its own view and a sample. It requests the same from random nodes that
    it has found, until each topic is covered ``factor`` times, or by all other present subscribers
    (Algorithm 4, prepareLV). The nodes ascend; without a successor there are none. ``marks`` is
    scratch: false for every node, before and after.
    """
    coordinator = successors(node, known.identifiers, known.circle, 1)
    if len(coordinator) == 0:
        return np.empty(0, dtype=np.int32), 0
    places = known.places
    for k in range(len(topics)):
        places[topics[k]] = k
    lacking = count_lacking(topics, subscribers, known.present, factor)
    heard = np.empty(len(known.present), dtype=np.int32)
    waiting = np.empty(len(known.present), dtype=np.int32)
    count, length, asked, asking = 0, 0, 0, coordinator[0]
    while True:
        first = length
        for answer in (view_of(asking, known), sample_of_circle(known.circle, sampled, draws)):
            for other in answer:
                if not marks[other]:
                    marks[other] = True
                    heard[count] = other
                    count += 1
                    if other != node:
                        waiting[length] = other
                        length += 1
        if cover(waiting[first:length], known.topics, known.present, places, lacking) == 0:
            break
        if length == 0 or asked >= MAX_QUESTIONS:
            break
        place = next_below(stream, length)
        asking = waiting[place]
        waiting[place : length - 1] = waiting[place + 1 : length].copy()
        length -= 1
        asked += 1
    for topic in topics:
        places[topic] = -1
    for other in heard[:count]:
        marks[other] = False
    return np.sort(heard[:count]), asked


@kernel
def choose_for_newcomer(
    node: int,
    topics: Int32s,
    factor: int,
    subscribers: Blocks,
    known: Knowledge,
    sampled: int,
    greedy: bool,
    weights: Int64s,
    sequence: UInt64s,
    marks: Bools,
    stream: UInt64s,
    draws: np.random.Generator,
) -> tuple[Int32s, int]:
    """Return the backups of a joining node among the candidates, and the number of requests."""
    heard, asked = gather_candidates(
        node, topics, factor, subscribers, known, sampled, marks, stream, draws
    )
    backups = choose_among(
        node, heard, topics, factor, known.topics, known.places, greedy, weights, sequence
    )
    return backups, asked
