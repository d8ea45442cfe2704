"""Synthetic publications: correlated topics, and publishers that subscribe to them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import InputError, ParameterError
from gossamer.model import Interests, Publications
from gossamer.workloads import crosspost_triplets, draw_publications
from tests.strategies import interests as some_interests
from tests.strategies import seeds


def most_correlated(interests: Interests, topic: int, together: int) -> list[int]:
    """Return a topic and those with most subscribers in common, counted plainly."""
    own = set(interests.subscribers_of(topic).tolist())
    common = [
        (-len(own & set(interests.subscribers_of(other).tolist())), other)
        for other in range(interests.topic_count)
        if other != topic
    ]
    return [topic, *(other for shared, other in sorted(common)[: together - 1] if shared)]


def subscribers_of_all(interests: Interests, tags: list[int]) -> list[int]:
    return [
        node
        for node in range(interests.node_count)
        if set(tags) <= set(interests.topics_of(node).tolist())
    ]


def longest_subscribed_prefix(interests: Interests, tags: list[int]) -> list[int]:
    while not subscribers_of_all(interests, tags):
        tags = tags[:-1]
    return tags


@given(some_interests(), st.integers(1, 4), seeds)
def test_drawn_publications_have_subscribed_publishers(
    interests: Interests, together: int, seed: int
) -> None:
    able = {t for t in range(interests.topic_count) if len(interests.subscribers_of(t)) >= 2}
    if not able:
        with pytest.raises(ParameterError, match="no topic can be published on"):
            draw_publications(interests, 1, crosspost=together, seed=seed)
        return
    drawn = draw_publications(interests, 12, crosspost=together, seed=seed)
    drawn.check(interests)
    for number in range(12):
        tags = drawn.topics_of(number).tolist()
        assert tags[0] in able
        expected = most_correlated(interests, tags[0], together)
        assert tags == longest_subscribed_prefix(interests, expected)
    assert drawn == draw_publications(interests, 12, crosspost=together, seed=seed)
    assert drawn.times.tolist() == [100_000 * (k + 1) for k in range(12)]
    poisson = draw_publications(interests, 12, crosspost=together, seed=seed, poisson=True)
    assert poisson.topics.tolist() == drawn.topics.tolist()
    assert len(set(np.diff(poisson.times).tolist())) > 1
    others = draw_publications(interests, 12, crosspost=together, non_subscribers=1.0, seed=seed)
    assert (others.topics.tolist(), others.times.tolist()) == (
        drawn.topics.tolist(), drawn.times.tolist(),
    )  # fmt: skip
    for number in range(12):
        own = set(interests.topics_of(int(others.publishers[number])).tolist())
        kept = others.publishers[number] == drawn.publishers[number]
        assert kept or own.isdisjoint(others.topics_of(number).tolist())


@given(some_interests(), st.integers(1, 4), seeds)
def test_crosspost_triplets(interests: Interests, each: int, seed: int) -> None:
    drawn = crosspost_triplets(interests, each=each, seed=seed)
    drawn.check(interests)
    by_topic: dict[int, list[int]] = {}
    for number in range(len(drawn)):
        tags = drawn.topics_of(number).tolist()
        assert tags == longest_subscribed_prefix(interests, most_correlated(interests, tags[0], 3))
        by_topic.setdefault(tags[0], []).append(int(drawn.publishers[number]))
    able = [t for t in range(interests.topic_count) if len(interests.subscribers_of(t)) >= 2]
    assert sorted(by_topic) == able
    for topic, publishers in by_topic.items():
        tags = longest_subscribed_prefix(interests, most_correlated(interests, topic, 3))
        assert (
            len(set(publishers))
            == len(publishers)
            == min(each, len(subscribers_of_all(interests, tags)))
        )


def test_topics_follow_the_rates() -> None:
    interests = Interests.from_lists({node: [0, 1, 2] for node in range(5)} | {9: [3]})
    drawn = draw_publications(interests, 9000, rates=[2.0, 1.0, 0.0, 0.0], seed=1)
    counts = np.bincount(drawn.topics, minlength=4)
    assert counts[2:].tolist() == [0, 0]
    assert abs(counts[0] - 6000) < 200
    assert set(np.unique(drawn.publishers)) == {0, 1, 2, 3, 4}
    alone = draw_publications(interests, 5, rates=[0, 0, 0, 1.0])
    assert alone.topics.tolist() == [3] * 5, "who asks for it gets a topic of one subscriber"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"count": -1}, "-1 publications; expected 0"),
        ({"crosspost": 0}, "crosspost is 0"),
        ({"crosspost": 65}, "expected 1 to 64"),
        ({"per_second": 0.0}, "0.0 publications a second"),
        ({"per_second": float("nan")}, "nan publications a second"),
        ({"rates": [1.0]}, "1 rates for 2 topics"),
        ({"rates": [1.0, float("nan")]}, "finite and 0 or more"),
        ({"rates": [0.0, 0.0]}, "no topic can be published on"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, object], says: str) -> None:
    interests = Interests.from_lists({0: [0, 1], 1: [0, 1]})
    with pytest.raises(ParameterError, match=says):
        draw_publications(interests, **{"count": 3, **options})  # type: ignore[arg-type]


def test_invalid_triplet_options_are_rejected() -> None:
    interests = Interests.from_lists({0: [0, 1], 1: [0, 1]})
    with pytest.raises(ParameterError, match="0 publications a topic"):
        crosspost_triplets(interests, each=0)
    with pytest.raises(ParameterError, match="a second"):
        crosspost_triplets(interests, per_second=float("inf"))


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        (([0], [0, 1], [0, 1], [0]), "as many times as publishers"),
        (([0], [0], [0, 1], []), "ascend from 0 to 0"),
        (([0], [0], [0, 0], []), "publication 0 has 0 topics"),
        (([0], [0], [0, 65], list(range(65))), "has 65 topics; expected 1 to 64"),
        (([-1], [0], [0, 1], [0]), "a time is -1"),
        (([0], [-1], [0, 1], [0]), "a publisher is -1"),
        (([0], [0], [0, 1], [-1]), "a topic is -1"),
        (([5, 2], [0, 0], [0, 1, 2], [0, 0]), "publication 1 is at 2 µs, before"),
        (([0], [0], [0, 2], [3, 3]), "publication 0 names topic 3 twice"),
        (([0.5], [0], [0, 1], [0]), "times are of type float64"),
    ],
)
def test_invalid_publications_are_rejected(columns: tuple[list[int], ...], says: str) -> None:
    with pytest.raises(InputError, match=says):
        Publications(*(np.array(column) for column in columns))


def test_publications_are_sorted_and_sliced() -> None:
    given = Publications.from_lists([2, 0, 1], [[0], [1, 0], [1]], times=[10, 10, 30])
    assert len(given) == 3
    assert given.thin(2).topics.tolist() == [0, 1]
    assert given.thin(9) is given
    assert len(given.thin(0)) == 0
    assert given.between(0, 100).times.tolist() == [0, 0, 100]
    together = Publications.from_lists([0, 0, 0], [[0]] * 3, times=[7, 7, 7])
    assert together.between(0, 100).times.tolist() == [0, 50, 100]
    assert given != together
    assert not given.times.flags.writeable
    interests = Interests.from_lists({"ann": ["tea"], "bob": ["tea", "jazz"]})
    for wrong, says in (
        (Publications.from_lists([2], [[0]]), "a publisher is 2; expected 0 to 1"),
        (Publications.from_lists([0], [[5]]), "a topic is 5; expected 0 to 1"),
    ):
        with pytest.raises(InputError, match=says):
            wrong.check(interests)
    mixed = Publications.from_lists([0, 1], [[0], [0, 1]])
    assert mixed.are_by_subscribers(interests).tolist() == [False, True, True]
