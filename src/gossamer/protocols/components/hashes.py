"""Hashes of names and of pairs of names that are equal on every platform.

Python's own hash differs between processes. Names are hashed by BLAKE2; numbers and pairs by the
finalizer of SplitMix64 (Steele et al., OOPSLA 2014), which is faster and as uniform.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

from gossamer.protocols.contract import Peer, Topic

HASHES = (1 << 62) - 1
"""Maximum hash."""
WORD = (1 << 64) - 1
ODD = 0x9E3779B97F4A7C15


def _mix(word: int) -> int:
    word = (word + ODD) & WORD
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
    return (word ^ (word >> 31)) >> 2


@lru_cache(maxsize=1 << 16)
def hash_of(name: Peer) -> int:
    """Return the hash of a name or a number."""
    if isinstance(name, int):
        return _mix(name & WORD)
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big") >> 2


def hash_of_pair(one: Peer, other: Peer) -> int:
    """Return the hash of an unordered pair of names.

    Examples
    --------
    >>> hash_of_pair(3, 8) == hash_of_pair(8, 3) != hash_of_pair(3, 9)
    True
    """
    a, b = hash_of(one), hash_of(other)
    return _mix((a * ODD + b if a < b else b * ODD + a) & WORD)


@lru_cache(maxsize=1 << 16)
def token_of(topic: Topic) -> int:
    """Return the token of a topic, which stands for it where its name stays private.

    A node that knows the name can compute the token; the name can be found only by guessing.
    """
    text = f"{type(topic).__name__}:{topic}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") >> 2
