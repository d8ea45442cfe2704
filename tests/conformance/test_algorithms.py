"""Conformance suite of design algorithms; the registry provides new ones."""

from __future__ import annotations

import inspect
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.design import Algorithm, algorithms
from gossamer.errors import ParameterError
from gossamer.model import Interests, Overlay
from gossamer.quality import assess, is_topic_connected
from gossamer.workloads import generate_interests
from tests import strategies

NAMES = sorted(algorithms())
WORKLOADS = [
    ("rss", {"nodes": 300, "topics": 40, "subscriptions": "1-12"}),
    ("zipf", {"nodes": 200, "topics": 30, "subscriptions": "1-20", "alpha": 2.0}),
    ("high-correlation", {"nodes": 150, "topics": 100, "subscriptions": 10, "buckets": 10}),
    ("uniform", {"nodes": 100, "topics": 400, "subscriptions": 3}),
]

every_algorithm = pytest.mark.parametrize(
    "algorithm", [algorithms()[name] for name in NAMES], ids=NAMES
)


def variants(algorithm: Algorithm) -> list[dict[str, Any]]:
    """The defaults, and every choice of each option that is a choice of words."""
    chosen: list[dict[str, Any]] = [{}]
    for option in algorithm.options.listed:
        chosen += [{option.keyword: choice} for choice in option.choices]
    if isinstance(algorithm.diameter, tuple):
        chosen += [{algorithm.diameter[1]: value} for value in (1, 2, 3, 5)]
    return chosen


def check_promises(
    algorithm: Algorithm, interests: Interests, overlay: Overlay, **options: Any
) -> None:
    assert overlay.node_count == interests.node_count
    if algorithm.topic_connected:
        assert is_topic_connected(interests, overlay)
    promised = algorithm.promised_diameter(**options)
    if promised is not None:
        found = assess(interests, overlay, lower_bound=False).max_diameter
        assert found <= promised


@every_algorithm
@given(interests=strategies.interests(max_nodes=14, max_topics=8), seed=strategies.seeds)
def test_keeps_its_promises_on_small_interests(
    algorithm: Algorithm, interests: Interests, seed: int
) -> None:
    for options in variants(algorithm):
        check_promises(algorithm, interests, algorithm(interests, seed=seed, **options), **options)


@every_algorithm
@pytest.mark.parametrize(("kind", "parameters"), WORKLOADS, ids=[kind for kind, _ in WORKLOADS])
def test_keeps_its_promises_on_workloads(
    algorithm: Algorithm, kind: str, parameters: dict[str, int]
) -> None:
    for seed in range(3):
        interests = generate_interests(kind, seed=seed, **parameters)
        for options in variants(algorithm):
            check_promises(
                algorithm, interests, algorithm(interests, seed=seed, **options), **options
            )


@every_algorithm
@given(
    interests=strategies.interests(max_nodes=14),
    order=st.randoms(use_true_random=False),
    seed=strategies.seeds,
)
def test_the_same_seed_gives_the_same_overlay_in_any_order_of_rows(
    algorithm: Algorithm, interests: Interests, order: Random, seed: int
) -> None:
    rows = list(range(interests.subscription_count))
    order.shuffle(rows)
    shuffled = Interests.from_ids(
        interests.node_column[rows],
        interests.node_topics[rows],
        node_names=interests.node_names,
        topic_names=interests.topic_names,
    )
    assert algorithm(shuffled, seed=seed) == algorithm(interests, seed=seed)


@every_algorithm
@pytest.mark.parametrize(
    "topics_by_node",
    [
        {},
        {"a": []},
        {"a": ["x"]},
        {"a": ["x"], "b": ["y"]},
        {"a": ["x"], "b": ["x"]},
        {"a": [], "b": ["x", "y"], "c": ["x", "y"], "d": []},
    ],
    ids=str,
)
def test_empty_and_tiny_interests(
    algorithm: Algorithm, topics_by_node: dict[str, list[str]]
) -> None:
    interests = Interests.from_lists(topics_by_node)
    overlay = algorithm(interests)
    check_promises(algorithm, interests, overlay)
    if algorithm.topic_connected:
        assert overlay.link_count == (
            1 if len(topics_by_node) > 1 and "x" in str(topics_by_node.get("b")) else 0
        )


@every_algorithm
def test_progress_is_reported(algorithm: Algorithm) -> None:
    told: list[tuple[str, float]] = []
    interests = generate_interests("rss", nodes=200, topics=30, subscriptions=6)
    silent = algorithm(interests)
    shown = algorithm(interests, progress=lambda stage, done: told.append((stage, done)))
    assert silent == shown
    assert all(stage and 0 <= done <= 1 for stage, done in told)


@every_algorithm
def test_unknown_option_is_rejected(algorithm: Algorithm) -> None:
    with pytest.raises(ParameterError, match=f"{algorithm.name} has no option 'fantasy'"):
        algorithm(Interests.from_lists({"a": ["x"]}), fantasy=1)


@every_algorithm
def test_metadata_is_complete(algorithm: Algorithm) -> None:
    text = inspect.getdoc(algorithm.design) or ""
    assert algorithm.summary.endswith(".")
    assert algorithm.reference
    for heading in ("Returns\n---", "Notes\n---", "Examples\n---"):
        assert heading in text, f"{algorithm.name} lacks {heading.split()[0]}"
    assert "O(" in text, "the cost, in nodes, topics and subscriptions"
    for option in algorithm.options.listed:
        if option.keyword != "ties":
            assert option.keyword in text


@every_algorithm
def test_uses_no_global_randomness(algorithm: Algorithm) -> None:
    interests = generate_interests("rss", nodes=60, topics=10, subscriptions=3)
    before = np.random.get_state(legacy=False)  # noqa: NPY002
    algorithm(interests, seed=1)
    after = np.random.get_state(legacy=False)  # noqa: NPY002
    assert str(before) == str(after)


@every_algorithm
def test_unknown_choice_is_rejected(algorithm: Algorithm) -> None:
    for option in algorithm.options.listed:
        if option.keyword == "ties":
            with pytest.raises(ParameterError, match="ties is 'fantasy'; expected one of"):
                algorithm(Interests.from_lists({"a": ["x"]}), ties="fantasy")
