"""Subscription of an application to topics: a bounded stream of events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType

from gossamer.live.events.published_event import PublishedEvent
from gossamer.live.messaging.event_queue import EventQueue
from gossamer.live.messaging.holds import SentHolds
from gossamer.protocols.contract import Topic, Topics


class Subscription:
    """Events on one topic or several: ``async for event in subscription``.

    The stream ends when it is closed, all its topics are unsubscribed, or the node stops. When it
    is closed, also by ``async with``, the node unsubscribes from the topics that no other
    subscription has.
    """

    def __init__(
        self,
        topics: Topics,
        on_close: Callable[[Subscription], None],
        queue: EventQueue | None = None,
        sent_holds: SentHolds | None = None,
    ) -> None:
        self.topics = topics
        """Topics and patterns."""
        self._queue = EventQueue() if queue is None else queue
        self._sent_holds = sent_holds
        self.on_handled: Callable[[PublishedEvent], None] | None = None
        """Called with each event when the reader asks for the next one, if set."""
        self._current: PublishedEvent | None = None
        self._on_close = on_close
        self._changed = asyncio.Event()
        self._closed = False
        self._missed = 0

    @property
    def dropped(self) -> int:
        """Number of events that were dropped because the reader was too slow."""
        return self._missed + self._queue.dropped

    @property
    def coalesced(self) -> int:
        """Number of events that a later one with the same key has replaced or overtaken."""
        return self._queue.coalesced

    @property
    def waiting(self) -> int:
        """Number of events that wait for the reader."""
        return len(self._queue)

    @property
    def closed(self) -> bool:
        """Whether the stream is closed, so that no further events arrive."""
        return self._closed

    def put(self, event: PublishedEvent) -> None:
        """Add an event; called by the node."""
        self._queue.put(event)
        if self._sent_holds is not None:
            self._sent_holds.note_added(self._queue, event)
        self._changed.set()

    def note_missed(self, count: int) -> None:
        """Count events that were dropped before the subscription; called by the node."""
        self._missed += count

    def remove(self, topic: Topic) -> None:
        """Remove a topic; the stream ends with its last one."""
        self.topics = tuple(other for other in self.topics if other != topic)
        if not self.topics:
            self.close()

    def close(self) -> None:
        """End the stream; waiting events can still be read."""
        if not self._closed:
            self._closed = True
            self._note_handled()
            if self._sent_holds is not None:
                self._sent_holds.release()
            self._on_close(self)
            self._changed.set()

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> PublishedEvent:
        if self._current is not None:
            self._note_handled()
        while not len(self._queue):
            if self._closed:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        event = self._queue.get()
        if self._sent_holds is not None:
            self._sent_holds.note_removed(self._queue)
        if self.on_handled is not None:
            self._current = event
        return event

    def _note_handled(self) -> None:
        event, self._current = self._current, None
        if event is not None and self.on_handled is not None:
            self.on_handled(event)

    async def __aenter__(self) -> Subscription:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._current = None  # the reader has failed, and not handled it
        self.close()
