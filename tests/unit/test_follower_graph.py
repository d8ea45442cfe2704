"""Follower graphs and their samples: power laws, communities, errors."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
import pytest

from gossamer.errors import InputError, ParameterError
from gossamer.kernels.generate import follower_graph as kernels
from gossamer.model import Interests
from gossamer.quality import follower_degrees
from gossamer.quality.distributions import Histogram
from gossamer.quality.power_law import log_log_exponent
from gossamer.workloads import (
    FixedSize,
    FollowerPattern,
    PowerLawSizes,
    follower_graph,
    generate_interests,
    sample_followers,
)


@pytest.fixture(scope="module")
def graph() -> Interests:
    return follower_graph(10_000, seed=1)


def test_both_directions_follow_the_power_law(graph: Interests) -> None:
    assert graph.subscription_count / 10_000 == pytest.approx(80, rel=0.1)
    found = follower_degrees(graph)
    for one in (found.followers, found.followed):
        assert one.fit is not None
        assert one.fit.exponent == pytest.approx(1.65, abs=0.15)
        assert one.fit.smallest < 20
        assert one.histogram.maximum == pytest.approx(2250, rel=0.15)
    facts = found.facts()["in-degree"]
    assert facts["exponent of a line through log-log bins"] == pytest.approx(1.65, abs=0.2)


def test_weights_give_the_wanted_degrees(graph: Interests) -> None:
    # Followers in the long run: x^-1.65 up to a quarter of all, with the mean of the sizes.
    degrees = np.sort(graph.popularity)[::-1].astype(np.float64)
    for above in (0.001, 0.01, 0.1, 0.5):
        wanted = 5.7 * (0.0192 + (1 - 0.0192) * above) ** (-1 / 0.65)
        assert degrees[int(10_000 * above)] == pytest.approx(wanted, rel=0.25)


def test_no_user_follows_itself_and_all_are_nodes_and_topics(graph: Interests) -> None:
    assert (graph.node_column != graph.node_topics).all()
    assert np.array_equal(graph.node_names, graph.topic_names)


def test_members_of_a_community_follow_similar_users() -> None:
    shared = []
    for within in (0.0, 0.5, 0.9):
        graph = follower_graph(1000, mean=20, community=50, within=within, seed=2)
        member = np.zeros((1000, 1000), dtype=np.float32)
        member[graph.node_column, graph.node_topics] = 1
        overlap = member @ member.T
        same = np.arange(1000)[:, None] % 20 == np.arange(1000) % 20
        np.fill_diagonal(same, False)
        shared.append(overlap[same].mean() / overlap[~same].mean())
    assert shared[0] == pytest.approx(1, abs=0.2)
    assert shared[0] < shared[1] < shared[2]


def test_kind_equals_the_graph_and_has_a_fixed_digest() -> None:
    sizes = PowerLawSizes(3, 60, 1.65)
    whole = generate_interests("follower-graph", nodes=300, topics=300, subscriptions=sizes, seed=3)
    some = FollowerPattern(300, sizes).subscriptions_of([7, 299], seed=3)
    assert sorted(some[1][some[0] == 7].tolist()) == whole.topics_of(7).tolist()
    rows = np.stack((whole.node_column, whole.node_topics)).astype("<i4")
    assert hashlib.sha256(rows.tobytes()).hexdigest()[:16] == "d01525090db13932"


def test_any_sizes_are_accepted() -> None:
    for users, size in ((1, 0), (2, 1), (5, 4), (40, 39), (7, 0)):
        graph = generate_interests("follower-graph", nodes=users, topics=users, subscriptions=size)
        assert graph.subscription_sizes.tolist() == [size] * users
    assert generate_interests("follower-graph", nodes=0, topics=0, subscriptions=0).node_count == 0
    newcomer = FollowerPattern(9, FixedSize(8)).subscriptions_of([1000], seed=1)[1]
    assert len(set(newcomer.tolist())) == 8


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"sizes": FixedSize(50)},
            "of 50 users; expected at most 49, since no user follows",
        ),
        ({"sizes": FixedSize(51)}, "51 subscriptions for a node, of 50 topics"),
        ({"followers_exponent": 1.0}, r"followers_exponent is 1\.0; expected more than 1"),
        ({"followers_exponent": math.nan}, "followers_exponent is nan"),
        ({"most_followed": 0.0}, r"most_followed is 0\.0; expected a share"),
        ({"community": 0}, "community is 0; expected 1 user or more"),
        ({"community": 2.5}, r"community is 2\.5; expected a whole number"),
        ({"within": 1.0}, r"within is 1\.0; expected a share of draws"),
    ],
)
def test_invalid_parameters_are_rejected(changed: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"topic_count": 50, "sizes": FixedSize(3)}
    with pytest.raises(ParameterError, match=message):
        FollowerPattern(**(given | changed))


def test_impossible_graphs_are_rejected() -> None:
    with pytest.raises(ParameterError, match=r"a mean of 80\.0 subscriptions; expected 1 to 25"):
        follower_graph(100)
    with pytest.raises(ParameterError, match=r"most is 1\.5; expected a share"):
        follower_graph(100, most=1.5)
    with pytest.raises(ParameterError, match="users is -1"):
        follower_graph(-1)


def test_names_are_hashed_by_xxh64() -> None:
    for text, word in ((b"", 0xEF46DB3751D8E999), (b"abc", 0x44BC2CF5AD770999)):
        letters = np.frombuffer(text, dtype=np.uint8)
        assert int(kernels._hash_bytes(letters, 0, len(text), np.uint64(0))) == word


def test_sample_holds_users_and_relations_among_them(graph: Interests) -> None:
    found = sample_followers(graph, 1000, seed=4)
    assert (found.node_count, found.topic_count) == (1000, 1000)
    names = found.node_names
    assert graph.are_subscribed(names[found.node_column], names[found.node_topics]).all()
    taken = np.isin(np.arange(10_000), names)
    inside = taken[graph.node_column] & taken[graph.node_topics]
    assert found.subscription_count == inside.sum()
    assert sample_followers(graph, 1000, seed=4) == found
    assert sample_followers(graph, 1000, seed=5) != found


def test_users_that_are_only_nodes_or_only_topics() -> None:
    graph = Interests.from_lists({"ann": ["bob", "cy"], "bob": ["cy"], "eve": []})
    everybody = sample_followers(graph, 3, starts=1)
    assert everybody.node_names.tolist() == ["ann", "bob", "cy"]
    assert everybody.subscription_count == 3
    with pytest.raises(ParameterError, match="users is 4; expected 3 or fewer"):
        sample_followers(graph, 4)


@pytest.mark.parametrize(
    ("lists", "given", "message"),
    [
        ({1: [2], 2: [1]}, {"users": 0}, "users is 0; expected 1 or more"),
        ({1: [2], 2: [1]}, {"users": 1.5}, r"users is 1\.5; expected a whole number"),
        ({1: [2], 2: [1]}, {"starts": 0}, "starts is 0; expected 1 or more"),
        ({1: [2], 2: [1]}, {"seed": -1}, r"seed is -1; expected 0 to 2\^63 - 1"),
        ({1: [2], 2: [1]}, {"seed": 2**63}, "seed is 9223372036854775808"),
        ({1: [2], 3: [4]}, {}, "no topic is a node, so there is no user to follow"),
        ({1: ["a"]}, {}, "nodes are numbers and topics texts"),
    ],
)
def test_unsampleable_graphs_are_rejected(lists: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        sample_followers(Interests.from_lists(lists), **({"users": 1} | given))


def test_log_log_exponent() -> None:
    assert log_log_exponent(Histogram.of([3, 3, 0])) is None
    assert log_log_exponent(Histogram.of([])) is None
    assert log_log_exponent(Histogram.of([1, 2, 3])) == 0.0, "exactly"
    counts = [round(1e9 * x**-1.65) for x in range(1, 3000)]
    law = Histogram.of(range(1, 3000), counts)
    assert log_log_exponent(law) == pytest.approx(1.65, abs=0.05)
    with pytest.raises(ParameterError, match="0 bins a decade; expected 1 to 100"):
        law.log_bins(per_decade=0)
    wide = Histogram.of([2**62, 1]).log_bins(per_decade=1)
    assert wide.counts.tolist() == [1, 1]
