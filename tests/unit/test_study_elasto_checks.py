"""Checks of the ElastO study, each on rows that satisfy it and on rows that just do not."""

from __future__ import annotations

from gossamer.studies.elasto import checks
from gossamer.studies.statement import InstanceMean

SEEN = {
    "flat": {"10": 1.0, "20": 1.0, "30": 1.0, "40": 1.0, "50": 1.0},
    "line": {"10": 1.0, "20": 2.0, "30": 3.0, "40": 4.0, "50": 5.0},
    "early": {"10": 1.0, "20": 4.0, "30": 5.0, "40": 5.5, "50": 6.0},
    "late": {"10": 1.0, "20": 1.5, "30": 2.0, "40": 4.0, "50": 8.0},
    "down": {"10": 9.0, "20": 5.0, "30": 4.0, "40": 3.5, "50": 3.0},
}


def test_the_largest_of_one_column_is_compared_with_the_smallest_of_another() -> None:
    assert checks.largest_within(SEEN, "line", 5, "line")
    assert not checks.largest_within(SEEN, "line", 4.9, "line")


def test_each_value_exceeds_the_one_before_by_a_factor() -> None:
    assert checks.grows_by_factor(SEEN, "late", 2, 1.9)
    assert not checks.grows_by_factor(SEEN, "late", 2, 2.0)
    assert not checks.grows_by_factor(SEEN, "late", 1, 1.9)


def test_columns_rise_ever_less_or_level_off() -> None:
    assert checks.rises_ever_less(SEEN, "early")
    assert not checks.rises_ever_less(SEEN, "line")
    assert not checks.rises_ever_less(SEEN, "down")
    assert checks.levels_off(SEEN, "down"), "in either direction"
    assert not checks.levels_off(SEEN, "line")
    assert not checks.levels_off(SEEN, "late")


def test_samples_keep_falling_distributions() -> None:
    falling = {str(k): 1.0 / 2**k for k in range(8)}
    seen = {"followers, sample": falling, "followed, sample": falling}
    assert checks.sample_keeps_distribution(seen)
    assert not checks.sample_keeps_distribution(
        {**seen, "followers, sample": {**falling, "6": 0.0, "7": 0.0}}
    )
    assert not checks.sample_keeps_distribution({**seen, "followed, sample": {"0": 0.5, "1": 0.6}})


def test_gaps_of_columns() -> None:
    assert checks.gap_widens(SEEN, "line", "flat")
    assert not checks.gap_widens(SEEN, "flat", "line")
    assert not checks.gap_widens(SEEN, "line", "line")
    unsure = {
        "of": {"1": InstanceMean(2.0, [2.0, 2.0]), "2": InstanceMean(3.0, [2.0, 4.0])},
        "to": {"1": InstanceMean(1.0, [1.0, 1.0]), "2": InstanceMean(1.0, [1.0, 1.0])},
    }
    assert not checks.gap_widens(unsure, "of", "to"), "one instance does, another does not"


def test_most_of_a_rise_may_be_early() -> None:
    assert checks.rises_fast_until(SEEN, "early", "20")
    assert not checks.rises_fast_until(SEEN, "line", "30"), "exactly half"
    assert not checks.rises_fast_until(SEEN, "down", "20")


def test_spreads_and_ratios_of_columns() -> None:
    assert checks.spreads_less(SEEN, "line", "early")
    assert not checks.spreads_less(SEEN, "early", "line")
    assert not checks.spreads_less(SEEN, "line", "line")
    assert checks.ratio_falls(SEEN, "down", "line")
    assert not checks.ratio_falls(SEEN, "late", "flat")
    assert not checks.ratio_falls(SEEN, "line", "line")


def test_a_line_or_a_logarithm_fits_better() -> None:
    assert checks.grows_linearly(SEEN, "line")
    assert not checks.grows_linearly(SEEN, "early"), "a logarithm fits better"
    assert not checks.grows_linearly(SEEN, "down")


def test_means_are_in_order_and_their_gaps_are_bounded() -> None:
    assert checks.means_in_order(SEEN, ["flat", "line", "early"])
    assert not checks.means_in_order(SEEN, ["flat", "line", "line"])
    assert checks.mean_gaps_at_most(SEEN, ["line", "early"], ["flat", "line"], [2.0, 1.3])
    assert not checks.mean_gaps_at_most(SEEN, ["line", "early"], ["flat", "line"], [2.0, 1.2])
