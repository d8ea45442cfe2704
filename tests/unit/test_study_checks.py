"""Checks of statements, each on rows that satisfy it and on rows that just do not."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from statistics import fmean
from typing import Any, get_type_hints

import pytest

from gossamer.errors import StudyError
from gossamer.studies import checks
from gossamer.studies.statement import InstanceMean, Statement

ROWS = {
    "up": {"1": 1.0, "2": 2.0, "3": 4.0},
    "down": {"1": 4.0, "2": 2.0, "3": 1.0},
    "flat": {"1": 2.0, "2": 2.0, "3": 2.0},
    "peak": {"1": 2.0, "2": 6.0, "3": 3.0},
    "zero": {"1": 0.0, "2": 0.0, "3": 0.0},
    "short": {"2": 5.0, "3": 6.0},
    "long": {"1": 4.0, "2": 9.0, "3": 3.0, "4": 5.0, "5": 2.0},
}


@pytest.mark.parametrize(
    ("bounds", "held"),
    [
        ({}, [True, True, True]),
        ({"below": 2}, [True, False, False]),
        ({"at_most": 2}, [True, True, False]),
        ({"equal": 2}, [False, True, False]),
        ({"at_least": 2}, [False, True, True]),
        ({"above": 2}, [False, False, True]),
        ({"above": 1, "below": 3}, [False, True, False]),
    ],
)
def test_all_bounds_that_are_given_must_hold(bounds: Any, held: list[bool]) -> None:
    assert [checks.within(value, **bounds) for value in (1.0, 2.0, 3.0)] == held


def test_columns_and_rows_are_selected_by_patterns() -> None:
    assert checks.titles_of(ROWS, "up") == ["up"]
    assert checks.titles_of(ROWS, ["z*", "?p"]) == ["zero", "up"], "in the order of the selection"
    assert checks.titles_of({"a[1]": {}}, "a[1]") == ["a[1]"], "a title is not only a pattern"
    with pytest.raises(StudyError, match="there is no column 'x'; there are up, down"):
        checks.titles_of(ROWS, ["up", "x"])
    for rows, labels in (
        ("*", ["1", "2", "3"]),
        ("first", ["1"]),
        ("last", ["3"]),
        ("2", ["2"]),
        (["3", "1"], ["1", "3"]),
        ("9", []),
    ):
        assert checks.labels_of(ROWS["up"], rows) == labels
    assert checks.labels_of({"a[1]": 1.0}, "a[1]") == ["a[1]"]
    assert checks.values_of(ROWS, "up", ["3", "1"]) == [1.0, 4.0]
    assert checks.values_of(ROWS, "up") == [1.0, 2.0, 4.0]


CASES: list[tuple[Callable[..., bool], dict[str, Any], bool]] = [
    (checks.all_values, {"columns": "up", "at_least": 1}, True),
    (checks.all_values, {"columns": "up", "above": 1}, False),
    (checks.all_values, {"columns": ["zero", "up"], "at_most": 2}, False),
    (checks.all_values, {"columns": ["zero", "up"], "rows": "2", "at_most": 2}, True),
    (checks.any_value, {"columns": "up", "above": 3}, True),
    (checks.any_value, {"columns": ["zero", "up"], "above": 4}, False),
    (checks.any_value, {"columns": ["zero", "up"], "rows": ["1", "2"], "above": 2}, False),
    (checks.mean_value, {"columns": "up", "above": 2.3, "below": 2.4}, True),
    (checks.mean_value, {"columns": ["up", "zero"], "above": 2}, False),
    (checks.mean_value, {"columns": "up", "rows": ["1", "2"], "equal": 1.5}, True),
    (checks.in_order, {"columns": ["zero", "up", "short"]}, True),
    (checks.in_order, {"columns": ["short", "down"]}, False),
    (checks.in_order, {"columns": ["short", "up"], "rows": "first"}, False),
    (checks.in_order, {"columns": ["up", "flat"]}, False),
    (checks.in_order, {"columns": ["up", "flat"], "rows": "1"}, True),
    (checks.in_order, {"columns": ["up", "peak", "short"], "rows": "3"}, False),
    (checks.rises, {"columns": ["up", "short"]}, True),
    (checks.rises, {"columns": ["up", "flat"]}, False),
    (checks.rises, {"columns": ["up", "peak"]}, False),
    (checks.rises, {"columns": "peak", "rows": ["1", "2"]}, True),
    (checks.falls, {"columns": "down"}, True),
    (checks.falls, {"columns": "long"}, False),
    (checks.falls, {"columns": ["down", "flat"]}, False),
    (checks.falls, {"columns": ["down", "peak"]}, False),
    (checks.falls, {"columns": "peak", "rows": ["2", "3"]}, True),
    (checks.trend, {"direction": "up", "columns": ["up", "peak"]}, True),
    (checks.trend, {"direction": "up", "columns": "long"}, False),
    (checks.trend, {"direction": "up", "columns": ["up", "flat"]}, False),
    (checks.trend, {"direction": "up", "columns": "peak", "rows": ["2", "3"]}, False),
    (checks.trend, {"direction": "down", "columns": "down"}, True),
    (checks.trend, {"direction": "down", "columns": ["down", "long"]}, True),
    (checks.trend, {"direction": "down", "columns": ["down", "flat"]}, False),
    (checks.trend, {"direction": "down", "columns": "peak"}, False),
    (checks.trend, {"direction": "down", "columns": "short", "rows": "2"}, False),
    (checks.smaller_by, {"of": "up", "to": "peak", "percent": 50, "rows": "1"}, True),
    (checks.smaller_by, {"of": "up", "to": "peak", "percent": 51, "rows": "1"}, False),
    (checks.smaller_by, {"of": "up", "to": "peak", "percent": 0}, False),
    (checks.spread, {"columns": ["up", "down"], "equal": 4}, True),
    (checks.spread, {"columns": ["up", "flat"], "above": 1}, False),
    (checks.spread, {"columns": "peak", "rows": ["1", "3"], "equal": 1.5}, True),
    (checks.spread, {"columns": "short", "rows": "1", "equal": 9}, True),
    (checks.ratio, {"of": "down", "to": "up", "at_least": 0.25, "at_most": 4}, True),
    (checks.ratio, {"of": "down", "to": "up", "above": 0.25}, False),
    (checks.ratio, {"of": "peak", "to": "up", "rows": "2", "equal": 3}, True),
    (checks.ratio, {"of": "short", "to": "up", "at_least": 1.5}, True),
    (checks.ratio, {"of": ["up", "peak"], "to": "up", "equal": 1}, False),
    (checks.ratio, {"of": ["up", "peak"], "to": "up", "some": True, "equal": 1}, True),
    (checks.ratio, {"of": ["up", "peak"], "to": "up", "some": True, "equal": 9}, False),
    (checks.difference, {"of": "peak", "to": "flat", "at_least": 0, "at_most": 4}, True),
    (checks.difference, {"of": "peak", "to": "flat", "above": 0}, False),
    (checks.difference, {"of": ["peak", "up"], "to": "flat", "at_least": 0}, False),
    (checks.difference, {"of": "peak", "to": "up", "rows": "2", "equal": 4}, True),
    (checks.ratio_of_means, {"of": "up", "to": "down", "equal": 1}, True),
    (checks.ratio_of_means, {"of": ["up", "flat"], "to": "down", "equal": 1}, False),
    (checks.ratio_of_means, {"of": "peak", "to": "flat", "rows": "2", "equal": 3}, True),
    (checks.difference_of_means, {"of": "up", "to": "down", "equal": 0}, True),
    (checks.difference_of_means, {"of": ["up", "flat"], "to": "down", "equal": 0}, False),
    (checks.difference_of_means, {"of": "peak", "to": "flat", "rows": "2", "equal": 4}, True),
    (checks.row_ratio, {"column": "up", "of": "3", "to": ["1", "2"], "at_least": 2}, True),
    (checks.row_ratio, {"column": "up", "of": "3", "to": ["1", "2"], "at_least": 3}, False),
    (checks.row_difference, {"column": "up", "of": "3", "to": ["1", "2"], "above": 1}, True),
    (checks.row_difference, {"column": "up", "of": "3", "to": ["1", "2"], "above": 2}, False),
]


@pytest.mark.parametrize(("check", "given", "held"), CASES)
def test_a_check_holds_on_some_rows(
    check: Callable[..., bool], given: dict[str, Any], held: bool
) -> None:
    assert check(ROWS, **given) is held


def test_a_check_of_all_values_looks_at_every_instance() -> None:
    seen = {"c": {"1": InstanceMean(2.0, [1.0, 3.0]), "2": InstanceMean(2.0, [2.0, 2.0])}}
    assert checks.all_values(seen, at_most=3)
    assert not checks.all_values(seen, at_most=2)
    assert checks.any_value(seen, above=2.5)
    assert not checks.any_value(seen, rows="2", above=2)


def test_a_trend_needs_an_interval_of_slopes_beyond_zero() -> None:
    def seen(*instances: tuple[float, ...]) -> dict[str, dict[str, float]]:
        rows = zip(*instances, strict=True)
        return {"c": {str(x): InstanceMean(fmean(row), row) for x, row in enumerate(rows)}}

    alike = seen((1.0, 2.0, 3.0), (1.0, 2.0, 3.1), (0.9, 2.0, 3.0))
    assert checks.trend(alike, "up")
    assert not checks.trend(alike, "down")
    apart = seen((1.0, 2.0, 3.0), (3.0, 2.0, 1.0), (1.0, 2.0, 3.5))
    assert not checks.trend(apart, "up"), "it rises on average alone"
    longer = {"c": {"0": InstanceMean(1.0, [1.0, 1.0, 9.0]), "1": InstanceMean(2.0, [2.0, 2.1])}}
    assert checks.trend(longer, "up"), "instances that both rows have"


SIZES = ("1,000", "2,000", "4,000 nodes", "8,000", "10,000")


@pytest.mark.parametrize(
    ("values", "held"),
    [
        ((3.0, 4.0, 5.0, 6.0, 6.32), True),
        ((8.0, 9.0, 9.0, 10.0, 10.0), True),
        ((1.0, 2.0, 4.0, 8.0, 10.0), False),
        ((1.0, 1.2, 2.0, 6.0, 10.0), False),
        ((6.0, 6.0, 6.0, 6.0, 6.0), False),
        ((6.3, 6.0, 5.0, 4.0, 3.0), False),
    ],
)
def test_logarithmic_growth_rises_and_fits_better_than_a_line(
    values: tuple[float, ...], held: bool
) -> None:
    seen = {"c": dict(zip(SIZES, values, strict=True))}
    assert checks.grows_logarithmically(seen) is held


def test_logarithmic_growth_needs_four_rows_with_numbers() -> None:
    with pytest.raises(StudyError, match="c has 3 rows; expected 4 or more"):
        checks.grows_logarithmically({"c": {"1": 1.0, "2": 2.0, "3": 3.0}})
    with pytest.raises(StudyError, match="row 'few' does not begin with a number"):
        checks.grows_logarithmically({"c": {"1": 1.0, "2": 2.0, "3": 3.0, "few": 4.0}})


def test_every_check_is_tried_on_rows_that_satisfy_it_and_on_rows_that_do_not() -> None:
    tried = {(check.__name__, held) for check, _, held in CASES}
    public = {
        name
        for name, check in vars(checks).items()
        if inspect.isfunction(check)
        and check.__module__ == checks.__name__
        and not name.startswith("_")
        and get_type_hints(check)["return"] is bool
    }
    elsewhere = {"within", "grows_logarithmically"}  # see the tests above
    assert tried == {(name, held) for name in public - elsewhere for held in (True, False)}


def test_names_are_paired_one_by_one_or_each_with_a_single_one() -> None:
    assert checks.row_ratio(ROWS, "up", of=["2", "3"], to=["1", "2"], equal=2)
    assert not checks.row_ratio(ROWS, "up", of=["2", "3"], to=["1", "1"], equal=2)
    assert checks.row_difference(ROWS, "up", of=["2", "3"], to="2", at_least=0)
    with pytest.raises(ValueError, match="zip"):
        checks.row_ratio(ROWS, "up", of=["1", "2", "3"], to=["1", "2"], equal=1)


def test_a_ratio_to_zero_is_infinite_with_the_sign_of_the_dividend() -> None:
    assert checks.ratio(ROWS, "up", "zero", equal=math.inf)
    below = {**ROWS, "below": {"1": -1.0, "2": -2.0, "3": -4.0}}
    assert checks.ratio(below, "below", "zero", equal=-math.inf)


def test_a_check_that_finds_a_row_missing_after_other_values_is_an_error() -> None:
    partly = Statement("s", lambda seen: seen["up"]["1"] < seen["up"]["9"])
    with pytest.raises(StudyError, match="no values to evaluate this statement with: s"):
        partly.evaluate(ROWS)
