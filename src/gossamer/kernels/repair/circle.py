"""Circle of the present nodes by identifier; successors on it coordinate repairs (ElastO, §5).

``identifiers`` has the identifier of every node, and ``circle`` the present nodes in ascending
order of identifier, then of id.
"""

from __future__ import annotations

import numpy as np

from gossamer.kernels.jit import Int32s, UInt64s, kernel


@kernel
def place_on_circle(node: int, identifiers: UInt64s, circle: Int32s) -> int:
    """Return the index of a node on the circle, or that of its insertion. O(log nodes)."""
    low, high = 0, len(circle)
    while low < high:
        middle = (low + high) // 2
        other = circle[middle]
        if identifiers[other] < identifiers[node] or (
            identifiers[other] == identifiers[node] and other < node
        ):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def insert_on_circle(node: int, identifiers: UInt64s, circle: Int32s) -> None:
    """Insert a node; the last place of ``circle`` is free. O(nodes)."""
    at = place_on_circle(node, identifiers, circle[:-1])
    for place in range(len(circle) - 1, at, -1):
        circle[place] = circle[place - 1]
    circle[at] = node


@kernel
def remove_from_circle(node: int, identifiers: UInt64s, circle: Int32s) -> None:
    """Remove a node; the last place of ``circle`` becomes free. O(nodes)."""
    for place in range(place_on_circle(node, identifiers, circle), len(circle) - 1):
        circle[place] = circle[place + 1]


@kernel
def successors(node: int, identifiers: UInt64s, circle: Int32s, count: int) -> Int32s:
    """Return the up to ``count`` nodes that follow a present or absent node, the nearest first."""
    at = place_on_circle(node, identifiers, circle)
    if at < len(circle) and circle[at] == node:
        at += 1
    return _others(node, circle, at, 1, count)


@kernel
def predecessors(node: int, identifiers: UInt64s, circle: Int32s, count: int) -> Int32s:
    """Return the up to ``count`` nodes that precede a node, the nearest first."""
    at = place_on_circle(node, identifiers, circle) - 1
    return _others(node, circle, at, -1, count)


@kernel
def _others(node: int, circle: Int32s, at: int, step: int, count: int) -> Int32s:
    """Return the nodes at up to ``count`` places from ``at`` on, without the node itself."""
    found = np.empty(min(count, len(circle)), dtype=np.int32)
    written = 0
    for k in range(len(found)):
        other = circle[(at + step * k) % len(circle)]
        if other != node:
            found[written] = other
            written += 1
    return found[:written]
