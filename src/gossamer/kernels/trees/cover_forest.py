"""Placement of nodes one after the other, each under few parents that cover its topics.

Every topic is a rooted tree: its first placed subscriber is the root, and each later one attaches
to a placed one. A node with the same parent in many topics needs few links.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gossamer.kernels.jit import Int32s, Int64s, kernel
from gossamer.kernels.relation import Relation

WHOLE = 1 << 24
"""Weight of a topic, divided by the number of its open members."""


class CoverState(NamedTuple):
    """The trees so far.

    ``depths`` has an entry per subscription, in the order of nodes, -1 for nodes not placed. The
    open members of topic t, those that may take a child, are the ``opened[t]`` entries of
    ``members`` from ``topic_offsets[t]`` on. ``tally``, ``met`` and ``waiting`` are scratch, by
    node and by topic of one node.
    """

    depths: Int32s
    degrees: Int32s
    opened: Int64s
    members: Int32s
    tally: Int64s
    met: Int32s
    waiting: Int32s


@kernel
def _best_parent(count: int, relation: Relation, forest: CoverState) -> int:
    """Return the open node that covers most waiting topics, weighted by scarcity; -1 if none.

    Ties go to the lowest degree, then to the first.
    """
    met = 0
    for k in range(count):
        t = relation.topics[forest.waiting[k]]
        first = relation.topic_offsets[t]
        worth = WHOLE // max(forest.opened[t], 1)
        for at in range(first, first + forest.opened[t]):
            w = forest.members[at]
            if forest.tally[w] == 0:
                forest.met[met] = w
                met += 1
            forest.tally[w] += worth
    best = -1
    for k in range(met):
        w = forest.met[k]
        ahead = 1 if best < 0 else forest.tally[w] - forest.tally[best]
        if ahead == 0:
            ahead = forest.degrees[best] - forest.degrees[w]
        if ahead == 0:
            ahead = best - w
        if ahead > 0:
            best = w
    for k in range(met):
        forest.tally[forest.met[k]] = 0
    return best


@kernel
def _close(v: int, radius: int, relation: Relation, forest: CoverState) -> None:
    """Remove a node from the lists of open members. O(Σ over its topics of open members)."""
    for p in range(relation.node_offsets[v], relation.node_offsets[v + 1]):
        if not 0 <= forest.depths[p] < radius:
            continue
        t = relation.topics[p]
        at, last = relation.topic_offsets[t], relation.topic_offsets[t] + forest.opened[t] - 1
        while at <= last and forest.members[at] != v:
            at += 1
        if at <= last:
            forest.members[at] = forest.members[last]
            forest.opened[t] -= 1


@kernel
def _least_busy(p: int, radius: int, relation: Relation, forest: CoverState) -> int:
    """Return the placed subscriber of lowest degree to which subscription p can attach."""
    t, best = relation.topics[p], -1
    for k in range(relation.topic_offsets[t], relation.topic_offsets[t + 1]):
        w, depth = relation.nodes[k], forest.depths[relation.places[k]]
        if 0 <= depth < radius and (best < 0 or forest.degrees[w] < forest.degrees[best]):
            best = w
    return best


@kernel
def _attach(count: int, parent: int, radius: int, relation: Relation, forest: CoverState) -> int:
    """Attach waiting subscriptions to a parent where possible; return how many still wait."""
    i, end = relation.node_offsets[parent], relation.node_offsets[parent + 1]
    left = 0
    for k in range(count):
        p = forest.waiting[k]
        while i < end and relation.topics[i] < relation.topics[p]:
            i += 1
        shared = i < end and relation.topics[i] == relation.topics[p]
        if shared and 0 <= forest.depths[i] < radius:
            forest.depths[p] = forest.depths[i] + 1
        else:
            forest.waiting[left] = p
            left += 1
    return left


@kernel
def place_nodes(
    nodes: Int64s,
    radius: int,
    caps: Int32s,
    roots: Int32s,
    relation: Relation,
    forest: CoverState,
    links: Int64s,
) -> int:
    """Place nodes in the order given; return the number of links.

    A node takes parents, one after the other, until they cover all its topics that have a root; in
    the others it becomes the root (``roots[t]``, -1 before). If all possible parents are at their
    caps, the one of lowest degree takes a link. O(Σ over the node's topics of open members) a
    parent.
    """
    node_count = len(relation.node_offsets) - 1
    count = 0
    for v in nodes:
        first, last = relation.node_offsets[v], relation.node_offsets[v + 1]
        waiting = 0
        for p in range(first, last):
            if roots[relation.topics[p]] < 0:
                roots[relation.topics[p]] = v
                forest.depths[p] = 0
            else:
                forest.waiting[waiting] = p
                waiting += 1
        while waiting > 0:
            parent = _best_parent(waiting, relation, forest)
            if parent < 0:
                parent = _least_busy(forest.waiting[0], radius, relation, forest)
            waiting = _attach(waiting, parent, radius, relation, forest)
            forest.degrees[v] += 1
            forest.degrees[parent] += 1
            if forest.degrees[parent] == caps[parent]:
                _close(parent, radius, relation, forest)
            links[count] = np.int64(min(v, parent)) * node_count + max(v, parent)
            count += 1
        for p in range(first, last):
            if forest.depths[p] < radius and forest.degrees[v] < caps[v]:
                t = relation.topics[p]
                at = relation.topic_offsets[t] + forest.opened[t]
                forest.members[at] = v
                forest.opened[t] += 1
    return count
