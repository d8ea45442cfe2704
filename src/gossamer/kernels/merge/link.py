"""Links by levels: all pairs that merge ``level`` components, then those that merge fewer.

The contribution of a pair never rises while links are added. So one pass over the pairs with
this bound is exact: a pair either still contributes ``level`` and becomes a link, or its bound
falls and it waits for a later pass. The order of the pass is the tie-break.
"""

from __future__ import annotations

from gossamer.kernels.jit import Int32s, Int64s, kernel
from gossamer.kernels.merge.components import Components, add_link, contribution
from gossamer.kernels.relation import Relation


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
    """Link pairs in the order given; return the number of links added.

    Pairs with an end of degree ``cap`` or more are skipped, and the pass stops after ``most``
    links. ``left[k]`` receives the remaining contribution of pair k: 0 for a link or a skipped
    pair, ``level`` for pairs not reached. O(s_u + s_v) a pair.
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
    successors: Int32s,
) -> int:
    """As ``link_in_order``, but among the pairs of a level by ascending degree of the busier end.

    Degrees only rise, so a queue with one list per degree, ``heads`` and ``successors``, is exact:
    a pair in too low a list moves up. Pairs of equal degree keep the order given.
    """
    node_count, degrees = len(relation.node_offsets) - 1, components.degrees
    heads[:] = -1
    left[:] = level
    count = 0
    for k in range(len(keys) - 1, -1, -1):
        u, v = keys[k] // node_count, keys[k] % node_count
        degree = max(degrees[u], degrees[v])
        successors[k] = heads[degree]
        heads[degree] = k
    for degree in range(min(cap, len(heads))):
        while heads[degree] >= 0 and count < most:
            k = heads[degree]
            heads[degree] = successors[k]
            u, v = keys[k] // node_count, keys[k] % node_count
            now = max(degrees[u], degrees[v])
            if now > degree:
                successors[k] = heads[now]
                heads[now] = k
                continue
            worth = contribution(u, v, relation, components.labels)
            left[k] = 0 if worth == level else worth
            if worth == level:
                add_link(u, v, relation, components)
                links[count] = keys[k]
                count += 1
    if count < most:
        for degree in range(cap, len(heads)):
            k = heads[degree]
            while k >= 0:
                left[k] = 0
                k = successors[k]
    return count
