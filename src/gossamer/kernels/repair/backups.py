"""Components of topics in the whole overlay, and the choice of backups.

``present`` is the presence of each node; topic lists contain absent nodes too. Scratch arrays are
left as they were found.
"""

from __future__ import annotations

import numpy as np

from gossamer.kernels.csr import next_shared
from gossamer.kernels.jit import Bools, Int32s, Int64s, UInt64s, kernel
from gossamer.kernels.random import next_randbelow
from gossamer.kernels.repair.blocks import Blocks, Subscriptions
from gossamer.kernels.repair.shadows import Shadows

NO_NODE = -1
OUTSIDE, WAITING = -1, -2


@kernel
def label_topics(
    topics: Int32s,
    nodes: Int32s,
    shadows: Shadows,
    subscriptions: Subscriptions,
    present: Bools,
    adjacency: Blocks,
    where: Int32s,
    queue: Int32s,
    labels: Int32s,
) -> None:
    """Label the component of each shadow on each topic, in the whole overlay.

    ``nodes`` and ``topics`` are the ids of the shadows and topics. ``where`` is scratch: -1 for
    every node, before and after. O(subscribers + their links) for each topic.
    """
    labels[:] = OUTSIDE
    members = subscriptions.subscribers
    for k in range(len(topics)):
        start = members.starts[topics[k]]
        end = start + members.counts[topics[k]]
        for at in range(start, end):
            if present[members.pool[at]]:
                where[members.pool[at]] = WAITING
        for at in range(shadows.topic_offsets[k], shadows.topic_offsets[k + 1]):
            place = shadows.topic_nodes[at]
            if where[nodes[place]] == WAITING:
                _spread(nodes[place], place, adjacency, where, queue)
            labels[place, k] = where[nodes[place]]
        for at in range(start, end):
            where[members.pool[at]] = OUTSIDE


@kernel
def _spread(node: int, label: int, adjacency: Blocks, where: Int32s, queue: Int32s) -> None:
    """Label all nodes that are connected with a node through waiting nodes."""
    queue[0] = node
    where[node] = label
    read, written = 0, 1
    while read < written:
        start = adjacency.starts[queue[read]]
        for at in range(start, start + adjacency.counts[queue[read]]):
            other = adjacency.pool[at]
            if where[other] == WAITING:
                where[other] = label
                queue[written] = other
                written += 1
        read += 1


@kernel
def count_cover(
    topics: Int32s,
    backups: Int32s,
    subscriptions: Subscriptions,
    present: Bools,
    chosen: Bools,
    cover: Int32s,
    kept: Int32s,
) -> int:
    """Drop backups that are absent or cover no topic, mark the others, and count their cover.

    Returns the number of backups kept. O(subscriptions of the backups).
    """
    cover[:] = 0
    count = 0
    for backup in backups:
        if present[backup] and _cover(topics, backup, subscriptions, cover) > 0:
            kept[count] = backup
            count += 1
            chosen[backup] = True
    return count


@kernel
def _cover(topics: Int32s, node: int, subscriptions: Subscriptions, cover: Int32s) -> int:
    """Add a node to the cover of the topics that it subscribes to; return their number."""
    own, count = subscriptions.topics, 0
    start = own.starts[node]
    end = start + own.counts[node]
    at, k = next_shared(own.pool, start, end, topics, 0, len(topics))
    while at < end:
        cover[k] += 1
        count += 1
        at, k = next_shared(own.pool, at + 1, end, topics, k + 1, len(topics))
    return count


@kernel
def add_by_primal_dual(
    target: int,
    topics: Int32s,
    factor: int,
    subscriptions: Subscriptions,
    present: Bools,
    weights: Int64s,
    sequence: UInt64s,
    chosen: Bools,
    cover: Int32s,
    backups: Int32s,
    count: int,
) -> int:
    """Add backups until each topic is covered ``factor`` times, or by all present subscribers.

    Each step chooses, for a random topic that lacks cover, a subscriber of least weight,
    uniformly, and raises its weight by one (Hochbaum's primal-dual method, as in ElastO §6).
    Returns the number of backups. O(subscribers) per step.
    """
    members = subscriptions.subscribers
    lacking = np.arange(len(topics))
    length = len(topics)
    while length > 0:
        place = next_randbelow(sequence, length)
        k = lacking[place]
        best, ties = NO_NODE, 0
        if cover[k] < factor:
            start = members.starts[topics[k]]
            for at in range(start, start + members.counts[topics[k]]):
                node = members.pool[at]
                if node == target or chosen[node] or not present[node]:
                    continue
                if best == NO_NODE or weights[node] < weights[best]:
                    best, ties = node, 1
                elif weights[node] == weights[best]:
                    ties += 1
                    if next_randbelow(sequence, ties) == 0:
                        best = node
        if best == NO_NODE:
            length -= 1
            lacking[place] = lacking[length]
            continue
        chosen[best] = True
        weights[best] += 1
        backups[count] = best
        count += 1
        _cover(topics, best, subscriptions, cover)
    return count


@kernel
def add_by_greed(
    target: int,
    topics: Int32s,
    factor: int,
    subscriptions: Subscriptions,
    present: Bools,
    weights: Int64s,
    chosen: Bools,
    cover: Int32s,
    counts: Int32s,
    backups: Int32s,
    count: int,
) -> int:
    """Add backups as ``add_by_primal_dual``, each the node that covers most lacking topics.

    Chvátal's greedy set cover with equal weights; ties go to the lowest id. ``counts`` is scratch:
    0 for every node, before and after. O(subscribers of the lacking topics) per step.
    """
    members = subscriptions.subscribers
    while True:
        best = NO_NODE
        for k in range(len(topics)):
            if cover[k] < factor:
                start = members.starts[topics[k]]
                for at in range(start, start + members.counts[topics[k]]):
                    node = members.pool[at]
                    if node == target or chosen[node] or not present[node]:
                        continue
                    counts[node] += 1
                    if (
                        best == NO_NODE
                        or counts[node] > counts[best]
                        or (counts[node] == counts[best] and node < best)
                    ):
                        best = node
        for k in range(len(topics)):
            if cover[k] < factor:
                start = members.starts[topics[k]]
                for at in range(start, start + members.counts[topics[k]]):
                    counts[members.pool[at]] = 0
        if best == NO_NODE:
            return count
        chosen[best] = True
        weights[best] += 1
        backups[count] = best
        count += 1
        _cover(topics, best, subscriptions, cover)
