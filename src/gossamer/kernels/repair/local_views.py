"""Local views of ElastO's nodes: what they know, and the topics that known nodes cover.

``present`` is the presence of each node.
"""

from __future__ import annotations

import numpy as np

from gossamer.kernels.csr import lower_bound, next_shared
from gossamer.kernels.jit import Bools, Int32s, kernel
from gossamer.kernels.repair.blocks import Blocks


@kernel
def distinct_present(nodes: Int32s, present: Bools) -> Int32s:
    """Return the present nodes among some, each once, ascending. O(n log n)."""
    ordered = np.sort(nodes)
    count = 0
    for node in ordered:
        if present[node] and (count == 0 or ordered[count - 1] != node):
            ordered[count] = node
            count += 1
    return ordered[:count]


@kernel
def count_lacking(topics: Int32s, subscribers: Blocks, present: Bools, factor: int) -> Int32s:
    """Return how often each topic is to be covered: ``factor``, or by all others if they are fewer.

    O(subscribers of the topics).
    """
    lacking = np.zeros(len(topics), dtype=np.int32)
    for k in range(len(topics)):
        others = -1
        start = subscribers.starts[topics[k]]
        for at in range(start, start + subscribers.counts[topics[k]]):
            if present[subscribers.pool[at]]:
                others += 1
        lacking[k] = max(min(factor, others), 0)
    return lacking


@kernel
def cover(nodes: Int32s, topics: Int32s, own: Blocks, present: Bools, lacking: Int32s) -> int:
    """Count present nodes as cover of their topics; return how many topics still lack some.

    ``own`` are the topics of each node. O(subscriptions of the nodes).
    """
    for node in nodes:
        if present[node]:
            start = own.starts[node]
            end = start + own.counts[node]
            at, k = next_shared(own.pool, start, end, topics, 0, len(topics))
            while at < end:
                lacking[k] -= 1
                at, k = next_shared(own.pool, at + 1, end, topics, k + 1, len(topics))
    count = 0
    for one in lacking:
        count += one > 0
    return count


@kernel
def neighbours_outside(nodes: Int32s, adjacency: Blocks) -> Int32s:
    """Return the neighbours of some nodes that are not among them, each once, ascending.

    ``nodes`` ascend. For m links of the nodes: O(m log m).
    """
    total = 0
    for node in nodes:
        total += adjacency.counts[node]
    found = np.empty(total, dtype=np.int32)
    total = 0
    for node in nodes:
        start = adjacency.starts[node]
        for at in range(start, start + adjacency.counts[node]):
            other = adjacency.pool[at]
            place = lower_bound(nodes, other, 0, len(nodes))
            if place == len(nodes) or nodes[place] != other:
                found[total] = other
                total += 1
    ordered = np.sort(found[:total])
    count = 0
    for other in ordered:
        if count == 0 or ordered[count - 1] != other:
            ordered[count] = other
            count += 1
    return ordered[:count]
