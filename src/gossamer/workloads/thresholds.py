"""Integer thresholds from log weights, for the draws of kernels.

Weights are logarithms, so that none underflows. The arithmetic is Python's own, one value at a
time: NumPy's vectorised powers and exponentials differ in the last bit between processors, and a
workload must not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

SCALE = 2.0**63


def probabilities(log_weights: Sequence[float]) -> list[float]:
    """Return the normalised weights as floats; O(T) for T weights.

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
    """Return cumulative shares of 2^63, each rounded down; O(T) for T weights.

    A draw of 63 bits selects the first threshold above it, and none with a probability below
    T / 2^52, in which case it is repeated. A weight of share below 2^-63 is never selected.

    Examples
    --------
    >>> [int(value) for value in thresholds([0.0, 0.0])] == [2**62, 2**63]
    True
    """
    cumulative, end = [], 0
    for share in probabilities(log_weights):
        # Rounded shares may sum to slightly more than 1, but a draw has 63 bits.
        end = min(end + int(share * SCALE), 2**63)
        cumulative.append(end)
    return np.array(cumulative, dtype=np.uint64)
