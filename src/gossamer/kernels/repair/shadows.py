"""Repair of an overlay among a few nodes by LowODA's rule (ElastO, Algorithm 5).

The nodes are *shadows*, numbered by position; the topics are those of the node that joined or
left. ``labels[u, t]`` is the component of shadow u on topic t, as the position of one of its
members, or -1 if u does not subscribe to t. Some shadows must be connected: on each topic, the
components that contain them must become one. Paths through the other shadows are allowed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gossamer.kernels.jit import Bools, Int32s, kernel
from gossamer.kernels.repair.blocks import Blocks

OUTSIDE, WAITING = -1, -2


class Shadows(NamedTuple):
    """Subscriptions of the shadows, compressed in both directions, ascending."""

    node_offsets: Int32s
    node_topics: Int32s
    topic_offsets: Int32s
    topic_nodes: Int32s


@kernel
def find_shadows(nodes: Int32s, topics: Int32s, own: Blocks, places: Int32s) -> Shadows:
    """Return the subscriptions of nodes to some topics.

    ``topics`` ascend, and ``own`` has the topics of each node. ``places`` is scratch: -1 for every
    topic, before and after. O(subscriptions of the nodes).
    """
    for k in range(len(topics)):
        places[topics[k]] = k
    total = 1
    for node in nodes:
        total += own.counts[node]
    node_offsets = np.zeros(len(nodes) + 1, dtype=np.int32)
    topic_offsets = np.zeros(len(topics) + 1, dtype=np.int32)
    found = np.empty(total, dtype=np.int32)
    count = 0
    for place in range(len(nodes)):
        start = own.starts[nodes[place]]
        for at in range(start, start + own.counts[nodes[place]]):
            found[count] = places[own.pool[at]]  # overwritten by the next topic if it is -1
            count += found[count] >= 0
        node_offsets[place + 1] = count
    for topic in topics:
        places[topic] = -1
    for k in found[:count]:
        topic_offsets[k + 1] += 1
    for k in range(len(topics)):
        topic_offsets[k + 1] += topic_offsets[k]
    topic_nodes = np.empty(count, dtype=np.int32)
    filled = topic_offsets[:-1].copy()
    for place in range(len(nodes)):
        for at in range(node_offsets[place], node_offsets[place + 1]):
            k = found[at]
            topic_nodes[filled[k]] = place
            filled[k] += 1
    return Shadows(node_offsets, found[:count], topic_offsets, topic_nodes)


@kernel
def label_shadows(shadows: Shadows, links: Int32s, preconnected: Bools, labels: Int32s) -> None:
    """Label the components that the links among the shadows form; preconnected shadows share one.

    O(subscriptions and their links).
    """
    offsets, near = _linked_places(links, len(shadows.node_offsets) - 1)
    label_by_neighbours(shadows, offsets, near, preconnected, labels)


@kernel
def label_by_neighbours(
    shadows: Shadows, offsets: Int32s, near: Int32s, preconnected: Bools, labels: Int32s
) -> None:
    """Label components as ``label_shadows`` does, from the compressed neighbours of each shadow.

    Runs a breadth-first search for each topic.
    """
    count = len(shadows.node_offsets) - 1
    state = np.full(count, OUTSIDE, dtype=np.int32)
    queue = np.empty(count, dtype=np.int32)
    labels[:] = OUTSIDE
    for topic in range(len(shadows.topic_offsets) - 1):
        members = shadows.topic_nodes[
            shadows.topic_offsets[topic] : shadows.topic_offsets[topic + 1]
        ]
        written = 0
        for node in members:
            state[node] = WAITING
            if preconnected[node]:
                queue[written] = node
                written += 1
        if written > 0:
            _spread(queue[0], written, offsets, near, state, queue)
        for node in members:
            if state[node] == WAITING:
                queue[0] = node
                _spread(node, 1, offsets, near, state, queue)
        for node in members:
            labels[node, topic] = state[node]
            state[node] = OUTSIDE


@kernel
def _linked_places(links: Int32s, count: int) -> tuple[Int32s, Int32s]:
    """Return the neighbours of each place, compressed."""
    offsets = np.zeros(count + 1, dtype=np.int32)
    for link in range(len(links)):
        offsets[links[link, 0]] += 1
        offsets[links[link, 1]] += 1
    for place in range(count):
        offsets[place + 1] += offsets[place]
    near = np.empty(2 * len(links), dtype=np.int32)
    for link in range(len(links)):
        one, other = links[link, 0], links[link, 1]
        offsets[one] -= 1
        offsets[other] -= 1
        near[offsets[one]] = other
        near[offsets[other]] = one
    return offsets, near


@kernel
def _spread(
    label: int, written: int, offsets: Int32s, near: Int32s, state: Int32s, queue: Int32s
) -> None:
    """Label the first nodes of the queue, and all waiting nodes that are connected with them."""
    for read in range(written):
        state[queue[read]] = label
    read = 0
    while read < written:
        node = queue[read]
        for at in range(offsets[node], offsets[node + 1]):
            other = near[at]
            if state[other] == WAITING:
                state[other] = label
                queue[written] = other
                written += 1
        read += 1


@kernel
def connect_shadows(
    shadows: Shadows,
    labels: Int32s,
    must_connect: Bools,
    linkable: int,
    degrees: Int32s,
    maximum: int,
    rho: float,
) -> tuple[Int32s, bool]:
    """Return the links to add, in order, and whether they suffice.

    These are the links of :func:`add_repair_links` without the redundant ones. ``labels`` and
    ``degrees`` are not changed.
    """
    links = np.empty((max(len(shadows.node_topics), 1), 2), dtype=np.int32)
    after = labels.copy()
    count = add_repair_links(
        shadows, after, must_connect, linkable, degrees.copy(), maximum, rho, links
    )
    links = links[:count]
    sufficient = are_connected(shadows, after, must_connect)
    redundant = np.empty(count, dtype=np.bool_)
    find_redundant_links(shadows, labels, must_connect, links, redundant)
    kept = 0
    for link in range(count):
        if not redundant[link]:
            links[kept] = links[link]
            kept += 1
    return links[:kept], sufficient


@kernel
def add_repair_links(
    shadows: Shadows,
    labels: Int32s,
    must_connect: Bools,
    linkable: int,
    degrees: Int32s,
    maximum: int,
    rho: float,
    links: Int32s,
) -> int:
    """Add links by LowODA's rule until the shadows are connected; return the number of links.

    In each step, e1 is the link that merges components of the most topics, and e2 the best link
    between nodes below the maximum degree. If e1 merges ρ times as many as e2, or there is no e2,
    e1 is added, otherwise e2. Finished topics do not count. Ties go to the first pair. Only the
    first ``linkable`` shadows receive links. ``labels`` and ``degrees`` are updated. The search
    ends early if no link merges components.

    The number of topics that a pair merges only falls, so a pair is evaluated again only if its
    last value, and the maximum of its row, exceed the best so far. For n shadows with s topics:
    O(n² + pairs of members of a topic) at first, then mostly O(n + s · pairs with the best value)
    for each link, and n² numbers of memory.
    """
    count = 0
    missing = np.zeros(len(shadows.topic_offsets) - 1, dtype=np.int32)
    held = np.zeros(labels.shape, dtype=np.bool_)
    remaining = _count_missing(shadows, labels, must_connect, held, missing)
    bounds = np.zeros((linkable, linkable), dtype=np.int32)
    rows = np.zeros(linkable, dtype=np.int32)
    _count_merged(shadows, labels, missing, bounds, rows)
    while remaining > 0:
        best, u, v = 0, -1, -1
        low, low_u, low_v = 0, -1, -1
        for one in range(linkable):
            free = degrees[one] < maximum
            if not (rows[one] > best or (free and rows[one] > low)):
                continue
            row = 0
            for other in range(one + 1, linkable):
                bound = bounds[one, other]
                under = free and degrees[other] < maximum
                if bound > best or (under and bound > low):
                    bound = _worth(one, other, shadows, labels, missing)
                    bounds[one, other] = bound
                    if bound > best:
                        best, u, v = bound, one, other
                    if under and bound > low:
                        low, low_u, low_v = bound, one, other
                row = max(row, bound)
            rows[one] = row
        if best == 0:
            break
        if low > 0 and best < rho * low:
            u, v = low_u, low_v
        links[count, 0], links[count, 1] = u, v
        count += 1
        degrees[u] += 1
        degrees[v] += 1
        maximum = max(maximum, degrees[u], degrees[v])
        for at in range(shadows.node_offsets[u], shadows.node_offsets[u + 1]):
            topic = shadows.node_topics[at]
            kept, gone = labels[u, topic], labels[v, topic]
            if gone >= 0 and kept != gone:
                if held[kept, topic] and held[gone, topic]:
                    missing[topic] -= 1
                    remaining -= 1
                held[kept, topic] |= held[gone, topic]
                _relabel(topic, kept, gone, shadows, labels)
    return count


@kernel
def find_redundant_links(
    shadows: Shadows, labels: Int32s, must_connect: Bools, links: Int32s, redundant: Bools
) -> None:
    """Mark redundant new links, so that all unmarked links together suffice and are necessary.

    ``labels`` are those before the links. The last link is tried first. For a topic with m of the
    links: O(m (m + members)).
    """
    redundant[:] = False
    parents = np.empty(len(shadows.node_offsets) - 1, dtype=np.int32)
    for link in range(len(links) - 1, -1, -1):
        one, other = links[link, 0], links[link, 1]
        redundant[link] = True
        for at in range(shadows.node_offsets[one], shadows.node_offsets[one + 1]):
            topic = shadows.node_topics[at]
            if labels[other, topic] < 0:
                continue
            if not _is_connected(topic, shadows, labels, must_connect, links, redundant, parents):
                redundant[link] = False
                break


@kernel
def are_connected(shadows: Shadows, labels: Int32s, must_connect: Bools) -> bool:
    """Whether the shadows that must connect share one label on each topic. O(subscriptions)."""
    for topic in range(len(shadows.topic_offsets) - 1):
        common = -1
        for at in range(shadows.topic_offsets[topic], shadows.topic_offsets[topic + 1]):
            node = shadows.topic_nodes[at]
            if must_connect[node]:
                if common < 0:
                    common = labels[node, topic]
                elif labels[node, topic] != common:
                    return False
    return True


@kernel
def _count_missing(
    shadows: Shadows, labels: Int32s, must_connect: Bools, held: Bools, missing: Int32s
) -> int:
    """Mark the components that must connect; return the number of merges that they need."""
    total = 0
    for topic in range(len(missing)):
        for at in range(shadows.topic_offsets[topic], shadows.topic_offsets[topic + 1]):
            node = shadows.topic_nodes[at]
            if must_connect[node] and not held[labels[node, topic], topic]:
                held[labels[node, topic], topic] = True
                missing[topic] += 1
        missing[topic] = max(missing[topic] - 1, 0)
        total += missing[topic]
    return total


@kernel
def _count_merged(
    shadows: Shadows, labels: Int32s, missing: Int32s, pairs: Int32s, rows: Int32s
) -> None:
    """Count the unfinished topics that a link of each pair would merge, and each row's maximum."""
    for topic in range(len(missing)):
        if missing[topic] == 0:
            continue
        start, end = shadows.topic_offsets[topic], shadows.topic_offsets[topic + 1]
        while end > start and shadows.topic_nodes[end - 1] >= len(rows):
            end -= 1
        for at in range(start, end):
            one = shadows.topic_nodes[at]
            label = labels[one, topic]
            for later in range(at + 1, end):
                other = shadows.topic_nodes[later]
                pairs[one, other] += labels[other, topic] != label
    for one in range(len(rows)):
        for other in range(one + 1, len(rows)):
            rows[one] = max(rows[one], pairs[one, other])


