"""Floods of what is published, where every link takes as long as the next and nothing is lost.

Breadth first, so who is first to bring something is one of the nearest. The graphs of all
topics are those of ``topic_graphs``: a subscription is a slot, a neighbour its place among
the topic's subscribers. What is counted here means is not decided here.
"""

from __future__ import annotations

from typing import NamedTuple

from gossamer.kernels.jit import Int32s, Int64s, kernel

__all__ = ["Counts", "Flooded", "Graphs", "Room", "flood_crossposts", "flood_topics"]


class Graphs(NamedTuple):
    """Who wants what, and the neighbours on each topic."""

    node_offsets: Int64s
    node_topics: Int32s
    slots: Int32s
    topic_offsets: Int64s
    topic_nodes: Int32s
    offsets: Int64s
    neighbours: Int32s


class Flooded(NamedTuple):
    """What is published by whom, and the bytes of a copy of each, or of each of its topics."""

    publishers: Int32s
    offsets: Int64s
    topics: Int32s
    sizes: Int64s


class Counts(NamedTuple):
    """What is counted, added to what is there.

    By node: copies sent, their bytes, and deliveries; by publication: deliveries, copies sent,
    nodes that it came to, and the most hops; and how many deliveries took each number of hops.
    """

    sent: Int64s
    bytes: Int64s
    got: Int64s
    delivered: Int64s
    copies: Int64s
    receipts: Int64s
    furthest: Int64s
    hops: Int64s


class Room(NamedTuple):
    """Room to work in, one entry a node: ``distances`` and ``stamps`` begin at -1.

    ``slots`` has a row for each node, as wide as a publication has topics, and begins at -1.
    """

    distances: Int32s
    queue: Int32s
    sources: Int32s
    stamps: Int64s
    counter: Int64s
    slots: Int32s


