"""The graph of one topic as trees of shortest paths, drawn on rings around their centres.

Each component of the topic is a disc. Its centre is a subscriber with the shortest longest path
to the others, or nearly so; a subscriber on the k-th ring is k hops from it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.quality.topic_graphs import TopicGraph

GAP = 0.08
"""Space between discs, as a share of the radius of the larger one."""


@dataclass(frozen=True)
class Tree:
    """A tree of shortest paths of one component.

    Attributes
    ----------
    order
        Vertices, the nearest to the centre first.
    parents
        Position in ``order`` of each vertex's parent; that of the centre is its own.
    hops
        Hops from the centre of each vertex in ``order``.
    """

    order: list[int]
    parents: list[int]
    hops: list[int]

    def nearest(self, count: int) -> Tree:
        """Return the part of the nearest vertices, at most ``count``.

        It ends with a whole ring, unless that would leave out more than half of them.
        """
        if count < len(self.order):
            whole = bisect_left(self.hops, self.hops[count])
            count = whole if 2 * whole >= count else count
        return Tree(self.order[:count], self.parents[:count], self.hops[:count])


def shortest_path_trees(graph: TopicGraph) -> list[Tree]:
    """Return a tree for each component, the largest first.

    Two searches find a longest path of a tree, whose middle is the centre. In a graph with
    cycles, the path may be shorter than the longest. O(subscribers + links).

    Examples
    --------
    >>> (path,) = shortest_path_trees(TopicGraph.from_links(5, [(0, 1), (1, 2), (2, 3), (3, 4)]))
    >>> path.order[0], path.hops
    (2, [0, 1, 1, 2, 2])
    """
    offsets, neighbours = graph.offsets.tolist(), graph.neighbours.tolist()
    seen = [False] * graph.subscriber_count
    trees = []
    for start in range(graph.subscriber_count):
        if seen[start]:
            continue
        end = _search(offsets, neighbours, start)
        path = _search(offsets, neighbours, end.order[-1])
        place = len(path.order) - 1
        for _ in range(path.hops[-1] // 2):
            place = path.parents[place]
        tree = _search(offsets, neighbours, path.order[place])
        for vertex in tree.order:
            seen[vertex] = True
        trees.append(tree)
    return sorted(trees, key=lambda tree: -len(tree.order))


def place_tree(tree: Tree) -> NDArray[np.float64]:
    """Return a position for each vertex of ``tree.order``, in units of rings around the centre.

    A vertex has an angle as wide as its number of leaves.
    """
    count = len(tree.order)
    leaves = [0] * count
    for place in range(count - 1, 0, -1):
        leaves[place] = leaves[place] or 1
        leaves[tree.parents[place]] += leaves[place]
    starts, angles = [0.0] * count, [0.0] * count
    unit = 2 * math.pi / max(leaves[0], 1)
    taken = [0.0] * count
    for place in range(1, count):
        parent = tree.parents[place]
        starts[place] = starts[parent] + taken[parent]
        taken[parent] += leaves[place] * unit
        angles[place] = starts[place] + leaves[place] * unit / 2
    radii = np.array(tree.hops, dtype=np.float64)
    places: NDArray[np.float64] = radii[:, None] * np.stack((np.cos(angles), np.sin(angles)), 1)
    return places


def pack_discs(radii: Sequence[float], width: float, height: float) -> NDArray[np.float64]:
    """Place discs in columns, in their order, as large as fits.

    Parameters
    ----------
    radii
        Relative radii, the largest first.
    width, height
        Size of the frame.

    Returns
    -------
    NDArray
        Centre and radius of each disc, shape (n, 3).
    """
    if len(radii) == 1:
        return np.array([[width / 2, height / 2, min(width, height) / 2]])
    low, high = 0.0, max(width, height) / max(radii)
    for _ in range(40):
        middle = (low + high) / 2
        if _columns(radii, middle, height)[1] <= width:
            low = middle
        else:
            high = middle
    return _columns(radii, low, height)[0]


def _columns(
    radii: Sequence[float], scale: float, height: float
) -> tuple[NDArray[np.float64], float]:
    """Return discs in columns from the top left, and the width that they need."""
    placed = np.zeros((len(radii), 3))
    left = right = used = 0.0
    for place, radius in enumerate(radii):
        size = 2 * radius * scale
        if used and used + size > height:
            left, used = right, 0.0
        if size > height:
            return placed, math.inf
        right = max(right, left + size * (1 + GAP))
        placed[place] = left + size / 2, height - used - size / 2, size / 2
        used += size * (1 + GAP)
    return placed, right


def _search(offsets: list[int], neighbours: list[int], source: int) -> Tree:
    """Search breadth first from a vertex."""
    base = offsets[0]
    places = {source: 0}
    order, parents, hops = [source], [0], [0]
    for place, vertex in enumerate(order):
        for other in neighbours[offsets[vertex] - base : offsets[vertex + 1] - base]:
            if other not in places:
                places[other] = len(order)
                order.append(other)
                parents.append(place)
                hops.append(hops[place] + 1)
    return Tree(order, parents, hops)
