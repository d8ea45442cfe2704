"""Distributions of whole numbers, kept as counts: degrees, popularities, lengths.

A histogram has a row for each value that occurs, so it is small however many things were
counted. How they were counted is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import ParameterError
from gossamer.model.csr import offsets_of
from gossamer.model.interests import freeze

__all__ = ["Histogram", "LogBins", "kolmogorov_smirnov"]


@dataclass(frozen=True, eq=False)
class LogBins:
    """A distribution in bins whose width grows with the value: what a log-log plot shows.

    Attributes
    ----------
    lows, highs
        The first and the last whole number of each bin that has something in it, ascending.
    counts
        How many things are in it.
    densities
        The share of all things that one whole number of the bin has on average.
    """

    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    counts: NDArray[np.int64]
    densities: NDArray[np.float64]

    @property
    def centres(self) -> NDArray[np.float64]:
        """The geometric middle of each bin."""
        return np.sqrt(self.lows.astype(np.float64) * self.highs)


@dataclass(frozen=True, eq=False)
class Histogram:
    """How many things have each value.

    Attributes
    ----------
    values
        Whole numbers, 0 or more, ascending, each once.
    counts
        How many things have that value: 1 or more.
    """

    values: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, values: ArrayLike, counts: ArrayLike | None = None) -> Histogram:
        """Count values, or take values that were counted already, in any order.

        Raises
        ------
        ParameterError
            If a value or a count is negative, or there are not as many of both.

        Examples
        --------
        >>> Histogram.of([3, 1, 1]).counts.tolist()
        [2, 1]
        """
        given = np.asarray(values, dtype=np.int64).reshape(-1)
        many = np.ones_like(given) if counts is None else np.asarray(counts, dtype=np.int64)
        if given.shape != many.shape:
            raise ParameterError(f"{len(given)} values with {len(many)} counts; expected as many")
        for what, column in (("value", given), ("count", many)):
            if len(column) and column.min() < 0:
                raise ParameterError(f"a {what} is {column.min()}; expected 0 or more")
        distinct, places = np.unique(given, return_inverse=True)
        summed = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(summed, places, many)
        kept = summed > 0
        return cls(freeze(distinct[kept]), freeze(summed[kept]))

    @property
    def total(self) -> int:
        """How many things there are."""
        return int(self.counts.sum())

    @property
    def mean(self) -> float:
        """The mean value; 0 without things."""
        return float(np.dot(self.values, self.counts) / self.total) if self.total else 0.0

    @property
    def variance(self) -> float:
        """The mean squared distance from the mean."""
        if not self.total:
            return 0.0
        return float(np.dot((self.values - self.mean) ** 2, self.counts) / self.total)

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return float(self.variance**0.5)

    @property
    def maximum(self) -> int:
        """The largest value; 0 without things."""
        return int(self.values[-1]) if len(self.values) else 0

    @property
    def share_of_zero(self) -> float:
        """The share of things of value 0."""
        zeros = int(self.counts[0]) if len(self.values) and not self.values[0] else 0
        return zeros / max(self.total, 1)

    def percentiles(self, wanted: Iterable[float]) -> list[int]:
        """Return for each p the smallest value that at least p of a hundred do not exceed.

        Examples
        --------
        >>> Histogram.of([1, 2, 3, 4]).percentiles([50, 75, 76])
        [2, 3, 4]
        """
        if not len(self.values):
            return [0 for _ in wanted]
        running = np.cumsum(self.counts)
        # In hundredths of a per cent, so that the comparison is one of whole numbers.
        asked = np.array([round(one * 100) for one in wanted], dtype=np.int64)
        needed = -(-asked * self.total // 10_000)
        places = np.searchsorted(running, np.maximum(needed, 1))
        return [int(value) for value in self.values[np.minimum(places, len(running) - 1)]]

    def above_zero(self) -> Histogram:
        """Return the same without the things of value 0."""
        kept = self.values > 0
        return Histogram(freeze(self.values[kept]), freeze(self.counts[kept]))

    def ccdf(self) -> NDArray[np.float64]:
        """Return the share of things at each value or above it, beside ``values``.

        Examples
        --------
        >>> Histogram.of([1, 1, 2, 4]).ccdf().tolist()
        [1.0, 0.5, 0.25]
        """
        from_above = np.cumsum(self.counts[::-1])[::-1]
        return freeze(from_above / max(self.total, 1))

    def log_binned(self, *, per_decade: int = 5) -> LogBins:
        """Return the things above 0 in so many bins for each factor of ten.

        Bins end at whole numbers; low ones that would hold none are left out, so the first
        bins are 1, 2, 3 alone. Shares are of all things, those of value 0 included.

        Raises
        ------
        ParameterError
            If there are not 1 to 100 bins a decade.

        Examples
        --------
        >>> bins = Histogram.of([1, 1, 2, 40, 60]).log_binned(per_decade=1)
        >>> bins.lows.tolist(), bins.highs.tolist(), bins.counts.tolist()
        ([1, 10], [9, 99], [3, 2])
        """
        if not 1 <= per_decade <= 100:
            raise ParameterError(f"{per_decade} bins a decade; expected 1 to 100")
        positive = self.above_zero()
        steps = np.arange(per_decade * len(str(self.maximum)) + 1)
        # Rounded before it is rounded up: 10^(k / k) is not always 10.
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
        What to compare; with nothing in one of them, the distance is 1, or 0 if both are empty.
    rescaled
        Whether to divide the values of each by their mean first: a sample of a graph has
        fewer relations a node, and what should stay is the shape.

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
        # value / (sum / total), brought to one denominator: equal shapes are equal exactly.
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
