"""Local search over parents: a node attaches, in all its topics, to as few parents as possible.

Each topic is a tree of bounded depth over its slots. The links of a node lead to its parents
and to its children, over all its topics. Links to children stay whatever the node chooses, so
a child of one topic is a free parent in another. The other parents are chosen again, if that
takes fewer of them, or as many of lower degree.
"""

from __future__ import annotations

from typing import NamedTuple

from gossamer.kernels.csr import lower_bound
from gossamer.kernels.jit import Int32s, Int64s, kernel
from gossamer.kernels.relation import Relation


class Forest(NamedTuple):
    """The trees of all topics, by slot: parent, depth and children as linked lists; -1 is none."""

    parent: Int32s
    depths: Int32s
    first_child: Int32s
    next_sibling: Int32s
    prev_sibling: Int32s


class SearchWindows(NamedTuple):
    """The nodes that each node considers as parents: ``widths`` nodes from ``starts`` on, cyclic.

    No width exceeds the number of nodes.
    """

    starts: Int64s
    widths: Int64s


class ReparentScratch(NamedTuple):
    """Work arrays of the search.

    By node: the last node of which it was found to be a child or a parent (``child_of``,
    ``parent_of``), the number of topics in which it could be a parent (``tally``), and the
    nodes met. By slot: the last slot below which it was found (``below``). By member of one
    topic: ``queue``, ``steps``. By topic of one node: its attached places, the largest depth
    of their parents, the chosen parents (``waiting``, ``max_depths``, ``choices``), and the
    parent nodes before and after (``old``, ``new``).
    """

    child_of: Int32s
    parent_of: Int32s
    tally: Int32s
    met: Int32s
    below: Int32s
    queue: Int32s
    steps: Int32s
    waiting: Int32s
    max_depths: Int32s
    choices: Int32s
    old: Int32s
    new: Int32s


@kernel
def list_children(forest: Forest) -> None:
    """Fill the lists of children from the parents. O(S)."""
    forest.first_child[:] = -1
    for x in range(len(forest.parent)):
        if forest.parent[x] >= 0:
            _attach(x, forest.parent[x], forest)


@kernel
def _attach(x: int, parent: int, forest: Forest) -> None:
    first = forest.first_child[parent]
    forest.parent[x], forest.next_sibling[x], forest.prev_sibling[x] = parent, first, -1
    forest.first_child[parent] = x
    if first >= 0:
        forest.prev_sibling[first] = x


@kernel
def _detach(x: int, forest: Forest) -> None:
    before, after = forest.prev_sibling[x], forest.next_sibling[x]
    if before >= 0:
        forest.next_sibling[before] = after
    else:
        forest.first_child[forest.parent[x]] = after
    if after >= 0:
        forest.prev_sibling[after] = before


@kernel
def _list_subtree(x: int, forest: Forest, scratch: ReparentScratch) -> int:
    """List and mark the subtree of a slot, with the steps from it; return its size."""
    scratch.queue[0], scratch.steps[0], scratch.below[x] = x, 0, x
    count, done = 1, 0
    while done < count:
        child = forest.first_child[scratch.queue[done]]
        while child >= 0:
            scratch.queue[count], scratch.steps[count] = child, scratch.steps[done] + 1
            scratch.below[child] = x
            count += 1
            child = forest.next_sibling[child]
        done += 1
    return count


@kernel
def _list_relatives(
    v: int, relation: Relation, forest: Forest, scratch: ReparentScratch
) -> tuple[int, int]:
    """List the children of v, and its parents that are no children; return both numbers."""
    first, last = relation.node_offsets[v], relation.node_offsets[v + 1]
    children, parents = 0, 0
    for p in range(first, last):
        child = forest.first_child[relation.slots[p]]
        while child >= 0:
            w = relation.nodes[child]
            if scratch.child_of[w] != v:
                scratch.child_of[w], scratch.met[children] = v, w
                children += 1
            child = forest.next_sibling[child]
    for p in range(first, last):
        parent = forest.parent[relation.slots[p]]
        if parent >= 0:
            w = relation.nodes[parent]
            if scratch.child_of[w] != v and scratch.parent_of[w] != v:
                scratch.parent_of[w], scratch.old[parents] = v, w
                parents += 1
    return children, parents


