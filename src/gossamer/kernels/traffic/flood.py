"""Floods of publications over links of equal delay without loss, by breadth-first search.

The first copy that a subscriber receives comes over a shortest path. A node sends copies to its
neighbours except the sender of its first copy and the publisher, or with ``send_back`` to all of
them, as StaN's Algorithm 3 is printed; first copies are the same. Topic graphs are those of
``topic_graphs``: a vertex is a slot, a neighbour an index among the subscribers of the topic.
The metrics computed from these counts are defined in ``quality.dissemination``.
"""

from __future__ import annotations

from typing import NamedTuple

from gossamer.kernels.jit import Int32s, Int64s, kernel
from gossamer.kernels.relation import Relation, slot_of


class Graphs(NamedTuple):
    """Subscriptions, and the neighbours of each slot as indices among the topic's subscribers."""

    relation: Relation
    offsets: Int64s
    neighbours: Int32s


class PublicationBatch(NamedTuple):
    """Publishers and topics of publications, and the bytes of a copy.

    ``sizes`` has an entry per publication (crosspost) or per topic of one (topic floods).
    """

    publishers: Int32s
    offsets: Int64s
    topics: Int32s
    sizes: Int64s


class FloodCounts(NamedTuple):
    """Counters, to which a flood adds.

    By node: copies sent, their bytes, deliveries. By publication: deliveries, copies, nodes
    reached, largest hop count. By hop count: deliveries.
    """

    sent: Int64s
    bytes: Int64s
    got: Int64s
    delivered: Int64s
    copies: Int64s
    receipts: Int64s
    furthest: Int64s
    hops: Int64s


class FloodScratch(NamedTuple):
    """Work arrays by node; ``distances``, ``stamps`` and ``slots`` are -1 between floods.

    ``slots`` has a column for each topic of a publication.
    """

    distances: Int32s
    queue: Int32s
    sources: Int32s
    stamps: Int64s
    counter: Int64s
    slots: Int32s


@kernel
def flood_topic(
    graphs: Graphs,
    publisher: int,
    topic: int,
    size: int,
    which: int,
    counts: FloodCounts,
    scratch: FloodScratch,
    send_back: bool,
) -> int:
    """Flood one topic; return the number of subscribers reached, the publisher included.

    ``scratch.queue`` lists them, as indices among the subscribers of the topic.
    """
    relation = graphs.relation
    first = slot_of(relation, publisher, topic)
    if first < 0:
        return 0
    base = relation.topic_offsets[topic]
    origin = first - base
    distances, queue, sources = scratch.distances, scratch.queue, scratch.sources
    distances[origin] = 0
    queue[0] = origin
    sources[origin] = -1
    reached = 1
    head = 0
    while head < reached:
        member = queue[head]
        head += 1
        node = relation.nodes[base + member]
        copies = 0
        for arc in range(graphs.offsets[base + member], graphs.offsets[base + member + 1]):
            other = graphs.neighbours[arc]
            if not send_back and (other == sources[member] or other == origin):
                continue
            copies += 1
            if distances[other] < 0:
                distances[other] = distances[member] + 1
                sources[other] = member
                queue[reached] = other
                reached += 1
        counts.sent[node] += copies
        counts.bytes[node] += copies * size
        counts.copies[which] += copies
        if member != origin:
            counts.got[node] += 1
            counts.hops[distances[member]] += 1
    counts.delivered[which] += reached - 1
    counts.furthest[which] = max(counts.furthest[which], distances[queue[reached - 1]])
    for index in range(reached):
        distances[queue[index]] = -1
    return reached


@kernel
def flood_topics(
    graphs: Graphs,
    batch: PublicationBatch,
    first: int,
    last: int,
    counts: FloodCounts,
    scratch: FloodScratch,
    send_back: bool,
) -> None:
    """Flood publications ``first`` to ``last`` (exclusive), each topic separately."""
    relation = graphs.relation
    for which in range(first, last):
        publisher = batch.publishers[which]
        for entry in range(batch.offsets[which], batch.offsets[which + 1]):
            topic = batch.topics[entry]
            reached = flood_topic(
                graphs, publisher, topic, batch.sizes[entry], which, counts, scratch, send_back
            )
            base = relation.topic_offsets[topic]
            for index in range(1, reached):
                node = relation.nodes[base + scratch.queue[index]]
                if scratch.stamps[node] != which:
                    scratch.stamps[node] = which
                    counts.receipts[which] += 1


@kernel
def write_slots(relation: Relation, topics: Int32s, table: Int32s, clear: bool) -> None:
    """Write the slot of each subscriber of each topic into its row, or clear it to -1."""
    for column in range(len(topics)):
        topic = topics[column]
        for slot in range(relation.topic_offsets[topic], relation.topic_offsets[topic + 1]):
            table[relation.nodes[slot], column] = -1 if clear else slot


@kernel
def flood_crosspost(
    graphs: Graphs,
    batch: PublicationBatch,
    which: int,
    counts: FloodCounts,
    scratch: FloodScratch,
    send_back: bool,
) -> None:
    """Flood one publication on all its topics: one copy to each neighbour on any of them."""
    relation = graphs.relation
    publisher = batch.publishers[which]
    topics = batch.topics[batch.offsets[which] : batch.offsets[which + 1]]
    size = batch.sizes[which]
    write_slots(relation, topics, scratch.slots, False)
    distances, queue, sources = scratch.distances, scratch.queue, scratch.sources
    distances[publisher] = 0
    queue[0] = publisher
    sources[publisher] = -1
    reached = 1
    head = 0
    while head < reached:
        node = queue[head]
        head += 1
        scratch.counter[0] += 1
        stamp = scratch.counter[0]
        copies = 0
        matching = 0
        for column in range(len(topics)):
            slot = scratch.slots[node, column]
            if slot < 0:
                continue
            matching += 1
            base = relation.topic_offsets[topics[column]]
            for arc in range(graphs.offsets[slot], graphs.offsets[slot + 1]):
                other = relation.nodes[base + graphs.neighbours[arc]]
                if scratch.stamps[other] == stamp:
                    continue
                if not send_back and other in (sources[node], publisher):
                    continue
                scratch.stamps[other] = stamp
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
    write_slots(relation, topics, scratch.slots, True)
    for index in range(reached):
        distances[queue[index]] = -1


@kernel
def flood_crossposts(
    graphs: Graphs,
    batch: PublicationBatch,
    first: int,
    last: int,
    counts: FloodCounts,
    scratch: FloodScratch,
    send_back: bool,
) -> None:
    """Flood publications ``first`` to ``last`` (exclusive), all topics of one together."""
    for which in range(first, last):
        entry = batch.offsets[which]
        if batch.offsets[which + 1] - entry > 1:
            flood_crosspost(graphs, batch, which, counts, scratch, send_back)
            continue
        publisher, topic, size = batch.publishers[which], batch.topics[entry], batch.sizes[which]
        reached = flood_topic(graphs, publisher, topic, size, which, counts, scratch, send_back)
        counts.receipts[which] += max(reached - 1, 0)
