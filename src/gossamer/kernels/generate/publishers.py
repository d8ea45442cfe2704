"""Publishers of topics: nodes that subscribe to all of some topics, and correlated topics.

Random choices are numbers of a key and a counter, so those of a publication depend on it alone.
"""

from __future__ import annotations

import numpy as np

from gossamer.kernels.jit import Int32s, Int64s, kernel
from gossamer.kernels.measure.overlap import count_row
from gossamer.kernels.random import node_key, randbelow
from gossamer.kernels.relation import Relation, slot_of, transpose

MAX_GUESSES = 48


@kernel
def correlated_topics(relation: Relation, asked: Int32s, depth: int) -> Int32s:
    """Return, for each topic asked, the ``depth`` topics with most subscribers in common.

    Ties go to the lower identifier; -1 where there are fewer. Costs the topics of the subscribers
    of each.
    """
    by_topic = transpose(relation)
    topic_count = len(relation.topic_offsets) - 1
    shared = np.zeros(topic_count, dtype=np.int32)
    met = np.empty(topic_count, dtype=np.int32)
    found = np.full((len(asked), depth), -1, dtype=np.int32)
    for row in range(len(asked)):
        # Topics that share nodes are counted as nodes that share topics.
        count = count_row(asked[row], by_topic, shared, met)
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
def subscribes_to_all(relation: Relation, node: int, topics: Int32s, known: int) -> bool:
    """Return whether a node subscribes to all of some topics, one of which is known."""
    for topic in topics:
        if topic != known and slot_of(relation, node, topic) < 0:
            return False
    return True


@kernel
def rarest_of(relation: Relation, topics: Int32s) -> int:
    """Return the topic with fewest subscribers, the first of several."""
    rarest = topics[0]
    fewest = relation.topic_offsets[rarest + 1] - relation.topic_offsets[rarest]
    for topic in topics:
        size = relation.topic_offsets[topic + 1] - relation.topic_offsets[topic]
        if size < fewest:
            rarest, fewest = topic, size
    return int(rarest)


@kernel
def list_common_subscribers(relation: Relation, topics: Int32s, listed: Int32s) -> int:
    """List the nodes that subscribe to all of some topics, ascending; return their number."""
    rarest = rarest_of(relation, topics)
    count = 0
    for slot in range(relation.topic_offsets[rarest], relation.topic_offsets[rarest + 1]):
        node = relation.nodes[slot]
        if subscribes_to_all(relation, node, topics, rarest):
            listed[count] = node
            count += 1
    return count


@kernel
def sample_common_subscriber(relation: Relation, topics: Int32s, key: np.uint64) -> int:
    """Return a uniform random node that subscribes to all of some topics; -1 if it is not found.

    Tries random subscribers of the rarest topic a few times, which avoids visiting all of them
    where many subscribe to the other topics too.
    """
    rarest = rarest_of(relation, topics)
    begin = relation.topic_offsets[rarest]
    size = relation.topic_offsets[rarest + 1] - begin
    if size > 0:
        for guess in range(1, MAX_GUESSES + 1):
            node = relation.nodes[begin + randbelow(key, guess, size)]
            if subscribes_to_all(relation, node, topics, rarest):
                return int(node)
    return -1


@kernel
def choose_publishers(
    relation: Relation, offsets: Int64s, topics: Int32s, each: int, key: np.uint64
) -> tuple[Int64s, Int32s]:
    """Choose ``each`` distinct publishers for each list of topics.

    Returns list lengths and publishers.

    Publishers subscribe to all topics of the list; if no node does, to all but the last, and so on.
    The first topic of each list has a subscriber. Returns the number of topics used, and the nodes
    (lists × each), -1 where there are fewer.
    """
    rows = len(offsets) - 1
    listed = np.empty(max(len(relation.node_offsets) - 1, 1), dtype=np.int32)
    lengths = np.zeros(rows, dtype=np.int64)
    chosen = np.full((rows, each), -1, dtype=np.int32)
    for row in range(rows):
        begin, end = offsets[row], offsets[row + 1]
        count = 0
        while count == 0 and end > begin:
            count = list_common_subscribers(relation, topics[begin:end], listed)
            lengths[row] = end - begin
            end -= 1
        row_key = node_key(key, np.uint64(row))
        for place in range(min(each, count)):
            other = place + randbelow(row_key, place, count - place)
            listed[place], listed[other] = listed[other], listed[place]
            chosen[row, place] = listed[place]
    return lengths, chosen


@kernel
def draw_publishers(
    relation: Relation, offsets: Int64s, topics: Int32s, publishers: Int32s, key: np.uint64
) -> None:
    """Write a publisher for each list of topics whose publisher is -1.

    A random node that subscribes to all topics; if there is none, one that subscribes to most of
    them. A list without topics stays as it is.
    """
    nodes = len(relation.node_offsets) - 1
    listed = np.empty(max(nodes, 1), dtype=np.int32)
    shared = np.zeros(nodes, dtype=np.int32)
    for row in range(len(offsets) - 1):
        begin, end = offsets[row], offsets[row + 1]
        if publishers[row] >= 0 or begin == end:
            continue
        asked = topics[begin:end]
        row_key = node_key(key, np.uint64(row))
        guessed = sample_common_subscriber(relation, asked, row_key)
        if guessed >= 0:
            publishers[row] = guessed
            continue
        count = list_common_subscribers(relation, asked, listed)
        if count == 0:
            count = list_best_subscribers(relation, asked, shared, listed)
        if count > 0:
            publishers[row] = listed[randbelow(row_key, 0, count)]


@kernel
def list_best_subscribers(
    relation: Relation, topics: Int32s, shared: Int32s, listed: Int32s
) -> int:
    """List the nodes that subscribe to the largest number of some topics.

    Returns how many there are.

    ``shared`` is zero before and after.
    """
    most = 0
    for topic in topics:
        for slot in range(relation.topic_offsets[topic], relation.topic_offsets[topic + 1]):
            node = relation.nodes[slot]
            shared[node] += 1
            most = max(most, shared[node])
    count = 0
    for topic in topics:
        for slot in range(relation.topic_offsets[topic], relation.topic_offsets[topic + 1]):
            node = relation.nodes[slot]
            if shared[node] == most and most > 0:
                listed[count] = node
                count += 1
            shared[node] = 0
    return count
