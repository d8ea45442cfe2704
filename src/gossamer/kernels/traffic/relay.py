"""Events on clusters and relay paths (Vitis §III-C): receivers of each, and their hops.

Every hop takes equally long, so a breadth-first search from the publisher finds the first copies.
A node forwards a notification once, on the first copy, to all its receivers but the sender.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gossamer.kernels.csr import lower_bound
from gossamer.kernels.jit import Bools, Floats, Int32s, Int64s, kernel


class EventCounts(NamedTuple):
    """Counters, as weights of events.

    By node: first receptions of subscribed and of other topics, and all receptions of both kinds.
    By topic: deliveries expected and made, to counted nodes; hops of these deliveries; first
    receptions by other nodes; and the longest path.
    """

    wanted: Floats
    unwanted: Floats
    all_wanted: Floats
    all_unwanted: Floats
    expected: Floats
    delivered: Floats
    hops: Floats
    relayed: Floats
    furthest: Int32s


@kernel
def disseminate_events(
    publishers: Int32s,
    event_topics: Int32s,
    event_weights: Floats,
    topic_offsets: Int64s,
    topic_nodes: Int32s,
    link_offsets: Int64s,
    links: Int32s,
    path_offsets: Int64s,
    path_hops: Int32s,
    sends: Bools,
    counts: Bools,
    clusters: bool,
    through: bool,
    counted: EventCounts,
) -> None:
    """Follow events, sorted by topic, and add up the counters.

    ``clusters``: subscribers that are neighbours notify each other. ``through``: a relay node also
    notifies its neighbours that subscribe. O(link ends of the receivers) an event.
    """
    nodes = len(sends)
    subscribed = np.full(nodes, -1, np.int32)
    on_path = np.full(nodes, -1, np.int32)
    head = np.full(nodes, -1, np.int64)
    most = 0
    for topic in range(len(path_offsets) - 1):
        most = max(most, path_offsets[topic + 1] - path_offsets[topic])
    following = np.empty(2 * most, np.int64)
    beside = np.empty(2 * most, np.int32)
    got = np.full(nodes, -1, np.int64)
    level = np.zeros(nodes, np.int32)
    source = np.empty(nodes, np.int32)
    queue = np.empty(nodes, np.int32)
    ready = -1
    for event in range(len(publishers)):
        topic, weight = event_topics[event], event_weights[event]
        if topic != ready:
            ready = topic
            for k in range(topic_offsets[topic], topic_offsets[topic + 1]):
                subscribed[topic_nodes[k]] = topic
            entries = 0
            for k in range(path_offsets[topic], path_offsets[topic + 1]):
                for way in range(2):
                    one, other = path_hops[k, way], path_hops[k, 1 - way]
                    if on_path[one] != topic:
                        on_path[one] = topic
                        head[one] = -1
                    following[entries] = head[one]
                    beside[entries] = other
                    head[one] = entries
                    entries += 1
        publisher = publishers[event]
        for k in range(topic_offsets[topic], topic_offsets[topic + 1]):
            if counts[topic_nodes[k]] and topic_nodes[k] != publisher:
                counted.expected[topic] += weight
        got[publisher], level[publisher], source[publisher] = event, 0, -1
        queue[0] = publisher
        start, end = 0, 1
        while start < end:
            node = queue[start]
            start += 1
            if clusters and (subscribed[node] == topic or through):
                for j in range(link_offsets[node], link_offsets[node + 1]):
                    peer = links[j]
                    if subscribed[peer] != topic or peer == source[node] or not sends[peer]:
                        continue
                    counted.all_wanted[peer] += weight
                    if got[peer] != event:
                        got[peer], level[peer], source[peer] = event, level[node] + 1, node
                        queue[end] = peer
                        end += 1
            if on_path[node] != topic:
                continue
            entry = head[node]
            while entry >= 0:
                peer = beside[entry]
                entry = following[entry]
                if peer == source[node] or not sends[peer]:
                    continue
                if subscribed[peer] == topic:
                    if (
                        clusters
                        and (subscribed[node] == topic or through)
                        and _are_linked(link_offsets, links, node, peer)
                    ):
                        continue  # notified as a neighbour
                    counted.all_wanted[peer] += weight
                else:
                    counted.all_unwanted[peer] += weight
                if got[peer] != event:
                    got[peer], level[peer], source[peer] = event, level[node] + 1, node
                    queue[end] = peer
                    end += 1
        for k in range(1, end):
            node = queue[k]
            if subscribed[node] == topic:
                counted.wanted[node] += weight
                if counts[node]:
                    counted.delivered[topic] += weight
                    counted.hops[topic] += weight * level[node]
                    counted.furthest[topic] = max(counted.furthest[topic], level[node])
            else:
                counted.unwanted[node] += weight
                counted.relayed[topic] += weight


@kernel
def _are_linked(link_offsets: Int64s, links: Int32s, node: int, peer: int) -> bool:
    """Return whether a peer is in a node's row of neighbours."""
    end = link_offsets[node + 1]
    place = lower_bound(links, peer, link_offsets[node], end)
    return bool(place < end and links[place] == peer)
