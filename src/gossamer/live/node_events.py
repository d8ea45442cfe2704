"""Changes of a node's links and peers, as typed objects."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

import msgspec

from gossamer.protocols.contract import Peer

MAX_EVENTS = 1024


class LinkUp(msgspec.Struct, frozen=True):
    """A link to a peer was added."""

    peer: Peer


class LinkDown(msgspec.Struct, frozen=True):
    """The link to a peer was removed."""

    peer: Peer


class PeerUnreachable(msgspec.Struct, frozen=True):
    """A peer, or an address to join, could not be connected to."""

    peer: Peer


NodeEvent = LinkUp | LinkDown | PeerUnreachable


class NodeEvents:
    """A stream of changes; only the latest ``MAX_EVENTS`` wait for the reader."""

    def __init__(self, on_close: Callable[[NodeEvents], None]) -> None:
        self._waiting: deque[NodeEvent] = deque(maxlen=MAX_EVENTS)
        self._changed = asyncio.Event()
        self._closed = False
        self._on_close = on_close

    def put(self, event: NodeEvent) -> None:
        """Add an event; called by the node."""
        self._waiting.append(event)
        self._changed.set()

    def close(self) -> None:
        """End the stream; waiting events can still be read."""
        if not self._closed:
            self._closed = True
            self._on_close(self)
            self._changed.set()

    def __aiter__(self) -> NodeEvents:
        return self

    async def __anext__(self) -> NodeEvent:
        while not self._waiting:
            if self._closed:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        return self._waiting.popleft()

    async def __aenter__(self) -> NodeEvents:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
