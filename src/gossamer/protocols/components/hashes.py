"""Hashes that are the same on every machine: of names, and of pairs of them.

Python's own hash differs between processes. Names go through BLAKE2; whole numbers, and pairs,
through the finalizer of SplitMix64 (Steele et al., OOPSLA 2014), which is quicker and as even.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

from gossamer.protocols.contract import Peer, Topic

__all__ = ["HASHES", "hash_of", "hash_of_pair", "token_of"]

HASHES = (1 << 62) - 1
"""The greatest hash."""
WORD = (1 << 64) - 1
ODD = 0x9E3779B97F4A7C15


def _mixed(word: int) -> int:
    word = (word + ODD) & WORD
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
    return (word ^ (word >> 31)) >> 2


@lru_cache(maxsize=1 << 16)
def hash_of(name: Peer) -> int:
    """Return the hash of a name or a number."""
    if isinstance(name, int):
        return _mixed(name & WORD)
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big") >> 2


def hash_of_pair(one: Peer, other: Peer) -> int:
    """Return the hash of two names, whichever comes first.

    Examples
    --------
    >>> hash_of_pair(3, 8) == hash_of_pair(8, 3) != hash_of_pair(3, 9)
    True
    """
    a, b = hash_of(one), hash_of(other)
    return _mixed((a * ODD + b if a < b else b * ODD + a) & WORD)


@lru_cache(maxsize=1 << 16)
def token_of(topic: Topic) -> int:
    """Return what stands for a topic where its name is not to be told.

    Who knows the name can recognise it, and nobody can find the name but by guessing.
    """
    text = f"{type(topic).__name__}:{topic}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") >> 2
