"""Synthetic workloads: their distributions, their errors, and a fixed digest."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
import pytest

from gossamer.errors import ParameterError
from gossamer.kernels import random as randomness
from gossamer.kernels.generate import draws as sampling
from gossamer.model import Interests
from gossamer.workloads import (
    ExponentialDecay,
    FixedSize,
    PowerLawSizes,
    Sizes,
    TopShare,
    Uniform,
    UniformSizes,
    Zipf,
    find_kind,
    generate_interests,
    kinds,
    parse_sizes,
    power_law_rates,
    topic_probabilities,
    uniform_rates,
)
from gossamer.workloads.bucketed import BucketPattern
from gossamer.workloads.by_popularity import ByPopularity
from gossamer.workloads.thresholds import thresholds
from tests.reference import workloads as naive_workloads


def digest(interests: Interests) -> str:
    rows = np.stack((interests.node_column, interests.node_topics)).astype("<i4")
    return hashlib.sha256(rows.tobytes()).hexdigest()[:16]


# -- the numbers themselves ---------------------------------------------------------


def test_generator_is_splitmix64() -> None:
    # The reference implementation's first outputs from state 1234567.
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    key = np.uint64(1234567)
    assert [int(randomness.u64_at(key, counter)) for counter in range(3)] == expected
    assert [
        naive_workloads.mix64(1234567 + i * naive_workloads.GOLDEN & (2**64 - 1)) for i in (1, 2, 3)
    ] == expected


@pytest.mark.parametrize(
    ("kind", "parameters", "expected"),
    [
        ("rss", {}, "abf00e7a159be1e7"),
        ("zipf", {"alpha": 2.0}, "bf73b174b43df36c"),
        ("low-correlation", {"buckets": 7, "buckets_per_node": 3}, "d13299f6ef5a6ff1"),
    ],
)
def test_the_same_seed_gives_the_same_table_in_every_version(
    kind: str, parameters: dict[str, Any], expected: str
) -> None:
    made = generate_interests(
        kind, nodes=50, topics=40, subscriptions="2-12", seed=2017, **parameters
    )
    assert digest(made) == expected


def drawn_by_kernels() -> list[list[int]]:
    nodes = np.arange(20, dtype=np.uint64)
    offsets = np.arange(21, dtype=np.int64) * 6
    log_weights = ExponentialDecay(2.0).log_weights(9)
    limits, weights = thresholds(log_weights), np.array(log_weights)
    starts = np.array([0, 3, 6, 9], dtype=np.int64)
    stream, other = np.uint64(3), np.uint64(4)
    chosen, bucketed = np.empty(120, dtype=np.int32), np.empty(120, dtype=np.int32)
    sizes = np.empty(20, dtype=np.int64)
    sampling.draw_by_weight(stream, other, nodes, offsets, limits, weights, chosen)
    sampling.draw_bucketed(stream, other, nodes, offsets, starts, 2, bucketed)
    sampling.draw_sizes(stream, nodes, limits, 5, sizes)
    return [chosen.tolist(), bucketed.tolist(), sizes.tolist()]


def test_compiled_and_plain_kernels_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = drawn_by_kernels()
    for module in (randomness, sampling):
        for name, compiled_kernel in list(vars(module).items()):
            if not hasattr(compiled_kernel, "py_func"):
                continue
            plain = compiled_kernel.py_func
            for user in (randomness, sampling):
                if hasattr(user, name):
                    monkeypatch.setattr(user, name, plain)
    with np.errstate(over="ignore"):
        assert drawn_by_kernels() == compiled


# -- popularity ---------------------------------------------------------------------


def test_probabilities_have_their_shape() -> None:
    zipf = topic_probabilities(Zipf(0.5), 100)
    assert zipf[0] / zipf[24] == pytest.approx(5.0)
    exponential = topic_probabilities(ExponentialDecay(0.02), 200)
    assert exponential[0] / exponential[100] == pytest.approx(math.exp(2.0))
    assert topic_probabilities(Uniform(), 8).tolist() == [0.125] * 8
    assert len(topic_probabilities(Zipf(1.0), 0)) == 0


@pytest.mark.parametrize("topics", [2, 10, 15, 100, 1000, 12345])
def test_nyse_gives_the_top_tenth_of_topics_055(topics: int) -> None:
    top = TopShare().top_count(topics)
    assert topic_probabilities(TopShare(), topics)[:top].sum() == pytest.approx(0.55)


def test_nyse_of_one_topic_is_that_topic() -> None:
    assert generate_interests("nyse", nodes=3, topics=1, subscriptions=1).popularity.tolist() == [3]


def test_extreme_popularity_fills_every_subscription() -> None:
    interests = generate_interests(
        "exponential", nodes=20, topics=300, subscriptions=120, rate=50.0
    )
    # The decay is so steep that the topics come in order.
    assert all(interests.topics_of(node).tolist() == list(range(120)) for node in range(20))


@pytest.mark.parametrize("popularity", [Uniform(), Zipf(0.5), Zipf(2.0), TopShare()])
def test_first_draws_follow_the_probabilities(popularity: Any) -> None:
    nodes, topics = 40_000, 50
    _, drawn = ByPopularity(topics, FixedSize(1), popularity).subscriptions_of(
        np.arange(nodes), seed=5
    )
    expected = topic_probabilities(popularity, topics) * nodes
    observed = np.bincount(drawn, minlength=topics)
    # Chi-square: 49 degrees of freedom have mean 49 and deviation 10.
    assert (((observed - expected) ** 2) / expected).sum() < 49 + 5 * 10


@pytest.mark.parametrize("size", [2, 3, 5])
def test_inclusion_follows_successive_sampling_exactly(size: int) -> None:
    """Five of six topics under Zipf(3) switch to arrival times often: no bias either way."""
    nodes, topics = 40_000, 6
    popularity = Zipf(3.0)
    _, drawn = ByPopularity(topics, FixedSize(size), popularity).subscriptions_of(
        np.arange(nodes), seed=6
    )
    exact = np.array(
        naive_workloads.inclusion_probabilities(
            topic_probabilities(popularity, topics).tolist(), size
        )
    )
    deviation = np.sqrt(nodes * exact * (1 - exact))
    assert (np.abs(np.bincount(drawn, minlength=topics) - nodes * exact) < 5 * deviation).all()


def test_inclusion_agrees_with_the_reference_on_many_topics() -> None:
    popularity, topics, size, runs = Zipf(2.0), 40, 18, 2000
    chances = topic_probabilities(popularity, topics).tolist()
    random = np.random.default_rng(7)
    naive = np.bincount(
        [t for _ in range(runs) for t in naive_workloads.successive_sample(random, chances, size)],
        minlength=topics,
    )
    _, drawn = ByPopularity(topics, FixedSize(size), popularity).subscriptions_of(
        np.arange(20 * runs), seed=8
    )
    ours = np.bincount(drawn, minlength=topics) / 20
    # Two binomials, one of them averaged over twenty times as many runs.
    spread = np.sqrt(runs * 0.25 * (1 + 1 / 20))
    assert np.abs(ours - naive).max() < 5 * spread


def test_different_seeds_and_nodes_are_unrelated() -> None:
    pattern = find_kind("uniform")(1000, FixedSize(1))
    tables = [pattern.subscriptions_of(np.arange(5000), seed=seed)[1] for seed in (0, 1, 2**64 - 1)]
    for first, second in ((0, 1), (0, 2), (1, 2)):
        same = int((tables[first] == tables[second]).sum())
        assert same < 25  # 5 expected
        shifted = int((tables[first][1:] == tables[second][:-1]).sum())
        assert shifted < 25


# -- sizes ----------------------------------------------------------------------------


def sizes_of(sizes: Sizes, nodes: int = 20_000) -> Any:
    node_column, _ = ByPopularity(100, sizes, Uniform()).subscriptions_of(np.arange(nodes), seed=9)
    return np.bincount(node_column, minlength=nodes)


def test_uniform_sizes_are_uniform() -> None:
    counts = np.bincount(sizes_of(UniformSizes(10, 30)))
    assert counts[:10].sum() == 0
    expected = 20_000 / 21
    # Chi-square: 20 degrees of freedom have mean 20 and deviation 6.3.
    assert (((counts[10:] - expected) ** 2) / expected).sum() < 20 + 5 * 6.4


def test_power_law_sizes_follow_the_power_law() -> None:
    counts = np.bincount(sizes_of(PowerLawSizes(10, 90, 2.0)), minlength=91)
    weights = np.arange(10, 91) ** -2.0
    expected = 20_000 * weights / weights.sum()
    assert counts[:10].sum() == 0
    # Chi-square: 80 degrees of freedom have mean 80 and deviation 12.6.
    assert (((counts[10:] - expected) ** 2) / expected).sum() < 80 + 5 * 12.7


@pytest.mark.parametrize(
    ("text", "exponent", "expected"),
    [
        ("10", None, FixedSize(10)),
        ("0", None, FixedSize(0)),
        ("10-30", None, UniformSizes(10, 30)),
        (" 10 - 30 ", None, UniformSizes(10, 30)),
        ("10-90", 2.0, PowerLawSizes(10, 90, 2.0)),
    ],
)
def test_parse_sizes(text: str, exponent: float | None, expected: Sizes) -> None:
    assert parse_sizes(text, exponent=exponent) == expected
    assert parse_sizes(str(expected).split(",")[0], exponent=exponent) == expected


@pytest.mark.parametrize(
    ("text", "exponent", "message"),
    [
        ("ten", None, "'ten'; expected a whole number such as 10, or a range such as 10-30"),
        ("-3", None, "expected a whole number"),
        ("", None, "expected a whole number"),
        ("30-10", None, "from 30 to 10; expected the smaller one first"),
        ("10", 2.0, "an exponent needs a range"),
        ("0-9", 2.0, "is 0; expected 1 or more"),
        ("1-9", math.nan, "exponent is nan"),
    ],
)
def test_invalid_sizes_are_rejected(text: str, exponent: float | None, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        parse_sizes(text, exponent=exponent)


# -- kinds ------------------------------------------------------------------------------


def test_kinds_are_registered() -> None:
    assert list(kinds()) == [
        "exponential",
        "follower-graph",
        "high-correlation",
        "low-correlation",
        "nyse",
        "random",
        "rss",
        "uniform",
        "zipf",
    ]
    for name, kind in kinds().items():
        assert kind.name == name
        assert kind.summary.endswith(".")
        assert kind.reference
    low = find_kind("low-correlation")
    assert {option.flag: option.default for option in low.options.listed} == {
        "--buckets": 100,
        "--buckets-per-node": 5,
    }
    assert low.options.parse({"buckets-per-node": "3"}) == {"buckets_per_node": 3}
    assert find_kind("zipf").options.parse({"alpha": "0.7"}) == {"alpha": 0.7}


def test_vitis_patterns_share_popularity_but_not_correlation() -> None:
    shared = {}
    for name in ("random", "low-correlation", "high-correlation"):
        interests = generate_interests(name, nodes=400, topics=5000, subscriptions=50, seed=3)
        assert interests.subscription_sizes.tolist() == [50] * 400
        assert interests.popularity.mean() == 4.0
        member = np.zeros((400, 5000), dtype=np.float32)
        member[interests.node_column, interests.node_topics] = 1
        overlap = member @ member.T
        shared[name] = overlap[np.triu_indices(400, 1)].var()
    assert shared["random"] < shared["low-correlation"] < shared["high-correlation"]
    assert generate_interests("random", nodes=9, topics=50, subscriptions=5) == generate_interests(
        "uniform", nodes=9, topics=50, subscriptions=5
    )


def test_bucketed_topics_are_equally_popular() -> None:
    _, topics = BucketPattern(60, FixedSize(7), 10, 3).subscriptions_of(np.arange(30_000), seed=4)
    counts = np.bincount(topics, minlength=60)
    assert np.abs(counts - 3500).max() < 5 * math.sqrt(3500)


def test_unused_nodes_and_topics_are_included() -> None:
    interests = generate_interests("rss", nodes=5, topics=7, subscriptions=0)
    assert (interests.node_count, interests.topic_count) == (5, 7)
    assert interests.subscription_count == 0
    empty = generate_interests("rss", nodes=0, topics=0, subscriptions=0)
    assert (empty.node_count, empty.topic_count) == (0, 0)
    everything = generate_interests("zipf", nodes=4, topics=9, subscriptions=9, alpha=3.0)
    assert everything.popularity.tolist() == [4] * 9


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"kind": "rrs"}, "no kind of interests is named 'rrs'; there are exponential"),
        ({"nodes": -1}, "nodes is -1; expected 0 to"),
        ({"topics": -1}, "topics is -1; expected 0 to"),
        ({"topics": 2.5}, "topics is 2.5; expected a whole number"),
        ({"nodes": 2**31}, "nodes is 2147483648; expected"),
        ({"subscriptions": 11}, "11 subscriptions for a node, of 10 topics; expected at most 10"),
        ({"subscriptions": "5-30"}, "30 subscriptions for a node, of 10 topics"),
        ({"subscriptions": -2}, "size is -2; expected 0 or more"),
        ({"seed": -1}, r"seed is -1; expected 0 to 2\^64 - 1"),
        ({"seed": 2**64}, "seed is 18446744073709551616"),
        ({"seed": 0.5}, "seed is 0.5; expected a whole number"),
        ({"alpha": 1.0}, "rss has no option 'alpha'; its options are: none"),
        ({"kind": "zipf", "alpha": math.nan}, "alpha is nan; expected a number, 0 or more"),
        ({"kind": "zipf", "alpha": -1.0}, "alpha is -1.0"),
        ({"kind": "exponential", "rate": math.inf}, "rate is inf"),
        ({"kind": "low-correlation"}, "100 buckets for 10 topics; expected 1 to 10"),
        ({"kind": "low-correlation", "buckets": 4}, "5 buckets for a node, of 4; expected 1 to 4"),
        (
            {"kind": "high-correlation", "buckets": 5, "subscriptions": 6},
            "take 3 topics from one; 10 topics in 5 buckets give 2. Expected fewer buckets",
        ),
    ],
)
def test_invalid_parameters_are_rejected(changed: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"kind": "rss", "nodes": 20, "topics": 10, "subscriptions": 3}
    with pytest.raises(ParameterError, match=message):
        generate_interests(**(given | changed))


def test_invalid_nodes_and_shares_are_rejected() -> None:
    pattern = find_kind("rss")(10, FixedSize(2))
    with pytest.raises(ParameterError, match="a node is -4"):
        pattern.subscriptions_of([3, -4])
    with pytest.raises(ParameterError, match="expected one column of integers"):
        pattern.subscriptions_of([0.5])
    with pytest.raises(ParameterError, match=r"cannot carry only 0\.2"):
        ByPopularity(10, FixedSize(1), TopShare(0.5, 0.2)).subscriptions_of([0])
    with pytest.raises(ParameterError, match=r"share is 1\.5"):
        TopShare(0.1, 1.5)
    with pytest.raises(ParameterError, match="alpha is 'x'; expected a number"):
        find_kind("zipf").options.parse({"alpha": "x"})
    with pytest.raises(ParameterError, match="its options are: alpha"):
        find_kind("zipf").options.parse({"rate": "1"})


# -- rates --------------------------------------------------------------------------------


def test_rates_add_up_to_the_total() -> None:
    rates = power_law_rates(100, 3.0, total=50.0)
    assert rates.sum() == pytest.approx(50.0)
    assert rates[0] / rates[1] == pytest.approx(8.0)
    assert rates[0] > 0.8 * 50  # "almost all the events are published on a single topic"
    assert uniform_rates(4).tolist() == [1.0] * 4
    assert power_law_rates(0, 1.0).tolist() == []
    with pytest.raises(ParameterError, match="total is -1"):
        uniform_rates(3, total=-1)
    with pytest.raises(ParameterError, match="alpha is nan"):
        power_law_rates(3, math.nan)


def test_oversized_table_is_rejected_before_drawing() -> None:
    with pytest.raises(ParameterError, match="at most 2147483647 subscriptions fit in one table"):
        generate_interests("rss", nodes=2**31 - 1, topics=100, subscriptions=10)


def test_generate_interests_takes_an_exponent_for_a_range() -> None:
    given = generate_interests(
        "rss", nodes=50, topics=40, subscriptions="2-30", exponent=2.0, seed=1
    )
    law = generate_interests(
        "rss", nodes=50, topics=40, subscriptions=PowerLawSizes(2, 30, 2.0), seed=1
    )
    assert given == law
    with pytest.raises(ParameterError, match="expected a range such as"):
        generate_interests("rss", nodes=50, topics=40, subscriptions=3, exponent=2.0)


def test_subscriptions_may_be_a_pair_of_numbers() -> None:
    given = {"nodes": 30, "topics": 9, "seed": 1}
    pair = generate_interests("rss", subscriptions=(2, 6), **given)
    assert pair == generate_interests("rss", subscriptions="2-6", **given)
    for wrong in (range(2, 6), [2, 6], 2.5, (1, 2, 3)):
        with pytest.raises(ParameterError, match=r"subscriptions is .*; expected a whole number"):
            generate_interests("rss", subscriptions=wrong, **given)  # type: ignore[arg-type]
