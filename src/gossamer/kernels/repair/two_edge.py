"""Choice of links that remove bridges: the best partner of each node, and the pairs to link.

A leaf is a block with one bridge (``bridges.find_blocks``); a link from it to another block of its
component covers it. The worth of a link follows from the lists of each topic's subscribers and
uncovered leaves, so no pairs of nodes are stored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gossamer.kernels.csr import lower_bound, next_shared
from gossamer.kernels.jit import Bools, Int32s, Int64s, kernel
from gossamer.kernels.relation import Relation

HIGH = 1 << 31
"""Unit in a tally for leaves of the other end; leaves of this end count 1."""
NEIGHBOUR = -(1 << 62)


class Leaves(NamedTuple):
    """Blocks and components by slot, and the uncovered leaves among the blocks.

    ``slots`` are the positions of subscriptions, in the order of nodes, in the order of topics.
    ``uncovered`` marks the blocks that are uncovered leaves. The slots of topic t in such leaves
    are ``members[offsets[t] : offsets[t + 1]]``, ascending, and ``needs`` is their number by node.
    """

    slots: Int32s
    blocks: Int32s
    components: Int32s
    uncovered: Bools
    offsets: Int64s
    members: Int32s
    needs: Int32s


class Worth(NamedTuple):
    """Worth of covering a leaf: ``last`` for the last one of a node, ``other`` for others.

    With a higher worth of the last leaf, nodes are completed one by one, and few remain with a leaf
    that has no good partner.
    """

    last: int
    other: int


@kernel
def list_leaves(topic_offsets: Int64s, topic_nodes: Int32s, leaves: Leaves) -> int:
    """List the slots in uncovered leaves and count them by node; return their number."""
    leaves.needs[:] = 0
    count = 0
    for topic in range(len(topic_offsets) - 1):
        leaves.offsets[topic] = count
        for slot in range(topic_offsets[topic], topic_offsets[topic + 1]):
            if leaves.uncovered[leaves.blocks[slot]]:
                leaves.members[count] = slot
                leaves.needs[topic_nodes[slot]] += 1
                count += 1
    leaves.offsets[len(topic_offsets) - 1] = count
    return count


@kernel
def worth_of(need: int, covered: int, worth: Worth) -> int:
    """Return the worth of covering ``covered`` of the ``need`` uncovered leaves of a node."""
    if covered == 0:
        return 0
    if covered >= need:
        return worth.last + (need - 1) * worth.other
    return covered * worth.other


@kernel
def find_starts(
    node: int, relation: Relation, leaves: Leaves, starts: Int64s, leaf_starts: Int64s
) -> None:
    """Find the first subscriber, and the first leaf, from a node on, in each topic."""
    for topic in range(len(starts)):
        begin, end = relation.topic_offsets[topic], relation.topic_offsets[topic + 1]
        starts[topic] = lower_bound(relation.nodes, node, begin, end)
        begin, end = leaves.offsets[topic], leaves.offsets[topic + 1]
        while begin < end:
            middle = (begin + end) // 2
            if relation.nodes[leaves.members[middle]] < node:
                begin = middle + 1
            else:
                end = middle
        leaf_starts[topic] = begin


@kernel
def may_link(u: int, v: int, relation: Relation, leaves: Leaves) -> bool:
    """Whether a link joins no two components of a topic. O(s_u + s_v)."""
    topics, offsets, slots = relation.topics, relation.node_offsets, leaves.slots
    p_end, q_end = offsets[u + 1], offsets[v + 1]
    p, q = next_shared(topics, offsets[u], p_end, topics, offsets[v], q_end)
    while p < p_end:
        if leaves.components[slots[p]] != leaves.components[slots[q]]:
            return False
        p, q = next_shared(topics, p + 1, p_end, topics, q + 1, q_end)
    return True


@kernel
def tally_partners(
    u: int,
    last: int,
    starts: Int64s,
    leaf_starts: Int64s,
    relation: Relation,
    leaves: Leaves,
    tally: Int64s,
    row: Int32s,
) -> int:
    """Count the leaves that a link of u covers, for each other end from the starts to ``last``.

    ``tally`` counts leaves of u once and those of the other end ``HIGH`` times. Nodes with a count
    are listed in ``row``; returns their number.
    """
    found = 0
    nodes, blocks, components = relation.nodes, leaves.blocks, leaves.components
    for p in range(relation.node_offsets[u], relation.node_offsets[u + 1]):
        topic, own = relation.topics[p], leaves.slots[p]
        block, component = blocks[own], components[own]
        if leaves.uncovered[block]:
            end = relation.topic_offsets[topic + 1]
            slot = starts[topic]
            while slot < end and nodes[slot] < last:
                if blocks[slot] != block and components[slot] == component:
                    v = nodes[slot]
                    if tally[v] == 0:
                        row[found] = v
                        found += 1
                    tally[v] += 1
                slot += 1
        end = leaves.offsets[topic + 1]
        k = leaf_starts[topic]
        while k < end:
            slot = leaves.members[k]
            v = nodes[slot]
            if v >= last:
                break
            if blocks[slot] != block and components[slot] == component:
                if tally[v] == 0:
                    row[found] = v
                    found += 1
                tally[v] += HIGH
            k += 1
    return found


@kernel
def find_partners(
    rows: Int32s,
    range_starts: Int32s,
    range_ends: Int32s,
    relation: Relation,
    leaves: Leaves,
    worth: Worth,
    joining: bool,
    adjacency_offsets: Int64s,
    adjacency: Int32s,
    degrees: Int32s,
    partners: Int32s,
    scores: Int64s,
) -> None:
    """Find the best partner of each row in a range of nodes; -1 if no link has a worth.

    Ties go to the lowest degree, then the lowest id. Neighbours are excluded, and, unless
    ``joining``, nodes in another component of a common topic. For each row, O(Σ over its topics of
    the subscribers and leaves in the range), and O(topics) if the range differs from that of the
    row before.
    """
    tally = np.zeros(len(degrees), dtype=np.int64)
    row = np.empty(len(degrees), dtype=np.int32)
    starts, leaf_starts = relation.topic_offsets[:-1].copy(), leaves.offsets[:-1].copy()
    begun = 0
    for k in range(len(rows)):
        u = rows[k]
        if range_starts[k] != begun:
            begun = range_starts[k]
            find_starts(begun, relation, leaves, starts, leaf_starts)
        for arc in range(adjacency_offsets[u], adjacency_offsets[u + 1]):
            tally[adjacency[arc]] = NEIGHBOUR
        found = tally_partners(u, range_ends[k], starts, leaf_starts, relation, leaves, tally, row)
        need = leaves.needs[u]
        best, partner = 0, -1
        for place in range(found):
            v = row[place]
            score = worth_of(need, tally[v] % HIGH, worth)
            score += worth_of(leaves.needs[v], tally[v] // HIGH, worth)
            tally[v] = 0
            if score < best or score == 0:
                continue
            if score == best and degrees[v] >= degrees[partner]:
                continue
            if joining or may_link(u, v, relation, leaves):
                best, partner = score, v
        for arc in range(adjacency_offsets[u], adjacency_offsets[u + 1]):
            tally[adjacency[arc]] = 0
        partners[u], scores[u] = partner, best


@kernel
def max_covered(
    relation: Relation,
    leaves: Leaves,
    adjacency_offsets: Int64s,
    adjacency: Int32s,
    most: Int64s,
) -> None:
    """Find the maximum number of leaves of each node that one new link covers."""
    tally = np.zeros(len(most), dtype=np.int64)
    row = np.empty(len(most), dtype=np.int32)
    for u in range(len(most)):
        most[u] = 0
        if leaves.needs[u] == 0:
            continue
        for arc in range(adjacency_offsets[u], adjacency_offsets[u + 1]):
            tally[adjacency[arc]] = NEIGHBOUR
        starts, leaf_starts = relation.topic_offsets, leaves.offsets
        found = tally_partners(u, len(most), starts, leaf_starts, relation, leaves, tally, row)
        for place in range(found):
            most[u] = max(most[u], tally[row[place]] % HIGH)
            tally[row[place]] = 0
        for arc in range(adjacency_offsets[u], adjacency_offsets[u + 1]):
            tally[adjacency[arc]] = 0


@kernel
def next_covered(
    p: int, p_end: int, q: int, q_end: int, relation: Relation, leaves: Leaves
) -> tuple[int, int]:
    """Advance two lists of topics to the next one in which a link joins blocks of a component.

    Returns ``p_end`` if there is none.
    """
    p, q = next_shared(relation.topics, p, p_end, relation.topics, q, q_end)
    while p < p_end:
        one, other = leaves.slots[p], leaves.slots[q]
        if (
            leaves.blocks[one] != leaves.blocks[other]
            and leaves.components[one] == leaves.components[other]
        ):
            return p, q
        p, q = next_shared(relation.topics, p + 1, p_end, relation.topics, q + 1, q_end)
    return p_end, q_end


@kernel
def link_worth(u: int, v: int, relation: Relation, leaves: Leaves, worth: Worth) -> int:
    """Return the worth of a link between two nodes. O(s_u + s_v)."""
    ours, theirs = 0, 0
    p_end, q_end = relation.node_offsets[u + 1], relation.node_offsets[v + 1]
    p, q = relation.node_offsets[u], relation.node_offsets[v]
    p, q = next_covered(p, p_end, q, q_end, relation, leaves)
    while p < p_end:
        ours += leaves.uncovered[leaves.blocks[leaves.slots[p]]]
        theirs += leaves.uncovered[leaves.blocks[leaves.slots[q]]]
        p, q = next_covered(p + 1, p_end, q + 1, q_end, relation, leaves)
    return worth_of(leaves.needs[u], ours, worth) + worth_of(leaves.needs[v], theirs, worth)


@kernel
def cover(u: int, v: int, relation: Relation, leaves: Leaves) -> None:
    """Mark the leaves that a link between two nodes covers. O(s_u + s_v)."""
    p_end, q_end = relation.node_offsets[u + 1], relation.node_offsets[v + 1]
    p, q = relation.node_offsets[u], relation.node_offsets[v]
    p, q = next_covered(p, p_end, q, q_end, relation, leaves)
    while p < p_end:
        here, there = leaves.blocks[leaves.slots[p]], leaves.blocks[leaves.slots[q]]
        leaves.needs[u] -= leaves.uncovered[here]
        leaves.needs[v] -= leaves.uncovered[there]
        leaves.uncovered[here] = leaves.uncovered[there] = False
        p, q = next_covered(p + 1, p_end, q + 1, q_end, relation, leaves)


@kernel
def update_partners(
    rows: Int32s,
    partners: Int32s,
    scores: Int64s,
    relation: Relation,
    leaves: Leaves,
    worth: Worth,
) -> None:
    """Update the worth of each row's partner, and drop a partner whose worth has fallen."""
    for u in rows:
        v = partners[u]
        if v >= 0:
            score = link_worth(u, v, relation, leaves, worth)
            if score < scores[u]:
                partners[u] = -1
            scores[u] = score


@kernel
def cover_leaves(
    rows: Int32s,
    least: int,
    partners: Int32s,
    relation: Relation,
    leaves: Leaves,
    worth: Worth,
    degrees: Int32s,
    links: Int32s,
) -> int:
    """Link rows with their partners in order, if the link is still worth ``least``.

    No node gets two links, so degrees stay even. Returns the number of links. O(s_u + s_v) per row.
    """
    count = 0
    taken = np.zeros(len(degrees), dtype=np.bool_)
    for u in rows:
        v = partners[u]
        if taken[u] or taken[v] or link_worth(u, v, relation, leaves, worth) < least:
            continue
        cover(u, v, relation, leaves)
        taken[u] = taken[v] = True
        degrees[u] += 1
        degrees[v] += 1
        links[count, 0], links[count, 1] = u, v
        count += 1
    return count
