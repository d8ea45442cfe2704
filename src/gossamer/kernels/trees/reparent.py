"""Choosing parents anew: a node hangs, in all its topics, under as few others as can be.

Every topic is a tree of bounded depth, in which each *slot* (a subscription, in the topics'
order) but the root's hangs under another. A node's links are those to its parents and to its
children, over all its topics. Links to children stay whatever the node does, so hanging under
a child of another topic is free; the other parents are chosen anew, if that takes fewer, or as
many that are less busy.
"""

from __future__ import annotations

from typing import NamedTuple

from gossamer.kernels.jit import Int32s, Int64s, kernel

__all__ = ["Hanging", "Members", "Room", "Seen", "hang_anew", "list_children"]


class Members(NamedTuple):
    """Who wants what: the slots of every node, ascending by topic, and the node of every slot.

    ``slots[node_offsets[v] : node_offsets[v + 1]]`` are v's, for the topics in ``topics``;
    ``nodes[topic_offsets[t] : topic_offsets[t + 1]]`` are those of t's slots.
    """

    node_offsets: Int64s
    topics: Int32s
    slots: Int32s
    topic_offsets: Int64s
    nodes: Int32s


class Hanging(NamedTuple):
    """Every topic's tree: the slot above each one (-1: a root), its depth, and its children.

    ``firsts[x]`` is x's first child, ``nexts`` and ``befores`` lead from child to child; -1 is
    none.
    """

    ups: Int32s
    depths: Int32s
    firsts: Int32s
    nexts: Int32s
    befores: Int32s


class Seen(NamedTuple):
    """Whom a node looks at when it chooses parents: so many nodes from a first one on.

    After the last node comes the first. ``widths`` are not more than all nodes.
    """

    starts: Int64s
    widths: Int64s


class Room(NamedTuple):
    """What choosing writes on.

    For all nodes: whose child or parent they were last found to be, in how many topics they
    could be a parent, and who was met (``children``, ``parents``, ``tally``, ``met``). For all
    slots: below which other they were last found (``below``). For one topic's slots: ``queue``,
    ``steps``. For one node's topics: its subscriptions, how deep their parents may be, which
    they will be (``waiting``, ``deepest``, ``choices``), and the parents before and after
    (``old``, ``new``).
    """

    children: Int32s
    parents: Int32s
    tally: Int32s
    met: Int32s
    below: Int32s
    queue: Int32s
    steps: Int32s
    waiting: Int32s
    deepest: Int32s
    choices: Int32s
    old: Int32s
    new: Int32s


@kernel
def list_children(hanging: Hanging) -> None:
    """List the children of all, given who hangs under whom. O(S)."""
    hanging.firsts[:] = -1
    for x in range(len(hanging.ups)):
        if hanging.ups[x] >= 0:
            _hook(x, hanging.ups[x], hanging)


@kernel
def _hook(x: int, up: int, hanging: Hanging) -> None:
    first = hanging.firsts[up]
    hanging.ups[x], hanging.nexts[x], hanging.befores[x] = up, first, -1
    hanging.firsts[up] = x
    if first >= 0:
        hanging.befores[first] = x


@kernel
def _unhook(x: int, hanging: Hanging) -> None:
    before, after = hanging.befores[x], hanging.nexts[x]
    if before >= 0:
        hanging.nexts[before] = after
    else:
        hanging.firsts[hanging.ups[x]] = after
    if after >= 0:
        hanging.befores[after] = before


@kernel
def _gather(x: int, hanging: Hanging, room: Room) -> int:
    """Put a slot and all below it in the queue, marked, with steps from it; return how many."""
    room.queue[0], room.steps[0], room.below[x] = x, 0, x
    count, done = 1, 0
    while done < count:
        child = hanging.firsts[room.queue[done]]
        while child >= 0:
            room.queue[count], room.steps[count] = child, room.steps[done] + 1
            room.below[child] = x
            count += 1
            child = hanging.nexts[child]
        done += 1
    return count


