"""Lists of ids that grow and shrink, each in a block of a common pool.

They hold the neighbours of each node, in any order, and its topics and the subscribers of each
topic, both ascending.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gossamer.kernels.csr import lower_bound
from gossamer.kernels.jit import Int32s, Int64s, kernel


class Blocks(NamedTuple):
    """List k is ``pool[starts[k] : starts[k] + counts[k]]``; ``capacities`` are block sizes."""

    starts: Int64s
    counts: Int32s
    capacities: Int32s
    pool: Int32s


class Subscriptions(NamedTuple):
    """Topics of each node, and subscribers of each topic, both ascending."""

    topics: Blocks
    subscribers: Blocks


class Scratch(NamedTuple):
    """Place of each node and of each topic in a list; -1 before and after every use."""

    nodes: Int32s
    topics: Int32s


@kernel
def fill_neighbours(links: Int32s, adjacency: Blocks) -> None:
    """Add every link in both directions, within the capacities. O(links)."""
    for link in range(len(links)):
        append(links[link, 0], links[link, 1], adjacency)
        append(links[link, 1], links[link, 0], adjacency)


@kernel
def append(k: int, value: int, blocks: Blocks) -> None:
    """Append a value to list k, within its capacity."""
    blocks.pool[blocks.starts[k] + blocks.counts[k]] = value
    blocks.counts[k] += 1


@kernel
def add_links(links: Int32s, first: int, adjacency: Blocks) -> int:
    """Add links from ``first`` on in both directions, until an end has no free place.

    Returns the number of links that are added, those before ``first`` included; or -1 - link for
    the first that existed before. O(degrees of the ends).
    """
    for link in range(first, len(links)):
        one, other = links[link, 0], links[link, 1]
        start, end = adjacency.starts[one], adjacency.starts[one] + adjacency.counts[one]
        for at in range(start, end):
            if adjacency.pool[at] == other:
                return -1 - link
        for node in (one, other):
            if adjacency.counts[node] == adjacency.capacities[node]:
                return link
        append(one, other, adjacency)
        append(other, one, adjacency)
    return len(links)


@kernel
def remove_links(node: int, adjacency: Blocks) -> Int32s:
    """Remove all links of a node; return its neighbours, ascending. O(their degrees)."""
    start = adjacency.starts[node]
    neighbours = np.sort(adjacency.pool[start : start + adjacency.counts[node]])
    for other in neighbours:
        remove(other, node, adjacency)
    adjacency.counts[node] = 0
    return neighbours


@kernel
def remove(k: int, value: int, blocks: Blocks) -> bool:
    """Remove a value from list k, whose last one takes its place; return whether. O(length)."""
    start, count = blocks.starts[k], blocks.counts[k]
    for at in range(start, start + count):
        if blocks.pool[at] == value:
            blocks.pool[at] = blocks.pool[start + count - 1]
            blocks.counts[k] = count - 1
            return True
    return False


@kernel
def insert_sorted(k: int, value: int, blocks: Blocks) -> None:
    """Insert a value into list k, which is ascending, within its capacity. O(length)."""
    at = blocks.starts[k] + blocks.counts[k]
    while at > blocks.starts[k] and blocks.pool[at - 1] > value:
        blocks.pool[at] = blocks.pool[at - 1]
        at -= 1
    blocks.pool[at] = value
    blocks.counts[k] += 1


@kernel
def remove_sorted(k: int, value: int, blocks: Blocks) -> bool:
    """Remove a value from list k, which stays ascending; return whether. O(length)."""
    start = blocks.starts[k]
    end = start + blocks.counts[k]
    at = lower_bound(blocks.pool, value, start, end)
    if at == end or blocks.pool[at] != value:
        return False
    for place in range(at, end - 1):
        blocks.pool[place] = blocks.pool[place + 1]
    blocks.counts[k] -= 1
    return True


@kernel
def gather(lists: Int32s, blocks: Blocks, found: Int32s) -> int:
    """Write the values of some lists in sequence; return their number. O(values)."""
    count = 0
    for k in lists:
        start = blocks.starts[k]
        for at in range(start, start + blocks.counts[k]):
            found[count] = blocks.pool[at]
            count += 1
    return count


@kernel
def with_neighbours(nodes: Int32s, adjacency: Blocks, places: Int32s) -> Int32s:
    """Return nodes and behind them their other neighbours, each once; O(the nodes' links).

    ``places`` is scratch: -1 for every node, before and after.
    """
    total = len(nodes)
    for node in nodes:
        places[node] = 0
        total += adjacency.counts[node]
    found = np.empty(total, dtype=np.int32)
    found[: len(nodes)] = nodes
    count = len(nodes)
    for node in nodes:
        start = adjacency.starts[node]
        for at in range(start, start + adjacency.counts[node]):
            if places[adjacency.pool[at]] < 0:
                places[adjacency.pool[at]] = 0
                found[count] = adjacency.pool[at]
                count += 1
    for node in found[:count]:
        places[node] = -1
    return found[:count]


@kernel
def neighbours_among(nodes: Int32s, adjacency: Blocks, places: Int32s) -> tuple[Int32s, Int32s]:
    """Return the neighbours of nodes among them, as positions, compressed: offsets, values.

    ``places`` is scratch: -1 for every node, before and after. O(the nodes' links).
    """
    total = 1
    for place in range(len(nodes)):
        places[nodes[place]] = place
        total += adjacency.counts[nodes[place]]
    offsets = np.zeros(len(nodes) + 1, dtype=np.int32)
    near = np.empty(total, dtype=np.int32)
    count = 0
    for place in range(len(nodes)):
        start = adjacency.starts[nodes[place]]
        for at in range(start, start + adjacency.counts[nodes[place]]):
            near[count] = places[adjacency.pool[at]]  # the next one takes its place if it is -1
            count += near[count] >= 0
        offsets[place + 1] = count
    for node in nodes:
        places[node] = -1
    return offsets, near[:count]
