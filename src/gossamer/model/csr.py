"""Compressed sparse rows (CSR): lists of different lengths, stored one after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def offsets_of(sizes: ArrayLike) -> NDArray[np.int64]:
    """Return the start of each list, and the end of the last one. O(lists).

    List i has the positions ``offsets[i] : offsets[i + 1]``.

    Examples
    --------
    >>> offsets_of([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    offsets = np.zeros(np.size(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets
