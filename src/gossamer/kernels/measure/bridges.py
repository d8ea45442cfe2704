"""Bridges, articulation points, and the blocks between bridges, of every topic's graph.

A bridge is a link, and an articulation point a vertex, whose removal disconnects a component. One
depth-first search per component finds both, by the lowest number that a subtree links back to
(Hopcroft and Tarjan, CACM 1973; Tarjan, IPL 1974). It has its own stack, so long paths are safe.
Two vertices have at most one link, so the arc back to the parent is the one that was followed.

Graphs are those of ``topic_graphs``: a neighbour is an index among the topic's subscribers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gossamer.kernels.jit import Bools, Int32s, Int64s, kernel


class Search(NamedTuple):
    """Arrays of a search, by vertex: number (-1 before), lowest number linked to, parent.

    ``order`` lists the vertices by number, and ``cursors`` are the next arcs to follow.
    """

    numbers: Int32s
    lowest: Int32s
    parents: Int32s
    order: Int32s
    cursors: Int64s


@kernel
def search_scratch(topic_offsets: Int64s) -> Search:
    """Return arrays for a search of the largest topic."""
    most = 0
    for topic in range(len(topic_offsets) - 1):
        most = max(most, topic_offsets[topic + 1] - topic_offsets[topic])
    return Search(
        np.empty(most, dtype=np.int32),
        np.empty(most, dtype=np.int32),
        np.empty(most, dtype=np.int32),
        np.empty(most, dtype=np.int32),
        np.empty(most, dtype=np.int64),
    )


@kernel
def search_depth_first(
    base: int, root: int, count: int, graph_offsets: Int64s, neighbours: Int32s, search: Search
) -> int:
    """Assign numbers from ``count`` on to the vertices of a component; return the next number.

    ``base`` is the first slot of the topic. ``lowest[v]`` becomes the lowest number that the
    subtree of v links to, tree links excluded. O(vertices + arcs).
    """
    numbers, lowest, parents, cursors = (
        search.numbers, search.lowest, search.parents, search.cursors
    )  # fmt: skip
    numbers[root] = lowest[root] = count
    parents[root] = -1
    cursors[root] = graph_offsets[base + root]
    search.order[count] = root
    count += 1
    vertex = root
    while vertex >= 0:
        arc = cursors[vertex]
        parent = parents[vertex]
        if arc < graph_offsets[base + vertex + 1]:
            cursors[vertex] = arc + 1
            other = neighbours[arc]
            if numbers[other] < 0:
                numbers[other] = lowest[other] = count
                parents[other] = vertex
                cursors[other] = graph_offsets[base + other]
                search.order[count] = other
                count += 1
                vertex = other
            elif other != parent:
                lowest[vertex] = min(lowest[vertex], numbers[other])
        else:
            if parent >= 0:
                lowest[parent] = min(lowest[parent], lowest[vertex])
            vertex = parent
    return count


@kernel
def search_topic(
    base: int, size: int, graph_offsets: Int64s, neighbours: Int32s, search: Search
) -> None:
    """Search all components of one topic."""
    search.numbers[:size] = -1
    count = 0
    for vertex in range(size):
        if search.numbers[vertex] < 0:
            count = search_depth_first(base, vertex, count, graph_offsets, neighbours, search)


@kernel
def find_cuts(
    topic_offsets: Int64s,
    graph_offsets: Int64s,
    neighbours: Int32s,
    bridges: Int64s,
    is_cut: Bools,
) -> None:
    """Count the bridges and mark the articulation points of each topic. O(slots + arcs)."""
    search = search_scratch(topic_offsets)
    numbers, lowest, parents = search.numbers, search.lowest, search.parents
    for topic in range(len(topic_offsets) - 1):
        base = topic_offsets[topic]
        size = topic_offsets[topic + 1] - base
        search_topic(base, size, graph_offsets, neighbours, search)
        cuts = is_cut[base : base + size]
        cuts[:] = False
        bridges[topic] = 0
        last = -1  # the root whose first child was visited; a second child makes it a cut
        for place in range(size):
            vertex = search.order[place]
            parent = parents[vertex]
            if parent < 0:
                continue
            if lowest[vertex] == numbers[vertex]:
                bridges[topic] += 1
            if parents[parent] >= 0:
                cuts[parent] = cuts[parent] or lowest[vertex] >= numbers[parent]
            elif parent == last:
                cuts[parent] = True
            else:
                last = parent


@kernel
def find_blocks(
    topic_offsets: Int64s,
    graph_offsets: Int64s,
    neighbours: Int32s,
    blocks: Int32s,
    components: Int32s,
    bridges: Int32s,
    sizes: Int32s,
) -> None:
    """Write the block and the component of each slot; blocks are what removal of bridges leaves.

    Both are named by one of their slots. At the slot of a block, ``bridges`` counts the bridges
    that end in it, so a block with one is a leaf of the tree of blocks; at the slot of a component,
    ``sizes`` counts its slots. O(subscriptions + arcs).
    """
    search = search_scratch(topic_offsets)
    bridges[:] = 0
    sizes[:] = 0
    for topic in range(len(topic_offsets) - 1):
        base = topic_offsets[topic]
        size = topic_offsets[topic + 1] - base
        search_topic(base, size, graph_offsets, neighbours, search)
        for place in range(size):
            vertex = search.order[place]
            parent = search.parents[vertex]
            slot = base + vertex
            if parent < 0:
                blocks[slot] = components[slot] = slot
            else:
                components[slot] = components[base + parent]
                if search.lowest[vertex] == search.numbers[vertex]:
                    blocks[slot] = slot
                    bridges[slot] += 1
                    bridges[blocks[base + parent]] += 1
                else:
                    blocks[slot] = blocks[base + parent]
            sizes[components[slot]] += 1
