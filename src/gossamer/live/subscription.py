"""Subscription of an application to topics: a bounded queue of publications."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

from gossamer.protocols.contract import Gap, Peer, Topic, Topics

MAX_WAITING = 4096


@dataclass(frozen=True)
class PublishedEvent:
    """A delivered publication.

    Attributes
    ----------
    topics
        Those of its topics that the node subscribes to.
    payload
        Content.
    publisher
        Identifier of the publisher.
    hops
        Number of links that it travelled over.
    numbers
        Its number on each of these topics: a publisher counts from 1 on each.
    missing
        Ranges of the publisher's earlier publications on these topics that have not arrived (yet).
    """

    topics: Topics
    payload: bytes
    publisher: Peer
    hops: int
    numbers: tuple[int, ...]
    missing: tuple[Gap, ...]

    @property
    def sequence(self) -> int:
        """Number of the publication on the first of its topics."""
        return self.numbers[0]


class Subscription:
    """Publications on one topic or several: ``async for event in subscription``.

    At most ``MAX_WAITING`` publications wait; beyond that the oldest are dropped and counted in
    ``dropped``. The stream ends when it is closed, all its topics are unsubscribed, or the node
    stops.
    """

    def __init__(self, topics: Topics, on_close: Callable[[Subscription], None]) -> None:
        self.topics = topics
        self.dropped = 0
        self._waiting: deque[PublishedEvent] = deque()
        self._on_close = on_close
        self._changed = asyncio.Event()
        self._closed = False

    def put(self, event: PublishedEvent) -> None:
        """Add a publication; called by the node."""
        if len(self._waiting) >= MAX_WAITING:
            self._waiting.popleft()
            self.dropped += 1
        self._waiting.append(event)
        self._changed.set()

    def remove(self, topic: Topic) -> None:
        """Remove a topic; the stream ends with its last one."""
        self.topics = tuple(other for other in self.topics if other != topic)
        if not self.topics:
            self.close()

    def close(self) -> None:
        """End the stream; waiting publications can still be read."""
        if not self._closed:
            self._closed = True
            self._on_close(self)
            self._changed.set()

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> PublishedEvent:
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
