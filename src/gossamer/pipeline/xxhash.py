"""XXH64 of a seed and names, as Spark's function ``xxhash64`` gives it.

Spark orders nodes by this hash to choose some of them; in memory the same nodes are chosen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

P1, P2, P3, P4, P5 = (
    np.uint64(prime)
    for prime in (
        0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
        0x27D4EB2F165667C5,
    )
)  # fmt: skip
SPARK_SEED = 42
STRIPE = 32


def hash_names(seed: int, names: Sequence[object]) -> NDArray[np.int64]:
    """Return Spark's ``xxhash64(seed, name)`` of each name as text, with the seed as a bigint.

    O(characters), a group of names of equal length at a time.

    Examples
    --------
    >>> hash_names(0, ["ann", 7]).dtype
    dtype('int64')
    """
    with np.errstate(over="ignore"):
        number = np.array([seed], dtype=np.int64).view(np.uint8).reshape(1, 8)
        start = _hash(number, np.array([SPARK_SEED], dtype=np.uint64))[0]
        texts = [str(name).encode() for name in names]
        lengths = np.array([len(text) for text in texts], dtype=np.int64)
        hashes = np.empty(len(texts), dtype=np.uint64)
        for length in np.unique(lengths).tolist():
            places = np.flatnonzero(lengths == length)
            joined = b"".join(texts[place] for place in places.tolist())
            rows = np.frombuffer(joined, dtype=np.uint8).reshape(len(places), length)
            hashes[places] = _hash(rows, np.full(len(places), start, dtype=np.uint64))
    return hashes.view(np.int64)


def _hash(rows: NDArray[np.uint8], seeds: Words) -> Words:
    """Return the XXH64 of each row of bytes, with a seed each."""
    length, at = rows.shape[1], 0
    if length >= STRIPE:
        lanes = [seeds + P1 + P2, seeds + P2, seeds.copy(), seeds - P1]
        while at + STRIPE <= length:
            for n in range(4):
                lanes[n] = _round(lanes[n], _words(rows, at + 8 * n, 8))
            at += STRIPE
        one, two, three, four = lanes
        found = _rotate(one, 1) + _rotate(two, 7) + _rotate(three, 12) + _rotate(four, 18)
        for lane in lanes:
            found = (found ^ _round(np.zeros_like(lane), lane)) * P1 + P4
    else:
        found = seeds + P5
    found = found + np.uint64(length)
    while at + 8 <= length:
        word = _round(np.zeros_like(found), _words(rows, at, 8))
        found, at = _rotate(found ^ word, 27) * P1 + P4, at + 8
    if at + 4 <= length:
        found, at = _rotate(found ^ _words(rows, at, 4) * P1, 23) * P2 + P3, at + 4
    while at < length:
        found, at = _rotate(found ^ rows[:, at].astype(np.uint64) * P5, 11) * P1, at + 1
    found = (found ^ (found >> np.uint64(33))) * P2
    found = (found ^ (found >> np.uint64(29))) * P3
    return found ^ (found >> np.uint64(32))


def _round(lane: Words, word: Words) -> Words:
    return _rotate(lane + word * P2, 31) * P1


def _rotate(value: Words, by: int) -> Words:
    return (value << np.uint64(by)) | (value >> np.uint64(64 - by))


def _words(rows: NDArray[np.uint8], at: int, size: int) -> Words:
    """Return a little-endian number of each row, from a byte on."""
    part = np.ascontiguousarray(rows[:, at : at + size])
    return part.view(f"<u{size}")[:, 0].astype(np.uint64)