@kernel
def _list_waiting(
    v: int, radius: int, relation: Relation, forest: Forest, scratch: ReparentScratch
) -> int:
    """List the places of v that have a parent, with the largest depth of a new one."""
    count = 0
    for p in range(relation.node_offsets[v], relation.node_offsets[v + 1]):
        if forest.parent[relation.slots[p]] >= 0:
            below = _list_subtree(relation.slots[p], forest, scratch)
            scratch.waiting[count], scratch.choices[count] = p, -1
            scratch.max_depths[count] = radius - 1 - scratch.steps[below - 1]
            count += 1
    return count


@kernel
def _may_attach(x: int, y: int, max_depth: int, forest: Forest, scratch: ReparentScratch) -> bool:
    """Return whether slot x may attach to y: not below x, and not too deep."""
    return bool(scratch.below[y] != x and forest.depths[y] <= max_depth)


@kernel
def _cover(
    w: int, count: int, choose: bool, relation: Relation, forest: Forest, scratch: ReparentScratch
) -> int:
    """Count the waiting places that w can be the parent of, and choose it if asked.

    O(s_v + s_w).
    """
    i, end = relation.node_offsets[w], relation.node_offsets[w + 1]
    found = 0
    for k in range(count):
        p = scratch.waiting[k]
        while i < end and relation.topics[i] < relation.topics[p]:
            i += 1
        if i == end:
            break
        if scratch.choices[k] >= 0 or relation.topics[i] != relation.topics[p]:
            continue
        x, y = relation.slots[p], relation.slots[i]
        if _may_attach(x, y, scratch.max_depths[k], forest, scratch):
            found += 1
            if choose:
                scratch.choices[k] = y
    return found


@kernel
def _tally(
    begin: int, end: int, k: int, v: int, met: int, caps: Int32s, degrees: Int32s,
    relation: Relation, forest: Forest, scratch: ReparentScratch,
) -> int:  # fmt: skip
    """Count slots, of nodes below their cap and not linked to v, as parents of the k-th place.

    Returns the number of nodes met.
    """
    x, max_depth = relation.slots[scratch.waiting[k]], scratch.max_depths[k]
    for y in range(begin, end):
        w = relation.nodes[y]
        if degrees[w] >= caps[w] or scratch.parent_of[w] == v:
            continue
        if _may_attach(x, y, max_depth, forest, scratch):
            if scratch.tally[w] == 0:
                scratch.met[met] = w
                met += 1
            scratch.tally[w] += 1
    return met


@kernel
def _best_parent(
    v: int, count: int, parents: int, windows: SearchWindows, caps: Int32s, degrees: Int32s,
    relation: Relation, forest: Forest, scratch: ReparentScratch,
) -> int:  # fmt: skip
    """Return the node that can be the parent of v in most waiting topics; -1 if none can.

    Ties go to the lowest degree, a link to v not counted, then to the lowest identifier.
    Candidates are the parents of v within their caps, and nodes of the window below theirs.
    """
    met = 0
    for k in range(parents):
        w = scratch.old[k]
        if degrees[w] <= caps[w]:
            covers = _cover(w, count, False, relation, forest, scratch)
            if covers > 0:
                scratch.tally[w], scratch.met[met] = covers, w
                met += 1
    start, stop, nodes = windows.starts[v], windows.starts[v] + windows.widths[v], len(degrees)
    for k in range(count):
        if scratch.choices[k] >= 0:
            continue
        t = relation.topics[scratch.waiting[k]]
        first, last = relation.topic_offsets[t], relation.topic_offsets[t + 1]
        begin = lower_bound(relation.nodes, start, first, last)
        end = lower_bound(relation.nodes, stop, begin, last)
        met = _tally(begin, end, k, v, met, caps, degrees, relation, forest, scratch)
        if stop > nodes:  # the window continues at the first node
            end = lower_bound(relation.nodes, stop - nodes, first, begin)
            met = _tally(first, end, k, v, met, caps, degrees, relation, forest, scratch)
    best, best_degree = -1, 0
    for k in range(met):
        w = scratch.met[k]
        degree = degrees[w] - (1 if scratch.parent_of[w] == v else 0)
        ahead = 1 if best < 0 else scratch.tally[w] - scratch.tally[best]
        if ahead == 0:
            ahead = best_degree - degree
        if ahead == 0:
            ahead = best - w
        if ahead > 0:
            best, best_degree = w, degree
    for k in range(met):
        scratch.tally[scratch.met[k]] = 0
    return best


