"""Synthetic interests: rows depend on seed, node and parameters, and equal the reference."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import ParameterError
from gossamer.workloads import (
    ExponentialDecay,
    FixedSize,
    FollowerPattern,
    Pattern,
    Popularity,
    PowerLawSizes,
    Sizes,
    TopShare,
    Uniform,
    UniformSizes,
    Zipf,
    power_law_of_mean,
)
from gossamer.workloads.bucketed import BucketPattern
from gossamer.workloads.by_popularity import ByPopularity
from tests.reference import workloads as naive_workloads

seeds = st.integers(0, 2**64 - 1)


@st.composite
def sizes_up_to(draw: st.DrawFn, most: int) -> Sizes:
    minimum = draw(st.integers(0, most))
    maximum = draw(st.integers(minimum, most))
    choice = draw(st.integers(0, 2))
    if choice == 0:
        return FixedSize(maximum)
    if choice == 1 or minimum == 0:
        return UniformSizes(minimum, maximum)
    return PowerLawSizes(minimum, maximum, draw(st.floats(0, 5)))


popularities: st.SearchStrategy[Popularity] = st.one_of(
    st.just(Uniform()),
    st.just(TopShare()),
    st.builds(Zipf, st.floats(0, 4)),
    st.builds(ExponentialDecay, st.floats(0, 30)),
)


@st.composite
def by_popularity(draw: st.DrawFn) -> ByPopularity:
    topics = draw(st.integers(0, 40))
    return ByPopularity(topics, draw(sizes_up_to(topics)), draw(popularities))


@st.composite
def bucketed(draw: st.DrawFn) -> BucketPattern:
    topics = draw(st.integers(1, 60))
    buckets = draw(st.integers(1, topics))
    per_node = draw(st.integers(1, buckets))
    return BucketPattern(topics, draw(sizes_up_to(topics // buckets * per_node)), buckets, per_node)


@st.composite
def following(draw: st.DrawFn) -> FollowerPattern:
    users = draw(st.integers(1, 40))
    return FollowerPattern(
        users,
        draw(sizes_up_to(users - 1)),
        draw(st.floats(1.01, 10)),
        draw(st.floats(0.01, 1)),
        draw(st.integers(1, 60)),
        draw(st.floats(0, 0.99)),
    )


patterns: st.SearchStrategy[Pattern] = st.one_of(by_popularity(), bucketed(), following())
node_lists = st.lists(st.integers(0, 2**63 - 1), max_size=30, unique=True)


def rows_by_node(pattern: Pattern, nodes: list[int], seed: int) -> dict[int, list[int]]:
    node_column, topic_column = pattern.subscriptions_of(np.array(nodes, dtype=np.int64), seed=seed)
    rows: dict[int, list[int]] = {node: [] for node in nodes}
    for node, topic in zip(node_column.tolist(), topic_column.tolist(), strict=True):
        rows[node].append(topic)
    return rows


@given(patterns, seeds, node_lists, st.randoms(use_true_random=False), st.integers(1, 5))
def test_rows_do_not_depend_on_division_or_order(
    pattern: Pattern, seed: int, nodes: list[int], random: object, pieces: int
) -> None:
    whole = rows_by_node(pattern, nodes, seed)
    shuffled = list(nodes)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    elsewhere: Pattern = pickle.loads(pickle.dumps(pattern))
    parts: dict[int, list[int]] = {}
    for piece in range(pieces):
        parts |= rows_by_node(elsewhere, shuffled[piece::pieces], seed)
    assert parts == whole


@given(patterns, seeds, node_lists)
def test_topics_are_distinct_in_range_and_as_many_as_the_sizes_say(
    pattern: Pattern, seed: int, nodes: list[int]
) -> None:
    node_column, topic_column = pattern.subscriptions_of(nodes, seed=seed)
    assert node_column.dtype == np.int64
    assert topic_column.dtype == np.int32
    for topics in rows_by_node(pattern, nodes, seed).values():
        assert len(set(topics)) == len(topics)
        assert pattern.sizes.minimum <= len(topics) <= pattern.sizes.maximum
        assert all(0 <= topic < pattern.topic_count for topic in topics)


@given(by_popularity(), seeds, st.lists(st.integers(0, 2**63 - 1), max_size=3, unique=True))
def test_rows_equal_the_reference(pattern: ByPopularity, seed: int, nodes: list[int]) -> None:
    log_weights = pattern.popularity.log_weights(pattern.topic_count)
    for node, topics in rows_by_node(pattern, nodes, seed).items():
        size = naive_workloads.size_of(
            seed, node, pattern.sizes.minimum, pattern.sizes.log_weights()
        )
        assert len(topics) == size
        assert set(topics) == naive_workloads.topics_of(seed, node, size, log_weights)


@given(following(), seeds, st.lists(st.integers(0, 45), max_size=4, unique=True))
def test_follower_rows_equal_the_reference(
    pattern: FollowerPattern, seed: int, nodes: list[int]
) -> None:
    for node, followed in rows_by_node(pattern, nodes, seed).items():
        size = naive_workloads.size_of(
            seed, node, pattern.sizes.minimum, pattern.sizes.log_weights()
        )
        assert len(followed) == size
        assert node not in followed
        assert set(followed) == naive_workloads.followed_by(
            seed, node, size, pattern.log_weights(), pattern.communities, pattern.within
        )


@given(st.floats(1, 40), st.floats(0, 5), st.integers(1, 40))
def test_power_law_has_the_given_mean(mean: float, exponent: float, most: int) -> None:
    if mean > most:
        with pytest.raises(ParameterError, match=f"expected 1 to {most}"):
            power_law_of_mean(mean, exponent=exponent, most=most)
        return

    def mean_of(low: int, high: int) -> float:
        weights = {k: k**-exponent for k in range(low, high + 1)}
        return float(sum(k * w for k, w in weights.items()) / sum(weights.values()))

    found = power_law_of_mean(mean, exponent=exponent, most=most)
    least = min(k for k in range(1, most + 1) if mean_of(k, most) >= mean - 1e-9)
    assert found.minimum - least in (0, 1)  # where it is a matter of rounding
    best = min(abs(mean_of(found.minimum, k) - mean) for k in range(found.minimum, most + 1))
    assert abs(mean_of(found.minimum, found.maximum) - mean) <= best + 1e-9


@given(bucketed(), seeds, node_lists)
def test_bucketed_topics_come_evenly_from_the_buckets(
    pattern: BucketPattern, seed: int, nodes: list[int]
) -> None:
    starts = pattern.bucket_starts
    assert set(np.diff(starts).tolist()) <= {
        pattern.topic_count // pattern.buckets,
        -(-pattern.topic_count // pattern.buckets),
    }
    for topics in rows_by_node(pattern, nodes, seed).values():
        buckets = np.searchsorted(starts, np.array(topics, dtype=np.int64), side="right")
        counts = np.unique(buckets, return_counts=True)[1].tolist()
        even, left = divmod(len(topics), pattern.buckets_per_node)
        expected = [even] * (pattern.buckets_per_node - left) + [even + 1] * left
        assert sorted(counts) == [count for count in expected if count]