@kernel
def _find_kin(v: int, members: Members, hanging: Hanging, room: Room) -> tuple[int, int]:
    """List v's children, and its parents that are no children; return how many of each."""
    first, last = members.node_offsets[v], members.node_offsets[v + 1]
    children, parents = 0, 0
    for p in range(first, last):
        child = hanging.firsts[members.slots[p]]
        while child >= 0:
            w = members.nodes[child]
            if room.children[w] != v:
                room.children[w], room.met[children] = v, w
                children += 1
            child = hanging.nexts[child]
    for p in range(first, last):
        up = hanging.ups[members.slots[p]]
        if up >= 0:
            w = members.nodes[up]
            if room.children[w] != v and room.parents[w] != v:
                room.parents[w], room.old[parents] = v, w
                parents += 1
    return children, parents


@kernel
def _list_waiting(v: int, radius: int, members: Members, hanging: Hanging, room: Room) -> int:
    """List v's subscriptions that hang somewhere, and how deep they could; return how many.

    One may hang under whoever is not below it, as high as its subtree asks for.
    """
    count = 0
    for p in range(members.node_offsets[v], members.node_offsets[v + 1]):
        if hanging.ups[members.slots[p]] >= 0:
            below = _gather(members.slots[p], hanging, room)
            room.waiting[count], room.choices[count] = p, -1
            room.deepest[count] = radius - 1 - room.steps[below - 1]
            count += 1
    return count


@kernel
def _may_hang(x: int, y: int, deepest: int, hanging: Hanging, room: Room) -> bool:
    """Tell whether slot x may hang under y."""
    return bool(room.below[y] != x and hanging.depths[y] <= deepest)


@kernel
def _cover(w: int, count: int, hang: bool, members: Members, hanging: Hanging, room: Room) -> int:
    """Count what waits and could hang under w, and let it, if it is to. O(s_v + s_w)."""
    i, end = members.node_offsets[w], members.node_offsets[w + 1]
    found = 0
    for k in range(count):
        p = room.waiting[k]
        while i < end and members.topics[i] < members.topics[p]:
            i += 1
        if i == end:
            break
        if room.choices[k] >= 0 or members.topics[i] != members.topics[p]:
            continue
        if _may_hang(members.slots[p], members.slots[i], room.deepest[k], hanging, room):
            found += 1
            if hang:
                room.choices[k] = members.slots[i]
    return found


@kernel
def _tally(
    begin: int, end: int, k: int, v: int, met: int, caps: Int32s, degrees: Int32s,
    members: Members, hanging: Hanging, room: Room,
) -> int:  # fmt: skip
    """Count that the k-th could hang under some slots, of nodes that v has no link to.

    Those that have as many links as their caps are passed over. Returns how many were met.
    """
    x, deepest = members.slots[room.waiting[k]], room.deepest[k]
    for y in range(begin, end):
        w = members.nodes[y]
        if degrees[w] >= caps[w] or room.parents[w] == v:
            continue
        if _may_hang(x, y, deepest, hanging, room):
            if room.tally[w] == 0:
                room.met[met] = w
                met += 1
            room.tally[w] += 1
    return met


@kernel
def _place_of(w: int, first: int, last: int, nodes: Int32s) -> int:
    """Return the first of some places, ascending by node, that is not before w. O(log)."""
    while first < last:
        middle = (first + last) // 2
        if nodes[middle] < w:
            first = middle + 1
        else:
            last = middle
    return first


