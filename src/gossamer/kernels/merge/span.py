"""Joining of the remaining components, once no link merges more than one.

From there on each link merges exactly one component, whatever the choice. So topics are
independent, the number of links is fixed, and no pairs are scanned: only the choice of the
members that carry the links is free.
"""

from __future__ import annotations

import numpy as np

from gossamer.kernels.jit import Int32s, Int64s, UInt64s, kernel
from gossamer.kernels.merge.components import Components, add_link
from gossamer.kernels.random import next_randbelow
from gossamer.kernels.relation import Relation


@kernel
def span_from_first(relation: Relation, components: Components, links: Int64s) -> int:
    """Take the pairs of each topic in lexicographic order. O(S).

    So the first subscriber is linked to every other component.
    """
    node_count, topic_offsets = len(relation.node_offsets) - 1, relation.topic_offsets
    nodes, places = relation.nodes, relation.places
    labels, parts = components.labels, components.parts
    count = 0
    for t in range(len(topic_offsets) - 1):
        first = topic_offsets[t]
        for k in range(first + 1, topic_offsets[t + 1]):
            if parts[t] <= 1:
                break
            if labels[places[k]] != labels[places[first]]:
                u, v = nodes[first], nodes[k]
                add_link(u, v, relation, components)
                links[count] = np.int64(u) * node_count + v
                count += 1
    return count


@kernel
def span_at_random(
    sequence: UInt64s, relation: Relation, components: Components, links: Int64s, loose: Int32s
) -> int:
    """Take, repeatedly, a uniform random pair among all that merge two components.

    One end is drawn from the members outside the largest component, the other from all; a pair with
    both ends outside would come up twice as often, so it is accepted half the time.
    """
    node_count, topic_offsets = len(relation.node_offsets) - 1, relation.topic_offsets
    nodes, places = relation.nodes, relation.places
    labels, parts = components.labels, components.parts
    count = 0
    for t in range(len(topic_offsets) - 1):
        first, size = topic_offsets[t], topic_offsets[t + 1] - topic_offsets[t]
        if parts[t] <= 1:
            continue
        anchor = places[first]
        for k in range(first, first + size):
            if components.sizes[labels[places[k]]] > components.sizes[labels[anchor]]:
                anchor = places[k]
        outside = 0
        for k in range(first, first + size):
            if labels[places[k]] != labels[anchor]:
                loose[outside] = k
                outside += 1
        while parts[t] > 1:
            draw = next_randbelow(sequence, outside)
            k = loose[draw]
            if labels[places[k]] == labels[anchor]:
                outside -= 1
                loose[draw] = loose[outside]
                continue
            other = first + next_randbelow(sequence, size)
            if labels[places[other]] == labels[places[k]]:
                continue
            if labels[places[other]] != labels[anchor] and next_randbelow(sequence, 2) == 0:
                continue
            u, v = nodes[min(k, other)], nodes[max(k, other)]
            add_link(u, v, relation, components)
            links[count] = np.int64(u) * node_count + v
            count += 1
    return count


@kernel
def span_under_degree(
    cap: int,
    most: int,
    sequence: UInt64s,
    relation: Relation,
    components: Components,
    links: Int64s,
    free: Int32s,
) -> int:
    """Add every link of contribution one whose ends both have degree below ``cap``. O(S).

    ``free`` is a queue of members of one component that may take a link. The next such member, from
    a random one on, either joins the queue (same component) or is linked to its head; so in the end
    at most one component of a topic has a member that may take a link. The queue keeps trees wide.
    At most ``most`` links are added. Assumes that no pair below the cap contributes two or more.
    """
    node_count, topic_offsets = len(relation.node_offsets) - 1, relation.topic_offsets
    nodes, places = relation.nodes, relation.places
    labels, parts = components.labels, components.parts
    count = 0
    for t in range(len(topic_offsets) - 1):
        if parts[t] <= 1:
            continue
        first, size = topic_offsets[t], topic_offsets[t + 1] - topic_offsets[t]
        turn = next_randbelow(sequence, size)
        head, tail = 0, 0
        for step in range(size):
            if parts[t] <= 1 or count == most:
                break
            k = first + (step + turn) % size
            if components.degrees[nodes[k]] >= cap:
                continue
            while head < tail and components.degrees[nodes[free[head]]] >= cap:
                head += 1
            if head == tail or labels[places[k]] == labels[places[free[head]]]:
                free[tail] = k
                tail += 1
                continue
            u, v = nodes[free[head]], nodes[k]
            add_link(u, v, relation, components)
            links[count] = np.int64(min(u, v)) * node_count + max(u, v)
            count += 1
            if components.degrees[v] < cap:
                free[tail] = k
                tail += 1
        if count == most:
            break
    return count
