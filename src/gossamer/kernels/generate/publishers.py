"""Who publishes on which topics: nodes that want all of some topics, and topics that go together.

Random choices are words of a key and a counter, so each publication's are its own.
"""

from __future__ import annotations

import numpy as np

from gossamer.kernels.jit import Int32s, Int64s, kernel
from gossamer.kernels.measure.overlap import count_row
from gossamer.kernels.random import below, node_key

__all__ = ["correlated_topics", "first_wanting", "some_wanting", "wanting_most"]

GUESSES = 48


@kernel
def correlated_topics(
    node_offsets: Int64s,
    node_topics: Int32s,
    topic_offsets: Int64s,
    topic_nodes: Int32s,
    asked: Int32s,
    depth: int,
) -> Int32s:
    """Return, for each topic asked, the ``depth`` topics with most subscribers in common.

    The lower id where as many are common; -1 where there are fewer. Costs the topics of the
    subscribers of each.
    """
    topic_count = len(topic_offsets) - 1
    shared = np.zeros(topic_count, dtype=np.int32)
    met = np.empty(topic_count, dtype=np.int32)
    found = np.full((len(asked), depth), -1, dtype=np.int32)
    for row in range(len(asked)):
        # Topics that share nodes, as nodes that share topics: the same count, turned round.
        count = count_row(
            asked[row], topic_offsets, topic_nodes, node_offsets, node_topics, shared, met
        )
        for rank in range(min(depth, count)):
            best = rank
            for index in range(rank + 1, count):
                more = shared[met[index]] - shared[met[best]]
                if more > 0 or (more == 0 and met[index] < met[best]):
                    best = index
            met[rank], met[best] = met[best], met[rank]
            found[row, rank] = met[rank]
        for index in range(count):
            shared[met[index]] = 0
    return found