@kernel
def _worth(one: int, other: int, shadows: Shadows, labels: Int32s, missing: Int32s) -> int:
    """Count the unfinished topics on which a link would merge two components."""
    worth = 0
    for at in range(shadows.node_offsets[one], shadows.node_offsets[one + 1]):
        topic = shadows.node_topics[at]
        if missing[topic] > 0:
            label = labels[other, topic]
            if label >= 0 and label != labels[one, topic]:
                worth += 1
    return worth


@kernel
def _relabel(topic: int, kept: int, gone: int, shadows: Shadows, labels: Int32s) -> None:
    for at in range(shadows.topic_offsets[topic], shadows.topic_offsets[topic + 1]):
        node = shadows.topic_nodes[at]
        if labels[node, topic] == gone:
            labels[node, topic] = kept


@kernel
def _is_connected(
    topic: int,
    shadows: Shadows,
    labels: Int32s,
    must_connect: Bools,
    links: Int32s,
    redundant: Bools,
    parents: Int32s,
) -> bool:
    """Whether the other links connect the shadows that must connect on a topic."""
    start, end = shadows.topic_offsets[topic], shadows.topic_offsets[topic + 1]
    for at in range(start, end):
        parents[shadows.topic_nodes[at]] = shadows.topic_nodes[at]
    for link in range(len(links)):
        one, other = labels[links[link, 0], topic], labels[links[link, 1], topic]
        if not redundant[link] and one >= 0 and other >= 0:
            parents[_root(parents, one)] = _root(parents, other)
    common = -1
    for at in range(start, end):
        node = shadows.topic_nodes[at]
        if must_connect[node]:
            root = _root(parents, labels[node, topic])
            if common < 0:
                common = root
            elif root != common:
                return False
    return True


@kernel
def _root(parents: Int32s, node: int) -> int:
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node
