"""Groups of nodes that share a subset of topics, and chains of the members of a group.

A record is one member of one group: the place p of the subset's last topic in the topics of the
node, which determines the node (``owners[p]``) and its later topics. The groups of level c + 1
extend those of level c by one later topic, and only subsets that two nodes or more share are
kept, as in frequent-itemset mining.
"""

from __future__ import annotations

from gossamer.kernels.jit import Int32s, Int64s, kernel
from gossamer.kernels.merge.components import Components, add_link, contribution
from gossamer.kernels.relation import Relation


@kernel
def count_visits(records: Int32s, owners: Int32s, relation: Relation, visits: Int64s) -> None:
    """Add up the extensions of these records, by the subscription size of the member."""
    node_offsets = relation.node_offsets
    for r in range(len(records)):
        v = owners[records[r]]
        visits[node_offsets[v + 1] - node_offsets[v]] += node_offsets[v + 1] - records[r] - 1


@kernel
def _tally_extensions(
    g: int,
    offsets: Int64s,
    records: Int32s,
    owners: Int32s,
    relation: Relation,
    seen: Int32s,
    touched: Int32s,
) -> int:
    """Count the records of a group by later topic; list these topics, and return their number."""
    count = 0
    for r in range(offsets[g], offsets[g + 1]):
        p = records[r]
        for q in range(p + 1, relation.node_offsets[owners[p] + 1]):
            t = relation.topics[q]
            if seen[t] == 0:
                touched[count] = t
                count += 1
            seen[t] += 1
    return count


@kernel
def count_extensions(
    offsets: Int64s,
    records: Int32s,
    owners: Int32s,
    relation: Relation,
    seen: Int32s,
    touched: Int32s,
    totals: Int64s,
) -> None:
    """Count the groups and records of the next level, into ``totals``. ``seen`` is all 0."""
    for g in range(len(offsets) - 1):
        count = _tally_extensions(g, offsets, records, owners, relation, seen, touched)
        for k in range(count):
            if seen[touched[k]] > 1:
                totals[0] += 1
                totals[1] += seen[touched[k]]
            seen[touched[k]] = 0


@kernel
def extend_groups(
    offsets: Int64s,
    records: Int32s,
    owners: Int32s,
    relation: Relation,
    seen: Int32s,
    touched: Int32s,
    places: Int64s,
    next_offsets: Int64s,
    next_records: Int32s,
) -> None:
    """Write the groups of the next level. ``seen`` is all 0 before and after."""
    group, total = 0, 0
    for g in range(len(offsets) - 1):
        count = _tally_extensions(g, offsets, records, owners, relation, seen, touched)
        for k in range(count):
            t = touched[k]
            places[t] = -1
            if seen[t] > 1:
                next_offsets[group] = total
                places[t] = total
                total += seen[t]
                group += 1
        for r in range(offsets[g], offsets[g + 1]):
            p = records[r]
            for q in range(p + 1, relation.node_offsets[owners[p] + 1]):
                t = relation.topics[q]
                if places[t] >= 0:
                    next_records[places[t]] = q
                    places[t] += 1
        for k in range(count):
            seen[touched[k]] = 0
    next_offsets[group] = total


@kernel
def chain_groups(
    level: int,
    cap: int,
    order: Int64s,
    offsets: Int64s,
    records: Int32s,
    owners: Int32s,
    relation: Relation,
    components: Components,
    ends: Int32s,
    links: Int64s,
) -> int:
    """Link the members of each group where that merges ``level`` components or more.

    A few ends are open, at most as many as ``ends`` holds. The next member is linked to the open
    end of lowest degree from which it still differs in ``level`` topics, and takes its place, so
    that no node collects many links; without such an end, it becomes one itself if there is a free
    position. A node of degree ``cap`` takes no link. O(records · ends · s). Returns the number of
    links.
    """
    node_count, degrees = len(relation.node_offsets) - 1, components.degrees
    count = 0
    for g in order:
        first, last = offsets[g], offsets[g + 1]
        open_ends = 0
        for r in range(first, last):
            v = owners[records[r]]
            if degrees[v] >= cap:
                continue
            best = -1
            for k in range(open_ends):
                u = ends[k]
                if degrees[u] >= cap:
                    continue
                if best >= 0 and degrees[u] >= degrees[ends[best]]:
                    continue
                if contribution(u, v, relation, components.labels) >= level:
                    best = k
            if best >= 0:
                u = ends[best]
                add_link(u, v, relation, components)
                links[count] = min(u, v) * node_count + max(u, v)
                count += 1
                if degrees[v] <= degrees[u]:
                    ends[best] = v
            elif open_ends < len(ends):
                ends[open_ends] = v
                open_ends += 1
    return count
