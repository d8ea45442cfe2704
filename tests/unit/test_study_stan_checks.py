"""Checks and measurements of the StaN study, each on values that satisfy it and on others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import Interests, Overlay, Publications
from gossamer.quality import TopicGraphs
from gossamer.studies.stan import checks
from gossamer.studies.stan.floods import describe_posts, measure_example, on_one_topic
from gossamer.studies.stan.overlays import measure_overlays
from gossamer.studies.stan.points import shrink
from gossamer.studies.stan.run import measure
from gossamer.studies.stan.universes import find_interests
from gossamer.studies.statement import InstanceMean, Seen

Column = dict[str, float]


def column(labels: str, *instances: Sequence[float]) -> Column:
    """Return a column of the rows with these labels, with the values of each instance."""
    rows = zip(*instances, strict=True)
    return {
        label: InstanceMean(fmean(row), row)
        for label, row in zip(labels.split(), rows, strict=True)
    }


def test_a_column_lies_above_another_if_it_is_below_it_in_no_row() -> None:
    seen = {
        "a": column("1 2 3", [1, 2, 3]),
        "b": column("1 2 3", [1, 2, 2.9]),
        "c": column("1 2 3", [0.9, 3, 4]),
    }
    assert checks.lies_above(seen, "a", "b")
    assert not checks.lies_above(seen, "b", "a")
    assert not checks.lies_above(seen, "a", "a"), "above it in some row"
    assert not checks.lies_above(seen, "c", "a")
    assert checks.lies_above_somewhere(seen, "c", "a")
    assert not checks.lies_above_somewhere(seen, "b", "a")


def test_a_lag_is_a_share_of_the_descent() -> None:
    seen = {
        "0%": column("0 9 12", [200, 110, 100]),
        "10%": column("0 9 12", [200, 115, 104]),
        "15%": column("0 9 12", [200, 160, 150]),
        "20%": column("0 9 12", [200, 161, 160]),
    }
    assert checks.lags(seen, "10%", "0%", "9", at_most=0.05)
    assert not checks.lags(seen, "10%", "0%", "9", at_most=0.049)
    assert checks.lags(seen, "10%", "0%", "12", at_most=0.04)
    assert checks.is_too_slow_above(seen, "15%", "20%", "0%", "9")
    assert not checks.is_too_slow_above(seen, "15%", "15%", "0%", "9"), "both are usable"
    assert not checks.is_too_slow_above(seen, "20%", "20%", "0%", "9"), "both are too slow"


def test_steps_and_amplitudes_are_those_of_each_instance() -> None:
    seen = {
        "calm": column("1 2 3", [10, 11, 10], [10, 11, 12]),
        "wild": column("1 2 3", [10, 14, 10], [14, 10, 14]),
        "far": column("1 2 3", [10, 11.5, 13], [10, 12, 14]),
    }
    assert checks.steps_in_order(seen, ["calm", "wild"]), "means over instances are flat"
    assert not checks.steps_in_order(seen, ["wild", "far"])
    assert not checks.steps_in_order(seen, ["calm", "calm"])
    assert not checks.steps_in_order(seen, ["calm", "wild"], also=["wild", "far"])
    assert checks.steps_in_order(seen, ["calm", "wild"], also=["calm", "far"])
    assert checks.amplitudes_in_order(seen, ["calm", "far", "wild"])
    assert not checks.amplitudes_in_order(seen, ["wild", "far"])


def test_a_column_moves_with_another_if_they_are_correlated_in_each_instance() -> None:
    seen = {
        "nodes": column("1 2 3", [1, 2, 3], [3, 2, 1]),
        "with": column("1 2 3", [5, 7, 8], [9, 7, 7]),
        "against": column("1 2 3", [3, 2, 1], [1, 2, 3]),
        "flat": column("1 2 3", [2, 2, 2], [2, 2, 2]),
    }
    assert checks.moves_with(seen, ["with"], ["nodes"], at_least=0.8)
    assert not checks.moves_with(seen, ["against"], ["nodes"], above=0)
    assert not checks.moves_with(seen, ["flat"], ["nodes"], above=0)
    assert not checks.moves_with(seen, ["with", "against"], ["nodes", "nodes"], above=0)


@pytest.mark.parametrize(
    ("line", "growing", "shrinking"),
    [
        ([50, 55, 60, 58, 54], True, True),
        ([50, 49, 51, 58, 50], True, True),
        ([50, 49, 50, 58, 51], False, True),
        ([50, 55, 60, 61, 62], True, False),
    ],
)
def test_views_grow_and_then_shrink(line: list[int], growing: bool, shrinking: bool) -> None:
    seen = {"PVS": dict(zip(("10", "12", "14", "16", "18"), map(float, line), strict=True))}
    assert checks.grows(seen, "PVS", [10]) is growing
    assert checks.grows_then_shrinks(seen, "PVS", [10]) is shrinking


@pytest.mark.parametrize(
    ("without", "shared", "held"), [(1, 2, True), (0, 2, False), (-1, 2, False), (2, 2, False)]
)
def test_more_is_saved_with_sharing(without: float, shared: float, held: bool) -> None:
    seen = {"before": {"triplets": without}, "after": {"triplets": shared}}
    assert checks.saves_more_with_sharing(seen, "before", "after", "triplets") is held


def test_savings_cost_neither_copies_nor_hops() -> None:
    def seen(saved: float, costing: float, hops: float, single: float = 4) -> Seen:
        return {
            "as printed: saved, %, after": {"triplets": saved},
            "as printed: nodes that send more, after": {"triplets": costing},
            "SimpleFlood, mean hops, after": {"triplets": 4, "singles": 4},
            "CrosspostFlood, mean hops, after": {"triplets": hops, "singles": single},
        }

    assert checks.saves_without_cost(seen(1, 0, 4))
    assert not checks.saves_without_cost(seen(0, 0, 4))
    assert not checks.saves_without_cost(seen(1, 0.01, 4))
    assert not checks.saves_without_cost(seen(1, 0, 4.1))
    assert checks.crossposting_is_a_shortcut(seen(1, 0, 3.9))
    assert not checks.crossposting_is_a_shortcut(seen(1, 0, 4))
    assert not checks.crossposting_is_a_shortcut(seen(1, 0, 3.9, single=3.9))


@pytest.mark.parametrize(
    ("share", "topics", "held"),
    [(30, 3, True), (29, 3, False), (90, 2, True), (90, 1.9, False), (90, 4.1, False)],
)
def test_crossposting_is_compared_with_usenet(share: float, topics: float, held: bool) -> None:
    seen = {"posts on several topics, %": {"a": share}, "topics of such a post": {"a": topics}}
    assert checks.is_crossposted_as_usenet(seen) is held


@pytest.mark.parametrize(
    ("hops", "hits", "held"), [(3.1, 1, True), (3, 1, False), (2.5, 0.99, True), (3, 1.01, False)]
)
def test_dissemination_is_worse_with_more_hops_or_fewer_deliveries(
    hops: float, hits: float, held: bool
) -> None:
    seen = {
        "mean hops, StaN": {"singles": 3.0},
        "mean hops, omniscient": {"singles": hops},
        "hit ratio, StaN": {"singles": 1.0},
        "hit ratio, omniscient": {"singles": hits},
    }
    assert checks.disseminates_worse(seen) is held


def test_overhearing_helps_if_each_value_is_lower() -> None:
    seen = {
        "3": {"as by default": 10.0, "own walks alone": 11.0},
        "9": {"as by default": 10.0, "own walks alone": 10.0},
    }
    assert checks.overhearing_helps(seen, "3")
    assert not checks.overhearing_helps(seen, "9")
    assert not checks.overhearing_helps(seen, "*")


def test_logical_views_are_kept_within_one_per_cent() -> None:
    def seen(lvs: float, partitioned: float = 0, clustering: float = 0.2) -> Seen:
        return {
            "LVS, first": {"u": 100.0},
            "LVS, last": {"u": lvs},
            "partitioned topics": {"u": partitioned},
            "clustering, first": {"u": 0.2},
            "clustering, last": {"u": clustering},
        }

    assert checks.keeps_logical_views(seen(99.1))
    assert not checks.keeps_logical_views(seen(98.9))
    assert not checks.keeps_logical_views(seen(100, partitioned=1))
    assert checks.keeps_logical_views(seen(100, clustering=0.3)), "it is not asked for"
    assert checks.keeps_logical_views(seen(100, clustering=0.219), clustering=True)
    assert not checks.keeps_logical_views(seen(100, clustering=0.221), clustering=True)


def test_pairs_keep_views_and_moved_ends_do_not() -> None:
    def seen(pair: float, moved: float, clustering: float = 0.2) -> Seen:
        rows = ("pair", "own walks", "one end", "none")
        return {
            "LVS, first": dict.fromkeys(rows, 100.0),
            "LVS": {**dict.fromkeys(rows, 100.0), "pair": pair, "one end": moved},
            "clustering, first": dict.fromkeys(rows, 0.2),
            "clustering": {**dict.fromkeys(rows, 0.2), "one end": clustering},
        }

    assert checks.only_pairs_keep_views(seen(100, 120))
    assert checks.only_pairs_keep_views(seen(100, 100, clustering=0.3))
    assert not checks.only_pairs_keep_views(seen(98, 120))
    assert not checks.only_pairs_keep_views(seen(100, 100))


# -- measurements ----------------------------------------------------------------------------


def test_worked_example_of_the_supplement() -> None:
    assert measure({"example": "shared"}, 1) == {"copies simple": 4.0, "copies crosspost": 2.0}
    assert measure_example("apart") == {"copies simple": 4.0, "copies crosspost": 4.0}


def test_publications_on_one_topic_and_posts() -> None:
    given = Publications.from_lists([0, 1, 2], [[1, 4], [2], [0, 1, 3, 4]])
    single = on_one_topic(given)
    assert single.topics.tolist() == [1, 2, 0]
    assert single.publishers.tolist() == [0, 1, 2]
    found = describe_posts(given)
    assert found["posts crossposted"] == pytest.approx(200 / 3)
    assert found["posts topics"] == 3.0
    empty = Publications.from_lists([], [])
    assert describe_posts(empty) == {"posts crossposted": 0.0, "posts topics": 0.0}
    assert len(on_one_topic(empty)) == 0


@given(st.integers(0, 10_000), st.integers(10, 30), st.floats(0, 2))
def test_surviving_share_is_that_of_the_largest_component(
    seed: int, nodes: int, density: float
) -> None:
    random = np.random.default_rng(seed)
    pairs = random.integers(0, nodes, (math.ceil(density * nodes) + 1, 2))
    overlay = Overlay.from_links(nodes, pairs[pairs[:, 0] != pairs[:, 1]])
    interests = Interests.from_lists({node: ["t"] for node in range(nodes)})
    graphs = TopicGraphs.of(interests, overlay)
    overlays = {"initial": graphs, "final": graphs, "greedy": graphs}
    measured = measure_overlays(interests, overlays, seed)
    ranks = np.random.default_rng(seed).permutation(nodes)
    for percent in (0, 50, 90):
        graph: nx.Graph[int] = nx.Graph()
        graph.add_nodes_from(range(nodes))
        graph.add_edges_from(overlay.links.tolist())
        graph.remove_nodes_from(np.flatnonzero(ranks * 100 < percent * nodes).tolist())
        sizes = [len(one) for one in nx.connected_components(graph)]
        expected = max(sizes, default=0) / max(sum(sizes), 1)
        assert measured[f"surviving final/{percent}"] == pytest.approx(expected)


def test_reduction_of_large_views_is_a_mean_over_their_nodes() -> None:
    nodes = 620
    interests = Interests.from_lists({node: ["t"] for node in range(nodes)})
    star = Overlay.from_links(nodes, [(0, node) for node in range(1, 601)])
    smaller = Overlay.from_links(nodes, [(0, node) for node in range(1, 201)])
    graphs = {name: TopicGraphs.of(interests, star) for name in ("initial", "greedy")}
    graphs["final"] = TopicGraphs.of(interests, smaller)
    measured = measure_overlays(interests, graphs, 1)
    assert measured["nodes with a view of 600"] == 1.0
    assert measured["reduction of a view of 600"] == 400.0


def test_drawn_universes_have_the_given_number_of_topics() -> None:
    usual = find_interests({"nodes": 50}, 1)
    more = find_interests({"nodes": 50, "subscriptions": 80}, 1)
    assert usual.subscription_sizes.tolist() == [39] * 50
    assert more.subscription_sizes.tolist() == [80] * 50


def test_quick_runs_are_small_except_for_the_example() -> None:
    assert shrink({"nodes": 1381, "rounds": 2}) == {"nodes": 60, "rounds": 2}
    assert shrink({"nodes": 40}) == {"nodes": 40}
    assert shrink({"example": "apart"}) == {"example": "apart"}


def test_runs_count_isolated_nodes_and_compare_starts() -> None:
    small = {"nodes": 25, "rounds": 3}
    plain, lossy = measure(small, 3), measure({**small, "loss": 0.2}, 3)
    assert plain["pvs/0"] == lossy["pvs/0"]
    assert plain["lvs/0"] == lossy["lvs/0"]
    churned = measure({**small, "faster": 16, "refill": 0}, 3)
    assert 0 <= churned["isolated"] <= churned["isolated nodes"] <= 25
