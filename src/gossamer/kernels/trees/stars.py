"""Stars: a hub linked to all nodes that share a remaining topic with it.

The constant-diameter algorithms select a hub by a score over the remaining topics, give it a
star, and strike its topics. Scores are made of three numbers per node: the weight (Σ n_t over its
remaining topics), the reach (the number of nodes that share one of them) and the subscription
size.
"""

from __future__ import annotations

from gossamer.kernels.jit import Bools, Floats, Int32s, Int64s, kernel
from gossamer.kernels.relation import Relation


@kernel
def initial_weights(relation: Relation, popularity: Int64s, weights: Int64s) -> None:
    """Write Σ n_t over the topics of each node. O(S)."""
    for v in range(len(relation.node_offsets) - 1):
        weights[v] = 0
        for p in range(relation.node_offsets[v], relation.node_offsets[v + 1]):
            weights[v] += popularity[relation.topics[p]]


@kernel
def best_star(
    scores: Floats, eligible: Bools, order: Int32s, degrees: Int32s, by_degree: bool
) -> int:
    """Return the eligible node of highest score, or -1; ties by degree, then by ``order``. O(V)."""
    best = -1
    for v in order:
        if not eligible[v]:
            continue
        if (
            best < 0
            or scores[v] > scores[best]
            or (by_degree and scores[v] == scores[best] and degrees[v] < degrees[best])
        ):
            best = v
    return best


@kernel
def star_links(
    hub: int, relation: Relation, remaining: Bools, mark: Int32s, members: Int32s
) -> int:
    """List the nodes that share a remaining topic with the hub; return their number.

    ``mark`` must not contain the hub; afterwards it does at each member.
    """
    count = 0
    mark[hub] = hub
    for p in range(relation.node_offsets[hub], relation.node_offsets[hub + 1]):
        t = relation.topics[p]
        if not remaining[t]:
            continue
        for k in range(relation.topic_offsets[t], relation.topic_offsets[t + 1]):
            v = relation.nodes[k]
            if mark[v] != hub:
                mark[v] = hub
                members[count] = v
                count += 1
    return count


@kernel
def recount_reach(
    stale: Bools,
    relation: Relation,
    remaining: Bools,
    reach: Int64s,
    mark: Int32s,
    members: Int32s,
) -> None:
    """Count, for each stale node, the other nodes that share a remaining topic with it.

    O(Σ of n_t over the stale nodes' remaining topics). ``stale`` is all False afterwards.
    """
    mark[:] = -1
    for u in range(len(stale)):
        if stale[u]:
            stale[u] = False
            reach[u] = star_links(u, relation, remaining, mark, members)


@kernel
def strike_topics(
    struck: Int32s,
    relation: Relation,
    popularity: Int64s,
    remaining: Bools,
    weights: Int64s,
    left: Int32s,
    stale: Bools,
) -> None:
    """Remove topics, and update weights and numbers of remaining topics. O(Σ n_t).

    The subscribers of the removed topics become stale.
    """
    for t in struck:
        remaining[t] = False
        for k in range(relation.topic_offsets[t], relation.topic_offsets[t + 1]):
            v = relation.nodes[k]
            weights[v] -= popularity[t]
            left[v] -= 1
            stale[v] = True
