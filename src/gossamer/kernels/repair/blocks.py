"""Lists of ids that grow and shrink, each in a block of a common pool.

They hold the neighbours of each node, in any order, and its topics and the subscribers of each
topic, both ascending.
"""

from __future__ import annotations

from typing import NamedTuple

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
def links_among(nodes: Int32s, adjacency: Blocks, where: Int32s, links: Int32s) -> int:
    """Write the links among the nodes, as positions, the lower first; return their number.

    ``where`` is scratch: -1 for every node, before and after. O(the nodes' links).
    """
    for place in range(len(nodes)):
        where[nodes[place]] = place
    count = 0
    for place in range(len(nodes)):
        start = adjacency.starts[nodes[place]]
        for at in range(start, start + adjacency.counts[nodes[place]]):
            other = where[adjacency.pool[at]]
            if other > place:
                links[count, 0], links[count, 1] = place, other
                count += 1
    for node in nodes:
        where[node] = -1
    return count
