"""The search for the diameter: its parts on a path, the whole on all graphs of five vertices."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from gossamer.kernels.measure.diameters import BATCH, exclude_ball
from gossamer.quality import TopicGraph, shape_of_topic
from tests.reference.quality import distances


@pytest.mark.parametrize("base", [0, 7])
@pytest.mark.parametrize(
    ("centre", "radius", "already", "left"),
    [
        (2, 0, [], [0, 1, 3, 4]),
        (2, 1, [], [0, 4]),
        (2, 2, [], []),
        (0, 3, [], [4]),
        (2, 2, [1], [0]),  # hops lead through candidates only
        (2, 2, [2], []),
    ],
)
def test_a_ball_around_a_vertex_is_excluded(
    base: int, centre: int, radius: int, already: list[int], left: list[int]
) -> None:
    offsets = base + np.array([0, 1, 3, 5, 7, 8])
    neighbours = np.array([1, 0, 2, 1, 3, 2, 4, 3], dtype=np.int32)
    candidates = np.ones(5, dtype=np.bool_)
    candidates[already] = False
    exclude_ball(offsets, neighbours, centre, radius, candidates, np.empty(5, dtype=np.int32))
    assert np.flatnonzero(candidates).tolist() == left


def test_a_batch_has_a_bit_for_each_search() -> None:
    assert np.iinfo(np.uint64).bits == BATCH


def test_shapes_of_all_graphs_of_five_vertices() -> None:
    pairs = list(combinations(range(5), 2))
    for number in range(1 << len(pairs)):
        links = [pair for place, pair in enumerate(pairs) if number >> place & 1]
        found = [distances(vertex, range(5), links) for vertex in range(5)]
        expected = (
            len({frozenset(reached) for reached in found}),
            max(max(reached.values()) for reached in found),
        )
        assert shape_of_topic(TopicGraph.from_links(5, links)) == expected, links
