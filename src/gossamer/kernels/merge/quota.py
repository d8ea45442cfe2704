"""Selection of links under a quota, and of the most similar subscribers of every topic."""

from __future__ import annotations

import numpy as np

from gossamer.kernels.csr import lower_bound
from gossamer.kernels.jit import Int32s, Int64s, UInt64s, kernel
from gossamer.kernels.merge.scan import RowScratch
from gossamer.kernels.random import next_randbelow
from gossamer.kernels.relation import Relation


@kernel
def list_unfilled(
    quota: int, relation: Relation, degrees: Int32s, offsets: Int64s, nodes: Int32s
) -> None:
    """List the subscribers of each topic with fewer than ``quota`` links, ascending. O(S)."""
    count = 0
    for t in range(len(relation.topic_offsets) - 1):
        offsets[t] = count
        for k in range(relation.topic_offsets[t], relation.topic_offsets[t + 1]):
            if degrees[relation.nodes[k]] < quota:
                nodes[count] = relation.nodes[k]
                count += 1
    offsets[len(relation.topic_offsets) - 1] = count


@kernel
def sample_ties(
    level: int,
    most: int,
    quota: int,
    sequence: UInt64s,
    relation: Relation,
    offsets: Int64s,
    nodes: Int32s,
    ceilings: Int32s,
    degrees: Int32s,
    scratch: RowScratch,
    keys: Int64s,
) -> int:
    """List pairs that share exactly ``level`` topics, at most ``most`` of a node with later ones.

    If there are more, a uniform sample. ``ceilings[u]`` bounds what u shares with a later node;
    when all of its pairs are listed it becomes the highest count below the level, so that u is
    visited next at that level. The tally is all 0 before and after. Returns the number of pairs.
    O(Σ over the nodes' topics of unfilled members).
    """
    node_count = len(relation.node_offsets) - 1
    tally, touched = scratch.tally, scratch.row
    count = 0
    for u in range(node_count):
        if degrees[u] >= quota or ceilings[u] < level:
            continue
        met = 0
        for p in range(relation.node_offsets[u], relation.node_offsets[u + 1]):
            t = relation.topics[p]
            for k in range(lower_bound(nodes, u + 1, offsets[t], offsets[t + 1]), offsets[t + 1]):
                v = nodes[k]
                if tally[v] == 0:
                    touched[met] = v
                    met += 1
                tally[v] += 1
        below, ties = 0, 0
        for k in range(met):
            v = touched[k]
            if tally[v] == level:
                ties += 1
                place = ties - 1
                if ties > most:
                    place = int(np.int64(next_randbelow(sequence, ties)))
                if place < most:
                    keys[count + place] = u * node_count + v
            elif tally[v] < level:
                below = max(below, tally[v])
            tally[v] = 0
        count += min(ties, most)
        if ties <= most:
            ceilings[u] = below
    return count


@kernel
def match_in_order(quota: int, keys: Int64s, node_count: int, degrees: Int32s) -> int:
    """Keep the pairs, in order, whose ends are both below the quota; return their number."""
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
    relation: Relation,
    view_sizes: Int32s,
    priorities: UInt64s,
    shared: Int32s,
    view: Int32s,
    links: Int64s,
) -> int:
    """Write, for nodes first to last, the subscribers of each topic that share most topics.

    Ties go to the higher ``priorities[u] ^ priorities[v]``, the same in every topic. Links are
    written as keys, low end first; returns their number. O(Σ over the nodes' topics of n_t · view)
    at worst, usually O(Σ n_t).
    """
    node_count = len(relation.node_offsets) - 1
    count = 0
    for u in range(first, last):
        for p in range(relation.node_offsets[u], relation.node_offsets[u + 1]):
            t = relation.topics[p]
            for k in range(relation.topic_offsets[t], relation.topic_offsets[t + 1]):
                shared[relation.nodes[k]] += 1
        for p in range(relation.node_offsets[u], relation.node_offsets[u + 1]):
            t = relation.topics[p]
            size, filled = view_sizes[t], 0
            for k in range(relation.topic_offsets[t], relation.topic_offsets[t + 1]):
                v = relation.nodes[k]
                if v == u:
                    continue
                if filled == size and not _ahead(u, v, view[filled - 1], shared, priorities):
                    continue
                place = filled if filled < size else filled - 1
                while place > 0 and _ahead(u, v, view[place - 1], shared, priorities):
                    view[place] = view[place - 1]
                    place -= 1
                view[place] = v
                filled = min(filled + 1, size)
            for k in range(filled):
                v = view[k]
                links[count] = min(u, v) * node_count + max(u, v)
                count += 1
        for p in range(relation.node_offsets[u], relation.node_offsets[u + 1]):
            t = relation.topics[p]
            for k in range(relation.topic_offsets[t], relation.topic_offsets[t + 1]):
                shared[relation.nodes[k]] = 0
    return count


@kernel
def _ahead(u: int, v: int, w: int, shared: Int32s, priorities: UInt64s) -> bool:
    if shared[v] != shared[w]:
        return bool(shared[v] > shared[w])
    return bool((priorities[u] ^ priorities[v]) > (priorities[u] ^ priorities[w]))