@kernel
def _choose(
    v: int, parents: int, count: int, windows: SearchWindows, caps: Int32s, degrees: Int32s,
    relation: Relation, forest: Forest, scratch: ReparentScratch,
) -> int:  # fmt: skip
    """Choose parents of the waiting places greedily; return their number.

    -1 if that takes more than before, or if a place finds no parent.
    """
    left = 0
    for k in range(count):
        left += scratch.choices[k] < 0
    chosen = 0
    while left > 0:
        if chosen == parents:
            return -1
        best = _best_parent(v, count, parents, windows, caps, degrees, relation, forest, scratch)
        if best < 0:
            return -1
        scratch.new[chosen] = best
        chosen += 1
        covered = _cover(best, count, True, relation, forest, scratch)
        if left > covered * (parents - chosen + 1):  # no later parent covers more
            return -1
        left -= covered
    return chosen


@kernel
def _move(count: int, relation: Relation, forest: Forest, scratch: ReparentScratch) -> None:
    """Attach every waiting place, with its subtree, to its chosen parent."""
    for k in range(count):
        x, parent = relation.slots[scratch.waiting[k]], scratch.choices[k]
        if forest.parent[x] == parent:
            continue
        _detach(x, forest)
        _attach(x, parent, forest)
        depth = forest.depths[parent] + 1
        if forest.depths[x] != depth:
            for at in range(_list_subtree(x, forest, scratch)):
                forest.depths[scratch.queue[at]] = depth + scratch.steps[at]


@kernel
def reparent(
    order: Int64s,
    radius: int,
    windows: SearchWindows,
    caps: Int32s,
    degrees: Int32s,
    relation: Relation,
    forest: Forest,
    scratch: ReparentScratch,
) -> int:
    """Let nodes choose their parents again, in the order given; return the links saved.

    A node moves if it needs fewer links, or as many to nodes of lower total degree. So every
    move lowers the number of links, or else the sum of squared degrees. No node exceeds its
    cap by a new link, and no depth exceeds the radius. The cost of a node and parent is the
    number of subscribers in the window, and the size of its subtrees.
    """
    saved = 0
    scratch.child_of[:], scratch.parent_of[:], scratch.below[:] = -1, -1, -1
    for v in order:
        children, parents = _list_relatives(v, relation, forest, scratch)
        if parents == 0:
            continue
        count = _list_waiting(v, radius, relation, forest, scratch)
        scratch.met[:children].sort()
        for k in range(children):
            _cover(scratch.met[k], count, True, relation, forest, scratch)
        chosen = _choose(v, parents, count, windows, caps, degrees, relation, forest, scratch)
        if chosen < 0:
            continue
        for k in range(parents):
            degrees[scratch.old[k]] -= 1
        lighter = 0
        for k in range(parents):
            lighter += degrees[scratch.old[k]]
        for k in range(chosen):
            lighter -= degrees[scratch.new[k]]
        if chosen < parents or lighter > 0:
            _move(count, relation, forest, scratch)
            saved += parents - chosen
            degrees[v] -= parents - chosen
            for k in range(chosen):
                degrees[scratch.new[k]] += 1
        else:
            for k in range(parents):
                degrees[scratch.old[k]] += 1
    return saved
