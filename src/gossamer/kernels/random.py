"""Counter-based random words: a hash of a key and a counter, never a generator's next state.

So what is drawn for one thing does not depend on what was drawn for others before it,
and a sequence can be entered at any place. Integer arithmetic only.
"""

from __future__ import annotations

import numpy as np

from gossamer.kernels.jit import UInt64s, kernel

__all__ = ["mix64", "mix_words", "next_randbelow", "node_key", "randbelow", "stream_key", "u64_at"]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
LARGEST = np.uint64(0xFFFFFFFFFFFFFFFF)
ONE = np.uint64(1)


@kernel
def mix64(word: np.uint64) -> np.uint64:
    """Scramble 64 bits, one to one (the finaliser of SplitMix64, Steele et al., OOPSLA 2014)."""
    word = (word ^ (word >> np.uint64(30))) * FIRST_FACTOR
    word = (word ^ (word >> np.uint64(27))) * SECOND_FACTOR
    return word ^ (word >> np.uint64(31))


@kernel
def mix_words(words: UInt64s, key: np.uint64) -> None:
    """Put in the place of each word a hash of the key and the word."""
    for k in range(len(words)):
        words[k] = mix64(words[k] + key)


@kernel
def stream_key(seed: np.uint64, purpose: np.uint64) -> np.uint64:
    """Return the key of one purpose (sizes, topics, …) under one seed."""
    return mix64(mix64(seed + GOLDEN) + purpose * GOLDEN)


@kernel
def node_key(stream: np.uint64, node: np.uint64) -> np.uint64:
    """Return a node's key in a stream; different nodes have different keys."""
    return mix64(stream + (node + ONE) * GOLDEN)


@kernel
def u64_at(key: np.uint64, counter: int) -> np.uint64:
    """Return the random word of a key at a counter: SplitMix64, entered at any place."""
    return mix64(key + (np.uint64(counter) + ONE) * GOLDEN)


@kernel
def randbelow(key: np.uint64, counter: int, bound: int) -> int:
    """Return a whole number in 0 .. bound - 1, each exactly as likely as the others."""
    divisor = np.uint64(bound)
    limit = LARGEST - LARGEST % divisor
    word = u64_at(key, counter)
    while word >= limit:
        word = mix64(word + GOLDEN)
    return int(word % divisor)


@kernel
def next_randbelow(sequence: UInt64s, bound: int) -> int:
    """Return the next whole number in 0 .. bound - 1 of a sequence, kept as (key, counter)."""
    sequence[1] += ONE
    return randbelow(sequence[0], sequence[1], bound)