@kernel
def _best_parent(
    v: int, count: int, parents: int, seen: Seen, caps: Int32s, degrees: Int32s,
    members: Members, hanging: Hanging, room: Room,
) -> int:  # fmt: skip
    """Return who could be v's parent in most waiting topics; -1 if nobody could.

    Then the one of fewest links, not counting one to v, then the first. Asked are v's parents
    that are not over their caps, and nodes that are seen, with links to spare.
    """
    met = 0
    for k in range(parents):
        w = room.old[k]
        if degrees[w] <= caps[w]:
            covers = _cover(w, count, False, members, hanging, room)
            if covers > 0:
                room.tally[w], room.met[met] = covers, w
                met += 1
    start, stop, nodes = seen.starts[v], seen.starts[v] + seen.widths[v], len(degrees)
    for k in range(count):
        if room.choices[k] >= 0:
            continue
        t = members.topics[room.waiting[k]]
        first, last = members.topic_offsets[t], members.topic_offsets[t + 1]
        begin = _place_of(start, first, last, members.nodes)
        end = _place_of(stop, begin, last, members.nodes)
        met = _tally(begin, end, k, v, met, caps, degrees, members, hanging, room)
        if stop > nodes:  # it goes on with the first nodes
            end = _place_of(stop - nodes, first, begin, members.nodes)
            met = _tally(first, end, k, v, met, caps, degrees, members, hanging, room)
    best, busy = -1, 0
    for k in range(met):
        w = room.met[k]
        links = degrees[w] - (1 if room.parents[w] == v else 0)
        ahead = 1 if best < 0 else room.tally[w] - room.tally[best]
        if ahead == 0:
            ahead = busy - links
        if ahead == 0:
            ahead = best - w
        if ahead > 0:
            best, busy = w, links
    for k in range(met):
        room.tally[room.met[k]] = 0
    return best


@kernel
def _choose(
    v: int, parents: int, count: int, seen: Seen, caps: Int32s, degrees: Int32s,
    members: Members, hanging: Hanging, room: Room,
) -> int:  # fmt: skip
    """Choose parents for what waits, one after the other; return how many it takes.

    -1 if it takes more than before, or there is nobody.
    """
    left = 0
    for k in range(count):
        left += room.choices[k] < 0
    chosen = 0
    while left > 0:
        if chosen == parents:
            return -1
        best = _best_parent(v, count, parents, seen, caps, degrees, members, hanging, room)
        if best < 0:
            return -1
        room.new[chosen] = best
        chosen += 1
        covered = _cover(best, count, True, members, hanging, room)
        if left > covered * (parents - chosen + 1):  # nobody after it covers more than it did
            return -1
        left -= covered
    return chosen


@kernel
def _move(count: int, members: Members, hanging: Hanging, room: Room) -> None:
    """Hang every listed subscription by its choice, with all below it."""
    for k in range(count):
        x, up = members.slots[room.waiting[k]], room.choices[k]
        if hanging.ups[x] == up:
            continue
        _unhook(x, hanging)
        _hook(x, up, hanging)
        depth = hanging.depths[up] + 1
        if hanging.depths[x] != depth:
            for at in range(_gather(x, hanging, room)):
                hanging.depths[room.queue[at]] = depth + room.steps[at]


@kernel
def hang_anew(
    order: Int64s,
    radius: int,
    seen: Seen,
    caps: Int32s,
    degrees: Int32s,
    members: Members,
    hanging: Hanging,
    room: Room,
) -> int:
    """Let nodes choose their parents anew, in an order; return how many links that saves.

    A node does if it gets by with fewer links, or with as many to nodes that have fewer, taken
    together. So the links, or else the sum of all degrees' squares, get fewer with every change.
    Nobody takes a link that makes it exceed its cap, or hangs deeper than the radius. Costs, for
    each node and parent, the seen subscribers of its topics, and what hangs below it.
    """
    saved = 0
    room.children[:], room.parents[:], room.below[:] = -1, -1, -1
    for v in order:
        children, parents = _find_kin(v, members, hanging, room)
        if parents == 0:
            continue
        count = _list_waiting(v, radius, members, hanging, room)
        room.met[:children].sort()
        for k in range(children):
            _cover(room.met[k], count, True, members, hanging, room)
        chosen = _choose(v, parents, count, seen, caps, degrees, members, hanging, room)
        if chosen < 0:
            continue
        for k in range(parents):
            degrees[room.old[k]] -= 1
        lighter = 0
        for k in range(parents):
            lighter += degrees[room.old[k]]
        for k in range(chosen):
            lighter -= degrees[room.new[k]]
        if chosen < parents or lighter > 0:
            _move(count, members, hanging, room)
            saved += parents - chosen
            degrees[v] -= parents - chosen
            for k in range(chosen):
                degrees[room.new[k]] += 1
        else:
            for k in range(parents):
                degrees[room.old[k]] += 1
    return saved
