"""Topic components while links are added: the contribution of a link, and merging.

Each subscription has a label, in the order of nodes: two subscribers of a topic have the same
label exactly if links connect them within the topic. The members of a component form a ring
(``ring[p]`` is the next one), so a merge relabels only the smaller side: O(n log n) for a topic
of n subscribers over a whole run.
"""

from __future__ import annotations

from typing import NamedTuple

from gossamer.kernels.csr import next_shared
from gossamer.kernels.jit import Int32s, Int64s, kernel
from gossamer.kernels.relation import Relation, first_shared


class Components(NamedTuple):
    """The components of every topic, and the degrees of nodes, while links are added.

    ``labels`` and ``ring`` have an entry per subscription, in the order of nodes; ``sizes`` counts
    members by label, ``parts`` components by topic.
    """

    labels: Int32s
    ring: Int32s
    sizes: Int32s
    parts: Int32s
    degrees: Int32s


@kernel
def contribution(u: int, v: int, relation: Relation, labels: Int32s) -> int:
    """Return the number of components that a link (u, v) would merge. O(s_u + s_v)."""
    topics = relation.topics
    count = 0
    i, end_i, j, end_j = first_shared(relation, u, v)
    while i < end_i:
        if labels[i] != labels[j]:
            count += 1
        i, j = next_shared(topics, i + 1, end_i, topics, j + 1, end_j)
    return count


@kernel
def merge(p: int, q: int, components: Components) -> None:
    """Merge the components of the subscriptions p and q of one topic."""
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
    """Add link (u, v): merge components in every shared topic, and return the number of merges."""
    topics, labels = relation.topics, components.labels
    merged = 0
    i, end_i, j, end_j = first_shared(relation, u, v)
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
    """Write the present contribution of every pair into ``worth``; a key is u · V + v."""
    node_count = len(relation.node_offsets) - 1
    for k in range(len(keys)):
        u, v = keys[k] // node_count, keys[k] % node_count
        worth[k] = contribution(u, v, relation, labels)
