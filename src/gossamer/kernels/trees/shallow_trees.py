"""Shallow trees of topics while they are joined: reaches of loose trees, depths of rooted ones.

The components of a topic are trees of the links that joined them. A member of a *loose* tree has a
**reach**: the distance to its farthest member. A member of the *rooted* tree of its topic has a
**depth** below the root; the depth of other members is -1. Members are given by their
subscriptions.
"""

from __future__ import annotations

from typing import NamedTuple

from gossamer.kernels.csr import next_shared
from gossamer.kernels.jit import Int32s, Int64s, kernel
from gossamer.kernels.merge.components import Components, merge
from gossamer.kernels.relation import Relation, first_shared


class Trees(NamedTuple):
    """The trees of all topics.

    ``heads[p]`` is the first arc of p, or -1; arc a leads to ``targets[a]``, and ``next_arc[a]`` is
    the next arc of the same member. ``used[0]`` is the number of arcs. ``queue``, ``steps`` and
    ``origins`` are scratch, by member of one topic.
    """

    heads: Int32s
    next_arc: Int32s
    targets: Int32s
    used: Int64s
    reaches: Int32s
    depths: Int32s
    queue: Int32s
    steps: Int32s
    origins: Int32s


class Limits(NamedTuple):
    """Maximum diameter of loose trees, and maximum radius of rooted ones."""

    diameter: int
    radius: int


@kernel
def fits(p: int, q: int, limits: Limits, labels: Int32s, trees: Trees) -> bool:
    """Return whether a link between p and q would join two trees within the limits. O(1).

    Two loose trees: if the path between their farthest members over the link is within the
    diameter. A loose and the rooted tree: if the farthest member of the former comes within the
    radius.
    """
    depth, other = trees.depths[p], trees.depths[q]
    if depth >= 0:
        return other < 0 and bool(depth + 1 + trees.reaches[q] <= limits.radius)
    if other >= 0:
        return bool(other + 1 + trees.reaches[p] <= limits.radius)
    differ = bool(labels[p] != labels[q])
    return differ and bool(trees.reaches[p] + 1 + trees.reaches[q] <= limits.diameter)


@kernel
def lengthen(start: int, far: int, trees: Trees) -> None:
    """Update the reaches of a tree, as if a path of ``far`` hops were attached to ``start``.

    A member at distance d from the start then reaches d + far, if that is more than before. Away
    from the start, d grows by one a hop and the reach changes by at most one, so once a member
    gains, all behind it do; and the reach grows by one a hop except towards the centre of the tree,
    where it falls (or, between two centres, stays). So a walk from the start towards the centre
    suffices: at the first member that gains, all behind it are updated; if the centre does not
    gain, no member does. O(members that gain, and arcs on the way to the centre). A reach only
    rises, up to the limit L, so all updates of a run cost O(S · L).
    """
    at, before, distance = start, -1, 0
    while distance + far <= trees.reaches[at]:
        arc, inward = trees.heads[at], -1
        while arc >= 0:
            other = trees.targets[arc]
            if other != before and trees.reaches[other] <= trees.reaches[at]:
                inward = other
                break
            arc = trees.next_arc[arc]
        if inward < 0:
            return
        before, at = at, inward
        distance += 1
    trees.queue[0], trees.steps[0], trees.origins[0] = at, distance, before
    count, done = 1, 0
    while done < count:
        at, distance, before = trees.queue[done], trees.steps[done], trees.origins[done]
        done += 1
        trees.reaches[at] = distance + far
        arc = trees.heads[at]
        while arc >= 0:
            other = trees.targets[arc]
            if other != before:
                trees.queue[count], trees.steps[count] = other, distance + 1
                trees.origins[count] = at
                count += 1
            arc = trees.next_arc[arc]


@kernel
def set_depths(start: int, depth: int, trees: Trees) -> None:
    """Set the depths of a loose tree, whose member ``start`` gets the depth given. O(members)."""
    trees.queue[0], trees.origins[0] = start, -1
    trees.depths[start] = depth
    count, done = 1, 0
    while done < count:
        at, before = trees.queue[done], trees.origins[done]
        done += 1
        arc = trees.heads[at]
        while arc >= 0:
            other = trees.targets[arc]
            if other != before:
                trees.depths[other] = trees.depths[at] + 1
                trees.queue[count], trees.origins[count] = other, at
                count += 1
            arc = trees.next_arc[arc]


@kernel
def add_arcs(p: int, q: int, trees: Trees) -> None:
    """Add arcs from p to q and back."""
    arc = trees.used[0]
    trees.targets[arc], trees.next_arc[arc], trees.heads[p] = q, trees.heads[p], arc
    trees.targets[arc + 1], trees.next_arc[arc + 1], trees.heads[q] = p, trees.heads[q], arc + 1
    trees.used[0] = arc + 2


