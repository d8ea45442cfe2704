"""Breadth-first search in compressed neighbour lists, from one vertex or from up to 64 at once.

A graph is ``offsets`` (one more than vertices) and ``neighbours``; the offsets may start at any
number, and ``neighbours`` starts at ``offsets[0]``.
"""

from __future__ import annotations

import numpy as np

from gossamer.kernels.jit import Int32s, Int64s, UInt64s, kernel


@kernel
def search(
    offsets: Int64s, neighbours: Int32s, source: int, distances: Int32s, queue: Int32s
) -> int:
    """Compute the distances from a source; return the number of vertices reached.

    ``distances`` must be negative in the source's component; ``queue`` receives the component's
    vertices, nearest first.
    """
    base = offsets[0]
    distances[source] = 0
    queue[0] = source
    reached = 1
    head = 0
    while head < reached:
        vertex = queue[head]
        head += 1
        for arc in range(offsets[vertex] - base, offsets[vertex + 1] - base):
            other = neighbours[arc]
            if distances[other] < 0:
                distances[other] = distances[vertex] + 1
                queue[reached] = other
                reached += 1
    return reached


@kernel
def forget(distances: Int32s, members: Int32s) -> None:
    """Reset the distances of a component to negative."""
    for vertex in members:
        distances[vertex] = -1


@kernel
def search_batch(
    offsets: Int64s,
    neighbours: Int32s,
    members: Int32s,
    sources: Int32s,
    seen: UInt64s,
    fresh: UInt64s,
    coming: UInt64s,
    eccentricities: Int32s,
) -> None:
    """Compute the eccentricities of up to 64 vertices of one component in one shared search.

    Bit i of ``seen[v]`` states that source i has reached v. A level costs the arcs of the vertices
    that some source reached in the level before.
    """
    base = offsets[0]
    active = np.empty(len(members), dtype=np.int32)
    following = np.empty(len(members), dtype=np.int32)
    nothing = np.uint64(0)
    for vertex in members:
        seen[vertex] = nothing
        coming[vertex] = nothing
    for place in range(len(sources)):
        bit = np.uint64(1) << np.uint64(place)
        seen[sources[place]] = bit
        fresh[sources[place]] = bit
        active[place] = sources[place]
        eccentricities[place] = 0
    active_count = len(sources)
    level = 0
    while active_count > 0:
        level += 1
        following_count = 0
        for index in range(active_count):
            vertex = active[index]
            bits = fresh[vertex]
            for arc in range(offsets[vertex] - base, offsets[vertex + 1] - base):
                other = neighbours[arc]
                new = bits & ~seen[other]
                if new != nothing:
                    if coming[other] == nothing:
                        following[following_count] = other
                        following_count += 1
                    coming[other] |= new
        changed = nothing
        for index in range(following_count):
            vertex = following[index]
            fresh[vertex] = coming[vertex]
            seen[vertex] |= coming[vertex]
            changed |= coming[vertex]
            coming[vertex] = nothing
        for place in range(len(sources)):
            if changed & (np.uint64(1) << np.uint64(place)) != nothing:
                eccentricities[place] = level
        active, following = following, active
        active_count = following_count
