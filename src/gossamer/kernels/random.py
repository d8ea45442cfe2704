"""Counter-based random numbers: a hash of a key and a counter, instead of the state of a generator.

A number depends on its key and counter only, not on other draws, so a sequence can be entered
anywhere. Integer arithmetic gives the same numbers on every machine.
"""

from __future__ import annotations

import numpy as np

from gossamer.kernels.jit import Int64s, UInt64s, kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
LARGEST = np.uint64(0xFFFFFFFFFFFFFFFF)
ONE = np.uint64(1)


@kernel
def mix64(word: np.uint64) -> np.uint64:
    """Permute 64-bit words (the finaliser of SplitMix64, Steele et al., OOPSLA 2014)."""
    word = (word ^ (word >> np.uint64(30))) * FIRST_FACTOR
    word = (word ^ (word >> np.uint64(27))) * SECOND_FACTOR
    return word ^ (word >> np.uint64(31))


@kernel
def mix_words(words: UInt64s, key: np.uint64) -> None:
    """Replace each word by a hash of the key and the word."""
    for k in range(len(words)):
        words[k] = mix64(words[k] + key)


@kernel
def stream_key(seed: np.uint64, purpose: np.uint64) -> np.uint64:
    """Return the key of one purpose (sizes, topics, …) under a seed."""
    return mix64(mix64(seed + GOLDEN) + purpose * GOLDEN)


@kernel
def node_key(stream: np.uint64, node: np.uint64) -> np.uint64:
    """Return the key of a node in a stream; different nodes have different keys."""
    return mix64(stream + (node + ONE) * GOLDEN)


@kernel
def u64_at(key: np.uint64, counter: int) -> np.uint64:
    """Return the random 64-bit word of a key at a counter: SplitMix64 at any position."""
    return mix64(key + (np.uint64(counter) + ONE) * GOLDEN)


@kernel
def randbelow(key: np.uint64, counter: int, bound: int) -> int:
    """Return a uniform integer in 0 .. bound - 1, without bias."""
    divisor = np.uint64(bound)
    word = u64_at(key, counter)
    if word > LARGEST - divisor:  # otherwise below the limit, without a division
        limit = LARGEST - LARGEST % divisor
        while word >= limit:
            word = mix64(word + GOLDEN)
    return int(word % divisor)


@kernel
def next_randbelow(sequence: UInt64s, bound: int) -> int:
    """Return the next uniform integer in 0 .. bound - 1 of a sequence (key, counter)."""
    sequence[1] += ONE
    return randbelow(sequence[0], sequence[1], bound)


@kernel
def next_below(stream: UInt64s, bound: int) -> int:
    """Return the next integer in 0 .. bound - 1 of a stream (state), for bounds below 2^32.

    The numbers of :class:`gossamer.random_stream.Stream`: the bias is below bound / 2^64.
    """
    stream[0] += GOLDEN
    word, factor = mix64(stream[0]), np.uint64(bound)
    low = ((word & np.uint64(0xFFFFFFFF)) * factor) >> np.uint64(32)
    return int(((word >> np.uint64(32)) * factor + low) >> np.uint64(32))


@kernel
def random_sample(items: Int64s, count: int, stream: UInt64s) -> Int64s:
    """Return ``count`` different items, or all, in random order; as ``Stream.sample``. O(items)."""
    pool = items.copy()
    taken = min(count, len(pool))
    for place in range(taken):
        other = place + next_below(stream, len(pool) - place)
        pool[place], pool[other] = pool[other], pool[place]
    return pool[:taken]
