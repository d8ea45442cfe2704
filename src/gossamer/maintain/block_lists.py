"""Lists of ids that grow and shrink, in the blocks of :mod:`gossamer.kernels.repair.blocks`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.repair.blocks import Blocks, append, insert_sorted, remove, remove_sorted
from gossamer.model.csr import offsets_of

SPARE = 4
"""Free places in a new block."""


class BlockLists:
    """Lists of ids, each with free places behind it.

    Parameters
    ----------
    sizes
        Size of each list for which there is a place at first.
    values
        Values of all lists, one after the other; all lists are empty if not given.
    """

    def __init__(self, sizes: NDArray[Any], values: NDArray[np.int32] | None = None) -> None:
        capacities = sizes.astype(np.int32) + SPARE
        starts = offsets_of(capacities)
        self._end = int(starts[-1])
        self.blocks = Blocks(
            starts=starts[:-1].copy(),
            counts=np.zeros(len(capacities), dtype=np.int32),
            capacities=capacities,
            pool=np.empty(2 * self._end, dtype=np.int32),
        )
        if values is not None:
            self.blocks.counts[:] = sizes
            self.blocks.pool[self._places()] = values

    def of(self, k: int) -> NDArray[np.int32]:
        """Return list k: a view, which the next change may overwrite."""
        start = self.blocks.starts[k]
        return self.blocks.pool[start : start + self.blocks.counts[k]]

    def values(self) -> NDArray[np.int32]:
        """Return the values of all lists, one after the other."""
        return self.blocks.pool[self._places()]

    def append(self, k: int, value: int) -> None:
        """Append a value to list k. O(1), amortised."""
        self.reserve(k, 1)
        append(k, value, self.blocks)

    def assign(self, k: int, values: NDArray[np.int32]) -> None:
        """Replace list k. O(length), amortised."""
        self.blocks.counts[k] = 0
        self.reserve(k, len(values))
        start = self.blocks.starts[k]
        self.blocks.pool[start : start + len(values)] = values
        self.blocks.counts[k] = len(values)

    def remove(self, k: int, value: int) -> bool:
        """Remove a value from list k, in any order; return whether it was in it."""
        return bool(remove(k, value, self.blocks))

    def insert(self, k: int, value: int) -> None:
        """Insert a value into list k, which is ascending. O(length), amortised."""
        self.reserve(k, 1)
        insert_sorted(k, value, self.blocks)

    def remove_sorted(self, k: int, value: int) -> bool:
        """Remove a value from list k, which is ascending; return whether it was in it."""
        return bool(remove_sorted(k, value, self.blocks))

    def _places(self) -> NDArray[np.int64]:
        """Return the place of each value in the pool."""
        counts = self.blocks.counts
        within = np.arange(int(counts.sum(dtype=np.int64)))
        places: NDArray[np.int64] = within + np.repeat(
            self.blocks.starts - offsets_of(counts)[:-1], counts
        )
        return places

    def reserve(self, k: int, more: int) -> None:
        """Move list k to a larger block at the end of the pool if its block has too few places."""
        blocks = self.blocks
        count = blocks.counts[k]
        if count + more <= blocks.capacities[k]:
            return
        capacity = 2 * max(int(blocks.capacities[k]), int(count) + more - 1) + SPARE
        if self._end + capacity > len(blocks.pool):
            self._pack(capacity)
            blocks = self.blocks
        blocks.pool[self._end : self._end + count] = self.of(k)
        blocks.starts[k] = self._end
        blocks.capacities[k] = capacity
        self._end += capacity

    def _pack(self, more: int) -> None:
        """Move all blocks to a new pool without gaps, of twice their size and ``more``."""
        old, values = self.blocks, self.values()
        self._end = int(old.capacities.sum(dtype=np.int64))
        pool = np.empty(2 * (self._end + more), dtype=np.int32)
        starts = offsets_of(old.capacities)[:-1].copy()
        self.blocks = Blocks(starts, old.counts, old.capacities, pool)
        pool[self._places()] = values