@kernel
def join(p: int, q: int, components: Components, trees: Trees) -> None:
    """Join the trees of p and q by a link between them; they must fit."""
    if trees.depths[p] >= 0:
        set_depths(q, trees.depths[p] + 1, trees)
    elif trees.depths[q] >= 0:
        set_depths(p, trees.depths[q] + 1, trees)
    else:
        reach, other = trees.reaches[p], trees.reaches[q]
        lengthen(p, 1 + other, trees)
        lengthen(q, 1 + reach, trees)
    add_arcs(p, q, trees)
    merge(p, q, components)


@kernel
def link_worth(
    u: int, v: int, limits: Limits, relation: Relation, labels: Int32s, trees: Trees
) -> int:
    """Return the number of topics in which a link (u, v) would join two trees. O(s_u + s_v)."""
    topics = relation.topics
    count = 0
    i, end_i, j, end_j = first_shared(relation, u, v)
    while i < end_i:
        if fits(i, j, limits, labels, trees):
            count += 1
        i, j = next_shared(topics, i + 1, end_i, topics, j + 1, end_j)
    return count


@kernel
def keeps_reserve(
    u: int, v: int, free: int, limits: Limits, relation: Relation, labels: Int32s, trees: Trees
) -> bool:
    """Return whether u must reserve its ``free`` remaining links instead of a link to v.

    A link is reserved for each topic in which u is still alone: once no more links remain, u
    accepts only links that join it to a tree in one of these topics. O(s_u + s_v).
    """
    topics = relation.topics
    i, end_i = relation.node_offsets[u], relation.node_offsets[u + 1]
    alone = 0
    for p in range(i, end_i):
        if trees.depths[p] < 0 and trees.reaches[p] == 0:
            alone += 1
    if alone < free:
        return False
    j, end_j = relation.node_offsets[v], relation.node_offsets[v + 1]
    i, j = next_shared(topics, i, end_i, topics, j, end_j)
    while i < end_i:
        is_alone = trees.depths[i] < 0 and trees.reaches[i] == 0
        if is_alone and fits(i, j, limits, labels, trees):
            return False
        i, j = next_shared(topics, i + 1, end_i, topics, j + 1, end_j)
    return True


@kernel
def add_tree_link(
    u: int, v: int, limits: Limits, relation: Relation, components: Components, trees: Trees
) -> None:
    """Add link (u, v), and join the trees of every topic in which they fit."""
    topics = relation.topics
    i, end_i, j, end_j = first_shared(relation, u, v)
    while i < end_i:
        if fits(i, j, limits, components.labels, trees):
            join(i, j, components, trees)
            components.parts[topics[i]] -= 1
        i, j = next_shared(topics, i + 1, end_i, topics, j + 1, end_j)
    components.degrees[u] += 1
    components.degrees[v] += 1


@kernel
def choose_roots(relation: Relation, components: Components, trees: Trees) -> None:
    """Root the largest tree of every topic at its centre. O(S).

    Ties go to the tree with the member of most subscriptions, then to the first tree; of two
    centres the first.
    """
    labels, sizes, offsets = components.labels, components.sizes, relation.node_offsets
    for t in range(len(relation.topic_offsets) - 1):
        first, last = relation.topic_offsets[t], relation.topic_offsets[t + 1]
        chosen, busiest = -1, 0
        for k in range(first, last):
            p, v = relation.places[k], relation.nodes[k]
            busy = offsets[v + 1] - offsets[v]
            larger = 0 if chosen < 0 else sizes[labels[p]] - sizes[labels[chosen]]
            if chosen < 0 or larger > 0 or (larger == 0 and busy > busiest):
                chosen, busiest = p, busy
        root = -1
        for k in range(first, last):
            p = relation.places[k]
            if labels[p] == labels[chosen]:
                if root < 0 or trees.reaches[p] < trees.reaches[root]:
                    root = p
        if root >= 0:
            set_depths(root, 0, trees)


@kernel
def spare_depth(u: int, v: int, limits: Limits, relation: Relation, trees: Trees) -> int:
    """Return twice the mean depth that attaching by a link (u, v) would leave unused, rounded down.

    The mean is over the topics in which the link attaches a tree; 0 if there is none. O(s_u + s_v).
    """
    topics = relation.topics
    spare, count = 0, 0
    i, end_i, j, end_j = first_shared(relation, u, v)
    while i < end_i:
        left = -1
        if trees.depths[i] >= 0 > trees.depths[j]:
            left = limits.radius - trees.depths[i] - 1 - trees.reaches[j]
        elif trees.depths[j] >= 0 > trees.depths[i]:
            left = limits.radius - trees.depths[j] - 1 - trees.reaches[i]
        if left >= 0:
            spare += left
            count += 1
        i, j = next_shared(topics, i + 1, end_i, topics, j + 1, end_j)
    return 2 * spare // max(count, 1)
