"""Local views of ElastO's nodes: what they know, and the backups that they choose from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gossamer.kernels.jit import Bools, Int32s, Int64s, UInt64s, kernel
from gossamer.kernels.random import next_below
from gossamer.kernels.repair.blocks import Blocks
from gossamer.kernels.repair.circle import predecessors, successors
from gossamer.kernels.repair.known_backups import choose_among


class Knowledge(NamedTuple):
    """All that views consist of.

    List k of ``backups`` belongs to node k: for each predecessor its id, the number of its
    backups, and these, ascending. ``topics`` are those of each node, ``concurrent`` is the number
    of successors and of predecessors that a node knows, ``places`` is scratch: -1 for each topic.
    """

    identifiers: UInt64s
    circle: Int32s
    adjacency: Blocks
    topics: Blocks
    backups: Blocks
    present: Bools
    concurrent: int
    places: Int32s


@kernel
def distinct_present(nodes: Int32s, present: Bools) -> Int32s:
    """Return the present nodes among some, each once, ascending. O(n log n)."""
    ordered = np.sort(nodes)
    count = 0
    for node in ordered:
        if present[node] and (count == 0 or ordered[count - 1] != node):
            ordered[count] = node
            count += 1
    return ordered[:count]


@kernel
def sets_of(node: int, backups: Blocks) -> Int32s:
    """Return the list of a node in ``backups``; not a copy."""
    start = backups.starts[node]
    return backups.pool[start : start + backups.counts[node]]


@kernel
def view_of(node: int, known: Knowledge) -> Int32s:
    """Return the view of a node: circle, neighbours of predecessors, backups; ascending."""
    return _view(node, sets_of(node, known.backups), known)


@kernel
def _view(node: int, sets: Int32s, known: Knowledge) -> Int32s:
    before = predecessors(node, known.identifiers, known.circle, known.concurrent)
    after = successors(node, known.identifiers, known.circle, known.concurrent)
    adjacency = known.adjacency
    total = 1 + len(before) + len(after) + len(sets)
    for one in before:
        total += adjacency.counts[one]
    found = np.empty(total, dtype=np.int32)
    found[0] = node
    count = 1
    for other in after:
        found[count] = other
        count += 1
    for one in before:
        found[count] = one
        count += 1
        start = adjacency.starts[one]
        for at in range(start, start + adjacency.counts[one]):
            found[count] = adjacency.pool[at]
            count += 1
    at = 0
    while at < len(sets):
        end = at + 2 + sets[at + 1]
        for place in range(at + 2, end):
            found[count] = sets[place]
            count += 1
        at = end
    return distinct_present(found[:count], known.present)


@kernel
def backups_of(node: int, known: Knowledge) -> Int32s:
    """Return the present backups of a node that its successor has chosen, ascending."""
    coordinator = successors(node, known.identifiers, known.circle, 1)
    if len(coordinator) == 0:
        return np.empty(0, dtype=np.int32)
    found = _set_of(node, sets_of(coordinator[0], known.backups))
    return distinct_present(found, known.present)


@kernel
def _set_of(node: int, sets: Int32s) -> Int32s:
    """Return the backups of a node in a list; none if it is not there."""
    at = 0
    while at < len(sets):
        end = at + 2 + sets[at + 1]
        if sets[at] == node:
            return sets[at + 2 : end]
        at = end
    return sets[:0]


@kernel
def _with_set(node: int, backups: Int32s, sets: Int32s) -> Int32s:
    """Return a list with the backups of one node replaced."""
    found = np.empty(len(sets) + 2 + len(backups), dtype=np.int32)
    at, count = 0, 0
    while at < len(sets):
        end = at + 2 + sets[at + 1]
        if sets[at] != node:
            found[count : count + end - at] = sets[at:end]
            count += end - at
        at = end
    found[count], found[count + 1] = node, len(backups)
    found[count + 2 : count + 2 + len(backups)] = backups
    return found[: count + 2 + len(backups)]


@kernel
def partner_of(node: int, known: Knowledge, stream: UInt64s) -> int:
    """Return a random other node in the view of a node; -1 if there is none."""
    view = view_of(node, known)
    if len(view) == 1:
        return -1
    place = next_below(stream, len(view) - 1)
    return int(view[place] if view[place] < node else view[place + 1])


@kernel
def release_backups(sets: Int32s, weights: Int64s) -> None:
    """Lower the weights of all backups in a list by one."""
    at = 0
    while at < len(sets):
        end = at + 2 + sets[at + 1]
        for place in range(at + 2, end):
            weights[sets[place]] -= 1
        at = end


@kernel
def select_backups(
    node: int,
    heard: Int32s,
    known: Knowledge,
    factor: int,
    greedy: bool,
    weights: Int64s,
    sequence: UInt64s,
) -> Int32s:
    """Return the new list of a node: for each predecessor backups among nodes it heard of.

    The backups of the old list are to be released before (Algorithm 6, selectLV).
    """
    candidates = distinct_present(heard, known.present)
    before = predecessors(node, known.identifiers, known.circle, known.concurrent)
    found = np.empty(len(before) * (2 + len(candidates)), dtype=np.int32)
    count = 0
    for one in before:
        start = known.topics.starts[one]
        topics = known.topics.pool[start : start + known.topics.counts[one]]
        chosen = choose_among(
            one, candidates, topics, factor, known.topics, known.places, greedy, weights, sequence
        )
        found[count], found[count + 1] = one, len(chosen)
        found[count + 2 : count + 2 + len(chosen)] = chosen
        count += 2 + len(chosen)
    return found[:count]


@kernel
def sample_of_circle(circle: Int32s, count: int, draws: np.random.Generator) -> Int32s:
    """Return random nodes of the circle, as the peer sampling service does; some may be equal."""
    found = np.empty(count, dtype=np.int32)
    for k in range(count):
        found[k] = circle[draws.integers(0, len(circle))]
    return found


@kernel
def exchange_views(
    one: int,
    other: int,
    known: Knowledge,
    sampled: int,
    factor: int,
    greedy: bool,
    weights: Int64s,
    sequence: UInt64s,
    draws: np.random.Generator,
) -> tuple[Int32s, Int32s]:
    """Return the new lists of two nodes that exchange views (Algorithm 3, handleLvQS).

    Each chooses among the nodes of both views, and ``sampled`` random ones.
    """
    first, second = sets_of(one, known.backups), sets_of(other, known.backups)
    return _exchange(
        one, first, other, second, known, sampled, factor, greedy, weights, sequence, draws
    )


@kernel
def adopt_newcomer(
    node: int,
    coordinator: int,
    backups: Int32s,
    known: Knowledge,
    sampled: int,
    factor: int,
    greedy: bool,
    weights: Int64s,
    sequence: UInt64s,
    draws: np.random.Generator,
) -> tuple[Int32s, Int32s]:
    """Return the new lists of a newcomer and its successor, which keeps its backups first."""
    old = sets_of(coordinator, known.backups)
    for backup in _set_of(node, old):  # from an earlier session
        weights[backup] -= 1
    own, sets = sets_of(node, known.backups), _with_set(node, backups, old)
    return _exchange(
        node, own, coordinator, sets, known, sampled, factor, greedy, weights, sequence, draws
    )


@kernel
def _exchange(
    one: int,
    first: Int32s,
    other: int,
    second: Int32s,
    known: Knowledge,
    sampled: int,
    factor: int,
    greedy: bool,
    weights: Int64s,
    sequence: UInt64s,
    draws: np.random.Generator,
) -> tuple[Int32s, Int32s]:
    heard = np.concatenate((_view(one, first, known), _view(other, second, known)))
    mine = np.concatenate((heard, sample_of_circle(known.circle, sampled, draws)))
    release_backups(first, weights)
    selected = select_backups(one, mine, known, factor, greedy, weights, sequence)
    theirs = np.concatenate((heard, sample_of_circle(known.circle, sampled, draws)))
    release_backups(second, weights)
    return selected, select_backups(other, theirs, known, factor, greedy, weights, sequence)


@kernel
def add_to_set(
    node: int, coordinator: int, more: Int32s, known: Knowledge, weights: Int64s
) -> Int32s:
    """Return the list of a coordinator with more backups of a node; each counts once."""
    sets = sets_of(coordinator, known.backups)
    old = _set_of(node, sets)
    both = np.sort(np.concatenate((old, more)))
    count = 0
    for backup in both:
        if count > 0 and both[count - 1] == backup:
            weights[backup] -= 1
        else:
            both[count] = backup
            count += 1
    return _with_set(node, both[:count], sets)
