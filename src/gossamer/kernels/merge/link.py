"""Adding links level by level: all pairs that merge ``level`` topics, then those below.

What a pair would merge only ever falls while links are added. So one pass over the
pairs whose bound is the level is exact: a pair is either still worth the level and
becomes a link, or its bound is lowered and it waits for a later pass. The order of
the pass is the tie-break.
"""

from __future__ import annotations

from gossamer.kernels.jit import Int32s, Int64s, kernel
from gossamer.kernels.merge.components import Components, add_link, contribution
from gossamer.kernels.relation import Relation

__all__ = ["link_by_degree", "link_in_order"]


@kernel
def link_in_order(
    level: int,
    cap: int,
    most: int,
    keys: Int64s,
    left: Int32s,
    relation: Relation,
    components: Components,
    links: Int64s,
) -> int:
    """Go through the pairs in the order given; return the number of links added.

    Pairs with an end of degree ``cap`` or more are passed over, and after ``most`` links
    it stops. ``left[k]`` becomes what pair k is still worth (0 for a link or a pair passed
    over; ``level`` for those not reached). O(s_u + s_v) a pair.
    """
    node_count, degrees = len(relation.node_offsets) - 1, components.degrees
    count = 0
    left[:] = level
    for k in range(len(keys)):
        if count == most:
            break
        u, v = keys[k] // node_count, keys[k] % node_count
        left[k] = 0
        if degrees[u] >= cap or degrees[v] >= cap:
            continue
        worth = contribution(u, v, relation, components.labels)
        if worth == level:
            add_link(u, v, relation, components)
            links[count] = keys[k]
            count += 1
        else:
            left[k] = worth
    return count


@kernel
def link_by_degree(
    level: int,
    cap: int,
    most: int,
    keys: Int64s,
    left: Int32s,
    relation: Relation,
    components: Components,
    links: Int64s,
    heads: Int32s,
    nexts: Int32s,
) -> int:
    """As ``link_in_order``, but among the pairs of a level the one of least degree first.

    A pair's degree is that of its busier end; it only ever rises, so a queue with one
    list a degree, ``heads`` and ``nexts``, is exact: a pair found in too low a list moves
    up. Pairs of the same degree come in the order given.
    """
    node_count, degrees = len(relation.node_offsets) - 1, components.degrees
    heads[:] = -1
    left[:] = level
    count = 0
    for k in range(len(keys) - 1, -1, -1):
        u, v = keys[k] // node_count, keys[k] % node_count
        degree = max(degrees[u], degrees[v])
        nexts[k] = heads[degree]
        heads[degree] = k
    for degree in range(min(cap, len(heads))):
        while heads[degree] >= 0 and count < most:
            k = heads[degree]
            heads[degree] = nexts[k]
            u, v = keys[k] // node_count, keys[k] % node_count
            now = max(degrees[u], degrees[v])
            if now > degree:
                nexts[k] = heads[now]
                heads[now] = k
                continue
            worth = contribution(u, v, relation, components.labels)
            if worth == level:
                left[k] = 0
                add_link(u, v, relation, components)
                links[count] = keys[k]
                count += 1
            else:
                left[k] = worth
    if count < most:
        for degree in range(cap, len(heads)):
            k = heads[degree]
            while k >= 0:
                left[k] = 0
                k = nexts[k]
    return count