@kernel
def wants(node_offsets: Int64s, node_topics: Int32s, node: int, topic: int) -> bool:
    """Whether a node wants a topic."""
    low, high = node_offsets[node], node_offsets[node + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if node_topics[middle] < topic:
            low = middle + 1
        else:
            high = middle
    return bool(low < end and node_topics[low] == topic)


@kernel
def wants_all(
    node_offsets: Int64s, node_topics: Int32s, node: int, topics: Int32s, known: int
) -> bool:
    """Whether a node wants all of some topics, one of which it is known to want."""
    for topic in topics:
        if topic != known and not wants(node_offsets, node_topics, node, topic):
            return False
    return True


@kernel
def rarest_of(topic_offsets: Int64s, topics: Int32s) -> int:
    """Return the topic with fewest subscribers, the first of several."""
    rarest = topics[0]
    fewest = topic_offsets[rarest + 1] - topic_offsets[rarest]
    for topic in topics:
        size = topic_offsets[topic + 1] - topic_offsets[topic]
        if size < fewest:
            rarest, fewest = topic, size
    return int(rarest)


@kernel
def list_wanting(
    node_offsets: Int64s,
    node_topics: Int32s,
    topic_offsets: Int64s,
    topic_nodes: Int32s,
    topics: Int32s,
    listed: Int32s,
) -> int:
    """List the nodes that want all of some topics, ascending; return how many there are."""
    rarest = rarest_of(topic_offsets, topics)
    count = 0
    for slot in range(topic_offsets[rarest], topic_offsets[rarest + 1]):
        node = topic_nodes[slot]
        if wants_all(node_offsets, node_topics, node, topics, rarest):
            listed[count] = node
            count += 1
    return count


@kernel
def guess_wanting(
    node_offsets: Int64s,
    node_topics: Int32s,
    topic_offsets: Int64s,
    topic_nodes: Int32s,
    topics: Int32s,
    key: np.uint64,
) -> int:
    """Return a node that wants all of some topics, each as likely as the next; -1 if unlucky.

    Subscribers of the rarest topic are tried at random, a few times, which spares going over
    all of them where many want the other topics too.
    """
    rarest = rarest_of(topic_offsets, topics)
    begin = topic_offsets[rarest]
    size = topic_offsets[rarest + 1] - begin
    if size > 0:
        for guess in range(1, GUESSES + 1):
            node = topic_nodes[begin + below(key, guess, size)]
            if wants_all(node_offsets, node_topics, node, topics, rarest):
                return int(node)
    return -1


@kernel
def first_wanting(
    node_offsets: Int64s,
    node_topics: Int32s,
    topic_offsets: Int64s,
    topic_nodes: Int32s,
    offsets: Int64s,
    topics: Int32s,
    each: int,
    key: np.uint64,
) -> tuple[Int64s, Int32s]:
    """Choose ``each`` different nodes for each list of topics, and how many topics they all want.

    Nodes are chosen among those that want all topics; if nobody does, all but the last, and so
    on. Where there are fewer, all of them. The first topic of each list has a subscriber.
    Returns the numbers of topics, and the nodes (lists × each), -1 where there are fewer.
    """
    rows = len(offsets) - 1
    listed = np.empty(max(len(node_offsets) - 1, 1), dtype=np.int32)
    lengths = np.zeros(rows, dtype=np.int64)
    chosen = np.full((rows, each), -1, dtype=np.int32)
    for row in range(rows):
        begin, end = offsets[row], offsets[row + 1]
        count = 0
        while count == 0 and end > begin:
            count = list_wanting(
                node_offsets, node_topics, topic_offsets, topic_nodes, topics[begin:end], listed
            )
            lengths[row] = end - begin
            end -= 1
        row_key = node_key(key, np.uint64(row))
        for place in range(min(each, count)):
            other = place + below(row_key, place, count - place)
            listed[place], listed[other] = listed[other], listed[place]
            chosen[row, place] = listed[place]
    return lengths, chosen


@kernel
def some_wanting(
    node_offsets: Int64s,
    node_topics: Int32s,
    topic_offsets: Int64s,
    topic_nodes: Int32s,
    offsets: Int64s,
    topics: Int32s,
    publishers: Int32s,
    key: np.uint64,
) -> None:
    """Write a node for each list of topics whose publisher is -1: one that wants most of them.

    Any of those that want all; if nobody does, any of those that want as many as anybody. A
    list without topics stays as it is.
    """
    nodes = len(node_offsets) - 1
    listed = np.empty(max(nodes, 1), dtype=np.int32)
    shared = np.zeros(nodes, dtype=np.int32)
    for row in range(len(offsets) - 1):
        begin, end = offsets[row], offsets[row + 1]
        if publishers[row] >= 0 or begin == end:
            continue
        asked = topics[begin:end]
        row_key = node_key(key, np.uint64(row))
        guessed = guess_wanting(
            node_offsets, node_topics, topic_offsets, topic_nodes, asked, row_key
        )
        if guessed >= 0:
            publishers[row] = guessed
            continue
        count = list_wanting(node_offsets, node_topics, topic_offsets, topic_nodes, asked, listed)
        if count == 0:
            count = wanting_most(topic_offsets, topic_nodes, asked, shared, listed)
        if count > 0:
            publishers[row] = listed[below(row_key, 0, count)]


@kernel
def wanting_most(
    topic_offsets: Int64s, topic_nodes: Int32s, topics: Int32s, shared: Int32s, listed: Int32s
) -> int:
    """List the nodes that want as many of some topics as anybody; return how many there are.

    ``shared`` must be zero, and is again afterwards.
    """
    most = 0
    for topic in topics:
        for slot in range(topic_offsets[topic], topic_offsets[topic + 1]):
            node = topic_nodes[slot]
            shared[node] += 1
            most = max(most, shared[node])
    count = 0
    for topic in topics:
        for slot in range(topic_offsets[topic], topic_offsets[topic + 1]):
            node = topic_nodes[slot]
            if shared[node] == most and most > 0:
                listed[count] = node
                count += 1
            shared[node] = 0
    return count
