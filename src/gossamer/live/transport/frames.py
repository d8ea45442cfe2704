"""Frames of a stream: four bytes of length, big-endian, then the content.

The first frame of a connection, in each direction, is a :class:`Handshake`; all others are messages
of the protocol. A frame beyond the limit, or a first frame that is no handshake of this version and
protocol, is an error of the peer (:class:`FrameError`) and ends the connection.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec

from gossamer.errors import FrameError

VERSION = 2
"""Version of the wire format: frames and handshake."""

MAX_FRAME = 1 << 20
MAX_HANDSHAKE = 1024
FIRST_BUFFER = 1 << 14
HEADER = 4


class Handshake(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Version, protocol and identifier of the sender: the first frame in each direction."""

    version: int
    protocol: Annotated[str, msgspec.Meta(max_length=64)]
    peer: Annotated[str, msgspec.Meta(min_length=1, max_length=255)]


def frame_of(content: bytes) -> bytes:
    """Return the frame of a content."""
    return len(content).to_bytes(HEADER, "big") + content


class FrameReader:
    """Splits received bytes into frames, with a buffer for the caller to fill.

    Parameters
    ----------
    max_bytes
        Maximum number of bytes of a frame.
    """

    def __init__(self, max_bytes: int = MAX_FRAME) -> None:
        self.max_bytes = max_bytes
        self._buffer = bytearray(FIRST_BUFFER)
        self._start = 0
        self._end = 0

    def space(self) -> memoryview:
        """Return the free part of the buffer."""
        return memoryview(self._buffer)[self._end :]

    def filled(self, count: int) -> Iterator[bytes]:
        """Note that ``count`` bytes were received; return the complete frames."""
        self._end += count
        buffer = self._buffer
        while self._end - self._start >= HEADER:
            body = self._start + HEADER
            size = int.from_bytes(buffer[self._start : body], "big")
            if size > self.max_bytes:
                raise FrameError(f"a frame has {size:,} bytes; expected at most {self.max_bytes:,}")
            if self._end - body < size:
                break
            self._start = body + size
            yield bytes(buffer[body : self._start])
        self._compact()

    def _compact(self) -> None:
        """Move the rest to the front, in a larger buffer if its frame needs one."""
        rest = self._end - self._start
        buffer = self._buffer
        wanted = HEADER
        if rest >= HEADER:
            wanted += int.from_bytes(buffer[self._start : self._start + HEADER], "big")
        if wanted > len(buffer):
            grown = bytearray(wanted)
            grown[:rest] = buffer[self._start : self._end]
            self._buffer = grown
        elif self._start:
            buffer[:rest] = buffer[self._start : self._end]
            if not rest and len(buffer) > FIRST_BUFFER:
                self._buffer = bytearray(FIRST_BUFFER)
        self._start, self._end = 0, rest
