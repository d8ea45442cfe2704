"""Components and exact diameters of a graph in compressed neighbour lists.

Single searches bound the eccentricity of every vertex from both sides until none can exceed the
longest distance found (Takes and Kosters 2011). On graphs where that stalls, because all
eccentricities are similar, the remaining vertices are searched 64 at a time, one bit each (Then
et al. 2014).

Graphs are those of ``breadth_first``.
"""

from __future__ import annotations

import numpy as np

from gossamer.kernels.jit import Bools, Int32s, Int64s, kernel
from gossamer.kernels.measure.breadth_first import forget, search, search_batch

BATCH = 64
MIN_EXCLUDED = 24
"""Vertices that the last two searches must exclude; below that a batch excludes more per work."""


@kernel
def exclude_ball(
    offsets: Int64s, neighbours: Int32s, centre: int, radius: int, candidates: Bools, queue: Int32s
) -> None:
    """Exclude the candidates within ``radius`` hops of a vertex.

    Hops lead through candidates only, so some candidates may remain, but none is excluded wrongly.
    """
    base = offsets[0]
    candidates[centre] = False
    queue[0] = centre
    reached = 1
    head = 0
    for _ in range(radius):
        level_end = reached
        while head < level_end:
            vertex = queue[head]
            head += 1
            for arc in range(offsets[vertex] - base, offsets[vertex + 1] - base):
                other = neighbours[arc]
                if candidates[other]:
                    candidates[other] = False
                    queue[reached] = other
                    reached += 1


@kernel
def bound_eccentricities(
    offsets: Int64s,
    neighbours: Int32s,
    members: Int32s,
    distances: Int32s,
    queue: Int32s,
    candidates: Bools,
) -> int:
    """Search from selected vertices while that excludes many; return the longest distance found.

    A search from v with eccentricity e bounds each w at distance d: max(d, e - d) ≤ ecc(w) ≤ e + d.
    The remaining ``candidates`` may have a greater eccentricity than the distance returned.
    """
    lower = np.zeros(len(members), dtype=np.int32)
    upper = np.full(len(members), 2 * len(members), dtype=np.int32)
    longest = 0
    left = len(members)
    left_before = 2 * left
    best = 0
    for place in range(len(members)):
        vertex, champion = members[place], members[best]
        if offsets[vertex + 1] - offsets[vertex] > offsets[champion + 1] - offsets[champion]:
            best = place
    turn = 0
    while left > 0:
        source = members[best]
        search(offsets, neighbours, source, distances, queue)
        eccentricity = distances[queue[len(members) - 1]]
        for place in range(len(members)):
            distance = distances[members[place]]
            lower[place] = max(lower[place], max(distance, eccentricity - distance))
            upper[place] = min(upper[place], eccentricity + distance)
            longest = max(longest, lower[place])
        forget(distances, members)
        turn += 1
        left = 0
        best = -1
        for place in range(len(members)):
            candidates[members[place]] = upper[place] > longest
            if upper[place] > longest:
                left += 1
                if best < 0:
                    best = place
                elif turn % 2 == 1:  # the highest upper bound, to raise the longest distance
                    if upper[place] > upper[best]:
                        best = place
                elif lower[place] < lower[best]:  # the most central, to lower the bounds
                    best = place
        if turn % 2 == 0:
            if left_before - left < MIN_EXCLUDED:
                break
            left_before = left
    return longest


@kernel
def search_in_batches(
    offsets: Int64s,
    neighbours: Int32s,
    members: Int32s,
    candidates: Bools,
    queue: Int32s,
    longest: int,
) -> int:
    """Search from all remaining candidates, 64 at a time; return the longest distance.

    A batch takes candidates that are near each other but not adjacent: they share most of the
    search, and one with a small eccentricity excludes its surroundings.
    """
    base = offsets[0]
    count = len(offsets) - 1
    seen = np.empty(count, dtype=np.uint64)
    fresh = np.empty(count, dtype=np.uint64)
    coming = np.empty(count, dtype=np.uint64)
    eccentricities = np.empty(BATCH, dtype=np.int32)
    sources = np.empty(BATCH, dtype=np.int32)
    batch_of = np.zeros(count, dtype=np.int32)
    batch = 0
    first = 0
    while first < len(members):
        batch += 1
        chosen = 0
        place = first
        while place < len(members) and chosen < BATCH:
            vertex = members[place]
            if candidates[vertex]:
                if batch_of[vertex] != batch:
                    sources[chosen] = vertex
                    chosen += 1
                    for arc in range(offsets[vertex] - base, offsets[vertex + 1] - base):
                        batch_of[neighbours[arc]] = batch
            elif place == first:
                first += 1
            place += 1
        if chosen == 0:
            break
        search_batch(
            offsets, neighbours, members, sources[:chosen], seen, fresh, coming, eccentricities
        )
        for index in range(chosen):
            longest = max(longest, eccentricities[index])
        for index in range(chosen):
            exclude_ball(
                offsets,
                neighbours,
                sources[index],
                longest - eccentricities[index],
                candidates,
                queue,
            )
    return longest


@kernel
def component_diameter(
    offsets: Int64s,
    neighbours: Int32s,
    members: Int32s,
    distances: Int32s,
    queue: Int32s,
    candidates: Bools,
) -> int:
    """Return the exact diameter of a component, given its vertices in breadth-first order."""
    arcs = 0
    most = 0
    for vertex in members:
        arcs += offsets[vertex + 1] - offsets[vertex]
        most = max(most, offsets[vertex + 1] - offsets[vertex])
    if arcs == 2 * (len(members) - 1):
        # A tree: the vertex farthest from any other is one end of a longest path.
        search(offsets, neighbours, members[len(members) - 1], distances, queue)
        return int(distances[queue[len(members) - 1]])
    if arcs == len(members) * (len(members) - 1):
        return 1
    if most == 2:
        return len(members) // 2  # a ring
    longest = bound_eccentricities(offsets, neighbours, members, distances, queue, candidates)
    return search_in_batches(offsets, neighbours, members, candidates, queue, longest)


@kernel
def topic_shape(offsets: Int64s, neighbours: Int32s) -> tuple[int, int]:
    """Return the number of components, and the largest of their exact diameters."""
    count = len(offsets) - 1
    distances = np.full(count, -1, dtype=np.int32)
    queue = np.empty(count, dtype=np.int32)
    order = np.empty(count, dtype=np.int32)
    found = np.zeros(count, dtype=np.bool_)
    candidates = np.zeros(count, dtype=np.bool_)
    components = 0
    diameter = 0
    for vertex in range(count):
        if found[vertex]:
            continue
        components += 1
        size = search(offsets, neighbours, vertex, distances, order)
        members = order[:size]
        for member in members:
            found[member] = True
        forget(distances, members)
        if size > diameter + 1:  # a smaller component cannot have a longer path
            diameter = max(
                diameter,
                component_diameter(offsets, neighbours, members, distances, queue, candidates),
            )
    return components, diameter


@kernel
def topic_shapes(
    topic_offsets: Int64s,
    graph_offsets: Int64s,
    graph_neighbours: Int32s,
    first: int,
    last: int,
    components: Int64s,
    diameters: Int64s,
) -> None:
    """Write the shape of each topic from ``first`` to ``last`` (exclusive)."""
    for topic in range(first, last):
        begin, end = topic_offsets[topic], topic_offsets[topic + 1]
        offsets = graph_offsets[begin : end + 1]
        neighbours = graph_neighbours[offsets[0] : offsets[len(offsets) - 1]]
        components[topic], diameters[topic] = topic_shape(offsets, neighbours)
