"""Topic popularity: the probability that a draw selects each topic.

Topic 0 is the most popular one. Each popularity is a frozen value with one method,
:meth:`log_weights`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.workloads.thresholds import probabilities


class Popularity(Protocol):
    """A distribution over any number of topics, as logarithms of weights."""

    def log_weights(self, topic_count: int) -> list[float]:
        """Return log p_i up to a constant, most popular topic first; O(T) for T topics."""
        ...

    def __hash__(self) -> int: ...


@dataclass(frozen=True)
class Uniform:
    """Equal popularity of all topics."""

    def log_weights(self, topic_count: int) -> list[float]:
        """Return T zeros."""
        return [0.0] * topic_count


@dataclass(frozen=True)
class Zipf:
    """p_i ∝ i^-alpha for i = 1 .. T; RSS feeds have alpha = 0.5 (SpiderCast §3.1)."""

    alpha: float

    def __post_init__(self) -> None:
        _check_decay("alpha", self.alpha)

    def log_weights(self, topic_count: int) -> list[float]:
        """Return -alpha log i."""
        return [-self.alpha * math.log(rank) for rank in range(1, topic_count + 1)]


@dataclass(frozen=True)
class ExponentialDecay:
    """p_i ∝ exp(-rate · i)."""

    rate: float

    def __post_init__(self) -> None:
        _check_decay("rate", self.rate)

    def log_weights(self, topic_count: int) -> list[float]:
        """Return -rate · i, counted from the first topic."""
        return [-self.rate * rank for rank in range(topic_count)]


@dataclass(frozen=True)
class TopShare:
    """Exponential decay at the rate at which the top topics carry a given share.

    "The probability to choose one of the 10 % most popular topics is 0.55" (SpiderCast §3.1): the
    defaults, stock popularity at the New York Stock Exchange. The top tenth of T topics is T / 10
    rounded to the nearest integer, and at least one topic.
    """

    top: float = 0.1
    share: float = 0.55

    def __post_init__(self) -> None:
        for name, value in (("top", self.top), ("share", self.share)):
            if not 0 < value < 1:
                raise ParameterError(f"{name} is {value}; expected a fraction between 0 and 1")

    def top_count(self, topic_count: int) -> int:
        """Return the number of top topics."""
        return max(1, math.floor(topic_count * self.top + 0.5))

    def rate(self, topic_count: int) -> float:
        """Return the decay per topic, by bisection of the share, which grows with it."""
        top = self.top_count(topic_count)
        if topic_count <= 1 or top >= topic_count:
            return 0.0  # Only top topics: they carry everything at any rate.
        if top / topic_count > self.share:
            raise ParameterError(
                f"the top {top} of {topic_count} topics cannot carry only {self.share} of the "
                f"probability; expected a share of {top / topic_count:.3g} or more"
            )
        low, high = 0.0, 1.0
        while _share(high, top, topic_count) < self.share:
            high *= 2.0
        for _ in range(200):
            middle = (low + high) / 2.0
            if _share(middle, top, topic_count) < self.share:
                low = middle
            else:
                high = middle
        return high

    def log_weights(self, topic_count: int) -> list[float]:
        """Return the logarithms of the exponential weights."""
        return ExponentialDecay(self.rate(topic_count)).log_weights(topic_count)


def _share(rate: float, top: int, topic_count: int) -> float:
    if rate == 0.0:
        return top / topic_count
    return math.expm1(-rate * top) / math.expm1(-rate * topic_count)


def _check_decay(name: str, value: float) -> None:
    if not (math.isfinite(value) and value >= 0):
        raise ParameterError(f"{name} is {value}; expected a number, 0 or more")


@lru_cache(maxsize=16)
def topic_probabilities(popularity: Popularity, topic_count: int) -> NDArray[np.float64]:
    """Return p_i for each topic, summing to 1 up to rounding; O(T).

    Examples
    --------
    >>> [round(float(p), 3) for p in topic_probabilities(Zipf(1.0), 3)]
    [0.545, 0.273, 0.182]
    """
    array = np.array(probabilities(popularity.log_weights(topic_count)), dtype=np.float64)
    array.setflags(write=False)
    return array
