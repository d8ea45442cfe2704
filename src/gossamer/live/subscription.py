"""Subscription of an application to topics: a bounded queue of publications."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType

from gossamer.protocols.contract import Gap, Peer, Topic, Topics

MAX_WAITING = 4096
MAX_UNCLAIMED_BYTES = 4 << 20


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
    stops. When it is closed, also by ``async with``, the node unsubscribes from the topics that no
    other subscription has.
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

    def take(self, unclaimed: Unclaimed) -> None:
        """Add what has arrived on the topics before; called by the node."""
        events, self.dropped = unclaimed.claim(self.topics)
        for event in events:
            self.put(event)

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


class Unclaimed:
    """Publications on topics for which there was no subscription yet.

    They wait for the first subscription to the topic: at most ``MAX_WAITING`` publications and
    ``MAX_UNCLAIMED_BYTES`` of payload, beyond which the oldest are dropped and counted.

    Parameters
    ----------
    topics
        Topics that the node subscribes to from its start.
    """

    def __init__(self, topics: Iterable[Topic]) -> None:
        self._topics = dict.fromkeys(topics)
        self._waiting: deque[PublishedEvent] = deque()
        self._bytes = 0
        self._dropped: Counter[Topic] = Counter()

    def put(self, event: PublishedEvent) -> None:
        """Keep a publication, if one of its topics is unclaimed."""
        if not self._wants(event):
            return
        self._waiting.append(event)
        self._bytes += len(event.payload)
        while len(self._waiting) > MAX_WAITING or self._bytes > MAX_UNCLAIMED_BYTES:
            oldest = self._waiting.popleft()
            self._bytes -= len(oldest.payload)
            self._dropped.update(topic for topic in oldest.topics if topic in self._topics)

    def claim(self, topics: Iterable[Topic]) -> tuple[list[PublishedEvent], int]:
        """Return the publications on topics that were unclaimed, and the number dropped there."""
        claimed = {topic for topic in topics if topic in self._topics}
        found = [event for event in self._waiting if not claimed.isdisjoint(event.topics)]
        for topic in claimed:
            del self._topics[topic]
        self._waiting = deque(event for event in self._waiting if self._wants(event))
        self._bytes = sum(len(event.payload) for event in self._waiting)
        return found, sum(self._dropped.pop(topic, 0) for topic in claimed)

    def _wants(self, event: PublishedEvent) -> bool:
        return any(topic in self._topics for topic in event.topics)
