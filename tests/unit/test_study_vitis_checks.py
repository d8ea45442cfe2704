"""Checks of the Vitis study, each on rows that satisfy it and on rows that just do not."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import pytest

from gossamer.studies.statement import InstanceMean
from gossamer.studies.vitis import checks
from gossamer.studies.vitis.run import measure

Column = dict[str, float]


def column(labels: str, *instances: Sequence[float]) -> Column:
    """Return a column of the rows with these labels, with the values of each instance."""
    rows = zip(*instances, strict=True)
    return {
        label: InstanceMean(fmean(row), row)
        for label, row in zip(labels.split(), rows, strict=True)
    }


def test_columns_approach_if_their_distance_falls() -> None:
    seen = {
        "far": column("1 2 3", [9, 7, 6], [9, 8, 6]),
        "near": column("1 2 3", [5, 5, 5], [5, 5, 5]),
        "below": column("1 2 3", [1, 3, 4], [1, 2, 4]),
        "apart": column("1 2 3", [9, 7, 6], [6, 7, 9]),
    }
    assert checks.approaches(seen, "far", "near")
    assert checks.approaches(seen, "below", "near"), "from either side"
    assert not checks.approaches(seen, "apart", "near"), "one instance does, another does not"


def test_a_column_is_significantly_below_if_the_interval_of_differences_is() -> None:
    seen = {
        "RVR": column("15 20", [0.70, 0.60], [0.80, 0.70], [0.90, 0.80]),
        "near": column("15 20", [0.69, 0.59], [0.79, 0.69], [0.89, 0.79]),
        "mixed": column("15 20", [0.69, 0.50], [0.81, 0.60], [0.80, 0.70]),
        "once": column("15 20", [0.69, 0.70], [0.79, 0.80], [0.89, 0.90]),
    }
    assert checks.significantly_below(seen, ["near"], "RVR"), "instances are paired"
    assert not checks.significantly_below(seen, ["near", "mixed"], "RVR")
    assert not checks.significantly_below(seen, ["once"], "RVR"), "in every row"
    assert checks.significantly_below(seen, ["once"], "RVR", rows="15")


def test_changes_are_of_means_over_rows() -> None:
    before, after = ["1", "2"], ["3", "4"]
    seen = {
        "up": column("1 2 3 4", [90, 110, 100, 110], [95, 105, 105, 105]),
        "unsure": column("1 2 3 4", [100, 100, 110, 120], [100, 100, 100, 101]),
        "flat": column("1 2 3 4", [90, 110, 110, 90], [90, 110, 110, 90]),
    }
    assert checks.changes(seen, "up", "up", before, after)
    assert not checks.changes(seen, "up", "down", before, after)
    assert checks.changes(seen, "up", "down", after, before)
    assert checks.changes(seen, "up", "up", before, after, at_least=5, at_most=5.0001)
    assert not checks.changes(seen, "up", "up", before, after, at_least=5.001)
    assert not checks.changes(seen, "up", "up", before, after, at_most=4.999)
    assert not checks.changes(seen, ["up", "unsure"], "up", before, after)
    assert not checks.changes(seen, "flat", "up", before, after)


def test_the_lowest_value_is_that_of_each_instance() -> None:
    seen = {"RVR": column("1 2 3", [0.86, 1.0, 0.5], [1.0, 0.88, 0.5])}
    assert checks.lowest(seen, "RVR", ["1", "2"], 0.865, 0.875), "the interval of 0.86 and 0.88"
    exact = {"RVR": column("1 2", [0.86, 1.0], [1.0, 0.86])}
    assert not checks.lowest(exact, "RVR", "*", 0.865, 0.875)
    assert checks.lowest(exact, "RVR", "*", at_least=0.86)
    assert not checks.lowest(exact, "RVR", "*", at_least=0.861)
    assert not checks.lowest(exact, "RVR", "*", at_most=0.859)


@pytest.mark.parametrize(("last", "held"), [(17.7, True), (17.8, False), (5.0, True)])
def test_growth_is_compared_with_the_squared_logarithm(last: float, held: bool) -> None:
    seen = {"hops": {"1,000": 10.0, "10,000": last}}
    assert checks.grows_within_log_squared(seen, "hops") is held, "(4 / 3)² = 1.778"


@pytest.mark.parametrize(("highest", "held"), [(67.0, True), (68.0, False)])
def test_degrees_are_bounded_in_every_instance(highest: float, held: bool) -> None:
    seen = {"degree": column("15 35", [20, 20], [highest, 20])}
    assert checks.bounded_by_label(seen, "degree", 4.5) is held


def test_the_example_of_equation_1_has_the_utilities_of_the_paper() -> None:
    measured = measure({"protocol": "utility", "nodes": 10, "rounds": 0}, 1)
    shown = [round(measured[f"utility/{pair}"], 3) for pair in ("p and q", "p and r", "q and r")]
    assert shown == [0.25, 0.125, 0.333]
    assert measured["utility/p and q, hardly an event on C"] == 1 / 3001
    assert measured["utility/p and q, nearly all events on C"] == 1000 / 1003
