"""KMV sketch: an estimate of the number of distinct names from their k minimum values.

Hashes of names are uniform, so the k-th smallest of n is about k/n of the whole range, and n is
about (k - 1) divided by that share (Bar-Yossef et al., RANDOM 2002), with a deviation of
n / √(k - 2). Two sketches are merged by the smallest hashes of both, so sketches can be gossiped.
Departed nodes disappear after two periods.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import msgspec

from gossamer.protocols.components.hashes import HASHES

KEPT = 16
"""Number of hashes: a deviation of about a quarter, and of 0.27 for the logarithm."""

MinHashes = Annotated[
    tuple[Annotated[int, msgspec.Meta(ge=0, le=HASHES)], ...], msgspec.Meta(max_length=KEPT)
]
"""Smallest hashes, ascending."""


class KmvSketch:
    """Smallest hashes of this period and the previous one."""

    __slots__ = ("_before", "_now")

    def __init__(self) -> None:
        self._now: tuple[int, ...] = ()
        self._before: tuple[int, ...] = ()

    @property
    def hashes(self) -> tuple[int, ...]:
        """Hashes to gossip."""
        return merge_hashes(self._now, self._before)

    def add(self, hashes: Iterable[int]) -> None:
        """Merge the hashes of a peer."""
        self._now = merge_hashes(self._now, hashes)

    def start_period(self) -> None:
        """Start a period."""
        self._before, self._now = self._now, ()

    def estimate(self) -> int:
        """Return the estimated number of names; exact below ``KEPT``."""
        hashes = self.hashes
        if len(hashes) < KEPT:
            return len(hashes)
        return max(KEPT, round((KEPT - 1) * HASHES / max(hashes[-1], 1)))


def merge_hashes(some: Iterable[int], others: Iterable[int]) -> tuple[int, ...]:
    """Return the smallest distinct hashes of both."""
    return tuple(sorted({*some, *others})[:KEPT])
