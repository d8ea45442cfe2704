"""From weights to the integer thresholds that kernels draw from.

Weights come as logarithms, so that none is too small to be told apart from
none. The arithmetic is Python's own, one value at a time: NumPy's vectorised
powers and exponentials differ in the last bit from one processor to another,
and a workload must not. What the weights stand for does not belong here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["probabilities", "thresholds"]

SCALE = 2.0**63


def probabilities(log_weights: Sequence[float]) -> list[float]:
    """Return the weights' shares of their sum, as floats; O(T) for T weights.

    Examples
    --------
    >>> probabilities([0.0, 0.0])
    [0.5, 0.5]
    """
    if not log_weights:
        return []
    largest = max(log_weights)
    weights = [math.exp(value - largest) for value in log_weights]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def thresholds(log_weights: Sequence[float]) -> NDArray[np.uint64]:
    """Return cumulative shares of 2^63, rounded down one by one; O(T) for T weights.

    A draw of 63 bits falls to the first threshold above it, and to none with a
    chance below T / 2^52, in which case it is drawn again. A weight whose share
    is below 2^-63 gets no room of its own here.

    Examples
    --------
    >>> [int(value) for value in thresholds([0.0, 0.0])] == [2**62, 2**63]
    True
    """
    cumulative, end = [], 0
    for share in probabilities(log_weights):
        # Rounded shares may sum to a hair above 1; a draw has 63 bits all the same.
        end = min(end + int(share * SCALE), 2**63)
        cumulative.append(end)
    return np.array(cumulative, dtype=np.uint64)
