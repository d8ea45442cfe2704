"""What maintaining an overlay asks of all nodes: who hangs together, and who backs up whom.

``present`` says who is there; topic lists name everybody who may ever be. Scratch arrays are left
as they were found.
"""

from __future__ import annotations

import numpy as np

from gossamer.kernels.jit import Bools, Int32s, Int64s, UInt64s, kernel
from gossamer.kernels.random import next_randbelow
from gossamer.kernels.relation import Relation
from gossamer.kernels.repair.adjacency import Adjacency
from gossamer.kernels.repair.shadows import Shadows

__all__ = ["add_by_greed", "add_by_primal_dual", "count_cover", "label_topics"]

NOBODY = -1
OUTSIDE, WAITING = -1, -2


@kernel
def label_topics(
    topics: Int32s,
    nodes: Int32s,
    shadows: Shadows,
    relation: Relation,
    present: Bools,
    adjacency: Adjacency,
    where: Int32s,
    queue: Int32s,
    labels: Int32s,
) -> None:
    """Label each shadow on each topic by the component of the whole overlay that it is in.

    ``nodes`` are the shadows' ids, ``topics`` those of the wound. For each topic O(subscribers +
    their links). ``where`` has -1 for every node, before and after.
    """
    labels[:] = OUTSIDE
    for k in range(len(topics)):
        start, end = relation.topic_offsets[topics[k]], relation.topic_offsets[topics[k] + 1]
        for at in range(start, end):
            if present[relation.nodes[at]]:
                where[relation.nodes[at]] = WAITING
        for at in range(shadows.topic_offsets[k], shadows.topic_offsets[k + 1]):
            place = shadows.topic_nodes[at]
            if where[nodes[place]] == WAITING:
                _spread(nodes[place], place, adjacency, where, queue)
            labels[place, k] = where[nodes[place]]
        for at in range(start, end):
            where[relation.nodes[at]] = OUTSIDE


@kernel
def _spread(node: int, label: int, adjacency: Adjacency, where: Int32s, queue: Int32s) -> None:
    """Label everybody whom waiting nodes connect with a node."""
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
    relation: Relation,
    present: Bools,
    chosen: Bools,
    cover: Int32s,
    kept: Int32s,
) -> int:
    """Drop backups that are gone, and count how often the others cover each topic.

    Returns how many are kept, and marks them as chosen. O(subscriptions of the backups).
    """
    cover[:] = 0
    count = 0
    for backup in backups:
        if present[backup]:
            kept[count] = backup
            count += 1
            chosen[backup] = True
            _cover(topics, backup, relation, cover)
    return count


@kernel
def _cover(topics: Int32s, node: int, relation: Relation, cover: Int32s) -> None:
    """Count a node for each of the topics that it wants."""
    at, end = relation.node_offsets[node], relation.node_offsets[node + 1]
    k = 0
    while at < end and k < len(topics):
        if relation.topics[at] < topics[k]:
            at += 1
        elif relation.topics[at] > topics[k]:
            k += 1
        else:
            cover[k] += 1
            at += 1
            k += 1


@kernel
def add_by_primal_dual(
    target: int,
    topics: Int32s,
    factor: int,
    relation: Relation,
    present: Bools,
    weights: Int64s,
    sequence: UInt64s,
    chosen: Bools,
    cover: Int32s,
    backups: Int32s,
    count: int,
) -> int:
    """Add backups until each topic is covered ``factor`` times, or by all who are there.

    Each time a random topic that lacks cover, and of its subscribers one of least weight, any of
    them equally likely; its weight rises by one (Hochbaum's primal-dual method, as ElastO §6 has
    it). Returns how many there are. O(subscribers) a pick.
    """
    lacking = np.arange(len(topics))
    length = len(topics)
    while length > 0:
        place = next_randbelow(sequence, length)
        k = lacking[place]
        best, ties = NOBODY, 0
        if cover[k] < factor:
            start, end = relation.topic_offsets[topics[k]], relation.topic_offsets[topics[k] + 1]
            for at in range(start, end):
                node = relation.nodes[at]
                if node == target or chosen[node] or not present[node]:
                    continue
                if best == NOBODY or weights[node] < weights[best]:
                    best, ties = node, 1
                elif weights[node] == weights[best]:
                    ties += 1
                    if next_randbelow(sequence, ties) == 0:
                        best = node
        if best == NOBODY:
            length -= 1
            lacking[place] = lacking[length]
            continue
        chosen[best] = True
        weights[best] += 1
        backups[count] = best
        count += 1
        _cover(topics, best, relation, cover)
    return count


@kernel
def add_by_greed(
    target: int,
    topics: Int32s,
    factor: int,
    relation: Relation,
    present: Bools,
    weights: Int64s,
    chosen: Bools,
    cover: Int32s,
    counts: Int32s,
    backups: Int32s,
    count: int,
) -> int:
    """As ``add_by_primal_dual``, but each time who covers most topics that lack cover.

    Chvátal's greedy set cover with equal weights; of equal ones the first. ``counts`` is zero for
    every node, before and after. O(subscribers of the lacking topics) a pick.
    """
    while True:
        best = NOBODY
        for k in range(len(topics)):
            if cover[k] < factor:
                start = relation.topic_offsets[topics[k]]
                for at in range(start, relation.topic_offsets[topics[k] + 1]):
                    node = relation.nodes[at]
                    if node == target or chosen[node] or not present[node]:
                        continue
                    counts[node] += 1
                    if (
                        best == NOBODY
                        or counts[node] > counts[best]
                        or (counts[node] == counts[best] and node < best)
                    ):
                        best = node
        for k in range(len(topics)):
            if cover[k] < factor:
                start = relation.topic_offsets[topics[k]]
                for at in range(start, relation.topic_offsets[topics[k] + 1]):
                    counts[relation.nodes[at]] = 0
        if best == NOBODY:
            return count
        chosen[best] = True
        weights[best] += 1
        backups[count] = best
        count += 1
        _cover(topics, best, relation, cover)
