"""Choosing links one by one under a quota, or the best of a list for every topic."""

from __future__ import annotations

from gossamer.kernels.jit import Int32s, Int64s, UInt64s, kernel

__all__ = ["best_in_each_topic", "match_in_order"]


@kernel
def match_in_order(quota: int, keys: Int64s, node_count: int, degrees: Int32s) -> int:
    """Keep the pairs, in order, whose ends both have room; move them to the front. O(1) a pair."""
    count = 0
    for k in range(len(keys)):
        u, v = keys[k] // node_count, keys[k] % node_count
        if degrees[u] < quota and degrees[v] < quota:
            degrees[u] += 1
            degrees[v] += 1
            keys[count] = keys[k]
            count += 1
    return count


@kernel
def best_in_each_topic(
    first: int,
    last: int,
    node_offsets: Int64s,
    node_topics: Int32s,
    topic_offsets: Int64s,
    topic_nodes: Int32s,
    view_sizes: Int32s,
    priorities: UInt64s,
    shared: Int32s,
    view: Int32s,
    links: Int64s,
) -> int:
    """For nodes first to last, pick in each topic the subscribers with most topics in common.

    Ties go to the higher ``priorities[u] ^ priorities[v]``, the same in every topic. The
    links are written as keys, low end first; their number is returned. O(Σ over the nodes'
    topics of n_t · view) at worst, usually O(Σ n_t).
    """
    node_count = len(node_offsets) - 1
    count = 0
    for u in range(first, last):
        for p in range(node_offsets[u], node_offsets[u + 1]):
            t = node_topics[p]
            for k in range(topic_offsets[t], topic_offsets[t + 1]):
                shared[topic_nodes[k]] += 1
        for p in range(node_offsets[u], node_offsets[u + 1]):
            t = node_topics[p]
            room, filled = view_sizes[t], 0
            for k in range(topic_offsets[t], topic_offsets[t + 1]):
                v = topic_nodes[k]
                if v == u:
                    continue
                if filled == room and not _ahead(u, v, view[filled - 1], shared, priorities):
                    continue
                place = filled if filled < room else filled - 1
                while place > 0 and _ahead(u, v, view[place - 1], shared, priorities):
                    view[place] = view[place - 1]
                    place -= 1
                view[place] = v
                filled = min(filled + 1, room)
            for k in range(filled):
                v = view[k]
                links[count] = min(u, v) * node_count + max(u, v)
                count += 1
        for p in range(node_offsets[u], node_offsets[u + 1]):
            t = node_topics[p]
            for k in range(topic_offsets[t], topic_offsets[t + 1]):
                shared[topic_nodes[k]] = 0
    return count


@kernel
def _ahead(u: int, v: int, w: int, shared: Int32s, priorities: UInt64s) -> bool:
    if shared[v] != shared[w]:
        return bool(shared[v] > shared[w])
    return bool((priorities[u] ^ priorities[v]) > (priorities[u] ^ priorities[w]))
