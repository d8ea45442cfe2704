"""Canonical bytes of plain values, and their digest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = ["digest"]


def digest(value: Any) -> str:
    """Return a short digest of numbers, texts, bytes, arrays and nested sequences of them.

    Whole numbers in an array count as little-endian 64-bit ones, whatever their type is. Floats
    count to 12 significant digits: processors round the last bits of a logarithm differently.
    Mappings and objects are refused, since names must not enter a digest.

    Examples
    --------
    >>> digest([1, 2.0, "x"]) == digest((1, 2.0, "x"))
    True
    """
    found = hashlib.sha256()
    for part in _canonical(value):
        found.update(part)
    return found.hexdigest()[:16]


def _canonical(value: Any) -> Iterator[bytes]:
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "biu":
            yield b"A" + repr(value.shape).encode() + value.astype("<i8").tobytes()
            return
        yield b"V" + repr(value.shape).encode()
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool):
        yield repr(value).encode() + b";"
    elif isinstance(value, int):
        yield b"I%d;" % value
    elif isinstance(value, float):
        yield b"F" + format(value + 0.0, ".12g").encode() + b";"
    elif isinstance(value, str):
        yield b"S%d:" % len(value.encode()) + value.encode()
    elif isinstance(value, bytes):
        yield b"Y%d:" % len(value) + value
    elif isinstance(value, list | tuple):
        yield b"("
        for one in value:
            yield from _canonical(one)
        yield b")"
    else:
        raise TypeError(f"a {type(value).__name__} has no canonical bytes; list its values")
