"""The local moving phase of community detection by modularity, in integer arithmetic."""

from __future__ import annotations

import numpy as np

from gossamer.kernels.jit import Int32s, Int64s, kernel


@kernel
def move_vertices(
    offsets: Int64s, neighbours: Int32s, weights: Int64s, own: Int64s, passes: int
) -> Int64s:
    """Return the community of each vertex: a vertex moves to where modularity gains most.

    Blondel et al., J. Stat. Mech. 2008, first phase. O(m) a pass.

    Parameters
    ----------
    offsets, neighbours, weights
        Compressed neighbour lists without loops, and the weight of each arc.
    own
        Weight of the loops of each vertex, both ends counted.
    passes
        Limit of the passes over all vertices.
    """
    count = len(offsets) - 1
    community = np.arange(count)
    strength = own.copy()
    for vertex in range(count):
        for arc in range(offsets[vertex], offsets[vertex + 1]):
            strength[vertex] += weights[arc]
    total, whole = strength.copy(), strength.sum()
    shared = np.zeros(count, dtype=np.int64)
    for _ in range(passes):
        moved = False
        for vertex in range(count):
            first, last = offsets[vertex], offsets[vertex + 1]
            here = community[vertex]
            total[here] -= strength[vertex]
            for arc in range(first, last):
                shared[community[neighbours[arc]]] += weights[arc]
            best, gain = here, shared[here] * whole - total[here] * strength[vertex]
            for arc in range(first, last):
                there = community[neighbours[arc]]
                found = shared[there] * whole - total[there] * strength[vertex]
                if found > gain:
                    best, gain = there, found
            for arc in range(first, last):
                shared[community[neighbours[arc]]] = 0
            total[best] += strength[vertex]
            community[vertex] = best
            moved = moved or best != here
        if not moved:
            break
    return community
