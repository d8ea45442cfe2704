"""Histograms of integers, such as degrees, popularities and lengths, and their comparison.

A histogram has a row for each value that occurs, so its size does not depend on the number of
observations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import ParameterError
from gossamer.model.csr import offsets_of
from gossamer.model.interests import freeze
from gossamer.results import Result, Table


@dataclass(frozen=True, eq=False)
class LogBins:
    """A distribution in bins whose width grows with the value, as a log-log plot shows it.

    Attributes
    ----------
    lows, highs
        First and last integer of each non-empty bin, ascending.
    counts
        Number of observations in each bin.
    densities
        Share of all observations per integer of the bin.
    """

    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    counts: NDArray[np.int64]
    densities: NDArray[np.float64]

    @property
    def centres(self) -> NDArray[np.float64]:
        """Geometric centre of each bin."""
        return np.sqrt(self.lows.astype(np.float64) * self.highs)


@dataclass(frozen=True, eq=False, repr=False)
class Histogram(Result):
    """Number of observations of each value.

    Attributes
    ----------
    values
        Integers of 0 or more, ascending, each once.
    counts
        Number of observations of each value, 1 or more.
    """

    BRIEF: ClassVar = ("observations", "mean", "maximum")

    values: NDArray[np.int64]
    counts: NDArray[np.int64]

    def summary(self) -> dict[str, Any]:
        """Return the statistics by name."""
        return {
            "observations": self.total,
            "mean": self.mean,
            "standard_deviation": self.deviation,
            "maximum": self.maximum,
            "share_of_zero": self.share_of_zero,
        }

    def _tables(self) -> Mapping[str, Table]:
        return {"histogram": lambda: {"value": self.values, "count": self.counts}}

    @classmethod
    def of(cls, values: ArrayLike, counts: ArrayLike | None = None) -> Histogram:
        """Count values, or combine values with given counts, in any order.

        Raises
        ------
        ParameterError
            If a value or a count is negative, or their numbers differ.

        Examples
        --------
        >>> Histogram.of([3, 1, 1]).counts.tolist()
        [2, 1]
        """
        given = np.asarray(values, dtype=np.int64).reshape(-1)
        numbers = np.ones_like(given) if counts is None else np.asarray(counts, dtype=np.int64)
        if given.shape != numbers.shape:
            raise ParameterError(f"{len(given)} values and {len(numbers)} counts; expected as many")
        for what, column in (("value", given), ("count", numbers)):
            if len(column) and column.min() < 0:
                raise ParameterError(f"a {what} is {column.min()}; expected 0 or more")
        distinct, places = np.unique(given, return_inverse=True)
        summed = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(summed, places, numbers)
        kept = summed > 0
        return cls(freeze(distinct[kept]), freeze(summed[kept]))

    @property
    def total(self) -> int:
        """Number of observations."""
        return int(self.counts.sum())

    @property
    def mean(self) -> float:
        """Mean value; 0 without observations."""
        return float(np.dot(self.values, self.counts) / self.total) if self.total else 0.0

    @property
    def variance(self) -> float:
        """Mean squared distance from the mean."""
        if not self.total:
            return 0.0
        return float(np.dot((self.values - self.mean) ** 2, self.counts) / self.total)

    @property
    def deviation(self) -> float:
        """Standard deviation."""
        return float(self.variance**0.5)

    @property
    def maximum(self) -> int:
        """Largest value; 0 without observations."""
        return int(self.values[-1]) if len(self.values) else 0

    @property
    def share_of_zero(self) -> float:
        """Share of the observations of value 0."""
        zeros = int(self.counts[0]) if len(self.values) and not self.values[0] else 0
        return zeros / max(self.total, 1)

    def percentiles(self, wanted: Iterable[float]) -> list[int]:
        """Return percentiles: the smallest value that at least p of a hundred do not exceed.

        Examples
        --------
        >>> Histogram.of([1, 2, 3, 4]).percentiles([50, 75, 76])
        [2, 3, 4]
        """
        if not len(self.values):
            return [0 for _ in wanted]
        running = np.cumsum(self.counts)
        # In hundredths of a per cent, so that integers are compared.
        asked = np.array([round(one * 100) for one in wanted], dtype=np.int64)
        needed = -(-asked * self.total // 10_000)
        places = np.searchsorted(running, np.maximum(needed, 1))
        return [int(value) for value in self.values[np.minimum(places, len(running) - 1)]]

    def above_zero(self) -> Histogram:
        """Return the histogram without the value 0."""
        kept = self.values > 0
        return Histogram(freeze(self.values[kept]), freeze(self.counts[kept]))

    def ccdf(self) -> NDArray[np.float64]:
        """Return the share of observations at each value or above.

        Examples
        --------
        >>> Histogram.of([1, 1, 2, 4]).ccdf().tolist()
        [1.0, 0.5, 0.25]
        """
        from_above = np.cumsum(self.counts[::-1])[::-1]
        return freeze(from_above / max(self.total, 1))

    def log_bins(self, *, per_decade: int = 5) -> LogBins:
        """Return the values above 0 in logarithmic bins, ``per_decade`` for each factor of ten.

        Bins end at integers; empty low bins are left out, so the first bins are 1, 2, 3 alone.
        Shares are of all observations, those of value 0 included.

        Raises
        ------
        ParameterError
            If there are not 1 to 100 bins a decade.

        Examples
        --------
        >>> bins = Histogram.of([1, 1, 2, 40, 60]).log_bins(per_decade=1)
        >>> bins.lows.tolist(), bins.highs.tolist(), bins.counts.tolist()
        ([1, 10], [9, 99], [3, 2])
        """
        if not 1 <= per_decade <= 100:
            raise ParameterError(f"{per_decade} bins a decade; expected 1 to 100")
        positive = self.above_zero()
        steps = np.arange(per_decade * len(str(self.maximum)) + 1)
        # Rounded to nine digits before rounding up: 10^(k / k) is not always 10.
        whole = np.ceil(np.round(10.0 ** (steps / per_decade), 9))
        edges = np.unique(np.minimum(whole, 2.0**63 - 1024).astype(np.int64))
        places = np.searchsorted(edges, positive.values, side="right") - 1
        counts = np.bincount(places, weights=positive.counts, minlength=len(edges) - 1)
        kept = np.flatnonzero(counts)
        lows, highs = edges[kept], edges[kept + 1] - 1
        found = counts[kept].astype(np.int64)
        densities = found / (highs - lows + 1) / max(self.total, 1)
        return LogBins(freeze(lows), freeze(highs), freeze(found), freeze(densities))


def kolmogorov_smirnov(one: Histogram, other: Histogram, *, rescaled: bool = False) -> float:
    """Return the largest difference between two cumulative distributions, 0 to 1.

    Parameters
    ----------
    one, other
        Histograms; the distance is 1 if one of them is empty, 0 if both are.
    rescaled
        Whether to divide the values of each by their mean first: nodes of a sample of a graph have
        fewer relations, and only the shape is compared.

    Examples
    --------
    >>> kolmogorov_smirnov(Histogram.of([1, 2]), Histogram.of([2, 4]))
    0.5
    >>> kolmogorov_smirnov(Histogram.of([1, 2]), Histogram.of([2, 4]), rescaled=True)
    0.0
    """
    if not one.total or not other.total:
        return 0.0 if one.total == other.total else 1.0
    if rescaled:
        # value / (sum / total) with a common denominator: equal shapes are exactly equal.
        first = (
            one.values.astype(np.float64) * one.total * float(np.dot(other.values, other.counts))
        )
        second = (
            other.values.astype(np.float64) * other.total * float(np.dot(one.values, one.counts))
        )
    else:
        first, second = one.values.astype(np.float64), other.values.astype(np.float64)
    places = np.union1d(first, second)
    shares = []
    for values, histogram in ((first, one), (second, other)):
        running = offsets_of(histogram.counts)
        shares.append(running[np.searchsorted(values, places, side="right")] / histogram.total)
    return float(np.abs(shares[0] - shares[1]).max())
