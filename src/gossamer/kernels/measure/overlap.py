"""Overlaps of the topics of nodes, row by row from the topics' subscriber lists.

A row is one node against all others. It costs the subscribers of the node's topics, all rows
together Σ n_t², and one array over the nodes; no pair is stored.
"""

from __future__ import annotations

import numpy as np

from gossamer.kernels.jit import Floats, Int32s, Int64s, kernel
from gossamer.kernels.relation import Relation


@kernel
def count_row(node: int, relation: Relation, shared: Int32s, met: Int32s) -> int:
    """Count the topics that a node shares with each other node; return the number of such nodes.

    ``shared`` must be zero; ``met`` receives the nodes that share any topic.
    """
    count = 0
    for entry in range(relation.node_offsets[node], relation.node_offsets[node + 1]):
        topic = relation.topics[entry]
        for slot in range(relation.topic_offsets[topic], relation.topic_offsets[topic + 1]):
            other = relation.nodes[slot]
            if shared[other] == 0:
                met[count] = other
                count += 1
            shared[other] += 1
    kept = 0
    for index in range(count):
        if met[index] != node:
            met[kept] = met[index]
            kept += 1
    shared[node] = 0
    return kept


@kernel
def cover_size(node: int, relation: Relation) -> int:
    """Return the number of other nodes that cover a node's topics, chosen greedily.

    Topics without other subscribers are left out. O(the node's row + nodes in it · result).
    """
    others = len(relation.node_offsets) - 1
    shared, met = np.zeros(others, dtype=np.int32), np.empty(others, dtype=np.int32)
    count = count_row(node, relation, shared, met)
    first, last = relation.node_offsets[node], relation.node_offsets[node + 1]
    waits = np.ones(last - first, dtype=np.bool_)
    chosen = 0
    while True:
        best = -1
        for index in range(count):
            if best < 0 or shared[met[index]] > shared[best]:
                best = met[index]
        if best < 0 or shared[best] == 0:
            return chosen
        chosen += 1
        theirs, end = relation.node_offsets[best], relation.node_offsets[best + 1]
        for entry in range(first, last):
            topic = relation.topics[entry]
            while theirs < end and relation.topics[theirs] < topic:
                theirs += 1
            if waits[entry - first] and theirs < end and relation.topics[theirs] == topic:
                waits[entry - first] = False
                for slot in range(relation.topic_offsets[topic], relation.topic_offsets[topic + 1]):
                    if relation.nodes[slot] != node:
                        shared[relation.nodes[slot]] -= 1


@kernel
def replace_lowest(heap: Floats, value: float) -> None:
    """Replace the lowest value of a heap, its first."""
    place = 0
    child = 1
    while child < len(heap):
        if child + 1 < len(heap) and heap[child + 1] < heap[child]:
            child += 1
        if value <= heap[child]:
            break
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = value


@kernel
def sum_top_intersections(relation: Relation, first: int, last: int, depth: int) -> float:
    """Add up the ``depth`` highest relative overlaps of each node from ``first`` to ``last``."""
    node_count = len(relation.node_offsets) - 1
    shared = np.zeros(node_count, dtype=np.int32)
    met = np.empty(node_count, dtype=np.int32)
    highest = np.empty(depth, dtype=np.float64)
    total = 0.0
    for node in range(first, last):
        count = count_row(node, relation, shared, met)
        size = relation.node_offsets[node + 1] - relation.node_offsets[node]
        highest[:] = 0.0
        for index in range(count):
            other = met[index]
            other_size = relation.node_offsets[other + 1] - relation.node_offsets[other]
            overlap = shared[other] / min(size, other_size)
            shared[other] = 0
            if overlap > highest[0]:
                replace_lowest(highest, overlap)
        total += highest.sum()
    return total


@kernel
def largest_overlaps(nodes: Int64s, relation: Relation) -> Int64s:
    """Return the largest number of topics that each of some nodes shares with any other node."""
    node_count = len(relation.node_offsets) - 1
    shared = np.zeros(node_count, dtype=np.int32)
    met = np.empty(node_count, dtype=np.int32)
    largest = np.zeros(len(nodes), dtype=np.int64)
    for place in range(len(nodes)):
        count = count_row(nodes[place], relation, shared, met)
        for index in range(count):
            largest[place] = max(largest[place], shared[met[index]])
            shared[met[index]] = 0
    return largest
