"""How many there are of a kind, told by the least of their hashes.

Hashes of names are spread evenly, so among n of them the k-th least is about k/n of the whole
range: n is about (k - 1) / that share (Bar-Yossef et al., RANDOM 2002), with a deviation of
n / √(k - 2). Two lists of the least are joined by keeping the least of both, whoever is in both
of them counting once; so it can be gossiped. Who has gone is forgotten after two periods.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import msgspec

from gossamer.protocols.components.hashes import HASHES

__all__ = ["KEPT", "Counting", "Least"]

KEPT = 16
"""A deviation of about a quarter; of the logarithm, which is what is wanted, of 0.27."""

Least = Annotated[
    tuple[Annotated[int, msgspec.Meta(ge=0, le=HASHES)], ...], msgspec.Meta(max_length=KEPT)
]
"""The least hashes, ascending."""


class Counting:
    """The least hashes heard of in this period and the one before."""

    __slots__ = ("_before", "_now")

    def __init__(self) -> None:
        self._now: tuple[int, ...] = ()
        self._before: tuple[int, ...] = ()

    @property
    def least(self) -> tuple[int, ...]:
        """What to tell others."""
        return joined(self._now, self._before)

    def hear(self, hashes: Iterable[int]) -> None:
        """Take in what others tell."""
        self._now = joined(self._now, hashes)

    def turn(self) -> None:
        """Begin a new period."""
        self._before, self._now = self._now, ()

    def estimate(self) -> int:
        """Return how many there are, about; exact below ``KEPT``."""
        least = self.least
        if len(least) < KEPT:
            return len(least)
        return max(KEPT, round((KEPT - 1) * HASHES / max(least[-1], 1)))


def joined(some: Iterable[int], others: Iterable[int]) -> tuple[int, ...]:
    """Return the least of both, each once."""
    return tuple(sorted({*some, *others})[:KEPT])
