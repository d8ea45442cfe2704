"""Neighbour lists that grow and shrink: each node has a block of a common pool."""

from __future__ import annotations

from typing import NamedTuple

from gossamer.kernels.jit import Int32s, Int64s, kernel


class Adjacency(NamedTuple):
    """Neighbours of node v are ``pool[starts[v] : starts[v] + counts[v]]``, unordered.

    ``capacities`` are the sizes of the blocks.
    """

    starts: Int64s
    counts: Int32s
    capacities: Int32s
    pool: Int32s


@kernel
def fill_neighbours(links: Int32s, adjacency: Adjacency) -> None:
    """Add every link in both directions, within the capacities. O(links)."""
    for link in range(len(links)):
        add_neighbour(links[link, 0], links[link, 1], adjacency)
        add_neighbour(links[link, 1], links[link, 0], adjacency)


@kernel
def add_neighbour(node: int, other: int, adjacency: Adjacency) -> None:
    """Append a neighbour to the list of a node, within its capacity."""
    adjacency.pool[adjacency.starts[node] + adjacency.counts[node]] = other
    adjacency.counts[node] += 1


@kernel
def remove_neighbour(node: int, other: int, adjacency: Adjacency) -> bool:
    """Remove a neighbour from the list of a node, if it is in it; return whether. O(degree)."""
    start, count = adjacency.starts[node], adjacency.counts[node]
    for at in range(start, start + count):
        if adjacency.pool[at] == other:
            adjacency.pool[at] = adjacency.pool[start + count - 1]
            adjacency.counts[node] = count - 1
            return True
    return False


@kernel
def gather_neighbours(nodes: Int32s, adjacency: Adjacency, found: Int32s) -> int:
    """Write the neighbours of the nodes in sequence; return their number. O(their links)."""
    count = 0
    for node in nodes:
        start = adjacency.starts[node]
        for at in range(start, start + adjacency.counts[node]):
            found[count] = adjacency.pool[at]
            count += 1
    return count


@kernel
def links_among(nodes: Int32s, adjacency: Adjacency, where: Int32s, links: Int32s) -> int:
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
