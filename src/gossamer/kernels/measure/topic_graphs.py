"""The graph that an overlay induces on each topic's subscribers, all topics at once.

A subscription is a slot: its place in the topics' order. A link between two
nodes is, for each topic they share, an arc between two slots of that topic.
Only the building of these graphs and what union-find tells of them live here;
distances are measured in ``diameters``.
"""

from __future__ import annotations

import numpy as np

from gossamer.kernels.jit import Int32s, Int64s, kernel

__all__ = [
    "count_chained_joins",
    "count_graph_components",
    "count_shared_topics",
    "count_topic_components",
    "fill_topic_graphs",
    "slot_degrees",
]


@kernel
def next_shared(
    node_topics: Int32s, left: int, left_end: int, right: int, right_end: int
) -> tuple[int, int]:
    """Advance both sorted lists to their next common topic; ``left_end`` when there is none."""
    while left < left_end and right < right_end:
        if node_topics[left] < node_topics[right]:
            left += 1
        elif node_topics[left] > node_topics[right]:
            right += 1
        else:
            return left, right
    return left_end, right_end


@kernel
def count_shared_topics(node_offsets: Int64s, node_topics: Int32s, links: Int32s) -> Int32s:
    """Count the topics that the two ends of each link share."""
    counts = np.zeros(len(links), dtype=np.int32)
    for link in range(len(links)):
        left, left_end = node_offsets[links[link, 0]], node_offsets[links[link, 0] + 1]
        right, right_end = node_offsets[links[link, 1]], node_offsets[links[link, 1] + 1]
        shared = 0
        left, right = next_shared(node_topics, left, left_end, right, right_end)
        while left < left_end:
            shared += 1
            left, right = next_shared(node_topics, left + 1, left_end, right + 1, right_end)
        counts[link] = shared
    return counts


@kernel
def slot_degrees(node_offsets: Int64s, node_topics: Int32s, slots: Int32s, links: Int32s) -> Int64s:
    """Count, for each slot, the links of its node that share its topic."""
    degrees = np.zeros(len(slots), dtype=np.int64)
    for link in range(len(links)):
        left, left_end = node_offsets[links[link, 0]], node_offsets[links[link, 0] + 1]
        right, right_end = node_offsets[links[link, 1]], node_offsets[links[link, 1] + 1]
        left, right = next_shared(node_topics, left, left_end, right, right_end)
        while left < left_end:
            degrees[slots[left]] += 1
            degrees[slots[right]] += 1
            left, right = next_shared(node_topics, left + 1, left_end, right + 1, right_end)
    return degrees


@kernel
def fill_topic_graphs(
    node_offsets: Int64s,
    node_topics: Int32s,
    slots: Int32s,
    topic_offsets: Int64s,
    links: Int32s,
    graph_offsets: Int64s,
) -> Int32s:
    """Write each slot's neighbours, as places within the topic, between its two offsets."""
    neighbours = np.empty(graph_offsets[len(slots)], dtype=np.int32)
    free = graph_offsets[: len(slots)].copy()
    for link in range(len(links)):
        left, left_end = node_offsets[links[link, 0]], node_offsets[links[link, 0] + 1]
        right, right_end = node_offsets[links[link, 1]], node_offsets[links[link, 1] + 1]
        left, right = next_shared(node_topics, left, left_end, right, right_end)
        while left < left_end:
            base = topic_offsets[node_topics[left]]
            one, other = slots[left], slots[right]
            neighbours[free[one]] = other - base
            neighbours[free[other]] = one - base
            free[one] += 1
            free[other] += 1
            left, right = next_shared(node_topics, left + 1, left_end, right + 1, right_end)
    return neighbours


@kernel
def count_topic_components(
    node_offsets: Int64s, node_topics: Int32s, slots: Int32s, topic_offsets: Int64s, links: Int32s
) -> Int64s:
    """Count each topic's components: its subscribers less the links that join two of them."""
    topic_count = len(topic_offsets) - 1
    components = np.empty(topic_count, dtype=np.int64)
    for topic in range(topic_count):
        components[topic] = topic_offsets[topic + 1] - topic_offsets[topic]
    parents = np.arange(len(slots))
    for link in range(len(links)):
        left, left_end = node_offsets[links[link, 0]], node_offsets[links[link, 0] + 1]
        right, right_end = node_offsets[links[link, 1]], node_offsets[links[link, 1] + 1]
        left, right = next_shared(node_topics, left, left_end, right, right_end)
        while left < left_end:
            one, other = root_of(parents, slots[left]), root_of(parents, slots[right])
            if one != other:
                # Path halving alone keeps the cost of a find logarithmic, amortised.
                parents[max(one, other)] = min(one, other)
                components[node_topics[left]] -= 1
            left, right = next_shared(node_topics, left + 1, left_end, right + 1, right_end)
    return components


@kernel
def count_graph_components(
    topic_offsets: Int64s, graph_offsets: Int64s, neighbours: Int32s
) -> Int64s:
    """Count each topic's components in graphs that are built already."""
    topic_count = len(topic_offsets) - 1
    components = np.empty(topic_count, dtype=np.int64)
    parents = np.arange(len(graph_offsets) - 1)
    for topic in range(topic_count):
        base = topic_offsets[topic]
        components[topic] = topic_offsets[topic + 1] - base
        for slot in range(base, topic_offsets[topic + 1]):
            for arc in range(graph_offsets[slot], graph_offsets[slot + 1]):
                one, other = root_of(parents, slot), root_of(parents, base + neighbours[arc])
                if one != other:
                    parents[max(one, other)] = min(one, other)
                    components[topic] -= 1
    return components


@kernel
def root_of(parents: Int64s, slot: int) -> int:
    """Return the representative of a slot's component, halving the path to it."""
    while parents[slot] != slot:
        parents[slot] = parents[parents[slot]]
        slot = parents[slot]
    return slot


@kernel
def count_chained_joins(node_count: int, topic_offsets: Int64s, topic_nodes: Int32s) -> int:
    """Count the joins that connect all nodes which a chain of shared topics connects."""
    parents = np.arange(node_count)
    joins = 0
    for topic in range(len(topic_offsets) - 1):
        for slot in range(topic_offsets[topic] + 1, topic_offsets[topic + 1]):
            one, other = (
                root_of(parents, topic_nodes[slot - 1]),
                root_of(parents, topic_nodes[slot]),
            )
            if one != other:
                parents[max(one, other)] = min(one, other)
                joins += 1
    return joins
