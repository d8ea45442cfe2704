"""Proposals of links from parts of the table, on a snapshot of the component labels.

A record is a node under one of its topics, the prefix: its topics from the prefix on, in
ascending order, each with the label of the node's component. Nodes that share a subset of topics
have records under its lowest topic, so all groups with one prefix are in one part. Labels here
are small local numbers, merged as links are proposed; ``accept`` decides against the true
components.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gossamer.kernels.csr import next_shared
from gossamer.kernels.jit import Int32s, Int64s, kernel
from gossamer.kernels.random import mix64
from gossamer.kernels.union_find import root_of, unite

DEAD = -1
"""Label of a connected topic."""


class Records(NamedTuple):
    """Records: ``topics`` and ``labels`` between two ``offsets``, and ``nodes``."""

    offsets: Int64s
    topics: Int32s
    labels: Int32s
    nodes: Int32s


class Bulk(NamedTuple):
    """Bulk nodes by topic: those of topic t are at ``offsets[t] : offsets[t + 1]``."""

    offsets: Int64s
    members: Int32s
    labels: Int32s


@kernel
def part_of(topic: int, parts: int) -> int:
    """Return the part of a topic's records: a hash, so that parts have similar sizes."""
    return int(mix64(np.uint64(topic)) % np.uint64(parts))


@kernel
def count_records(
    offsets: Int64s, topics: Int32s, labels: Int32s, least: int, records: Int64s, entries: Int64s
) -> None:
    """Count each part's records of ``least`` live topics or more, and the entries in them."""
    parts = len(records)
    for v in range(len(offsets) - 1):
        live = 0
        for p in range(offsets[v + 1] - 1, offsets[v] - 1, -1):
            if labels[p] == DEAD:
                continue
            live += 1
            if live >= least:
                part = part_of(topics[p], parts)
                records[part] += 1
                entries[part] += live


@kernel
def fill_records(
    offsets: Int64s,
    topics: Int32s,
    labels: Int32s,
    least: int,
    parts: int,
    record_at: Int64s,
    entry_at: Int64s,
    found_nodes: Int32s,
    found_sizes: Int32s,
    found_topics: Int32s,
    found_labels: Int32s,
) -> None:
    """Write the counted records, those of each part from its own position on."""
    for v in range(len(offsets) - 1):
        live = 0
        for p in range(offsets[v + 1] - 1, offsets[v] - 1, -1):
            if labels[p] == DEAD:
                continue
            live += 1
            if live < least:
                continue
            part = part_of(topics[p], parts)
            found_nodes[record_at[part]] = v
            found_sizes[record_at[part]] = live
            record_at[part] += 1
            at = entry_at[part]
            for q in range(p, offsets[v + 1]):
                if labels[q] != DEAD:
                    found_topics[at] = topics[q]
                    found_labels[at] = labels[q]
                    at += 1
            entry_at[part] = at


@kernel
def count_members(offsets: Int64s, topics: Int32s, labels: Int32s, members: Int64s) -> None:
    """Count the live subscriptions by the part of their topic."""
    for p in range(len(topics)):
        if labels[p] != DEAD:
            members[part_of(topics[p], len(members))] += 1


@kernel
def fill_members(
    offsets: Int64s,
    topics: Int32s,
    labels: Int32s,
    parts: int,
    member_at: Int64s,
    found_nodes: Int32s,
    found_topics: Int32s,
    found_labels: Int32s,
) -> None:
    """Write the live subscriptions, those of each part from its own position on."""
    for v in range(len(offsets) - 1):
        for p in range(offsets[v], offsets[v + 1]):
            if labels[p] == DEAD:
                continue
            part = part_of(topics[p], parts)
            at = member_at[part]
            found_nodes[at] = v
            found_topics[at] = topics[p]
            found_labels[at] = labels[p]
            member_at[part] = at + 1


@kernel
def densify(values: Int32s, table: Int32s, codes: Int32s) -> int:
    """Map distinct values to codes from 0 on, in order of first occurrence; return their number.

    Parameters
    ----------
    values
        Integers of 0 or more.
    table
        Hash table of shape (slots, 2), all −1; slots are a power of two, at least twice the values.
    codes
        Output: the code of each value.
    """
    mask = np.uint64(len(table) - 1)
    count = 0
    for k in range(len(values)):
        at = int(mix64(np.uint64(values[k])) & mask)
        while table[at, 0] != values[k]:
            if table[at, 0] < 0:
                table[at, 0] = values[k]
                table[at, 1] = count
                count += 1
            else:
                at = int(np.uint64(at + 1) & mask)
        codes[k] = table[at, 1]
    return count


@kernel
def worth(r: int, q: int, records: Records, parents: Int32s) -> int:
    """Return the number of components that a link between two records would merge."""
    topics, labels = records.topics, records.labels
    i, end_i = records.offsets[r], records.offsets[r + 1]
    j, end_j = records.offsets[q], records.offsets[q + 1]
    count = 0
    i, j = next_shared(topics, i, end_i, topics, j, end_j)
    while i < end_i:
        if root_of(parents, labels[i]) != root_of(parents, labels[j]):
            count += 1
        i, j = next_shared(topics, i + 1, end_i, topics, j + 1, end_j)
    return count


