"""Neighbour lists that grow and shrink: a block of a pool for each node."""

from __future__ import annotations

from typing import NamedTuple

from gossamer.kernels.jit import Int32s, Int64s, kernel

__all__ = [
    "Adjacency",
    "add_neighbour",
    "fill_neighbours",
    "gather_neighbours",
    "links_among",
    "remove_neighbour",
]


class Adjacency(NamedTuple):
    """Node v's neighbours are ``pool[starts[v] : starts[v] + counts[v]]``, in no order.

    ``rooms`` is how many its block has place for.
    """

    starts: Int64s
    counts: Int32s
    rooms: Int32s
    pool: Int32s


@kernel
def fill_neighbours(links: Int32s, adjacency: Adjacency) -> None:
    """Add every link in both directions; the blocks have room for them. O(links)."""
    for link in range(len(links)):
        add_neighbour(links[link, 0], links[link, 1], adjacency)
        add_neighbour(links[link, 1], links[link, 0], adjacency)


@kernel
def add_neighbour(node: int, other: int, adjacency: Adjacency) -> None:
    """Put somebody at the end of a node's list, which has room."""
    adjacency.pool[adjacency.starts[node] + adjacency.counts[node]] = other
    adjacency.counts[node] += 1


@kernel
def remove_neighbour(node: int, other: int, adjacency: Adjacency) -> bool:
    """Take somebody out of a node's list; whether it was there. O(degree)."""
    start, count = adjacency.starts[node], adjacency.counts[node]
    for at in range(start, start + count):
        if adjacency.pool[at] == other:
            adjacency.pool[at] = adjacency.pool[start + count - 1]
            adjacency.counts[node] = count - 1
            return True
    return False


@kernel
def gather_neighbours(nodes: Int32s, adjacency: Adjacency, found: Int32s) -> int:
    """Write the neighbours of some nodes one after the other; return how many. O(their links)."""
    count = 0
    for node in nodes:
        start = adjacency.starts[node]
        for at in range(start, start + adjacency.counts[node]):
            found[count] = adjacency.pool[at]
            count += 1
    return count


@kernel
def links_among(nodes: Int32s, adjacency: Adjacency, where: Int32s, links: Int32s) -> int:
    """Write the links among some nodes, by place, the lower first; return how many.

    ``where`` has -1 for every node, before and after. O(the nodes' links).
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
