"""Subscription sizes: distributions of the number of topics of a node."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.kernels.generate import draws as sampling
from gossamer.workloads.thresholds import probabilities, thresholds


class Sizes(Protocol):
    """A distribution over integers from ``minimum`` to ``maximum``."""

    @property
    def minimum(self) -> int:
        """Smallest possible size."""
        ...

    @property
    def maximum(self) -> int:
        """Largest possible size."""
        ...

    def log_weights(self) -> list[float]:
        """Return the logarithm of the weight of each size, from the smallest on."""
        ...

    def __hash__(self) -> int: ...


@dataclass(frozen=True)
class FixedSize:
    """The same number of topics for every node."""

    size: int

    def __post_init__(self) -> None:
        _check_range(self.size, self.size, least=0)

    @property
    def minimum(self) -> int:
        """The size."""
        return self.size

    @property
    def maximum(self) -> int:
        """The size."""
        return self.size

    def log_weights(self) -> list[float]:
        """Return one zero."""
        return [0.0]

    def __str__(self) -> str:
        return str(self.size)


@dataclass(frozen=True)
class UniformSizes:
    """Any number from minimum to maximum, with equal probability (SpiderCast §3.1, §3.6)."""

    minimum: int
    maximum: int

    def __post_init__(self) -> None:
        _check_range(self.minimum, self.maximum, least=0)

    def log_weights(self) -> list[float]:
        """Return a zero for each size."""
        return [0.0] * (self.maximum - self.minimum + 1)

    def __str__(self) -> str:
        return f"{self.minimum}-{self.maximum}"


@dataclass(frozen=True)
class PowerLawSizes:
    """P(k) ∝ k^-exponent from minimum to maximum.

    ElastO §7.1 has sizes in [10, 90] that follow a power law, without the exponent.
    """

    minimum: int
    maximum: int
    exponent: float

    def __post_init__(self) -> None:
        _check_range(self.minimum, self.maximum, least=1)
        if not math.isfinite(self.exponent):
            raise ParameterError(f"exponent is {self.exponent}; expected a finite number")

    def log_weights(self) -> list[float]:
        """Return -exponent · log k."""
        return [-self.exponent * math.log(k) for k in range(self.minimum, self.maximum + 1)]

    def __str__(self) -> str:
        return f"{self.minimum}-{self.maximum}, exponent {self.exponent:g}"


def _check_range(minimum: int, maximum: int, *, least: int) -> None:
    for size in (minimum, maximum):
        if isinstance(size, bool) or not isinstance(size, int):
            raise ParameterError(f"a subscription size is {size!r}; expected a whole number")
    if minimum < least:
        raise ParameterError(f"a subscription size is {minimum}; expected {least} or more")
    if minimum > maximum:
        raise ParameterError(
            f"subscription sizes from {minimum} to {maximum}; expected the smaller one first"
        )


def parse_sizes(text: str, *, exponent: float | None = None) -> Sizes:
    """Parse sizes as written on the command line.

    ``10`` for ten topics, ``10-30`` for any number from 10 to 30, and ``10-90`` with an exponent
    for a power law.

    Examples
    --------
    >>> parse_sizes("10")
    FixedSize(size=10)
    >>> parse_sizes("10-90", exponent=2.0)
    PowerLawSizes(minimum=10, maximum=90, exponent=2.0)
    """
    match = re.fullmatch(r"\s*([0-9]{1,18})\s*(?:-\s*([0-9]{1,18})\s*)?", text, flags=re.ASCII)
    if match is None:
        raise ParameterError(
            f"subscriptions is {text!r}; expected a whole number such as 10, "
            "or a range such as 10-30"
        )
    minimum = int(match[1])
    if match[2] is None:
        if exponent is not None:
            raise ParameterError(
                f"subscriptions is {text!r} with an exponent of {exponent:g}; "
                "an exponent needs a range such as 10-90"
            )
        return FixedSize(minimum)
    if exponent is not None:
        return PowerLawSizes(minimum, int(match[2]), exponent)
    return UniformSizes(minimum, int(match[2]))


@lru_cache(maxsize=64)
def mean_size(sizes: Sizes) -> float:
    """Return the mean number of topics of a node; O(maximum - minimum).

    Examples
    --------
    >>> mean_size(UniformSizes(10, 30))
    20.0
    """
    shares = probabilities(sizes.log_weights())
    return math.fsum(share * size for size, share in enumerate(shares, sizes.minimum))


def power_law_of_mean(mean: float, *, exponent: float, most: int) -> PowerLawSizes:
    """Return the power law with the given mean, up to ``most`` or slightly less.

    It starts at the smallest size with which the mean is reached; then its largest size is lowered
    to come nearest to the mean. O(most).

    Raises
    ------
    ParameterError
        If the mean is below 1 or above ``most``.

    Examples
    --------
    >>> power_law_of_mean(80, exponent=1.65, most=2500)
    PowerLawSizes(minimum=7, maximum=2026, exponent=1.65)
    """
    law = PowerLawSizes(1, most, exponent)
    if not 1 <= mean <= most:
        raise ParameterError(f"a mean of {mean} subscriptions; expected 1 to {most}")
    logs = law.log_weights()
    largest = max(logs)
    weights = [math.exp(value - largest) for value in logs]
    share, total, minimum = 0.0, 0.0, most + 1
    while minimum > 1 and (minimum > most or total >= mean * share):
        minimum -= 1
        share += weights[minimum - 1]
        total += minimum * weights[minimum - 1]
    if total < mean * share:
        minimum += 1
        share -= weights[minimum - 2]
        total -= (minimum - 1) * weights[minimum - 2]
    gap, maximum = abs(total / share - mean), most
    while maximum > minimum:
        share -= weights[maximum - 1]
        total -= maximum * weights[maximum - 1]
        if abs(total / share - mean) >= gap:
            break
        gap, maximum = abs(total / share - mean), maximum - 1
    return PowerLawSizes(minimum, maximum, exponent)


@lru_cache(maxsize=16)
def _thresholds(sizes: Sizes) -> NDArray[np.uint64]:
    return thresholds(sizes.log_weights())


def draw(sizes: Sizes, nodes: NDArray[np.uint64], stream: np.uint64) -> NDArray[np.int64]:
    """Draw a size for each node of a stream; O(N log(maximum - minimum)) for N nodes."""
    drawn = np.full(len(nodes), sizes.minimum, dtype=np.int64)
    if sizes.maximum > sizes.minimum:
        sampling.draw_sizes(stream, nodes, _thresholds(sizes), sizes.minimum, drawn)
    return drawn
