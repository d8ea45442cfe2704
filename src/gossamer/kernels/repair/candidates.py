"""Candidates for the links of a newcomer, gathered from views until its topics are covered."""

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
    """Return how often each topic is to be covered: ``factor``, or by all others if they are fewer.

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
    """Count present nodes as cover of their topics; return how many topics still lack some.

    ``own`` are the topics of each node, ``places`` the place of each topic in ``lacking``, or -1.
    O(subscriptions of the nodes).
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
    """Return the nodes that a newcomer's successor hears of, ascending, and its questions' number.

    It begins with its view and a sample, and asks random nodes that it knows of for theirs, until
    each topic is covered ``factor`` times, or by all other present subscribers (Algorithm 4,
    prepareLV). Without a successor, there are none. ``marks`` is scratch: false for every node,
    before and after.
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
    """Return backups of a newcomer among the gathered candidates, and the number of questions."""
    heard, asked = gather_candidates(
        node, topics, factor, subscribers, known, sampled, marks, stream, draws
    )
    backups = choose_among(
        node, heard, topics, factor, known.topics, known.places, greedy, weights, sequence
    )
    return backups, asked
