"""The nouns: what they hold, and what they refuse."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import (
    GossamerError,
    InputError,
    OverlayError,
    ParameterError,
    StudyError,
    TableError,
)
from gossamer.model import Interests, Latency, Overlay, Scenario, Sessions
from gossamer.options import options_of
from gossamer.registry import Registry

# -- interests ----------------------------------------------------------------------


def test_interests_from_lists_keep_nodes_without_topics() -> None:
    interests = Interests.from_lists({"cy": [], "ann": ["tea", "jazz"], "bob": ["jazz"]})
    assert interests.node_names.tolist() == ["ann", "bob", "cy"]
    assert interests.topic_names.tolist() == ["jazz", "tea"]
    assert interests.topics_of(0).tolist() == [0, 1]
    assert interests.topics_of(2).tolist() == []
    assert interests.subscribers_of(interests.topic_id("jazz")).tolist() == [0, 1]
    assert repr(interests) == "Interests(3 nodes, 2 topics, 3 subscriptions)"


def test_names_that_are_numbers_are_found_as_numpy_gives_them() -> None:
    interests = Interests.from_ids([0, 1], [0, 0], node_names=2, topic_names=1)
    assert interests.node_id(1) == interests.node_id(interests.node_names[1]) == 1
    for name in ("1", 1.0):
        with pytest.raises(InputError, match=rf"no node is named {name!r}: .* are integers"):
            interests.node_id(name)  # type: ignore[arg-type]


def test_repeated_pairs_are_merged_and_counted() -> None:
    interests = Interests.from_pairs(["a", "a", "b", "a"], ["x", "x", "x", "x"])
    assert interests.subscription_count == 2
    assert interests.duplicates == 2
    assert "2 duplicates merged" in repr(interests)


names = st.one_of(
    st.lists(st.tuples(st.integers(-5, 5), st.text(max_size=2)), max_size=20),
    st.lists(st.tuples(st.text(max_size=2), st.integers(-5, 5)), max_size=20),
)


@given(names, st.randoms(use_true_random=False))
def test_interests_are_the_set_of_pairs_in_any_order(
    pairs: list[tuple[Any, Any]], order: Random
) -> None:
    interests = Interests.from_pairs([node for node, _ in pairs], [topic for _, topic in pairs])
    named = {
        (interests.node_names[v], interests.topic_names[t])
        for v in range(interests.node_count)
        for t in interests.topics_of(v)
    }
    assert named == set(pairs)
    assert interests.duplicates == len(pairs) - len(named)
    by_topic = {
        (interests.node_names[v], interests.topic_names[t])
        for t in range(interests.topic_count)
        for v in interests.subscribers_of(t)
    }
    assert by_topic == named
    for node, topic in pairs:
        assert interests.node_names[interests.node_id(node)] == node
        assert interests.topic_names[interests.topic_id(topic)] == topic
        assert interests.topic_id(interests.topic_names[0]) == 0
    shuffled = list(pairs)
    order.shuffle(shuffled)
    assert interests == Interests.from_pairs(
        [node for node, _ in shuffled], [topic for _, topic in shuffled]
    )


@given(names)
def test_slots_and_places_are_inverse(pairs: list[tuple[Any, Any]]) -> None:
    interests = Interests.from_pairs([node for node, _ in pairs], [topic for _, topic in pairs])
    count = interests.subscription_count
    assert interests.slots[interests.places].tolist() == list(range(count))
    assert interests.node_column[interests.places].tolist() == interests.topic_nodes.tolist()


def test_interests_are_read_only() -> None:
    interests = Interests.from_lists({"a": ["x"]})
    with pytest.raises(ValueError, match="read-only"):
        interests.node_topics[0] = 1
    with pytest.raises(AttributeError):
        interests.duplicates = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("nodes", "topics", "says"),
    [
        ([0, 1], [0], "2 nodes but 1 topics"),
        ([0, 5], [0, 0], "pair 1 has node id 5; expected 0 to 2"),
        ([0, 0], [0, -1], "pair 1 has topic id -1; expected 0 to 1"),
    ],
)
def test_wrong_ids_are_rejected(nodes: list[int], topics: list[int], says: str) -> None:
    with pytest.raises(InputError, match=says):
        Interests.from_ids(nodes, topics, node_names=3, topic_names=2)


def test_columns_in_place_of_interests_and_equal_names_are_rejected() -> None:
    with pytest.raises(InputError, match="two nodes are named 'a'; expected different names"):
        Interests.from_ids([0, 1], [0, 0], node_names=np.array(["b", "a", "a"]), topic_names=1)
    with pytest.raises(ParameterError, match="has the columns node and topic; expected the topics"):
        Interests.from_lists({"node": ["ann", "bob"], "topic": ["tea", "tea"]})
    with pytest.raises(ParameterError, match="nodes is a list of pairs; expected two columns"):
        Interests.from_pairs(np.array([[1, 2], [3, 4]]))  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [[1.5], [None], ["a", 1], [True]])
def test_names_are_integers_or_strings(wrong: list[Any]) -> None:
    with pytest.raises(InputError, match="names must be all integers or all strings"):
        Interests.from_pairs(wrong, ["x"] * len(wrong))


def test_unknown_names_are_rejected() -> None:
    interests = Interests.from_lists({"a": [1]})
    with pytest.raises(InputError, match=r"no node is named 'b' \(1 nodes\)"):
        interests.node_id("b")
    with pytest.raises(InputError, match="no topic is named '1'"):
        interests.topic_id("1")


# -- overlay ------------------------------------------------------------------------


@given(st.integers(2, 8), st.data())
def test_overlay_is_the_set_of_its_links(count: int, data: st.DataObject) -> None:
    ends = st.integers(0, count - 1)
    pairs = data.draw(st.lists(st.tuples(ends, ends).filter(lambda p: p[0] != p[1])))
    overlay = Overlay.from_links(count, pairs)
    expected = sorted({(min(pair), max(pair)) for pair in pairs})
    assert [tuple(link) for link in overlay.links.tolist()] == expected
    for node in range(count):
        neighbours = sorted({u + v - node for u, v in expected if node in (u, v)})
        assert overlay.neighbours_of(node).tolist() == neighbours
        assert overlay.degrees[node] == len(neighbours)
    assert overlay == Overlay.from_links(count, [(v, u) for u, v in reversed(pairs)])


@pytest.mark.parametrize(
    ("links", "says"),
    [
        ([(0, 0)], "node 0 is linked to itself"),
        ([(0, 1), (1, 7)], r"link \(1, 7\) names a node outside 0 to 2"),
        ([(0, 1, 2)], r"shape \(m, 2\)"),
    ],
)
def test_wrong_links_are_rejected(links: list[Any], says: str) -> None:
    with pytest.raises(OverlayError, match=says):
        Overlay.from_links(3, links)


def test_overlays_have_a_number_of_nodes_and_take_iterators() -> None:
    assert Overlay.from_links(3, iter([(0, 1), (2, 1)])).link_count == 2  # type: ignore[arg-type]
    with pytest.raises(OverlayError, match="node_count is -3; expected a number of 0 or more"):
        Overlay.from_links(-3, [])


# -- scenario -----------------------------------------------------------------------


def test_scenario_keeps_sessions_latency_and_rates() -> None:
    interests = Interests.from_lists({"a": ["x"], "b": ["x", "y"]})
    sessions = Sessions.from_columns([1, 0, 1], [50, 0, 10], [60, 5, 20])
    latency = Latency.from_matrix([[0, 7], [9, 0]], sites=[1, 0])
    scenario = Scenario(interests, churn=sessions, latency=latency, rates=[1.0, 2.0])
    assert sessions.nodes.tolist() == [0, 1, 1]
    assert sessions.starts.tolist() == [0, 10, 50]
    assert latency.between(0, 1) == 9
    assert isinstance(scenario.rates, np.ndarray)
    assert not scenario.rates.flags.writeable


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Sessions.from_columns([0], [5], [5]), "from 5 to 5; expected 0 <= start < end"),
        (lambda: Sessions.from_columns([0, 0], [0, 3], [4, 9]), "node 0 has overlapping sessions"),
        (lambda: Sessions.from_columns([0], [1, 2], [3]), "three columns of the same length"),
        (lambda: Latency.from_matrix([[0, 1]], [0]), "must be square"),
        (lambda: Latency.from_matrix([[-1]], [0]), "a latency is -1"),
        (lambda: Latency.from_matrix([[0]], [2]), "site is outside 0 to 0"),
    ],
)
def test_wrong_columns_are_rejected(make: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        make()


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"rates": np.array([1.0])}, "1 publication rates; expected one for each of 2 topics"),
        ({"rates": np.array([1.0, -1.0])}, "a publication rate is -1; expected a finite number"),
        ({"loss": 1.5}, "loss is 1.5; expected a probability from 0 to 1"),
        ({"duplicate": -0.1}, "duplicate is -0.1; expected a probability"),
        ({"reorder": 2}, "reorder is 2; expected a probability"),
        ({"duration": 0.0}, "duration is 0.0 seconds; expected 0.000001 to"),
        ({"warm_up": -1.0}, "warm_up is -1.0 seconds; expected 0 to"),
        ({"time_scale": 0.0}, "time_scale is 0.0; expected above 0"),
        ({"seed": -1}, "seed is -1; expected 0 to"),
        ({"departure": "vanish"}, "departure is 'vanish'; expected leave or crash"),
        ({"new_interests": True}, "new_interests draws topics of a workload"),
        ({"churn": Sessions.from_columns([2], [0], [1])}, "names node 2; expected 0 to 1"),
        ({"latency": Latency.from_matrix([[0]], [0])}, "latency places 1 nodes; there are 2"),
    ],
)
def test_invalid_scenarios_are_rejected(parts: dict[str, Any], says: str) -> None:
    interests = Interests.from_lists({"a": ["x"], "b": ["x", "y"]})
    with pytest.raises(InputError, match=says):
        Scenario(interests, **parts)


# -- errors and catalogues ------------------------------------------------------------


def test_tree_of_errors() -> None:
    for kind in (TableError, ParameterError, OverlayError):
        assert issubclass(kind, InputError)
        assert issubclass(kind, ValueError)
    assert issubclass(StudyError, GossamerError)
    assert not issubclass(StudyError, ValueError)


def test_options_are_read_from_the_signature() -> None:
    def function(first: int, *, rate: float = 0.5, count: int = 3, seed: int = 0) -> None: ...

    options = options_of("thing", function, positional=("first",), exclude=("seed",))
    assert [(option.flag, option.default) for option in options.listed] == [
        ("--rate", 0.5),
        ("--count", 3),
    ]
    assert options.parse({"rate": "2", "count": "4"}) == {"rate": 2.0, "count": 4}
    with pytest.raises(ParameterError, match=r"count is '4\.5'; expected a whole number"):
        options.parse({"count": "4.5"})


def test_registry_lists_known_names() -> None:
    catalogue: Registry[int] = Registry("thing", "gossamer.model")
    catalogue.add("one", 1, test_registry_lists_known_names)
    assert catalogue.find("one") == 1
    with pytest.raises(ParameterError, match="no thing is named 'two'; there are one"):
        catalogue.find("two")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"duration": "20s"}, "duration is '20s'; expected a number of seconds, as in 20"),
        ({"loss": "5%"}, "loss is '5%'; expected a probability, as in 0.05"),
        ({"payload": "1k"}, "payload is '1k'; expected a number of bytes"),
    ],
)
def test_scenario_rejects_text_for_a_number(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(says)):
        Scenario(Interests.from_lists({"a": ["x"]}), **given)
