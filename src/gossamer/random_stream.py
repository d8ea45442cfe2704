"""Random streams of nodes: SplitMix64 (Steele et al., OOPSLA 2014), equal on all platforms.

A stream is one Python integer, so a hundred thousand nodes can have one each; the generator of the
standard library takes 2.5 kB per stream.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Sequence
from typing import TypeVar

from gossamer.errors import ParameterError

Item = TypeVar("Item")
MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def check_seed(seed: object, bits: int = 64) -> int:
    """Return a seed as an integer, or raise :class:`ParameterError`.

    Examples
    --------
    >>> check_seed(7)
    7
    """
    try:
        value = operator.index(seed)  # type: ignore[arg-type]
    except TypeError:
        raise ParameterError(f"seed is {seed!r}; expected a whole number") from None
    if not 0 <= value < 1 << bits:
        raise ParameterError(f"seed is {value}; expected 0 to 2^{bits} - 1")
    return value


class Stream:
    """Stream of random numbers from a seed of 64 bits.

    Examples
    --------
    >>> stream = Stream(1)
    >>> [stream.randbelow(6) for _ in range(5)]
    [3, 4, 5, 2, 2]
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & MASK

    @property
    def state(self) -> int:
        """State, from which kernels continue the stream."""
        return self._state

    def next_u64(self) -> int:
        """Return 64 random bits."""
        self._state = word = (self._state + GOLDEN) & MASK
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
        return word ^ (word >> 31)

    def randbelow(self, bound: int) -> int:
        """Return an integer from 0 to bound - 1; the bias is below bound / 2^64."""
        return (self.next_u64() * bound) >> 64

    def random(self) -> float:
        """Return a number in [0, 1)."""
        return (self.next_u64() >> 11) * 2.0**-53

    def choice(self, items: Sequence[Item]) -> Item:
        """Return one of the items."""
        return items[self.randbelow(len(items))] if len(items) > 1 else items[0]

    def sample(self, items: Sequence[Item], count: int) -> list[Item]:
        """Return ``count`` different items, or all of them, in random order."""
        pool = list(items)
        taken = min(count, len(pool))
        for place in range(taken):
            other = place + self.randbelow(len(pool) - place)
            pool[place], pool[other] = pool[other], pool[place]
        return pool[:taken]


def stream_of(*words: int | str) -> Stream:
    """Return the stream of a purpose, such as a seed and a node; purposes differ in streams."""
    text = "\0".join(f"{type(word).__name__}:{word}" for word in words)
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return Stream(int.from_bytes(digest, "big"))
