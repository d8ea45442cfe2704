"""Histograms, distances between them, and power laws, against naive versions."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from gossamer.errors import ParameterError
from gossamer.quality.distributions import Histogram, kolmogorov_smirnov
from gossamer.quality.power_law import fit_power_law, hurwitz_zeta, rank_exponent
from gossamer.quality.shape import shape_check
from gossamer.workloads.rates import power_law_rates


def naive_zeta(exponent: float, start: int) -> float:
    """Add up many terms, and the integral for the rest."""
    last = float(start + 20_000)
    rest = last ** (1 - exponent) / (exponent - 1) + last**-exponent / 2
    return float(sum(k**-exponent for k in range(start, start + 20_000)) + rest)


def naive_exponent(values: list[int], smallest: int) -> float:
    """Find where the likelihood is highest by cutting the interval in three."""
    logs = sum(math.log(value) for value in values)
    low, high = 1.01, 9.9

    def likelihood(exponent: float) -> float:
        return -len(values) * math.log(naive_zeta(exponent, smallest)) - exponent * logs

    for _ in range(40):
        one, other = low + (high - low) / 3, high - (high - low) / 3
        if likelihood(one) < likelihood(other):
            low = one
        else:
            high = other
    return (low + high) / 2


def naive_distance(values: list[int], smallest: int, exponent: float) -> float:
    """Compare the two cumulative shares at every whole number."""
    whole = naive_zeta(exponent, smallest)
    fitted, worst = 0.0, 0.0
    for x in range(smallest, max(values) + 1):
        fitted += x**-exponent / whole
        seen = sum(value <= x for value in values) / len(values)
        worst = max(worst, abs(seen - fitted))
    return worst


VALUES = [1] * 60 + [2] * 22 + [3] * 9 + [4] * 5 + [5] * 4 + [7, 8, 8, 12, 30]


@pytest.mark.parametrize("exponent", [1.2, 2.0, 3.5, 9.0])
@pytest.mark.parametrize("start", [1, 7, 99, 100, 1000])
def test_zeta_equals_the_sum(exponent: float, start: int) -> None:
    found = float(hurwitz_zeta(exponent, float(start)))
    assert found == pytest.approx(naive_zeta(exponent, start), rel=1e-8)


@pytest.mark.parametrize("smallest", [1, 2, 3])
def test_exponent_is_the_maximum_likelihood_estimate(smallest: int) -> None:
    tail = [value for value in VALUES if value >= smallest]
    found = fit_power_law(Histogram.of(VALUES), smallest=smallest)
    assert found is not None
    assert found.exponent == pytest.approx(naive_exponent(tail, smallest), abs=1e-5)
    assert found.distance == pytest.approx(naive_distance(tail, smallest, found.exponent))
    assert (found.smallest, found.tail) == (smallest, len(tail))
    assert found.error == (found.exponent - 1) / math.sqrt(len(tail))


def test_tail_starts_where_the_distance_is_smallest() -> None:
    values = [1] * 5 + [2] * 400 + [3] * 100 + [4] * 50 + [5] * 30 + [6, 6, 7, 7, 8, 9, 10, 14] * 3
    found = fit_power_law(Histogram.of(values))
    assert found is not None
    tried = {}
    for smallest in sorted(set(values))[:-1]:
        tail = [value for value in values if value >= smallest]
        if len(tail) >= 50:
            exponent = naive_exponent(tail, smallest)
            tried[smallest] = naive_distance(tail, smallest, exponent)
    assert found.smallest == min(tried, key=tried.__getitem__)
    assert found.distance == pytest.approx(min(tried.values()), abs=1e-5)
    shares = found.ccdf(np.array([found.smallest, found.smallest + 3]))
    assert shares[0] == 1
    assert 0 < shares[1] < 1


def test_known_power_law_is_recovered() -> None:
    draws = np.random.default_rng(5).zipf(2.3, 50_000)
    found = fit_power_law(Histogram.of(draws))
    assert found is not None
    assert found.exponent == pytest.approx(2.3, abs=0.05)


def test_starts_of_many_distinct_values_are_sampled() -> None:
    draws = np.random.default_rng(5).zipf(1.6, 30_000)
    histogram = Histogram.of(draws[draws < 10**9])
    assert len(histogram.values) > 600
    found = fit_power_law(histogram)
    assert found is not None
    assert found.exponent == pytest.approx(1.6, abs=0.1)


@pytest.mark.parametrize("values", [[], [0, 0], [3], [3, 3, 3]])
def test_single_value_has_no_fit(values: list[int]) -> None:
    assert fit_power_law(Histogram.of(values)) is None
    assert fit_power_law(Histogram.of(values), smallest=1) is None


def test_too_fast_decay_has_no_fit() -> None:
    assert fit_power_law(Histogram.of([40, 41], [10**9, 1])) is None
    assert fit_power_law(Histogram.of([1, 2], [10**9, 1]), smallest=1) is None


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 1.7])
@pytest.mark.parametrize("topics", [50, 30_000])
def test_rank_exponent_is_the_alpha_of_the_rates(alpha: float, topics: int) -> None:
    rates = power_law_rates(topics, alpha, total=1e15)
    found = rank_exponent(Histogram.of(rates.round().astype(np.int64)))
    assert found == pytest.approx(alpha, abs=1e-4)


def test_rank_exponent_needs_two_observations() -> None:
    assert rank_exponent(Histogram.of([0, 4])) is None


def test_histogram_counts() -> None:
    values = [0, 5, 2, 2, 9, 0, 2]
    found = Histogram.of(values)
    assert dict(zip(found.values.tolist(), found.counts.tolist(), strict=True)) == Counter(values)
    assert found.total == 7
    assert found.maximum == 9
    assert found.mean == pytest.approx(np.mean(values))
    assert found.variance == pytest.approx(np.var(values))
    assert found.deviation == pytest.approx(np.std(values))
    assert found.share_of_zero == 2 / 7
    assert found.ccdf().tolist() == [sum(v >= x for v in values) / 7 for x in found.values]
    asked = [0, 1, 25, 50, 75, 99.9, 100]
    assert found.percentiles(asked) == np.percentile(values, asked, method="inverted_cdf").tolist()
    assert found.above_zero().values.tolist() == [2, 5, 9]
    again = Histogram.of(found.values[::-1], found.counts[::-1])
    assert again.values.tolist() == found.values.tolist()
    assert again.counts.tolist() == found.counts.tolist()


def test_empty_histogram() -> None:
    found = Histogram.of([], [])
    assert (found.total, found.mean, found.variance, found.maximum) == (0, 0, 0, 0)
    assert found.percentiles([50]) == [0]
    assert found.share_of_zero == 0


def test_invalid_counts_are_rejected() -> None:
    with pytest.raises(ParameterError, match="a value is -1; expected 0 or more"):
        Histogram.of([1, -1])
    with pytest.raises(ParameterError, match="a count is -2"):
        Histogram.of([1, 2], [1, -2])
    with pytest.raises(ParameterError, match="2 values and 1 counts"):
        Histogram.of([1, 2], [1])


def test_kolmogorov_smirnov_distance_is_the_largest_difference() -> None:
    for one, other in itertools.combinations(([1, 2, 2, 9], [2, 3], [0, 0, 4, 30], [7]), 2):
        places = {*one, *other}
        naive = max(
            abs(sum(v <= x for v in one) / len(one) - sum(v <= x for v in other) / len(other))
            for x in places
        )
        found = kolmogorov_smirnov(Histogram.of(one), Histogram.of(other))
        assert found == pytest.approx(naive)
    nothing = Histogram.of([])
    assert kolmogorov_smirnov(nothing, nothing) == 0
    assert kolmogorov_smirnov(nothing, Histogram.of([1])) == 1


def test_shape_verdict() -> None:
    full = Histogram.of(VALUES)
    same = shape_check(full, full)
    assert (same.distance, same.rescaled_distance) == (0, 0)
    assert same.verdict.startswith("the shape is kept: degrees are at most 0% apart; ")
    assert "falls alike" in same.verdict
    thrice = shape_check(full, Histogram.of([3 * value for value in VALUES]))
    assert thrice.rescaled_distance == 0
    assert thrice.distance > 0.25
    assert thrice.verdict.startswith("the shape is kept: degrees divided by their means")
    other = shape_check(full, Histogram.of([0] * 40 + [8] * 30 + [9] * 50))
    assert other.verdict.startswith("the shape is not kept")
    assert "nodes with none are 0% of the whole and 33% of the sample" in other.verdict
    assert shape_check(full, Histogram.of([0])).verdict == "there are no relations to compare"
