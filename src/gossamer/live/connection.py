"""One connection: frames in, frames out, and a limit to what waits.

Everything that is sent in one turn of the event loop is written at once. What waits is
limited; beyond that, messages are dropped and counted, as on a network that is full: protocols
put up with loss, and a slow peer must not fill the memory of a fast one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from gossamer.errors import MessageError
from gossamer.live.frames import MAX_FRAME, MAX_HANDSHAKE, FrameReader, framed

__all__ = ["MAX_WAITING", "Connection"]

MAX_WAITING = 4 << 20


class Connection(asyncio.BufferedProtocol):
    """A connection to a peer, opened from either side.

    Parameters
    ----------
    on_frame
        Given this connection and each frame. May raise :class:`MessageError`, which ends it.
    on_end
        Given this connection, and why it ended: None if nobody is to blame.
    on_made
        Given this connection when it is there.
    """

    def __init__(
        self,
        on_made: Callable[[Connection], None],
        on_frame: Callable[[Connection, bytes], None],
        on_end: Callable[[Connection, Exception | None], None],
    ) -> None:
        self.peer: str | None = None
        """Who is on the other side; known after its Handshake."""
        self.handshaken = False
        self.last_used = 0.0
        self.dropped = 0
        self._on_made = on_made
        self._on_frame = on_frame
        self._on_end = on_end
        self._reader = FrameReader(MAX_HANDSHAKE)
        self._transport: asyncio.Transport | None = None
        self._loop = asyncio.get_running_loop()
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._paused = False
        self._flushing = False
        self._fault: Exception | None = None

    # -- asyncio -------------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        """Begin."""
        self._transport = transport
        self.last_used = self._loop.time()
        self._on_made(self)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Lend the reader's buffer."""
        return self._reader.space()

    def buffer_updated(self, nbytes: int) -> None:
        """Take what has come."""
        self.last_used = self._loop.time()
        try:
            for frame in self._reader.filled(nbytes):
                if self._transport is None or self._transport.is_closing():
                    return
                self._on_frame(self, frame)
        except MessageError as fault:
            self.fail(fault)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._transport = None
        self._waiting.clear()
        self._on_end(self, self._fault or exc)

    def pause_writing(self) -> None:
        """Let what is sent wait: the other side does not read fast enough."""
        self._paused = True

    def resume_writing(self) -> None:
        """Go on."""
        self._paused = False
        self._flush()

    # -- ours ----------------------------------------------------------------------------

    @property
    def open(self) -> bool:
        """Whether something can be sent."""
        return self._transport is not None and not self._transport.is_closing()

    def send(self, content: bytes) -> bool:
        """Send a frame; return whether there was room for it."""
        if not self.open or self._waiting_bytes + len(content) > MAX_WAITING:
            self.dropped += 1
            return False
        self.last_used = self._loop.time()
        frame = framed(content)
        self._waiting.append(frame)
        self._waiting_bytes += len(frame)
        if not self._flushing and not self._paused:
            self._flushing = True
            self._loop.call_soon(self._flush)
        return True

    def _flush(self) -> None:
        self._flushing = False
        if self._waiting and self.open and not self._paused:
            assert self._transport is not None
            content = b"".join(self._waiting)
            self._waiting.clear()
            self._waiting_bytes = 0
            self._transport.write(content)

    def allow_long_frames(self) -> None:
        """Take frames of any allowed length: the other side has stderr_lines who it is."""
        self._reader.max_bytes = MAX_FRAME

    def fail(self, fault: Exception) -> None:
        """End the connection at once, because of the other side."""
        self._fault = fault
        if self._transport is not None:
            self._transport.abort()

    def close(self) -> None:
        """End the connection when what waits is written."""
        self._paused = False
        self._flush()
        if self._transport is not None:
            self._transport.close()
