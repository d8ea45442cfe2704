"""Neighbour lists that grow and shrink: a block of a pool for each node."""

from __future__ import annotations

from typing import NamedTuple

from gossamer.kernels.jit import Int32s, Int64s, kernel

__all__ = ["Adjacency", "add_neighbour", "fill_neighbours", "remove_neighbour"]


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
