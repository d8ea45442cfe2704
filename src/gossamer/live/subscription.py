"""What an application holds for a topic: events as they come, in a queue that is bounded."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

from gossamer.protocols.contract import Peer, Topic, Topics

__all__ = ["Event", "Subscription"]

MAX_WAITING = 4096


@dataclass(frozen=True)
class Event:
    """Something published that has come.

    Attributes
    ----------
    topics
        Those of its topics that the node wants.
    payload
        What was published.
    publisher
        The node that published it.
    hops
        Over how many links it came.
    missing
        How many of the publisher's earlier ones on these topics have not come (yet).
    """

    topics: Topics
    payload: bytes
    publisher: Peer
    hops: int
    missing: int


class Subscription:
    """Events on one topic: ``async for event in subscription``.

    Those that come faster than they are taken wait, ``MAX_WAITING`` at most; then the oldest go,
    and are counted in ``dropped``. It ends when it is closed, the topic is unsubscribed, or the
    node stops.
    """

    def __init__(self, topic: Topic, on_close: Callable[[Subscription], None]) -> None:
        self.topic = topic
        self.dropped = 0
        self._waiting: deque[Event] = deque()
        self._on_close = on_close
        self._changed = asyncio.Event()
        self._closed = False

    def put(self, event: Event) -> None:
        """Add an event; done by the node."""
        if len(self._waiting) >= MAX_WAITING:
            self._waiting.popleft()
            self.dropped += 1
        self._waiting.append(event)
        self._changed.set()

    def close(self) -> None:
        """Take no more; what waits can still be taken."""
        if not self._closed:
            self._closed = True
            self._on_close(self)
            self._changed.set()

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> Event:
        while not self._waiting:
            if self._closed:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        return self._waiting.popleft()

    async def __aenter__(self) -> Subscription:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
