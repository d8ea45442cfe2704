"""Topic components while links are added: what a link would merge, and merging it.

One label per subscription, in the nodes' order: two subscribers of a topic have
the same label exactly if links join them within the topic. A component's members
stand on a ring (``ring[p]`` is the next one), so that a merge relabels the smaller
side only: O(n log n) for a topic of n subscribers over a whole run.
"""

from __future__ import annotations

from typing import NamedTuple

from gossamer.kernels.csr import next_shared
from gossamer.kernels.jit import Int32s, Int64s, kernel
from gossamer.kernels.relation import Relation

__all__ = ["Components", "add_link", "contribution", "contributions", "merge"]


class Components(NamedTuple):
    """The components of every topic, and the degrees, while links are added.

    ``labels`` and ``ring`` have an entry a subscription, in the nodes' order; ``sizes`` is
    the number of members by label, ``parts`` the number of components by topic.
    """

    labels: Int32s
    ring: Int32s
    sizes: Int32s
    parts: Int32s
    degrees: Int32s


@kernel
def contribution(u: int, v: int, relation: Relation, labels: Int32s) -> int:
    """Count the topics that a link (u, v) would merge two components of. O(s_u + s_v)."""
    topics = relation.topics
    i, end_i = relation.node_offsets[u], relation.node_offsets[u + 1]
    j, end_j = relation.node_offsets[v], relation.node_offsets[v + 1]
    count = 0
    i, j = next_shared(topics, i, end_i, topics, j, end_j)
    while i < end_i:
        if labels[i] != labels[j]:
            count += 1
        i, j = next_shared(topics, i + 1, end_i, topics, j + 1, end_j)
    return count


@kernel
def merge(p: int, q: int, components: Components) -> None:
    """Make one component of the two that subscriptions p and q of a topic are in."""
    labels, ring, sizes = components.labels, components.ring, components.sizes
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
def add_link(u: int, v: int, relation: Relation, components: Components) -> int:
    """Link u and v: merge their components in every shared topic, and return in how many."""
    topics, labels = relation.topics, components.labels
    i, end_i = relation.node_offsets[u], relation.node_offsets[u + 1]
    j, end_j = relation.node_offsets[v], relation.node_offsets[v + 1]
    merged = 0
    i, j = next_shared(topics, i, end_i, topics, j, end_j)
    while i < end_i:
        if labels[i] != labels[j]:
            merge(i, j, components)
            components.parts[topics[i]] -= 1
            merged += 1
        i, j = next_shared(topics, i + 1, end_i, topics, j + 1, end_j)
    components.degrees[u] += 1
    components.degrees[v] += 1
    return merged


@kernel
def contributions(keys: Int64s, relation: Relation, labels: Int32s, worth: Int32s) -> None:
    """Write what every pair would merge now into ``worth``; a key is u · V + v."""
    node_count = len(relation.node_offsets) - 1
    for k in range(len(keys)):
        u, v = keys[k] // node_count, keys[k] % node_count
        worth[k] = contribution(u, v, relation, labels)
