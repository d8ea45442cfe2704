"""Samples of follower graphs, their degrees, and flash crowds, against naive versions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import ParameterError
from gossamer.model import Interests, Sessions
from gossamer.quality import follower_degrees
from gossamer.quality.distributions import Histogram
from gossamer.workloads import sample_followers, with_flash_crowd
from gossamer.workloads.follower_sample import _seeded_order
from tests.reference import workloads as naive_workloads

relations = st.sets(st.tuples(st.integers(0, 15), st.integers(0, 15)), min_size=1, max_size=50)


@given(relations, st.integers(0, 2**63 - 1), st.integers(1, 5), st.integers(1, 16))
def test_sample_equals_a_breadth_first_search(
    pairs: set[tuple[int, int]], seed: int, starts: int, users: int
) -> None:
    pairs = {*pairs, (15, pairs.copy().pop()[0])}
    graph = Interests.from_pairs(*(list(column) for column in zip(*pairs, strict=True)))
    everybody = np.array(sorted({user for pair in pairs for user in pair}))
    order = everybody[_seeded_order(everybody, seed)].tolist()
    assert sorted(order) == everybody.tolist()
    users = min(users, len(everybody))
    found = sample_followers(graph, users, seed=seed, starts=starts)
    taken = naive_workloads.sampled_users(pairs, order, users, starts)
    assert found.node_names.tolist() == found.topic_names.tolist() == sorted(taken)
    names = found.node_names
    rows = zip(names[found.node_column].tolist(), names[found.node_topics].tolist(), strict=True)
    assert set(rows) == {(a, b) for a, b in pairs if a in taken and b in taken}


@given(relations)
def test_follower_degrees_count_all_users(pairs: set[tuple[int, int]]) -> None:
    graph = Interests.from_pairs(*(list(column) for column in zip(*pairs, strict=True)))
    users = {user for pair in pairs for user in pair}
    found = follower_degrees(graph).facts()
    for direction, end in (("in-degree", 1), ("out-degree", 0)):
        degrees = Counter(pair[end] for pair in pairs)
        counted = np.array([degrees[user] for user in users])
        facts = found[direction]
        assert facts["average"] == pytest.approx(counted.mean())
        assert facts["variance"] == pytest.approx(counted.var())
        assert facts["standard deviation"] == pytest.approx(counted.std())
        assert facts["maximum"] == counted.max()


@given(st.lists(st.one_of(st.integers(0, 30), st.integers(0, 10**6))), st.integers(1, 20))
def test_log_bins_partition_the_values(values: list[int], per_decade: int) -> None:
    bins = Histogram.of(values).log_bins(per_decade=per_decade)
    assert (bins.lows[1:] > bins.highs[:-1]).all()
    assert bins.counts.sum() == sum(value > 0 for value in values)
    for low, high, count, density in zip(
        bins.lows, bins.highs, bins.counts, bins.densities, strict=True
    ):
        assert count == sum(low <= value <= high for value in values) > 0
        assert density == pytest.approx(count / (high - low + 1) / len(values))


@st.composite
def sessions(draw: st.DrawFn, nodes: int = 6, until: int = 40) -> Sessions:
    rows = []
    for node in range(nodes):
        times = sorted(draw(st.sets(st.integers(0, until), max_size=6)))
        rows += [(node, *pair) for pair in zip(times[::2], times[1::2], strict=False)]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Sessions.from_columns(*columns.T)


def present_at(found: Sessions, node: int) -> set[int]:
    """Every moment at which a node is there."""
    rows = found.nodes == node
    spans = zip(found.starts[rows].tolist(), found.ends[rows].tolist(), strict=True)
    return {moment for start, end in spans for moment in range(start, end)}


@given(
    sessions(), st.integers(0, 45), st.integers(0, 9), st.integers(1, 6), st.integers(1, 30),
    st.integers(0, 99),
)  # fmt: skip
def test_flash_crowd_joins_and_stays(
    before: Sessions, at: int, within: int, joining: int, stay: int, seed: int
) -> None:
    away = [node for node in range(6) if at not in present_at(before, node)]

    def crowded() -> Sessions:
        return with_flash_crowd(
            before, nodes=6, at=at, window=within, joining=joining, stay=stay, seed=seed
        )

    if joining > len(away):
        with pytest.raises(ParameterError, match=f"{len(away)} of 6 are absent then"):
            crowded()
        return
    after = crowded()
    joined = 0
    for node in range(6):
        old, new = present_at(before, node), present_at(after, node)
        rows = after.nodes == node
        if np.array_equal(after.starts[rows], before.starts[before.nodes == node]) and old == new:
            continue
        # It was away; what is new is one stay that begins in the window.
        assert node in away
        joined += 1
        spans = [
            set(range(join, join + stay)) for join in range(at, at + max(within, 1))
        ]  # fmt: skip
        assert any(new == old | span for span in spans)
        starts, ends = after.starts[rows], after.ends[rows]
        assert (starts[1:] >= ends[:-1]).all()
    # Who would have been there for that long anyway is not seen to have joined.
    assert joined == joining if within <= 1 else joined <= joining
    assert np.array_equal(crowded().starts, after.starts)
    assert np.array_equal(crowded().ends, after.ends)
