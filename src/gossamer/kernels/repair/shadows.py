"""Mending an overlay among a few nodes by LowODA's rule (ElastO, Algorithm 5).

The nodes are *shadows*, numbered by place; the topics are those of the node that joined or
left. ``labels[u, t]`` names the component that shadow u is in on topic t, by the place of one of
its members, and is -1 where u does not want t. Some shadows are *needed*: on each topic, the
components that have one of them must become one. The others may help.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gossamer.kernels.jit import Bools, Int32s, kernel

__all__ = ["Shadows", "keep_needed", "label_shadows", "mend_links"]

UNKNOWN = np.int32(1 << 30)


class Shadows(NamedTuple):
    """Who wants what among the shadows, compressed in both directions, ascending."""

    node_offsets: Int32s
    node_topics: Int32s
    topic_offsets: Int32s
    topic_nodes: Int32s


@kernel
def label_shadows(shadows: Shadows, links: Int32s, together: Bools, labels: Int32s) -> None:
    """Label components: by links among the shadows, and all who are together as one.

    O(subscriptions + links · shared topics · members of a topic).
    """
    labels[:] = -1
    for topic in range(len(shadows.topic_offsets) - 1):
        first = -1
        for at in range(shadows.topic_offsets[topic], shadows.topic_offsets[topic + 1]):
            node = shadows.topic_nodes[at]
            labels[node, topic] = node
            if together[node]:
                if first < 0:
                    first = node
                labels[node, topic] = first
    for link in range(len(links)):
        one, other = links[link, 0], links[link, 1]
        for at in range(shadows.node_offsets[one], shadows.node_offsets[one + 1]):
            topic = shadows.node_topics[at]
            kept, gone = labels[one, topic], labels[other, topic]
            if gone >= 0 and kept != gone:
                _relabel(topic, kept, gone, shadows, labels)


@kernel
def mend_links(
    shadows: Shadows,
    labels: Int32s,
    needed: Bools,
    open_nodes: int,
    degrees: Int32s,
    maximum: int,
    rho: float,
    links: Int32s,
) -> int:
    """Add links by LowODA's rule until what is needed hangs together; return how many.

    Each time e1 is the link that merges components of most topics, e2 the one that does among
    those between nodes below the maximum degree; e1 is taken if it merges ρ times as much, else
    e2, or e1 where there is no e2. Topics on which nothing is left to do do not count. Only the
    first ``open_nodes`` shadows get links. Of equal ones the first. ``labels`` and ``degrees`` are
    changed. Stops where nothing can be done.

    For n shadows, s topics each: what a pair merges only falls, so a pair is looked at again only
    where its last worth, or its row's, is above the best so far: O(n² s) at first, and mostly
    O(n + s · pairs worth the best) a link; n² numbers of memory.
    """
    count = 0
    left = np.zeros(len(shadows.topic_offsets) - 1, dtype=np.int32)
    held = np.zeros(labels.shape, dtype=np.bool_)
    to_do = _count_needed(shadows, labels, needed, held, left)
    bounds = np.full((open_nodes, open_nodes), UNKNOWN, dtype=np.int32)
    rows = np.full(open_nodes, UNKNOWN, dtype=np.int32)
    while to_do > 0:
        best, u, v = 0, -1, -1
        low, low_u, low_v = 0, -1, -1
        for one in range(open_nodes):
            free = degrees[one] < maximum
            if not (rows[one] > best or (free and rows[one] > low)):
                continue
            row = 0
            for other in range(one + 1, open_nodes):
                bound = bounds[one, other]
                under = free and degrees[other] < maximum
                if bound > best or (under and bound > low):
                    bound = _worth(one, other, shadows, labels, left)
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
                    left[topic] -= 1
                    to_do -= 1
                held[kept, topic] |= held[gone, topic]
                _relabel(topic, kept, gone, shadows, labels)
    return count


@kernel
def keep_needed(
    shadows: Shadows, labels: Int32s, needed: Bools, links: Int32s, kept: Bools
) -> None:
    """Say which of the new links are needed: none is left that the others could do without.

    ``labels`` are those from before the links. The last link is tried first. For a topic with m
    of the links: O(m (m + members)).
    """
    kept[:] = True
    parents = np.empty(len(shadows.node_offsets) - 1, dtype=np.int32)
    for link in range(len(links) - 1, -1, -1):
        one, other = links[link, 0], links[link, 1]
        kept[link] = False
        for at in range(shadows.node_offsets[one], shadows.node_offsets[one + 1]):
            topic = shadows.node_topics[at]
            if labels[other, topic] < 0:
                continue
            if not _hangs_together(topic, shadows, labels, needed, links, kept, parents):
                kept[link] = True
                break


@kernel
def _count_needed(
    shadows: Shadows, labels: Int32s, needed: Bools, held: Bools, left: Int32s
) -> int:
    """Mark the components with a needed member; count those but one of each topic."""
    total = 0
    for topic in range(len(left)):
        for at in range(shadows.topic_offsets[topic], shadows.topic_offsets[topic + 1]):
            node = shadows.topic_nodes[at]
            if needed[node] and not held[labels[node, topic], topic]:
                held[labels[node, topic], topic] = True
                left[topic] += 1
        left[topic] = max(left[topic] - 1, 0)
        total += left[topic]
    return total


@kernel
def _worth(one: int, other: int, shadows: Shadows, labels: Int32s, left: Int32s) -> int:
    """Count the topics with something left to do of which a link would merge two components."""
    worth = 0
    for at in range(shadows.node_offsets[one], shadows.node_offsets[one + 1]):
        topic = shadows.node_topics[at]
        if left[topic] > 0:
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
def _hangs_together(
    topic: int,
    shadows: Shadows,
    labels: Int32s,
    needed: Bools,
    links: Int32s,
    kept: Bools,
    parents: Int32s,
) -> bool:
    """Whether the links that are kept leave the needed on a topic in one component."""
    start, end = shadows.topic_offsets[topic], shadows.topic_offsets[topic + 1]
    for at in range(start, end):
        parents[shadows.topic_nodes[at]] = shadows.topic_nodes[at]
    for link in range(len(links)):
        one, other = labels[links[link, 0], topic], labels[links[link, 1], topic]
        if kept[link] and one >= 0 and other >= 0:
            parents[_root(parents, one)] = _root(parents, other)
    common = -1
    for at in range(start, end):
        node = shadows.topic_nodes[at]
        if needed[node]:
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
