"""Scans for the pairs of nodes of highest contribution, within bounded memory.

A row is one node u; its pairs (u, v), v > u, are counted from the subscriber lists of its topics.
Subscribers in the largest component of a topic gain nothing from each other, so their rows visit
only the loose members: rows get cheaper as topics merge, Σ over topics of members × loose
members instead of n_t².
"""

from __future__ import annotations

from typing import NamedTuple

from gossamer.kernels.jit import Bools, Int32s, Int64s, kernel
from gossamer.kernels.merge.components import Components
from gossamer.kernels.relation import Relation


class TopicMembers(NamedTuple):
    """Members of each topic, ascending, with labels; a cursor per topic for the rows to come."""

    offsets: Int64s
    nodes: Int32s
    labels: Int32s
    cursors: Int64s


class RowScratch(NamedTuple):
    """Work arrays of a row: a tally per node, and the nodes that reached the floor."""

    tally: Int32s
    row: Int32s


class PairBuffer(NamedTuple):
    """The collected pairs: key u · V + v, count, and the number of pairs by count.

    Entries below the floor are not read, as the floor never falls.
    """

    keys: Int64s
    levels: Int32s
    histogram: Int64s


@kernel
def list_members(
    active: Bools,
    relation: Relation,
    components: Components,
    largest: Int32s,
    members: TopicMembers,
    loose: TopicMembers,
) -> None:
    """List the active members of every disconnected topic, and its loose ones.

    Loose members are outside the largest component. O(S) for S subscriptions.
    """
    topic_offsets, sizes = relation.topic_offsets, components.sizes
    count, outside = 0, 0
    for t in range(len(topic_offsets) - 1):
        members.offsets[t] = members.cursors[t] = count
        loose.offsets[t] = loose.cursors[t] = outside
        largest[t] = -1
        if components.parts[t] <= 1:
            continue
        most = 0
        for k in range(topic_offsets[t], topic_offsets[t + 1]):
            label = components.labels[relation.places[k]]
            if sizes[label] > most:
                most = sizes[label]
                largest[t] = label
        for k in range(topic_offsets[t], topic_offsets[t + 1]):
            v = relation.nodes[k]
            if not active[v]:
                continue
            label = components.labels[relation.places[k]]
            members.nodes[count] = v
            members.labels[count] = label
            count += 1
            if label != largest[t]:
                loose.nodes[outside] = v
                loose.labels[outside] = label
                outside += 1
    members.offsets[len(topic_offsets) - 1] = count
    loose.offsets[len(topic_offsets) - 1] = outside


@kernel
def _tally_members(
    u: int,
    topic: int,
    own: int,
    floor: int,
    base: int,
    found: int,
    members: TopicMembers,
    scratch: RowScratch,
) -> int:
    """Count the members of one topic after u whose label is not that of u."""
    k, end = members.cursors[topic], members.offsets[topic + 1]
    while k < end and members.nodes[k] <= u:
        k += 1
    members.cursors[topic] = k
    while k < end:
        if members.labels[k] != own:
            v = members.nodes[k]
            seen = scratch.tally[v]
            seen = base + 1 if seen < base else seen + 1
            scratch.tally[v] = seen
            if seen - base == floor:
                scratch.row[found] = v
                found += 1
        k += 1
    return found


@kernel
def count_row(
    u: int,
    floor: int,
    base: int,
    relation: Relation,
    labels: Int32s,
    largest: Int32s,
    members: TopicMembers,
    loose: TopicMembers,
    scratch: RowScratch,
) -> int:
    """Count the contributions of links from u to later nodes.

    ``tally[v] - base`` is the count of each visited node v; nodes that reach ``floor`` are listed
    in ``row``, and their number is returned. ``base`` must exceed every value left in ``tally`` by
    earlier rows, which saves clearing it. O(Σ over the topics of u of the members visited).
    """
    found = 0
    for p in range(relation.node_offsets[u], relation.node_offsets[u + 1]):
        t, own = relation.topics[p], labels[p]
        if own == largest[t]:
            found = _tally_members(u, t, own, floor, base, found, loose, scratch)
        elif largest[t] >= 0:
            found = _tally_members(u, t, own, floor, base, found, members, scratch)
    return found


@kernel
def raise_floor(total: int, floor: int, capacity: int, histogram: Int64s) -> int:
    """Return the lowest floor at which at most ``capacity`` of ``total`` pairs remain.

    The highest level with pairs always remains, whatever their number.
    """
    top = len(histogram) - 1
    while top > floor and histogram[top] == 0:
        top -= 1
    while total > capacity and floor < top:
        total -= histogram[floor]
        floor += 1
    return floor


@kernel
def drop_below(floor: int, count: int, keys: Int64s, levels: Int32s) -> int:
    """Keep the pairs at the floor and above, in order; return their number."""
    kept = 0
    for k in range(count):
        if levels[k] >= floor:
            keys[kept] = keys[k]
            levels[kept] = levels[k]
            kept += 1
    return kept


@kernel
def collect_pairs(
    progress: Int64s,
    last_row: int,
    active: Bools,
    ceilings: Int32s,
    relation: Relation,
    labels: Int32s,
    largest: Int32s,
    members: TopicMembers,
    loose: TopicMembers,
    scratch: RowScratch,
    collected: PairBuffer,
) -> None:
    """Collect the pairs of highest contribution in the next rows, as many as fit.

    ``progress`` is (next row, pairs kept, floor, base, through). ``keys`` holds every pair of the
    scanned rows whose count is at least the floor, with its count in ``levels``. When the buffer is
    full the floor rises, and pairs below it are dropped. If the highest level alone does not fit,
    only its pairs in rows before ``through`` are kept. Rows whose ceiling is below the floor are
    skipped, and the ceiling of a scanned row becomes its highest count.
    """
    node_count = len(relation.node_offsets) - 1
    tally, row = scratch.tally, scratch.row
    keys, levels, histogram = collected.keys, collected.levels, collected.histogram
    u, count, floor, base, through = (
        progress[0], progress[1], progress[2], progress[3], progress[4]
    )  # fmt: skip
    while u < last_row:
        if not active[u] or ceilings[u] < floor:
            u += 1
            continue
        found = count_row(u, floor, base, relation, labels, largest, members, loose, scratch)
        highest = floor - 1
        for k in range(found):
            level = tally[row[k]] - base
            histogram[level] += 1
            highest = max(highest, level)
        ceilings[u] = highest
        higher = floor
        if count + found > len(keys):
            higher = raise_floor(count + found, floor, len(keys), histogram)
        if through < node_count and highest > floor:
            # The level that did not fit is not the highest after all.
            higher = max(higher, floor + 1)
        if higher > floor:
            count = drop_below(higher, count, keys, levels)
            floor = higher
            through = node_count
        fitting = 0
        for k in range(found):
            if tally[row[k]] - base >= floor:
                row[fitting] = row[k]
                fitting += 1
        if count + fitting > len(keys):
            through = min(through, u)
        if through == node_count:
            for k in range(fitting):
                keys[count] = u * node_count + row[k]
                levels[count] = tally[row[k]] - base
                count += 1
        base += relation.node_offsets[u + 1] - relation.node_offsets[u] + 1
        u += 1
    progress[0], progress[1], progress[2], progress[3], progress[4] = (
        u, count, floor, base, through
    )  # fmt: skip
