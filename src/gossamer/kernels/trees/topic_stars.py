"""One star per topic (2D-ODA): topic densities, and the node of the highest.

A star changes only densities of the topic's subscribers. So the best topic of each node is stored
in a tournament over the nodes, and a star updates only its topic's subscribers.
"""

from __future__ import annotations

from typing import NamedTuple

from gossamer.kernels.csr import next_shared
from gossamer.kernels.jit import Bools, Int32s, Int64s, kernel
from gossamer.kernels.relation import Relation, first_shared


class Densities(NamedTuple):
    """The terms of topic densities.

    ``weights`` is Σ n_t over each node's remaining topics; ``linked``, by subscription, the number
    of the topic's other subscribers that the node is linked to.
    """

    remaining: Bools
    weights: Int64s
    linked: Int32s
    degrees: Int32s


class Tournament(NamedTuple):
    """A binary tree over the nodes, with the best at the root: ``winners[1]``, or -1.

    Node ``order[r]`` is leaf r, so ties go to the earlier one; ``best`` is the subscription of
    highest density of each node, or -1.
    """

    order: Int32s
    ranks: Int32s
    best: Int32s
    winners: Int32s


class AdjacencyLists(NamedTuple):
    """Neighbours of each node as linked lists: ``heads`` into ``next_entry`` and ``ends``."""

    heads: Int32s
    next_entry: Int32s
    ends: Int32s


@kernel
def _missing_links(p: int, relation: Relation, densities: Densities) -> int:
    """Return the number of the topic's other subscribers that the node is not linked to."""
    t = relation.topics[p]
    others = relation.topic_offsets[t + 1] - relation.topic_offsets[t] - 1
    return int(others - densities.linked[p])


@kernel
def _best_of(u: int, relation: Relation, densities: Densities) -> int:
    """Return the subscription of u of highest density: the one with the fewest missing links."""
    best, fewest = -1, 0
    for p in range(relation.node_offsets[u], relation.node_offsets[u + 1]):
        if densities.remaining[relation.topics[p]]:
            missing = _missing_links(p, relation, densities)
            if best < 0 or missing < fewest:
                best, fewest = p, missing
    return best


@kernel
def _beats(
    u: int, v: int, best: Int32s, relation: Relation, densities: Densities, by_degree: bool
) -> bool:
    """Return whether the density of u exceeds that of v, exactly; free stars come first."""
    if u < 0 or best[u] < 0:
        return False
    if v < 0 or best[v] < 0:
        return True
    mine, theirs = densities.weights[u], densities.weights[v]
    missing_mine = _missing_links(best[u], relation, densities)
    missing_theirs = _missing_links(best[v], relation, densities)
    ahead = mine * missing_theirs - theirs * missing_mine
    if missing_mine == 0 and missing_theirs == 0:
        ahead = mine - theirs
    if ahead != 0:
        return bool(ahead > 0)
    return bool(by_degree and densities.degrees[u] < densities.degrees[v])


@kernel
def refresh(
    nodes: Int32s, relation: Relation, densities: Densities, tournament: Tournament, by_degree: bool
) -> None:
    """Update the nodes given. O(s + log V) a node."""
    best, winners = tournament.best, tournament.winners
    leaves = len(winners) // 2
    for u in nodes:
        best[u] = _best_of(u, relation, densities)
    for u in nodes:
        at = (leaves + tournament.ranks[u]) // 2
        while at >= 1:
            left, right = winners[2 * at], winners[2 * at + 1]
            ahead = _beats(right, left, best, relation, densities, by_degree)
            winners[at] = right if ahead else left
            at //= 2


@kernel
def add_topic_star(
    hub: int,
    topic: int,
    used: int,
    relation: Relation,
    densities: Densities,
    neighbours: AdjacencyLists,
    mark: Int32s,
    members: Int32s,
) -> int:
    """Link the hub to all other subscribers of the topic; return the number of new links.

    ``used`` is the number of entries in the neighbour lists. O(hub's degree + n_t · s).
    """
    heads, next_entry, ends = neighbours.heads, neighbours.next_entry, neighbours.ends
    mark[hub] = 1
    at = heads[hub]
    while at >= 0:
        mark[ends[at]] = 1
        at = next_entry[at]
    count = 0
    for k in range(relation.topic_offsets[topic], relation.topic_offsets[topic + 1]):
        v = relation.nodes[k]
        if not mark[v]:
            members[count] = v
            count += 1
    mark[hub] = 0
    at = heads[hub]
    while at >= 0:
        mark[ends[at]] = 0
        at = next_entry[at]
    for k in range(count):
        v = members[k]
        ends[used], next_entry[used], heads[hub] = v, heads[hub], used
        ends[used + 1], next_entry[used + 1], heads[v] = hub, heads[v], used + 1
        used += 2
        densities.degrees[hub] += 1
        densities.degrees[v] += 1
        _note_link(hub, v, relation, densities.linked)
    return count


@kernel
def _note_link(u: int, v: int, relation: Relation, linked: Int32s) -> None:
    i, end_i, j, end_j = first_shared(relation, u, v)
    while i < end_i:
        linked[i] += 1
        linked[j] += 1
        i, j = next_shared(relation.topics, i + 1, end_i, relation.topics, j + 1, end_j)
