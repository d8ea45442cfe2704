"""The tops of trees: the members near the centre, with the distance of all other members.

To attach the tree of a topic, only the reach of the attached member matters. So the members near
the centre represent the tree.
"""

from __future__ import annotations

from gossamer.kernels.jit import Int32s, kernel
from gossamer.kernels.merge.components import Components
from gossamer.kernels.relation import Relation
from gossamer.kernels.trees.shallow_trees import Trees, add_arcs, set_depths


@kernel
def lay_arcs(ones: Int32s, others: Int32s, trees: Trees) -> None:
    """Add arcs between pairs of subscriptions."""
    for k in range(len(ones)):
        add_arcs(ones[k], others[k], trees)


@kernel
def measure_reaches(relation: Relation, trees: Trees) -> None:
    """Set the reach of every member, where every topic is one tree. O(S).

    From the leaves up, the height of each subtree; from the root down, the longest path that leads
    over the parent.
    """
    queue, origins, steps, reaches = trees.queue, trees.origins, trees.steps, trees.reaches
    for t in range(len(relation.topic_offsets) - 1):
        first, last = relation.topic_offsets[t], relation.topic_offsets[t + 1]
        if first == last:
            continue
        count, done = 1, 0
        queue[0], origins[0] = relation.places[first], -1
        while done < count:
            at, before = queue[done], origins[done]
            reaches[at] = 0
            arc = trees.heads[at]
            while arc >= 0:
                other = trees.targets[arc]
                if other != before:
                    queue[count], origins[count] = other, at
                    count += 1
                arc = trees.next_arc[arc]
            done += 1
        for k in range(count - 1, 0, -1):
            above = origins[k]
            reaches[above] = max(reaches[above], reaches[queue[k]] + 1)
        # steps[k]: the longest path from the k-th over its parent.
        steps[0] = 0
        done, count = 0, 1
        while done < count:
            at, before = queue[done], origins[done]
            longest, second = steps[done], 0
            arc = trees.heads[at]
            while arc >= 0:
                other = trees.targets[arc]
                if other != before:
                    way = reaches[other] + 1
                    if way > longest:
                        longest, second = way, longest
                    else:
                        second = max(second, way)
                arc = trees.next_arc[arc]
            # Children are consecutive in the queue, in the order of arcs.
            arc = trees.heads[at]
            while arc >= 0:
                other = trees.targets[arc]
                if other != before:
                    way = reaches[other] + 1
                    steps[count] = 1 + (second if way == longest else longest)
                    count += 1
                arc = trees.next_arc[arc]
            reaches[at] = longest
            done += 1


@kernel
def find_tops(
    levels: int, relation: Relation, trees: Trees, members: Int32s, parents: Int32s
) -> int:
    """List, by topic, the members at most ``levels`` hops from the centre; return their number.

    O(S). Each topic must be one tree, with measured reaches. The centre comes first: the first
    subscriber of the smallest reach. ``parents`` holds the index of a member's parent in the list.
    """
    found = 0
    for t in range(len(relation.topic_offsets) - 1):
        centre = -1
        for k in range(relation.topic_offsets[t], relation.topic_offsets[t + 1]):
            p = relation.places[k]
            if centre < 0 or trees.reaches[p] < trees.reaches[centre]:
                centre = p
        if centre < 0:
            continue
        first, done = found, 0
        members[found], parents[found] = centre, -1
        trees.steps[0], trees.origins[0] = 0, -1
        found += 1
        while first + done < found:
            at, step, before = members[first + done], trees.steps[done], trees.origins[done]
            arc = trees.heads[at]
            while arc >= 0 and step < levels:
                other = trees.targets[arc]
                if other != before:
                    members[found], parents[found] = other, first + done
                    trees.steps[found - first], trees.origins[found - first] = step + 1, at
                    found += 1
                arc = trees.next_arc[arc]
            done += 1
    return found


@kernel
def set_tops(
    places: Int32s,
    parents: Int32s,
    sizes: Int32s,
    relation: Relation,
    components: Components,
    trees: Trees,
) -> None:
    """Replace single members by tops.

    The k-th listed member is subscription ``places[k]``, and its parent is the ``parents[k]``-th,
    which comes before it; -1 for a centre, whose tree has ``sizes[k]`` members, hidden ones
    included. O(S).
    """
    labels, ring = components.labels, components.ring
    for k in range(len(places)):
        p = places[k]
        if parents[k] < 0:
            components.sizes[p] = sizes[k]
            continue
        q = places[parents[k]]
        labels[p] = labels[q]
        ring[p], ring[q] = ring[q], ring[p]
        add_arcs(p, q, trees)
        components.parts[relation.topics[p]] -= 1


@kernel
def choose_top_roots(
    radius: int,
    caps: Int32s,
    loads: Int32s,
    relation: Relation,
    components: Components,
    trees: Trees,
) -> None:
    """Root the largest tree of every topic, or the first of them. O(S).

    Trees whose centre has reach radius - 1 can attach to the root only. So the root is the member,
    with reach within the radius, that would exceed its cap least if it took them all; then the one
    of smallest reach. ``loads`` are the degrees, to which the links of the roots are added.
    """
    labels, sizes = components.labels, components.sizes
    for t in range(len(relation.topic_offsets) - 1):
        first, last = relation.topic_offsets[t], relation.topic_offsets[t + 1]
        main, tall = -1, 0
        for k in range(first, last):
            p = relation.places[k]
            if labels[p] == p:
                tall += trees.reaches[p] >= radius - 1
                if main < 0 or sizes[p] > sizes[main]:
                    main = p
        if main < 0:
            continue
        tall -= trees.reaches[main] >= radius - 1
        root, owner, least = -1, -1, 0
        for k in range(first, last):
            p, v = relation.places[k], relation.nodes[k]
            if labels[p] == main and trees.reaches[p] <= radius:
                over = max(loads[v] + tall - caps[v], 0)
                if root < 0 or (over, trees.reaches[p]) < (least, trees.reaches[root]):
                    root, owner, least = p, v, over
        loads[owner] += tall
        set_depths(root, 0, trees)
