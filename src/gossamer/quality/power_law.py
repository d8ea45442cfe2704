"""Power laws fitted to counts: how fast a heavy tail falls.

Two exponents are in use and both are here. The exponent of the distribution: the share of
things of value x falls as x^-α (Vitis Figure 8). The exponent of the ranks: the value of
the i-th largest falls as i^-a (how topic popularity and publication rates are generated).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.quality.distributions import Histogram

__all__ = ["PowerLaw", "fit_power_law", "hurwitz_zeta", "log_log_exponent", "rank_exponent"]

MIN_EXPONENT, MAX_EXPONENT = 1.0 + 1e-9, 10.0
MAX_RANK_EXPONENT = 10.0
MAX_CANDIDATES = 500
MIN_TAIL = 50
HALVINGS = 60
STEP = 1e-20
"""Of the complex-step derivative, which loses no digits however small the step is."""

NEAR, SHIFT = 100, 16
RANKS_ONE_BY_ONE = 10_000


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """A discrete power law: the share of value x is x^-exponent / ζ(exponent, smallest).

    Attributes
    ----------
    exponent
        By maximum likelihood.
    smallest
        The value from which on it was fitted.
    tail
        How many things have that value or more.
    distance
        Kolmogorov–Smirnov distance between the fit and those things.
    """

    exponent: float
    smallest: int
    tail: int
    distance: float

    @property
    def error(self) -> float:
        """The exponent's standard error, to first order (Clauset et al., eq. 3.2)."""
        return (self.exponent - 1) / math.sqrt(self.tail)

    def ccdf(self, values: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the share at each value or above it, among those at ``smallest`` or above."""
        start = hurwitz_zeta(self.exponent, float(self.smallest))
        return np.asarray(hurwitz_zeta(self.exponent, values.astype(np.float64)) / start)


def fit_power_law(histogram: Histogram, *, smallest: int | None = None) -> PowerLaw | None:
    """Fit a discrete power law to the tail of a distribution.

    As Clauset, Shalizi and Newman describe (SIAM Review 51(4), 2009, §3): for each value
    from which the tail could start, the exponent that makes the data most likely; of
    these, the one whose fit is nearest in Kolmogorov–Smirnov distance. Tails of fewer than
    50 things are not tried (their §3.3), unless there are fewer. Of more than 500 distinct
    values, 500 are tried, spread evenly over them.

    Parameters
    ----------
    histogram
        What to fit; things of value 0 are left out.
    smallest
        Where the tail starts, if it is not to be looked for: 1 gives the plain exponent.

    Returns
    -------
    PowerLaw or None
        None where there are not two different values to fit, or they fall faster than x^-10.

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
            continue  # it falls faster than any power law that is looked for
        distance = _distance(values[start:], counts[start:], float(low), float(exponent))
        if best is None or distance < best.distance:
            best = PowerLaw(float(exponent), int(low), int(tails[start]), distance)
    return best


def rank_exponent(histogram: Histogram) -> float | None:
    """Return the a for which the i-th largest value is most likely in proportion to i^-a.

    This is the alpha of :class:`gossamer.workloads.Zipf` and of
    :func:`gossamer.workloads.power_law_rates`, by maximum likelihood over the ranks of the
    things above 0: each unit of value is a draw of one of them. None below two of them.

    O(V + min(n, 10,000)) a step for n things of V distinct values, 60 steps.

    Examples
    --------
    >>> round(rank_exponent(Histogram.of([600, 300, 200, 150])), 6)
    1.0
    """
    positive = histogram.above_zero()
    many = positive.total
    if many < 2:
        return None
    last = np.cumsum(positive.counts[::-1])[::-1]  # the rank of the last thing of each value
    summed = np.array([math.lgamma(rank + 1.0) for rank in last])
    before = np.array([math.lgamma(rank + 1.0) for rank in last - positive.counts])
    volume = float(np.dot(positive.values, positive.counts))
    mean_log = float(np.dot(positive.values, summed - before)) / volume
    low, high = 0.0, MAX_RANK_EXPONENT
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        expected = -np.log(_harmonic(complex(middle, STEP), many)).imag / STEP
        if expected > mean_log:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def log_log_exponent(histogram: Histogram, *, per_decade: int = 5) -> float | None:
    """Return how steeply a straight line falls through the log-binned distribution.

    Least squares on the logarithms of the bins' centres and densities, from the densest bin on,
    each as heavy as any other: what one reads off a log-log plot, and not as good an estimate
    as :func:`fit_power_law` (Clauset et al., §3 and appendix A). None below two bins.

    Examples
    --------
    >>> counts = [round(1e9 * x**-2.0) for x in range(1, 1000)]
    >>> round(log_log_exponent(Histogram.of(range(1, 1000), counts)), 1)
    2.0
    """
    bins = histogram.log_binned(per_decade=per_decade)
    first = int(np.argmax(bins.densities)) if len(bins.lows) else 0
    x, y = np.log(bins.centres[first:]), np.log(bins.densities[first:])
    if len(x) < 2:
        return None
    x -= x.mean()
    return float(-np.dot(x, y) / np.dot(x, x))


def hurwitz_zeta(exponent: Any, start: Any) -> Any:
    """Return Σ (start + k)^-exponent over k = 0, 1, …, by Euler and Maclaurin's formula.

    Right to nine digits for exponents up to 10 and starts from 1 on. Both may be arrays,
    and the exponent complex.

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
    """Return the exponents at which the expected logarithm is the one observed.

    That is where the likelihood has its maximum; the expected logarithm falls as the
    exponent grows, so halving an interval finds it.
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
    """Return the Kolmogorov–Smirnov distance over all whole numbers from the lowest on.

    Between two values that occur, the data stand still and the fit goes on, so it is
    largest at a value or just before the next one.
    """
    share = np.cumsum(counts) / counts.sum()
    before = np.concatenate(([0.0], share[:-1]))
    whole = hurwitz_zeta(exponent, lowest)
    fitted_before = 1 - hurwitz_zeta(exponent, values.astype(np.float64)) / whole
    fitted = 1 - hurwitz_zeta(exponent, values + 1.0) / whole
    return float(max(np.abs(share - fitted).max(), np.abs(before - fitted_before).max()))


def _harmonic(exponent: complex, many: int) -> complex:
    """Return Σ i^-exponent over i = 1 .. many."""
    single = min(many, RANKS_ONE_BY_ONE)
    total = complex(np.sum(np.arange(1, single + 1, dtype=np.float64) ** -exponent))
    if many == single:
        return total
    ratio = math.log(many / single)
    grown = (1 - exponent) * ratio
    area = single ** (1 - exponent) * ratio * (complex(np.expm1(grown)) / grown if grown else 1.0)
    ends = (many**-exponent - single**-exponent) / 2
    slopes = exponent * (single ** (-exponent - 1) - many ** (-exponent - 1)) / 12
    return total + area + ends + slopes
