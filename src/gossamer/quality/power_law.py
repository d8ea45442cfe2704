"""Power laws fitted to counts: the decay of a heavy tail.

There are two exponents. The exponent of the distribution: the share of value x falls as x^-α
(Vitis Figure 8). The exponent of the ranks: the i-th largest value falls as i^-a, as in generated
topic popularity and publication rates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.quality.distributions import Histogram

MIN_EXPONENT, MAX_EXPONENT = 1.0 + 1e-9, 10.0
MAX_RANK_EXPONENT = 10.0
MAX_CANDIDATES = 500
MIN_TAIL = 50
HALVINGS = 60
STEP = 1e-20
"""Step of the complex-step derivative, which loses no digits however small it is."""

NEAR, SHIFT = 100, 16
MAX_TERMS = 10_000


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """A discrete power law: the share of value x is x^-exponent / ζ(exponent, smallest).

    Attributes
    ----------
    exponent
        Exponent by maximum likelihood.
    smallest
        Smallest value of the fit.
    tail
        Number of observations of that value or more.
    distance
        Kolmogorov–Smirnov distance between the fit and those observations.
    """

    exponent: float
    smallest: int
    tail: int
    distance: float

    @property
    def error(self) -> float:
        """Standard error of the exponent, to first order (Clauset et al., eq. 3.2)."""
        return (self.exponent - 1) / math.sqrt(self.tail)

    def ccdf(self, values: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the share at each value or above, among the values from ``smallest`` on."""
        start = hurwitz_zeta(self.exponent, float(self.smallest))
        return np.asarray(hurwitz_zeta(self.exponent, values.astype(np.float64)) / start)


def fit_power_law(histogram: Histogram, *, smallest: int | None = None) -> PowerLaw | None:
    """Fit a discrete power law to the tail of a distribution.

    After Clauset, Shalizi and Newman (SIAM Review 51(4), 2009, §3): for each possible start of the
    tail, the exponent of maximum likelihood; of these, the fit of smallest Kolmogorov–Smirnov
    distance. Tails of fewer than 50 observations are not considered (their §3.3), unless there are
    fewer in all. Of more than 500 distinct values, 500 are considered, evenly spread.

    Parameters
    ----------
    histogram
        Observations; those of value 0 are left out.
    smallest
        Start of the tail, if it is given: 1 for the plain exponent.

    Returns
    -------
    PowerLaw or None
        None if there are not two different values, or they fall faster than x^-10.

    Notes
    -----
    O(min(V, 500) · V) for V distinct values.

    Examples
    --------
    >>> degrees = Histogram.of([1, 2, 3, 4], [480, 120, 53, 30])
    >>> round(fit_power_law(degrees, smallest=1).exponent, 1)
    2.6
    """
    positive = histogram.above_zero()
    values, counts = positive.values, positive.counts
    tails = np.cumsum(counts[::-1])[::-1]
    if smallest is not None:
        first = int(np.searchsorted(values, smallest))
        values, counts, tails = values[first:], counts[first:], tails[first:]
        starts = np.zeros(min(len(values), 1), dtype=np.int64)
    else:
        enough = tails >= min(MIN_TAIL, int(counts.sum()))
        starts = np.flatnonzero(enough[: max(len(values) - 1, 0)])
    if len(values) < 2 or not len(starts):
        return None
    if len(starts) > MAX_CANDIDATES:
        spread = np.linspace(0, len(starts) - 1, MAX_CANDIDATES).round().astype(np.int64)
        starts = starts[np.unique(spread)]
    logs = np.cumsum((counts * np.log(values))[::-1])[::-1]
    lowest = values[starts] if smallest is None else np.array([smallest], dtype=np.int64)
    exponents = _most_likely(lowest.astype(np.float64), logs[starts] / tails[starts])
    best: PowerLaw | None = None
    for start, low, exponent in zip(starts, lowest, exponents, strict=True):
        if exponent > MAX_EXPONENT - 1e-6:
            continue  # faster decay than any power law considered
        distance = _distance(values[start:], counts[start:], float(low), float(exponent))
        if best is None or distance < best.distance:
            best = PowerLaw(float(exponent), int(low), int(tails[start]), distance)
    return best


