"""A connection of frames with a bounded send buffer.

All frames sent in one iteration of the event loop are written at once. When the bounded send buffer
is full, messages are dropped and counted, as on a congested network: protocols tolerate loss,
and a slow peer must not fill the memory of a fast one.

Each direction of a connection ends separately. The side that finishes writes its send buffer,
announces the end, and continues to read until the other side has done the same. So nothing that was
sent is lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gossamer.errors import MessageError
from gossamer.live.transport.frames import MAX_FRAME, MAX_HANDSHAKE, FrameReader, frame_of

MAX_WAITING = 4 << 20
"""Default of ``NetworkLimits.queue_bytes``."""
CONGESTED = 4
"""A connection is congested when its send buffer is filled to this fraction, one in four."""


class Connection(asyncio.BufferedProtocol):
    """A connection to a peer, opened from either side.

    Parameters
    ----------
    on_frame
        Called with the connection and each frame. A :class:`MessageError` or a ``ConnectionError``
        ends the connection.
    on_end
        Called with the connection and the error that ended it; None if there was none.
    on_made
        Called with the connection when it is open.
    on_write
        Called when frames are written, all that were waiting at once.
    on_congested
        Called with the connection and whether it is congested, when that changes.
    max_bytes
        Maximum size of the send buffer.
    """

    def __init__(
        self,
        on_made: Callable[[Connection], None],
        on_frame: Callable[[Connection, bytes], None],
        on_end: Callable[[Connection, Exception | None], None],
        on_write: Callable[[], None],
        on_congested: Callable[[Connection, bool], None],
        max_bytes: int = MAX_WAITING,
    ) -> None:
        self.peer: str | None = None
        """Identifier of the peer; known after its handshake."""
        self.wanted: str | None = None
        """Name that was dialled; None if the peer opened the connection."""
        self.named: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Identifier of the peer as soon as it is known; cancelled if the connection ends first."""
        self.last_used = 0.0
        self.dropped = 0
        self._on_made = on_made
        self._on_frame = on_frame
        self._on_end = on_end
        self._on_write = on_write
        self._on_congested = on_congested
        self._max_bytes = max_bytes
        self._congested_bytes = max_bytes // CONGESTED
        self._congested = False
        self._reader = FrameReader(MAX_HANDSHAKE)
        self._transport: asyncio.Transport | None = None
        self._loop = asyncio.get_running_loop()
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._paused = False
        self._flushing = False
        self._finishing: asyncio.TimerHandle | None = None
        self._fault: Exception | None = None

    # -- asyncio -------------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        """Open the connection (asyncio)."""
        self._transport = transport
        self.last_used = self._loop.time()
        self._on_made(self)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return the free part of the buffer (asyncio)."""
        return self._reader.space()

    def buffer_updated(self, nbytes: int) -> None:
        """Process received bytes (asyncio)."""
        self.last_used = self._loop.time()
        try:
            for frame in self._reader.filled(nbytes):
                if self._transport is None or self._transport.is_closing():
                    return  # closed because of an earlier frame
                self._on_frame(self, frame)
        except (MessageError, ConnectionError) as fault:
            self.fail(fault)

    def eof_received(self) -> bool:
        """Write what waits, since the peer sends no more; then the connection closes (asyncio)."""
        self._paused = False
        self._flush()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Close the connection (asyncio)."""
        self._transport = None
        self._waiting.clear()
        self._waiting_bytes = 0
        self._note_level()
        self.named.cancel()
        if self._finishing is not None:
            self._finishing.cancel()
        self._on_end(self, self._fault or exc)

    def pause_writing(self) -> None:
        """Buffer frames, since the peer reads too slowly (asyncio)."""
        self._paused = True

    def resume_writing(self) -> None:
        """Write buffered frames (asyncio)."""
        self._paused = False
        self._flush()

    # -- frames ----------------------------------------------------------------------------

    @property
    def open(self) -> bool:
        """Whether frames can be sent."""
        transport = self._transport
        return transport is not None and self._finishing is None and not transport.is_closing()

    @property
    def handshaken(self) -> bool:
        """Whether the peer is known."""
        return self.peer is not None

    @property
    def unwritten(self) -> int:
        """Number of bytes that wait, here or in the transport."""
        transport = self._transport
        return self._waiting_bytes + (transport.get_write_buffer_size() if transport else 0)

    def send(self, content: bytes) -> bool:
        """Send a frame; return whether it fitted into the buffer."""
        if not self.open or self._waiting_bytes + len(content) > self._max_bytes:
            self.dropped += 1
            return False
        self.last_used = self._loop.time()
        frame = frame_of(content)
        self._waiting.append(frame)
        self._waiting_bytes += len(frame)
        if self._waiting_bytes > self._congested_bytes and not self._congested:
            self._note_level()
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
            self._on_write()
        if self._congested:
            self._note_level()

    def _note_level(self) -> None:
        congested = self._waiting_bytes > self._congested_bytes
        if congested != self._congested:
            self._congested = congested
            self._on_congested(self, congested)

    def allow_long_frames(self) -> None:
        """Accept frames of the full length, after the handshake."""
        self._reader.max_bytes = MAX_FRAME

    def fail(self, fault: Exception) -> None:
        """Abort the connection because of an error of the peer."""
        self._fault = fault
        if self._transport is not None:
            self._transport.abort()

    def finish(self, seconds: float) -> None:
        """Write what waits and send no more; abort unless the peer ends within some seconds."""
        transport = self._transport
        if transport is None or self._finishing is not None:
            return
        self._paused = False
        self._flush()
        self._finishing = self._loop.call_later(seconds, transport.abort)
        with suppress(OSError):  # the peer has reset the connection
            transport.write_eof()
