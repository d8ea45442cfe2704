"""Sorted lists, as compressed sparse rows (CSR) hold them: binary search and intersection."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.jit import Int32s, kernel

Number = TypeVar("Number", bound=np.generic)


@kernel
def lower_bound(values: NDArray[Number], target: float | Number, low: int, high: int) -> int:
    """Return the first index from ``low`` to ``high`` whose value is not less than the target.

    ``values[low:high]`` ascend; the result is ``high`` if all of them are less. O(log).
    """
    while low < high:
        middle = (low + high) // 2
        if values[middle] < target:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def next_shared(
    left: Int32s, i: int, end_i: int, right: Int32s, j: int, end_j: int
) -> tuple[int, int]:
    """Advance two ascending lists to their next common value; ``end_i`` if there is none."""
    while i < end_i and j < end_j:
        if left[i] < right[j]:
            i += 1
        elif right[j] < left[i]:
            j += 1
        else:
            return i, j
    return end_i, end_j