def rank_exponent(histogram: Histogram) -> float | None:
    """Return the a for which the i-th largest value is most likely in proportion to i^-a.

    This is the alpha of :class:`gossamer.workloads.Zipf` and of
    :func:`gossamer.workloads.power_law_rates`, by maximum likelihood over the ranks of the
    observations above 0: each unit of value is a draw of one of them. None below two of them.

    O(V + min(n, 10,000)) a step for n observations of V distinct values, 60 steps.

    Examples
    --------
    >>> round(rank_exponent(Histogram.of([600, 300, 200, 150])), 6)
    1.0
    """
    positive = histogram.above_zero()
    total = positive.total
    if total < 2:
        return None
    last = np.cumsum(positive.counts[::-1])[::-1]  # last rank of each value
    summed = np.array([math.lgamma(rank + 1.0) for rank in last])
    before = np.array([math.lgamma(rank + 1.0) for rank in last - positive.counts])
    volume = float(np.dot(positive.values, positive.counts))
    mean_log = float(np.dot(positive.values, summed - before)) / volume
    low, high = 0.0, MAX_RANK_EXPONENT
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        expected = -np.log(_harmonic(complex(middle, STEP), total)).imag / STEP
        if expected > mean_log:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def log_log_exponent(histogram: Histogram, *, per_decade: int = 5) -> float | None:
    """Return the slope of a straight line through the log-binned distribution.

    Least squares on the logarithms of the bins' centres and densities, from the densest bin on,
    with equal weights: what is read off a log-log plot, and a worse estimate than
    :func:`fit_power_law` (Clauset et al., §3 and appendix A). None below two bins.

    Examples
    --------
    >>> counts = [round(1e9 * x**-2.0) for x in range(1, 1000)]
    >>> round(log_log_exponent(Histogram.of(range(1, 1000), counts)), 1)
    2.0
    """
    bins = histogram.log_bins(per_decade=per_decade)
    first = int(np.argmax(bins.densities)) if len(bins.lows) else 0
    x, y = np.log(bins.centres[first:]), np.log(bins.densities[first:])
    if len(x) < 2:
        return None
    x -= x.mean()
    decrease = y[0] - y  # of equal densities exactly 0, not a rounding error of either sign
    return float(np.dot(x, decrease) / np.dot(x, x))


def hurwitz_zeta(exponent: Any, start: Any) -> Any:
    """Return Σ (start + k)^-exponent over k = 0, 1, …, by the Euler–Maclaurin formula.

    Correct to nine digits for exponents up to 10 and starts from 1 on. Both may be arrays, and the
    exponent complex.

    Examples
    --------
    >>> round(float(hurwitz_zeta(2.0, 1.0)) - math.pi**2 / 6, 12) == 0
    True
    """
    powers, places = np.broadcast_arrays(
        np.asarray(exponent) + 0.0, np.asarray(start, dtype=np.float64)
    )
    near = places < NEAR
    total = np.zeros(powers.shape, dtype=powers.dtype)
    if near.any():
        s, q = powers[near], places[near]
        total[near] = sum((q + k) ** -s for k in range(SHIFT))
    s, a = powers, places + SHIFT * near
    return total + a**-s * (
        a / (s - 1)
        + 0.5
        + s / (12 * a)
        - s * (s + 1) * (s + 2) / (720 * a**3)
        + s * (s + 1) * (s + 2) * (s + 3) * (s + 4) / (30240 * a**5)
    )


def _most_likely(
    lowest: NDArray[np.float64], mean_logs: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the exponents at which the expected logarithm equals the observed mean.

    There the likelihood has its maximum; the expected logarithm falls as the exponent grows, so
    bisection finds it.
    """
    low = np.full(len(lowest), MIN_EXPONENT)
    high = np.full(len(lowest), MAX_EXPONENT)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        expected = -np.log(hurwitz_zeta(middle + STEP * 1j, lowest)).imag / STEP
        above = expected > mean_logs
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.asarray((low + high) / 2)


def _distance(
    values: NDArray[np.int64], counts: NDArray[np.int64], lowest: float, exponent: float
) -> float:
    """Return the Kolmogorov–Smirnov distance over all integers from the lowest on.

    Between two values that occur, the data are constant and the fit continues, so the distance is
    largest at a value or just before the next one.
    """
    share = np.cumsum(counts) / counts.sum()
    before = np.concatenate(([0.0], share[:-1]))
    whole = hurwitz_zeta(exponent, lowest)
    fitted_before = 1 - hurwitz_zeta(exponent, values.astype(np.float64)) / whole
    fitted = 1 - hurwitz_zeta(exponent, values + 1.0) / whole
    return float(max(np.abs(share - fitted).max(), np.abs(before - fitted_before).max()))


def _harmonic(exponent: complex, count: int) -> complex:
    """Return Σ i^-exponent over i = 1 .. count."""
    single = min(count, MAX_TERMS)
    total = complex(np.sum(np.arange(1, single + 1, dtype=np.float64) ** -exponent))
    if count == single:
        return total
    ratio = math.log(count / single)
    grown = (1 - exponent) * ratio
    area = single ** (1 - exponent) * ratio * (complex(np.expm1(grown)) / grown if grown else 1.0)
    ends = (count**-exponent - single**-exponent) / 2
    slopes = exponent * (single ** (-exponent - 1) - count ** (-exponent - 1)) / 12
    return total + area + ends + slopes
