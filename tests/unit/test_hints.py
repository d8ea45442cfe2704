"""Errors and tables that point the way: another kind, a plug-in, the scenario, the worst."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

import pytest

import gossamer
from gossamer.cli.scenario_options import parse_probability
from gossamer.column_names import check_columns
from gossamer.design.registry import find_algorithm
from gossamer.errors import ParameterError, TableError, UnknownOptionError
from gossamer.experiments.side_by_side import with_half_widths
from gossamer.measures import HALF_WIDTH
from gossamer.protocols import find_protocol
from gossamer.results import MAX_ROWS, thinned
from gossamer.wording import words_of_command_line

INTERESTS = gossamer.Interests.from_lists({"ann": ["tea"], "bob": ["tea"]})
SCENARIO = gossamer.Scenario(INTERESTS, duration=2, seed=1)


@pytest.mark.parametrize(
    ("find", "says"),
    [
        (lambda: gossamer.compare(INTERESTS, ["spidercast"]),
         "no algorithm is named 'spidercast'; it is a protocol, see gossamer.simulate; there are"),
        (lambda: gossamer.simulate(SCENARIO, "greedy-merge"),
         "no protocol is named 'greedy-merge'; it is an algorithm, see gossamer.design; there are"),
        (lambda: gossamer.simulate(SCENARIO, "spidercast", seed=5),
         "seed belongs to the scenario; expected gossamer.Scenario(interests, seed=5)"),
        (lambda: gossamer.compare(INTERESTS, ["cd-oda"], metrics=[lambda one, two: 1.0]),
         "a metric is a lambda without a name; expected metrics={'name': f}"),
    ],
)  # fmt: skip
def test_error_points_the_way(find: Callable[[], Any], says: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(says)):
        find()


@pytest.mark.parametrize("find", [find_algorithm, find_protocol])
def test_unknown_name_on_the_command_line_suggests_a_plugin(find: Callable[[str], Any]) -> None:
    with words_of_command_line(), pytest.raises(ParameterError, match=r"own with --plugin FILE$"):
        find("few-random")
    with pytest.raises(ParameterError) as raised:
        find("few-random")
    assert "plugin" not in str(raised.value)


def test_probability_is_a_share_too() -> None:
    assert parse_probability("12.5%") == 0.125
    with pytest.raises(ParameterError, match=r"'5 of 9' is no probability; expected 0.05 or 5%"):
        parse_probability("5 of 9")


def test_two_missing_columns_are_two() -> None:
    with pytest.raises(TableError, match="there is no column 'node' and no column 'topic';"):
        check_columns("", ["a", "b"], {"node": "", "topic": ""})


def test_thinned_rows_never_hide_a_disconnected_topic() -> None:
    for count in (1, 12, 13, 40, 1000):
        for wrong in {0, count // 3, count - 1}:
            rows = [{"topics_connected": 5 - (k == wrong), "topics": 5} for k in range(count)]
            shown = thinned(rows)
            assert any(row is rows[wrong] for row in shown)
            assert shown[-1] is rows[-1]
            assert len(shown) <= MAX_ROWS + 1
    assert thinned([]) == []


def test_mean_of_a_part_keeps_its_whole() -> None:
    row = {"topics_connected": 39.5, "topics_connected" + HALF_WIDTH: 0.8, "topics": 40}
    assert with_half_widths(row)["topics_connected"] == "39.50 ± 0.80 of 40"


def test_overlay_of_a_simulation_is_that_at_the_end() -> None:
    run = gossamer.simulate(SCENARIO, "spidercast")
    assert run.overlay is run.last.overlay
    assert "snapshots_connected" not in run.summary()


@pytest.mark.parametrize(
    ("algorithm", "option", "says"),
    [
        ("greedy-merge", "max_degree", "; its options are: ties, resilient. degree_cap is an "
         "option of bounded-radius, cover-forest, partitioned-radius, subset-merge, as in "
         "bounded-radius:degree-cap=…. To choose among all algorithms by this limit: "
         "gossamer.recommend(gossamer.front(interests), max_degree=N)"),
        ("bounded-radius", "max_degree", "; did you mean 'degree_cap'? its options are"),
        ("low-oda", "hops", "radius is an option of bounded-radius, "),
        ("low-oda", "degre_cap", "degree_cap is an option of bounded-radius, "),
        ("low-oda", "rh", "; did you mean 'rho'? its options are: rho, ties, resilient"),
        ("low-oda", "frobnicate", "; its options are: rho, ties, resilient"),
    ],
)  # fmt: skip
def test_unknown_option_names_the_one_that_is_meant(algorithm: str, option: str, says: str) -> None:
    with pytest.raises(UnknownOptionError) as raised:
        gossamer.design(INTERESTS, algorithm, **{option: cast("Any", 3)})
    assert f"{algorithm} has no option '{option}'" in str(raised.value)
    assert says in str(raised.value)


def test_unknown_option_of_a_protocol_names_those_that_have_it() -> None:
    with pytest.raises(UnknownOptionError, match=r"kg is an option of spidercast, as in spiderc"):
        gossamer.simulate(SCENARIO, "opt", kg=3)
