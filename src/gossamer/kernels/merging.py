"""Topic components while links are added: what a link would merge, and merging it.

One label per subscription, in the nodes' order: two subscribers of a topic have
the same label exactly if links join them within the topic. A component's members
stand on a ring (``ring[p]`` is the next one), so that a merge relabels the smaller
side only: O(n log n) for a topic of n subscribers over a whole run.
"""

from __future__ import annotations

from gossamer.kernels.jit import Int32s, Int64s, kernel

__all__ = ["add_link", "contribution", "contributions", "merge"]


@kernel
def contribution(u: int, v: int, node_offsets: Int64s, node_topics: Int32s, labels: Int32s) -> int:
    """Count the topics that a link (u, v) would merge two components of. O(s_u + s_v)."""
    i, end_i = node_offsets[u], node_offsets[u + 1]
    j, end_j = node_offsets[v], node_offsets[v + 1]
    count = 0
    while i < end_i and j < end_j:
        a, b = node_topics[i], node_topics[j]
        if a < b:
            i += 1
        elif b < a:
            j += 1
        else:
            if labels[i] != labels[j]:
                count += 1
            i += 1
            j += 1
    return count


@kernel
def merge(p: int, q: int, labels: Int32s, ring: Int32s, sizes: Int32s) -> None:
    """Make one component of the two that subscriptions p and q of a topic are in."""
    if sizes[labels[p]] < sizes[labels[q]]:
        p, q = q, p
    kept, gone = labels[p], labels[q]
    sizes[kept] += sizes[gone]
    at = q
    while True:
        labels[at] = kept
        at = ring[at]
        if at == q:
            break
    ring[p], ring[q] = ring[q], ring[p]


@kernel
def add_link(
    u: int,
    v: int,
    node_offsets: Int64s,
    node_topics: Int32s,
    labels: Int32s,
    ring: Int32s,
    sizes: Int32s,
    parts: Int32s,
    degrees: Int32s,
) -> int:
    """Link u and v: merge their components in every shared topic, and return in how many."""
    i, end_i = node_offsets[u], node_offsets[u + 1]
    j, end_j = node_offsets[v], node_offsets[v + 1]
    merged = 0
    while i < end_i and j < end_j:
        a, b = node_topics[i], node_topics[j]
        if a < b:
            i += 1
        elif b < a:
            j += 1
        else:
            if labels[i] != labels[j]:
                merge(i, j, labels, ring, sizes)
                parts[a] -= 1
                merged += 1
            i += 1
            j += 1
    degrees[u] += 1
    degrees[v] += 1
    return merged


@kernel
def contributions(
    keys: Int64s, node_offsets: Int64s, node_topics: Int32s, labels: Int32s, worth: Int32s
) -> None:
    """Write what every pair would merge now into ``worth``; a key is u · V + v."""
    node_count = len(node_offsets) - 1
    for k in range(len(keys)):
        u, v = keys[k] // node_count, keys[k] % node_count
        worth[k] = contribution(u, v, node_offsets, node_topics, labels)
