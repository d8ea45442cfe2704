"""Sweeps that link each node to those with which it joins enough trees.

A row is one node u. The joins of its links are counted from lists of the members of its topics,
by reach (loose trees) and by depth (rooted trees), so that only members that still fit are
visited. The lists are as of the start of the sweep; a link is checked again before it is added.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gossamer.kernels.jit import Int32s, Int64s, kernel
from gossamer.kernels.merge.components import Components
from gossamer.kernels.relation import Relation
from gossamer.kernels.trees.shallow_trees import (
    Limits,
    Trees,
    add_tree_link,
    keeps_reserve,
    link_worth,
    spare_depth,
)


class DistanceLists(NamedTuple):
    """Members that may take a link, by topic and distance, ascending by node.

    Topic t has the buckets ``bases[t] : bases[t + 1]``, one for each possible distance; bucket b is
    ``nodes[offsets[b] : offsets[b + 1]]``, with their labels. ``cursors`` has an entry per bucket,
    for rows in ascending order.
    """

    bases: Int64s
    offsets: Int64s
    cursors: Int64s
    nodes: Int32s
    labels: Int32s


class Tallies(NamedTuple):
    """Work arrays of a row: tally per node, nodes that reached the level, highest count."""

    tally: Int32s
    row: Int64s
    highest: Int64s


class Sweep(NamedTuple):
    """Parameters of a sweep: links of contribution ``level`` or more between nodes below caps.

    ``rooted`` states whether trees have roots. ``ceilings[u]`` bounds the contribution of links of
    u to later nodes; it is used, and lowered, only before trees have roots, since contributions may
    rise after that.
    """

    level: int
    rooted: bool
    caps: Int32s
    ceilings: Int32s


@kernel
def list_by_distance(
    rooted: bool,
    caps: Int32s,
    relation: Relation,
    components: Components,
    trees: Trees,
    listed: DistanceLists,
) -> None:
    """List members below their caps: of loose trees by reach, or of rooted ones by depth.

    O(S + buckets), by counting.
    """
    bases, offsets, cursors = listed.bases, listed.offsets, listed.cursors
    topic_offsets, degrees = relation.topic_offsets, components.degrees
    for stage in range(2):
        if stage == 0:
            offsets[:] = 0
        else:
            for b in range(len(cursors)):
                offsets[b + 1] += offsets[b]
            cursors[:] = offsets[:-1]
        for t in range(len(topic_offsets) - 1):
            if components.parts[t] <= 1:
                continue
            width = bases[t + 1] - bases[t]
            for k in range(topic_offsets[t], topic_offsets[t + 1]):
                v, p = relation.nodes[k], relation.places[k]
                if degrees[v] >= caps[v] or (trees.depths[p] >= 0) != rooted:
                    continue
                distance = trees.depths[p] if rooted else trees.reaches[p]
                if distance >= width:
                    continue
                bucket = bases[t] + distance
                if stage == 0:
                    offsets[bucket + 1] += 1
                else:
                    at = cursors[bucket]
                    listed.nodes[at], listed.labels[at] = v, components.labels[p]
                    cursors[bucket] = at + 1
    cursors[:] = offsets[:-1]


@kernel
def _tally(
    begin: int, end: int, own: int, level: int, base: int, found: int,
    listed: DistanceLists, tallies: Tallies,
) -> int:  # fmt: skip
    """Count listed members whose label is not ``own``; record those that reach the level."""
    highest, tally = tallies.highest[0], tallies.tally
    labels, nodes = listed.labels, listed.nodes
    for k in range(begin, end):
        if labels[k] != own:
            v = nodes[k]
            count = max(tally[v] - base, 0) + 1
            tally[v] = base + count
            highest = max(highest, count)
            if count == level:
                tallies.row[found] = v
                found += 1
    tallies.highest[0] = highest
    return found


@kernel
def _count_row_after(
    u: int, sweep: Sweep, base: int, limits: Limits, relation: Relation, labels: Int32s,
    trees: Trees, loose: DistanceLists, tallies: Tallies,
) -> int:  # fmt: skip
    """Count the joins of links from u to later nodes, while all trees are loose."""
    found = 0
    for p in range(relation.node_offsets[u], relation.node_offsets[u + 1]):
        first, last = loose.bases[relation.topics[p]], loose.bases[relation.topics[p] + 1]
        for bucket in range(first, min(last, first + limits.diameter - trees.reaches[p])):
            k, end = loose.cursors[bucket], loose.offsets[bucket + 1]
            while k < end and loose.nodes[k] <= u:
                k += 1
            loose.cursors[bucket] = k
            found = _tally(k, end, labels[p], sweep.level, base, found, loose, tallies)
    return found


@kernel
def _count_row(
    u: int, sweep: Sweep, base: int, limits: Limits, relation: Relation, labels: Int32s,
    trees: Trees, loose: DistanceLists, rooted: DistanceLists, tallies: Tallies,
) -> int:  # fmt: skip
    """Count the joins of links from u, if u is in a loose tree of some topic."""
    first, last = relation.node_offsets[u], relation.node_offsets[u + 1]
    waiting = False
    for p in range(first, last):
        waiting = waiting or trees.depths[p] < 0
    found = 0
    if not waiting:
        return found
    for p in range(first, last):
        base_of = loose.bases[relation.topics[p]]
        width = loose.bases[relation.topics[p] + 1] - base_of
        if trees.depths[p] >= 0:
            within = min(width, max(limits.radius - trees.depths[p], 0))
            begin, end = loose.offsets[base_of], loose.offsets[base_of + within]
            found = _tally(begin, end, -1, sweep.level, base, found, loose, tallies)
            continue
        within = min(width, max(limits.radius - trees.reaches[p], 0))
        begin, end = rooted.offsets[base_of], rooted.offsets[base_of + within]
        found = _tally(begin, end, -1, sweep.level, base, found, rooted, tallies)
        within = min(width, max(limits.diameter - trees.reaches[p], 0))
        begin, end = loose.offsets[base_of], loose.offsets[base_of + within]
        found = _tally(begin, end, labels[p], sweep.level, base, found, loose, tallies)
    return found


@kernel
def sweep_rows(
    start: int,
    stop: int,
    base: int,
    sweep: Sweep,
    limits: Limits,
    relation: Relation,
    components: Components,
    trees: Trees,
    loose: DistanceLists,
    rooted: DistanceLists,
    tallies: Tallies,
    links: Int64s,
) -> tuple[int, int, int]:
    """Link the nodes from ``start`` to ``stop``; return the number of links, the base, and a bound.

    The bound is the highest contribution of a link of these nodes at the start of the sweep, once
    trees have roots.

    ``base`` must exceed every value in the tallies, which saves clearing them; the returned one
    does for the next call. The candidates of a row are ordered by the depth that they leave unused
    (once trees have roots), by degree, and by identifier. Once trees have roots, a node reserves
    links for the topics in which it is still alone. The cost of a row is, for each topic, the
    listed members within reach, and s_u + s_v per candidate.
    """
    node_count, degrees, caps = len(relation.node_offsets) - 1, components.degrees, sweep.caps
    labels, row = components.labels, tallies.row
    count, most = 0, 0
    for u in range(start, stop):
        if degrees[u] >= caps[u]:
            continue
        # No link contributes more than its ends have topics.
        size = relation.node_offsets[u + 1] - relation.node_offsets[u]
        if sweep.rooted and size < sweep.level:
            most = max(most, size)
            continue
        if not sweep.rooted and sweep.ceilings[u] < sweep.level:
            continue
        tallies.highest[0] = 0
        if sweep.rooted:
            found = _count_row(
                u, sweep, base, limits, relation, labels, trees, loose, rooted, tallies
            )
        else:
            found = _count_row_after(
                u, sweep, base, limits, relation, labels, trees, loose, tallies
            )
            sweep.ceilings[u] = min(tallies.highest[0], sweep.level - 1)
        most = max(most, tallies.highest[0])
        base += size + 1
        for k in range(found):
            v = row[k]
            spare = spare_depth(u, v, limits, relation, trees) if sweep.rooted else 0
            row[k] = (np.int64(spare) * node_count + degrees[v]) * node_count + v
        row[:found].sort()
        for k in range(found):
            v = row[k] % node_count
            if degrees[u] >= caps[u]:
                break
            if v == u or degrees[v] >= caps[v]:
                continue
            if link_worth(u, v, limits, relation, labels, trees) < sweep.level:
                continue
            if sweep.rooted:
                own, other = caps[u] - degrees[u], caps[v] - degrees[v]
                if keeps_reserve(u, v, own, limits, relation, labels, trees):
                    continue
                if keeps_reserve(v, u, other, limits, relation, labels, trees):
                    continue
            add_tree_link(u, v, limits, relation, components, trees)
            links[count] = min(u, v) * node_count + max(u, v)
            count += 1
    return count, base, most