@kernel
def join(r: int, q: int, records: Records, parents: Int32s) -> None:
    """Merge the components of two records in every topic that they share."""
    topics, labels = records.topics, records.labels
    i, end_i = records.offsets[r], records.offsets[r + 1]
    j, end_j = records.offsets[q], records.offsets[q + 1]
    i, j = next_shared(topics, i, end_i, topics, j, end_j)
    while i < end_i:
        unite(parents, labels[i], labels[j])
        i, j = next_shared(topics, i + 1, end_i, topics, j + 1, end_j)


@kernel
def propose_chains(
    level: int,
    order: Int64s,
    group_offsets: Int64s,
    places: Int32s,
    owners: Int32s,
    records: Records,
    parents: Int32s,
    degrees: Int32s,
    ends: Int32s,
    proposals: Int32s,
) -> int:
    """Chain the members of each group where a link contributes ``level`` or more.

    As ``subsets.chain_groups``, but on records and on a snapshot of the labels; the results are
    pairs of records. O(members · ends · s). Returns the number of links; stops when ``proposals``
    is full.
    """
    count = 0
    for g in order:
        open_ends = 0
        for k in range(group_offsets[g], group_offsets[g + 1]):
            if count == len(proposals):
                return count
            r = owners[places[k]]
            v = records.nodes[r]
            best = -1
            for e in range(open_ends):
                u = records.nodes[ends[e]]
                if best >= 0 and degrees[u] >= degrees[records.nodes[ends[best]]]:
                    continue
                if worth(ends[e], r, records, parents) >= level:
                    best = e
            if best >= 0:
                q = ends[best]
                u = records.nodes[q]
                join(q, r, records, parents)
                proposals[count, 0] = q
                proposals[count, 1] = r
                count += 1
                degrees[u] += 1
                degrees[v] += 1
                if degrees[v] <= degrees[u]:
                    ends[best] = r
            elif open_ends < len(ends):
                ends[open_ends] = r
                open_ends += 1
    return count


@kernel
def list_differences(
    pairs: Int32s,
    left: Records,
    right: Records,
    counts: Int64s,
    shared: Int32s,
    ones: Int32s,
    others: Int32s,
) -> int:
    """Write the shared topics with different labels, and both labels, pair after pair.

    ``counts`` receives the number of such topics of each pair. Returns their total.
    """
    total = 0
    for k in range(len(pairs)):
        r, q = pairs[k]
        before = total
        i, end_i = left.offsets[r], left.offsets[r + 1]
        j, end_j = right.offsets[q], right.offsets[q + 1]
        i, j = next_shared(left.topics, i, end_i, right.topics, j, end_j)
        while i < end_i:
            if left.labels[i] != right.labels[j]:
                shared[total] = left.topics[i]
                ones[total] = left.labels[i]
                others[total] = right.labels[j]
                total += 1
            i, j = next_shared(left.topics, i + 1, end_i, right.topics, j + 1, end_j)
        counts[k] = total - before
    return total


@kernel
def best_partners(
    least: int,
    salt: int,
    records: Records,
    bulk: Bulk,
    bulk_nodes: Int32s,
    bulk_degrees: Int32s,
    tally: Int32s,
    touched: Int32s,
    partners: Int32s,
) -> None:
    """Find, for each record, the bulk node whose link merges most components; −1 if none.

    Only contributions of ``least`` or more count. Ties go to nodes of far lower degree, then to a
    hash, so that not all records choose the same node. ``tally`` is all 0 before and after.
    O(Σ over the records' topics of their bulk nodes).
    """
    for r in range(len(records.nodes)):
        partners[r] = -1
        first, last = records.offsets[r], records.offsets[r + 1]
        if last - first < least:
            continue
        count = 0
        for p in range(first, last):
            t = records.topics[p]
            if records.labels[p] == DEAD:
                continue
            for k in range(bulk.offsets[t], bulk.offsets[t + 1]):
                if bulk.labels[k] != records.labels[p]:
                    u = bulk.members[k]
                    if tally[u] == 0:
                        touched[count] = u
                        count += 1
                    tally[u] += 1
        best, most, chance = -1, least, np.uint64(0)
        v = np.uint64(records.nodes[r])
        for k in range(count):
            u = touched[k]
            if tally[u] >= most and bulk_nodes[u] != records.nodes[r]:
                mixed = mix64(
                    mix64(v + np.uint64(salt)) ^ (np.uint64(bulk_nodes[u]) << np.uint64(1))
                ) >> np.uint64(6)
                degree = bulk_degrees[u]
                while degree > 0:
                    mixed += np.uint64(1) << np.uint64(58)
                    degree >>= 1
                if tally[u] > most or best < 0 or mixed < chance:
                    best, most, chance = u, tally[u], mixed
            tally[u] = 0
        partners[r] = best
