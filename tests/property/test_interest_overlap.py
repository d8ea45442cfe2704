"""Overlaps of chosen nodes with all others: the kernel against a naive version."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.kernels.measure.interest_overlap import JACCARD_UNIT, add_overlaps
from gossamer.quality.distributions import Histogram

TOPICS = 6
interests = st.lists(st.sets(st.integers(0, TOPICS - 1)), min_size=1, max_size=12)


@given(
    everybody=interests, count=st.integers(1, 6), depth=st.integers(1, 4), cut=st.integers(0, 12)
)
def test_overlaps_of_chosen_nodes_equal_the_reference(
    everybody: list[set[int]], count: int, depth: int, cut: int
) -> None:
    chosen = everybody[:count]
    count = len(chosen)
    known = set().union(*chosen)
    lists = [[v for v in range(count) if topic in chosen[v]] for topic in range(TOPICS)]
    offsets = np.concatenate(([0], np.cumsum([len(one) for one in lists]))).astype(np.int64)
    index = np.array([v for one in lists for v in one], dtype=np.int32)
    sizes = np.array([len(one) for one in chosen], dtype=np.int64)
    highest = np.zeros((count, depth))
    shared, met = np.zeros(count, dtype=np.int64), np.empty(count, dtype=np.int32)
    partners, sums, jaccards = (np.zeros(count, dtype=np.int64) for _ in range(3))
    cut = min(cut, len(everybody))
    for first, last in pairwise((0, cut, len(everybody))):  # in two batches
        rows = [sorted(one) for one in everybody[first:last]]
        flat = [topic if topic in known else -1 for row in rows for topic in row]
        add_overlaps(
            np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64),
            np.array(flat, dtype=np.int32),
            np.array([v if v < count else -1 for v in range(first, last)], dtype=np.int32),
            offsets,
            index,
            sizes,
            shared,
            met,
            highest,
            partners,
            sums,
            jaccards,
        )
    assert not shared.any()
    for v, mine in enumerate(chosen):
        others = [one for w, one in enumerate(everybody) if w != v and one & mine]
        assert partners[v] == len(others)
        assert sums[v] == sum(len(one & mine) for one in others)
        naive = sum(len(one & mine) / len(one | mine) for one in others)
        assert jaccards[v] / JACCARD_UNIT == pytest.approx(naive, abs=1e-8)
        overlaps = sorted(len(one & mine) / min(len(one), len(mine)) for one in others)[::-1]
        expected = (overlaps + [0.0] * depth)[:depth]
        assert sorted(highest[v].tolist(), reverse=True) == expected


@given(values=st.lists(st.integers(0, 40), min_size=1), share=st.integers(0, 100))
def test_histogram_percentiles_equal_those_of_the_values(values: list[int], share: int) -> None:
    found = Histogram.of(values).percentiles([share])[0]
    assert found == np.percentile(values, share, method="inverted_cdf")
