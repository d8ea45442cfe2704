"""Triangles of a graph, counted at each vertex."""

from __future__ import annotations

import numpy as np

from gossamer.kernels.jit import Int32s, Int64s, kernel


@kernel
def orient(offsets: Int64s, neighbours: Int32s) -> tuple[Int64s, Int32s]:
    """Keep each link once, from its end of lower degree (ties: lower identifier) to the other."""
    count = len(offsets) - 1
    forward_offsets = np.zeros(count + 1, dtype=np.int64)
    forward = np.empty(len(neighbours) // 2, dtype=np.int32)
    filled = 0
    for vertex in range(count):
        degree = offsets[vertex + 1] - offsets[vertex]
        for arc in range(offsets[vertex], offsets[vertex + 1]):
            other = neighbours[arc]
            other_degree = offsets[other + 1] - offsets[other]
            if degree < other_degree or (degree == other_degree and vertex < other):
                forward[filled] = other
                filled += 1
        forward_offsets[vertex + 1] = filled
    return forward_offsets, forward


@kernel
def count_triangles(offsets: Int64s, neighbours: Int32s) -> Int64s:
    """Count the triangles at each vertex.

    Links point from lower to higher degree, so that no vertex has more than √(2 · links) of them
    and a hub costs no more than other vertices: O(links^1.5).
    """
    count = len(offsets) - 1
    forward_offsets, forward = orient(offsets, neighbours)
    triangles = np.zeros(count, dtype=np.int64)
    marked_by = np.full(count, -1, dtype=np.int32)
    for vertex in range(count):
        for arc in range(forward_offsets[vertex], forward_offsets[vertex + 1]):
            marked_by[forward[arc]] = vertex
        for arc in range(forward_offsets[vertex], forward_offsets[vertex + 1]):
            other = forward[arc]
            for next_arc in range(forward_offsets[other], forward_offsets[other + 1]):
                third = forward[next_arc]
                if marked_by[third] == vertex:
                    triangles[vertex] += 1
                    triangles[other] += 1
                    triangles[third] += 1
    return triangles
