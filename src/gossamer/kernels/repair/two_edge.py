"""Choosing links that take away bridges: the best partner for a node, and which pairs to link.

A leaf is a block that one bridge holds (``bridges.find_blocks``); a link from it to another
block of its component covers it. What a link is worth is counted from the lists of the topics'
subscribers and of their uncovered leaves, so no pair of nodes is kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gossamer.kernels.csr import lower_bound
from gossamer.kernels.jit import Bools, Int32s, Int64s, kernel
from gossamer.kernels.relation import Relation

__all__ = [
    "Leaves",
    "Worth",
    "cover_leaves",
    "find_partners",
    "list_leaves",
    "look_again",
    "most_covered",
]

HIGH = 1 << 31
"""A tally's unit for what the other end has covered; below it, for what this end has."""
NEIGHBOUR = -(1 << 62)


class Leaves(NamedTuple):
    """Blocks and components by slot, and the leaves among the blocks that are to be covered.

    ``slots`` is where each subscription, in the nodes' order, stands in the topics' order.
    ``wanted`` says of a block's name whether it is a leaf that is not covered. Topic t's slots
    in such leaves are ``members[offsets[t] : offsets[t + 1]]``, ascending, and ``needs`` counts
    them by node.
    """

    slots: Int32s
    blocks: Int32s
    components: Int32s
    wanted: Bools
    offsets: Int64s
    members: Int32s
    needs: Int32s


class Worth(NamedTuple):
    """What covering leaves is worth: ``last`` for the last that a node has, ``other`` for others.

    With the last worth more, nodes are seen through one by one, and few are left with a leaf
    for which there is no good partner any more.
    """

    last: int
    other: int


@kernel
def list_leaves(topic_offsets: Int64s, topic_nodes: Int32s, leaves: Leaves) -> int:
    """List the slots that are in uncovered leaves, and count them by node; return how many."""
    leaves.needs[:] = 0
    count = 0
    for topic in range(len(topic_offsets) - 1):
        leaves.offsets[topic] = count
        for slot in range(topic_offsets[topic], topic_offsets[topic + 1]):
            if leaves.wanted[leaves.blocks[slot]]:
                leaves.members[count] = slot
                leaves.needs[topic_nodes[slot]] += 1
                count += 1
    leaves.offsets[len(topic_offsets) - 1] = count
    return count


@kernel
def worth_of(need: int, covered: int, worth: Worth) -> int:
    """Return what it is worth to cover so many of the leaves that a node needs covered."""
    if covered == 0:
        return 0
    if covered >= need:
        return worth.last + (need - 1) * worth.other
    return covered * worth.other


@kernel
def find_starts(
    node: int, relation: Relation, leaves: Leaves, starts: Int64s, leaf_starts: Int64s
) -> None:
    """Write where each topic's subscribers, and its leaves, from a node on begin."""
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
    """Tell whether a link would join no two components of a topic. O(s_u + s_v)."""
    p, p_end = relation.node_offsets[u], relation.node_offsets[u + 1]
    q, q_end = relation.node_offsets[v], relation.node_offsets[v + 1]
    while p < p_end and q < q_end:
        if relation.topics[p] < relation.topics[q]:
            p += 1
        elif relation.topics[p] > relation.topics[q]:
            q += 1
        else:
            if leaves.components[leaves.slots[p]] != leaves.components[leaves.slots[q]]:
                return False
            p += 1
            q += 1
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
    """Count what a link of u with each node before ``last`` would cover, from the starts on.

    In ``tally``, u's own leaves once and those of the other end ``HIGH`` times; the nodes whose
    count is not 0 are listed in ``row``, and their number is returned.
    """
    found = 0
    nodes, blocks, components = relation.nodes, leaves.blocks, leaves.components
    for p in range(relation.node_offsets[u], relation.node_offsets[u + 1]):
        topic, own = relation.topics[p], leaves.slots[p]
        block, component = blocks[own], components[own]
        if leaves.wanted[block]:
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
    firsts: Int32s,
    lasts: Int32s,
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
    """Write each row's best partner between two nodes, -1 where none is worth anything.

    Of equal worth, the one with the fewest links, then the first. Neighbours are none, and,
    unless ``joining``, neither is who is in another component of a topic that both want.
    O(topics) where the first of the two nodes is not that of the row before, and O(Σ over the
    row's topics of the subscribers and leaves between the two nodes).
    """
    tally = np.zeros(len(degrees), dtype=np.int64)
    row = np.empty(len(degrees), dtype=np.int32)
    starts, leaf_starts = relation.topic_offsets[:-1].copy(), leaves.offsets[:-1].copy()
    begun = 0
    for k in range(len(rows)):
        u = rows[k]
        if firsts[k] != begun:
            begun = firsts[k]
            find_starts(begun, relation, leaves, starts, leaf_starts)
        for arc in range(adjacency_offsets[u], adjacency_offsets[u + 1]):
            tally[adjacency[arc]] = NEIGHBOUR
        found = tally_partners(u, lasts[k], starts, leaf_starts, relation, leaves, tally, row)
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
def most_covered(
    relation: Relation,
    leaves: Leaves,
    adjacency_offsets: Int64s,
    adjacency: Int32s,
    most: Int64s,
) -> None:
    """Write how many of each node's leaves a single new link covers at most."""
    tally = np.zeros(len(most), dtype=np.int64)
    row = np.empty(len(most), dtype=np.int32)
    for u in range(len(most)):
        most[u] = 0
        if leaves.needs[u] == 0:
            continue
        for arc in range(adjacency_offsets[u], adjacency_offsets[u + 1]):
            tally[adjacency[arc]] = NEIGHBOUR
        found = tally_partners(
            u,
            len(most),
            relation.topic_offsets,
            leaves.offsets,
            relation,
            leaves,
            tally,
            row,
        )
        for place in range(found):
            most[u] = max(most[u], tally[row[place]] % HIGH)
            tally[row[place]] = 0
        for arc in range(adjacency_offsets[u], adjacency_offsets[u + 1]):
            tally[adjacency[arc]] = 0


