"""The graphs that an overlay induces on the subscribers of each topic, for all topics at once.

A link between two nodes is, for each topic that they share, an arc between two slots of that
topic. Neighbours are indices among the subscribers of the topic.
"""

from __future__ import annotations

import numpy as np

from gossamer.kernels.csr import next_shared
from gossamer.kernels.jit import Int32s, Int64s, kernel
from gossamer.kernels.relation import Relation, first_shared
from gossamer.kernels.union_find import unite


@kernel
def count_shared_topics(relation: Relation, links: Int32s) -> Int32s:
    """Count the topics that the ends of each link share. O(s_u + s_v) a link."""
    topics, counts = relation.topics, np.zeros(len(links), dtype=np.int32)
    for link in range(len(links)):
        u, v = links[link]
        i, end_i, j, end_j = first_shared(relation, u, v)
        while i < end_i:
            counts[link] += 1
            i, j = next_shared(topics, i + 1, end_i, topics, j + 1, end_j)
    return counts


@kernel
def slot_degrees(relation: Relation, links: Int32s) -> Int64s:
    """Count, for each slot, the neighbours of its node that share its topic."""
    topics, slots = relation.topics, relation.slots
    degrees = np.zeros(len(slots), dtype=np.int64)
    for link in range(len(links)):
        u, v = links[link]
        i, end_i, j, end_j = first_shared(relation, u, v)
        while i < end_i:
            degrees[slots[i]] += 1
            degrees[slots[j]] += 1
            i, j = next_shared(topics, i + 1, end_i, topics, j + 1, end_j)
    return degrees


@kernel
def fill_topic_graphs(relation: Relation, links: Int32s, graph_offsets: Int64s) -> Int32s:
    """Return the neighbours of each slot, between its two offsets."""
    topics, slots = relation.topics, relation.slots
    neighbours = np.empty(graph_offsets[len(slots)], dtype=np.int32)
    free = graph_offsets[: len(slots)].copy()
    for link in range(len(links)):
        u, v = links[link]
        i, end_i, j, end_j = first_shared(relation, u, v)
        while i < end_i:
            base, one, other = relation.topic_offsets[topics[i]], slots[i], slots[j]
            neighbours[free[one]] = other - base
            neighbours[free[other]] = one - base
            free[one] += 1
            free[other] += 1
            i, j = next_shared(topics, i + 1, end_i, topics, j + 1, end_j)
    return neighbours


@kernel
def count_topic_components(relation: Relation, links: Int32s) -> Int64s:
    """Count the components of each topic: its subscribers less the links that merge two."""
    topics, slots = relation.topics, relation.slots
    components = relation.topic_offsets[1:] - relation.topic_offsets[:-1]
    parents = np.arange(len(slots))
    for link in range(len(links)):
        u, v = links[link]
        i, end_i, j, end_j = first_shared(relation, u, v)
        while i < end_i:
            components[topics[i]] -= unite(parents, slots[i], slots[j])
            i, j = next_shared(topics, i + 1, end_i, topics, j + 1, end_j)
    return components


@kernel
def count_graph_components(
    topic_offsets: Int64s, graph_offsets: Int64s, neighbours: Int32s
) -> Int64s:
    """Count the components of each topic in graphs that exist already."""
    components = topic_offsets[1:] - topic_offsets[:-1]
    parents = np.arange(len(graph_offsets) - 1)
    for topic in range(len(components)):
        base = topic_offsets[topic]
        for slot in range(base, topic_offsets[topic + 1]):
            for arc in range(graph_offsets[slot], graph_offsets[slot + 1]):
                components[topic] -= unite(parents, slot, base + neighbours[arc])
    return components


@kernel
def component_joins(node_count: int, topic_offsets: Int64s, topic_nodes: Int32s) -> int:
    """Return the size of a spanning forest of the graph of nodes that share a topic."""
    parents = np.arange(node_count)
    joins = 0
    for topic in range(len(topic_offsets) - 1):
        for slot in range(topic_offsets[topic] + 1, topic_offsets[topic + 1]):
            joins += unite(parents, topic_nodes[slot - 1], topic_nodes[slot])
    return joins
