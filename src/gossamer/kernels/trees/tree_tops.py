"""The tops of trees: each tree's members near its centre, and how far everybody else is.

A topic's whole tree need not be known to hang it somewhere: what matters is the reach of
the member that it hangs by. So the members near the centre stand for a tree.
"""

from __future__ import annotations

from gossamer.kernels.jit import Int32s, kernel
from gossamer.kernels.merge.components import Components
from gossamer.kernels.relation import Relation
from gossamer.kernels.trees.shallow_trees import Trees, add_arcs, hang

__all__ = ["choose_top_roots", "find_tops", "lay_arcs", "measure_reaches", "set_tops"]


@kernel
def lay_arcs(ones: Int32s, others: Int32s, trees: Trees) -> None:
    """Lay arcs between pairs of subscriptions."""
    for k in range(len(ones)):
        add_arcs(ones[k], others[k], trees)


@kernel
def measure_reaches(relation: Relation, trees: Trees) -> None:
    """Set the reach of everybody, every topic being one tree. O(S).

    From the leaves up, a member learns how far down its subtree goes; from the root down, the
    longest way out that leads over its parent.
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
                arc = trees.nexts[arc]
            done += 1
        for k in range(count - 1, 0, -1):
            above = origins[k]
            reaches[above] = max(reaches[above], reaches[queue[k]] + 1)
        # steps[k]: the longest way out of the k-th that leads over its parent.
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
                arc = trees.nexts[arc]
            # The children follow each other in the queue, in the order of the arcs.
            arc = trees.heads[at]
            while arc >= 0:
                other = trees.targets[arc]
                if other != before:
                    way = reaches[other] + 1
                    steps[count] = 1 + (second if way == longest else longest)
                    count += 1
                arc = trees.nexts[arc]
            reaches[at] = longest
            done += 1


@kernel
def find_tops(
    levels: int, relation: Relation, trees: Trees, members: Int32s, parents: Int32s
) -> int:
    """List, by topic, the members at most so many hops from the centre; return how many. O(S).

    Each topic must be one tree, with reaches as measured. The centre comes first, the first
    subscriber of the least reach; ``parents`` tells where a member's parent stands in the list.
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
                arc = trees.nexts[arc]
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
    """Put tops in the place of single members.

    The k-th listed member is subscription ``places[k]`` and hangs from the ``parents[k]``-th,
    which comes before it; that of a centre is -1, and its tree has ``sizes[k]`` members, those
    not listed too. O(S).
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
    """Give the largest tree of every topic, or the first of them, a root. O(S).

    Trees whose centre reaches radius - 1 can hang from the root only. So the root is the
    member, with nobody further than the radius, that would come least over its cap if it took
    them all; then one of the least reach. ``loads`` are the degrees; what roots will
    take is added.
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
        hang(root, 0, trees)