@kernel
def next_covered(
    p: int, p_end: int, q: int, q_end: int, relation: Relation, leaves: Leaves
) -> tuple[int, int]:
    """Advance two nodes' lists to the next topic in which a link joins two blocks of a component.

    ``p_end`` when there is none.
    """
    while p < p_end and q < q_end:
        if relation.topics[p] < relation.topics[q]:
            p += 1
        elif relation.topics[p] > relation.topics[q]:
            q += 1
        else:
            one, other = leaves.slots[p], leaves.slots[q]
            if (
                leaves.blocks[one] != leaves.blocks[other]
                and leaves.components[one] == leaves.components[other]
            ):
                return p, q
            p += 1
            q += 1
    return p_end, q_end


@kernel
def link_worth(u: int, v: int, relation: Relation, leaves: Leaves, worth: Worth) -> int:
    """Return what a link of two nodes is worth now. O(s_u + s_v)."""
    ours, theirs = 0, 0
    p_end, q_end = relation.node_offsets[u + 1], relation.node_offsets[v + 1]
    p, q = relation.node_offsets[u], relation.node_offsets[v]
    p, q = next_covered(p, p_end, q, q_end, relation, leaves)
    while p < p_end:
        ours += leaves.wanted[leaves.blocks[leaves.slots[p]]]
        theirs += leaves.wanted[leaves.blocks[leaves.slots[q]]]
        p, q = next_covered(p + 1, p_end, q + 1, q_end, relation, leaves)
    return worth_of(leaves.needs[u], ours, worth) + worth_of(leaves.needs[v], theirs, worth)


@kernel
def cover(u: int, v: int, relation: Relation, leaves: Leaves) -> None:
    """Strike out the leaves that a link of two nodes covers. O(s_u + s_v)."""
    p_end, q_end = relation.node_offsets[u + 1], relation.node_offsets[v + 1]
    p, q = relation.node_offsets[u], relation.node_offsets[v]
    p, q = next_covered(p, p_end, q, q_end, relation, leaves)
    while p < p_end:
        here, there = leaves.blocks[leaves.slots[p]], leaves.blocks[leaves.slots[q]]
        leaves.needs[u] -= leaves.wanted[here]
        leaves.needs[v] -= leaves.wanted[there]
        leaves.wanted[here] = leaves.wanted[there] = False
        p, q = next_covered(p + 1, p_end, q + 1, q_end, relation, leaves)


@kernel
def look_again(
    rows: Int32s,
    partners: Int32s,
    scores: Int64s,
    relation: Relation,
    leaves: Leaves,
    worth: Worth,
) -> None:
    """Bring up to date what each row's partner is worth, and forget it where that has fallen."""
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
    """Link rows with their partners in this order, where it is worth ``least`` still.

    Nobody gets two links, so that degrees stay even. Returns how many links there are.
    O(s_u + s_v) a row.
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
