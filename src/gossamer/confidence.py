"""Confidence intervals of a mean, by Student's t-distribution.

For n independent observations with mean m and sample standard deviation s, the interval is
m ± t s / √n, where t is the quantile of the t-distribution with n - 1 degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

from gossamer.errors import ParameterError

LEVEL = 0.95
MAX_EXACT = 1000


class Interval(NamedTuple):
    """A mean and the half-width of its confidence interval.

    Attributes
    ----------
    mean
        Mean of the observations.
    half_width
        Half the width of the interval; None for a single observation.
    observations
        Number of observations.
    """

    mean: float
    half_width: float | None
    observations: int


def confidence_interval(values: Sequence[float], *, level: float = LEVEL) -> Interval:
    """Return the mean of observations and its confidence interval.

    Parameters
    ----------
    values
        One or more independent observations.
    level
        Probability that such an interval contains the mean of the distribution.

    Raises
    ------
    ParameterError
        If there are no observations, or the level is not between 0 and 1.

    Examples
    --------
    >>> mean, half_width, observations = confidence_interval([9.8, 10.2, 10.4, 9.9, 10.1])
    >>> f"{mean:.2f} ± {half_width:.2f}"
    '10.08 ± 0.30'
    >>> confidence_interval([6.64] * 5)
    Interval(mean=6.64, half_width=0.0, observations=5)
    """
    count = len(values)
    if not count:
        raise ParameterError("there are no values; expected one or more observations")
    mean = min(max(math.fsum(values) / count, min(values)), max(values))  # rounding may leave them
    if count == 1:
        quantile_of_t(1, level)
        return Interval(mean, None, 1)
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    return Interval(mean, quantile_of_t(count - 1, level) * math.sqrt(variance / count), count)


def quantile_of_t(freedom: int, level: float = LEVEL) -> float:
    """Return the t for which a t-distributed value lies in [-t, t] with a probability.

    Parameters
    ----------
    freedom
        Degrees of freedom, 1 or more.
    level
        The probability.

    Examples
    --------
    >>> round(quantile_of_t(4), 3), round(quantile_of_t(1_000_000), 3)
    (2.776, 1.96)

    Notes
    -----
    O(freedom) time up to 1000 degrees of freedom. Above, an expansion about the normal
    quantile (Abramowitz and Stegun, 26.7.5), whose relative error is below 10^-8.
    """
    if not 0 < level < 1:
        raise ParameterError(f"level is {level}; expected more than 0 and less than 1")
    if freedom > MAX_EXACT:
        z = NormalDist().inv_cdf((1 + level) / 2)
        first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
        return z + first / freedom + second / freedom**2
    low, high = 0.0, math.pi / 2
    while True:  # bisection of the angle whose tangent is t / √freedom
        angle = (low + high) / 2
        if angle in (low, high):
            return math.tan(angle) * math.sqrt(freedom)
        if _probability(angle, freedom) < level:
            low = angle
        else:
            high = angle


def _probability(angle: float, freedom: int) -> float:
    """Return the probability of [-t, t] for t = √freedom · tan(angle).

    The finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4; terms below the precision of
    the sum end it.
    """
    square = math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for place in range(1 + odd, freedom, 2):
        total += term
        term *= square * place / (place + 1)
        if term < total * 1e-18:
            break
    if odd:
        return (angle + math.sin(angle) * total) * 2 / math.pi
    return math.sin(angle) * total
