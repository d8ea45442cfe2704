"""Rendezvous routing on an unstructured overlay (Vitis §III-B), for all nodes and topics at once.

Links are compressed rows, both directions of each, ascending; nodes are numbered along the
identifier circle. A subscription is a place in the rows of topics by node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gossamer.kernels.gossip.tman import ring_distance
from gossamer.kernels.jit import Bools, Int32s, Int64s, UInt64s, kernel


class GatewayProposals(NamedTuple):
    """The gateway that each node proposes on each of its topics (Algorithm 5), by subscription."""

    gateways: Int32s
    parents: Int32s
    hops: Int32s
    distances: UInt64s


@kernel
def both_ways(peers: Int32s, sends: Bools, believes: Bools, offsets: Int64s) -> Int32s:
    """Return rows of neighbours: a node's own entries, and the owners of tables with it.

    A row of ``peers`` counts if its owner ``sends`` profiles or is still believed to, and a node
    has neighbours if it ``sends``. Offsets are filled in. O(N R^2) for tables of R.
    """
    count = len(peers)
    sizes = np.zeros(count, np.int64)
    for node in range(count):
        for k in range(peers.shape[1]):
            peer = peers[node, k]
            if peer >= 0:
                if sends[node]:
                    sizes[node] += 1
                if believes[node] and sends[peer]:
                    sizes[peer] += 1
    starts = np.zeros(count + 1, np.int64)
    for node in range(count):
        starts[node + 1] = starts[node] + sizes[node]
    found = np.empty(starts[count], np.int32)
    ends = starts[:-1].copy()
    for node in range(count):
        for k in range(peers.shape[1]):
            peer = peers[node, k]
            if peer >= 0:
                if sends[node]:
                    found[ends[node]] = peer
                    ends[node] += 1
                if believes[node] and sends[peer]:
                    found[ends[peer]] = node
                    ends[peer] += 1
    total = 0
    offsets[0] = 0
    for node in range(count):
        row = np.sort(found[starts[node] : ends[node]])
        for k in range(len(row)):
            if k == 0 or row[k] != row[k - 1]:
                found[total] = row[k]
                total += 1
        offsets[node + 1] = total
    return found[:total].copy()


@kernel
def propose_round(
    offsets: Int64s,
    topics: Int32s,
    link_offsets: Int64s,
    links: Int32s,
    sends: Bools,
    identifiers: UInt64s,
    topic_identifiers: UInt64s,
    d: int,
    before: GatewayProposals,
    after: GatewayProposals,
    near: Int64s,
    mine: Int64s,
    token: int,
) -> int:
    """Let each node propose gateways from its neighbours' last proposals; return the next token.

    ``near`` and ``mine`` are scratch, by node and by topic. O(L s) for L link ends and s topics a
    node.
    """
    places = len(topics) + 1
    for node in range(len(sends)):
        if not sends[node]:
            continue
        token += places
        for k in range(offsets[node], offsets[node + 1]):
            mine[topics[k]] = token + k
            after.gateways[k] = node
            after.parents[k] = node
            after.hops[k] = 0
            after.distances[k] = ring_distance(identifiers[node], topic_identifiers[topics[k]])
        for j in range(link_offsets[node], link_offsets[node + 1]):
            near[links[j]] = token
        for j in range(link_offsets[node], link_offsets[node + 1]):
            peer = links[j]
            for theirs in range(offsets[peer], offsets[peer + 1]):
                k = mine[topics[theirs]] - token
                if k < 0:
                    continue
                parent = before.parents[theirs]
                if parent == node or (parent != peer and near[parent] == token):
                    continue
                hops = before.hops[theirs] + 1
                if before.distances[theirs] < after.distances[k] and hops < d:
                    after.gateways[k] = before.gateways[theirs]
                    after.parents[k] = peer
                    after.hops[k] = hops
                    after.distances[k] = before.distances[theirs]
                elif before.gateways[theirs] == after.gateways[k] and hops < after.hops[k]:
                    after.parents[k] = peer
                    after.hops[k] = hops
    return token + places


@kernel
def next_hop(
    link_offsets: Int64s, links: Int32s, identifiers: UInt64s, node: int, target: np.uint64
) -> int:
    """Return the neighbour closest to a target, if it is closer than the node; else -1.

    Neighbours ascend along the circle, so the closest is beside the target: O(log R).
    """
    low, high = link_offsets[node], link_offsets[node + 1]
    if low == high:
        return -1
    first, last = low, high - 1
    while low < high:
        middle = (low + high) // 2
        if identifiers[links[middle]] < target:
            low = middle + 1
        else:
            high = middle
    after = links[low] if low <= last else links[first]
    before = links[low - 1] if low > first else links[last]
    gap = ring_distance(identifiers[after], target)
    best = after
    other = ring_distance(identifiers[before], target)
    if other < gap or (other == gap and before < after):
        best, gap = before, other
    own = ring_distance(identifiers[node], target)
    return best if gap < own or (gap == own and best < node) else -1


@kernel
def look_up(
    link_offsets: Int64s, links: Int32s, identifiers: UInt64s, node: int, target: np.uint64
) -> int:
    """Return the node at which a greedy lookup ends."""
    while True:
        onward = next_hop(link_offsets, links, identifiers, node, target)
        if onward < 0:
            return node
        node = onward


@kernel
def relay_paths(
    topic_offsets: Int64s,
    topic_nodes: Int32s,
    topic_places: Int64s,
    gateways: Int32s,
    from_all: bool,
    sends: Bools,
    link_offsets: Int64s,
    links: Int32s,
    identifiers: UInt64s,
    topic_identifiers: UInt64s,
    stop_at_subscribers: bool,
    path_offsets: Int64s,
    ends: Int32s,
) -> Int32s:
    """Let the gateways of each topic, or all its subscribers, look up its rendezvous node.

    Returns the hops, as rows (from, to), topic by topic; fills ``path_offsets``, and ``ends`` with
    the number of distinct rendezvous nodes at which lookups of a topic end. A lookup stops at a
    node that is already on a path, is lost at an absent node, and may stop at the first subscriber:
    the subscriber's gateway is closer to the topic, and has the path onward. O(P log R) for P hops.
    """
    subscribed = np.full(len(sends), -1, np.int32)
    on_path = np.full(len(sends), -1, np.int32)
    capacity = 1 << 16
    hops = np.empty((capacity, 2), np.int32)
    count = 0
    path_offsets[0] = 0
    for topic in range(len(topic_offsets) - 1):
        ends[topic] = 0
        if stop_at_subscribers:
            for k in range(topic_offsets[topic], topic_offsets[topic + 1]):
                subscribed[topic_nodes[k]] = topic
        for k in range(topic_offsets[topic], topic_offsets[topic + 1]):
            node = topic_nodes[k]
            if not sends[node] or not (from_all or gateways[topic_places[k]] == node):
                continue
            while on_path[node] != topic:
                on_path[node] = topic
                onward = next_hop(link_offsets, links, identifiers, node, topic_identifiers[topic])
                if onward < 0:
                    ends[topic] += 1
                    break
                if count == capacity:
                    capacity *= 2
                    grown = np.empty((capacity, 2), np.int32)
                    grown[:count] = hops
                    hops = grown
                hops[count, 0], hops[count, 1] = node, onward
                count += 1
                if not sends[onward] or subscribed[onward] == topic:
                    break
                node = onward
        path_offsets[topic + 1] = count
    return hops[:count].copy()