@kernel
def slot_of(graphs: Graphs, node: int, topic: int) -> int:
    """Return the slot of a node on a topic, -1 if it does not want it."""
    low, high = graphs.node_offsets[node], graphs.node_offsets[node + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if graphs.node_topics[middle] < topic:
            low = middle + 1
        else:
            high = middle
    if low < end and graphs.node_topics[low] == topic:
        return int(graphs.slots[low])
    return -1


@kernel
def flood_topic(
    graphs: Graphs, publisher: int, topic: int, size: int, which: int, counts: Counts, room: Room
) -> int:
    """Flood one topic; return how many subscribers were reached, the publisher included.

    ``room.queue`` has their places among the topic's subscribers, and ``room.distances`` is -1
    again.
    """
    first = slot_of(graphs, publisher, topic)
    if first < 0:
        return 0
    base = graphs.topic_offsets[topic]
    origin = first - base
    distances, queue, sources = room.distances, room.queue, room.sources
    distances[origin] = 0
    queue[0] = origin
    sources[origin] = -1
    reached = 1
    head = 0
    while head < reached:
        place = queue[head]
        head += 1
        node = graphs.topic_nodes[base + place]
        copies = 0
        for arc in range(graphs.offsets[base + place], graphs.offsets[base + place + 1]):
            other = graphs.neighbours[arc]
            if other == sources[place] or other == origin:
                continue
            copies += 1
            if distances[other] < 0:
                distances[other] = distances[place] + 1
                sources[other] = place
                queue[reached] = other
                reached += 1
        counts.sent[node] += copies
        counts.bytes[node] += copies * size
        counts.copies[which] += copies
        if place != origin:
            counts.got[node] += 1
            counts.hops[distances[place]] += 1
    counts.delivered[which] += reached - 1
    counts.furthest[which] = max(counts.furthest[which], distances[queue[reached - 1]])
    for index in range(reached):
        distances[queue[index]] = -1
    return reached


@kernel
def flood_topics(
    graphs: Graphs, flooded: Flooded, first: int, last: int, counts: Counts, room: Room
) -> None:
    """Flood publications ``first`` up to ``last``, not included: each topic by itself.

    A copy of the k-th topic listed has ``flooded.sizes[k]`` bytes.
    """
    for which in range(first, last):
        publisher = flooded.publishers[which]
        for entry in range(flooded.offsets[which], flooded.offsets[which + 1]):
            topic = flooded.topics[entry]
            reached = flood_topic(
                graphs, publisher, topic, flooded.sizes[entry], which, counts, room
            )
            base = graphs.topic_offsets[topic]
            for index in range(1, reached):
                node = graphs.topic_nodes[base + room.queue[index]]
                if room.stamps[node] != which:
                    room.stamps[node] = which
                    counts.receipts[which] += 1


@kernel
def enter_slots(graphs: Graphs, topics: Int32s, table: Int32s) -> None:
    """Write the slot of each subscriber on each topic into its row."""
    for column in range(len(topics)):
        topic = topics[column]
        for slot in range(graphs.topic_offsets[topic], graphs.topic_offsets[topic + 1]):
            table[graphs.topic_nodes[slot], column] = slot


@kernel
def clear_slots(graphs: Graphs, topics: Int32s, table: Int32s) -> None:
    """Make the rows of all subscribers -1 again."""
    for column in range(len(topics)):
        topic = topics[column]
        for slot in range(graphs.topic_offsets[topic], graphs.topic_offsets[topic + 1]):
            table[graphs.topic_nodes[slot], column] = -1


@kernel
def flood_crosspost(
    graphs: Graphs, flooded: Flooded, which: int, counts: Counts, room: Room
) -> None:
    """Flood one publication on all its topics together: a copy to each neighbour on any of them."""
    publisher = flooded.publishers[which]
    topics = flooded.topics[flooded.offsets[which] : flooded.offsets[which + 1]]
    size = flooded.sizes[which]
    enter_slots(graphs, topics, room.slots)
    distances, queue, sources, stamps = room.distances, room.queue, room.sources, room.stamps
    distances[publisher] = 0
    queue[0] = publisher
    sources[publisher] = -1
    reached = 1
    head = 0
    while head < reached:
        node = queue[head]
        head += 1
        room.counter[0] += 1
        stamp = room.counter[0]
        copies = 0
        matching = 0
        for column in range(len(topics)):
            slot = room.slots[node, column]
            if slot < 0:
                continue
            matching += 1
            base = graphs.topic_offsets[topics[column]]
            for arc in range(graphs.offsets[slot], graphs.offsets[slot + 1]):
                other = graphs.topic_nodes[base + graphs.neighbours[arc]]
                if other == sources[node] or other == publisher or stamps[other] == stamp:
                    continue
                stamps[other] = stamp
                copies += 1
                if distances[other] < 0:
                    distances[other] = distances[node] + 1
                    sources[other] = node
                    queue[reached] = other
                    reached += 1
        counts.sent[node] += copies
        counts.bytes[node] += copies * size
        counts.copies[which] += copies
        if node != publisher:
            counts.got[node] += matching
            counts.delivered[which] += matching
            counts.hops[distances[node]] += matching
    counts.receipts[which] += reached - 1
    counts.furthest[which] = distances[queue[reached - 1]]
    clear_slots(graphs, topics, room.slots)
    for index in range(reached):
        distances[queue[index]] = -1


@kernel
def flood_crossposts(
    graphs: Graphs, flooded: Flooded, first: int, last: int, counts: Counts, room: Room
) -> None:
    """Flood publications ``first`` up to ``last``, not included: all topics of one together.

    A copy of the k-th publication has ``flooded.sizes[k]`` bytes.
    """
    for which in range(first, last):
        entry = flooded.offsets[which]
        if flooded.offsets[which + 1] - entry > 1:
            flood_crosspost(graphs, flooded, which, counts, room)
            continue
        reached = flood_topic(
            graphs,
            flooded.publishers[which],
            flooded.topics[entry],
            flooded.sizes[which],
            which,
            counts,
            room,
        )
        counts.receipts[which] += max(reached - 1, 0)
