"""Events on topics of a node that no subscription has claimed yet."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable

from gossamer.live.events.published_event import PublishedEvent
from gossamer.live.messaging.event_queue import MAX_EVENTS
from gossamer.protocols.contract import Topic

MAX_UNCLAIMED_BYTES = 4 << 20


class UnclaimedEvents:
    """Events on topics that no subscription has claimed yet.

    They wait for the first subscription to the topic: at most ``MAX_EVENTS`` events and
    ``MAX_UNCLAIMED_BYTES`` of payload. Beyond that, the oldest events are dropped and counted.

    Parameters
    ----------
    topics
        Topics that the node subscribes to from the start.
    """

    def __init__(self, topics: Iterable[Topic]) -> None:
        self._topics = dict.fromkeys(topics)
        self._waiting: deque[PublishedEvent] = deque()
        self._bytes = 0
        self._dropped: Counter[Topic] = Counter()

    def put(self, event: PublishedEvent) -> None:
        """Keep an event if one of its topics is unclaimed."""
        if not self._wants(event):
            return
        self._waiting.append(event)
        self._bytes += len(event.payload)
        while len(self._waiting) > MAX_EVENTS or self._bytes > MAX_UNCLAIMED_BYTES:
            oldest = self._waiting.popleft()
            self._bytes -= len(oldest.payload)
            self._dropped.update(topic for topic in oldest.topics if topic in self._topics)

    def claim(self, topics: Iterable[Topic]) -> tuple[list[PublishedEvent], int]:
        """Claim topics; return their waiting events, and the number of events dropped there."""
        claimed = {topic for topic in topics if topic in self._topics}
        found = [event for event in self._waiting if not claimed.isdisjoint(event.topics)]
        for topic in claimed:
            del self._topics[topic]
        self._waiting = deque(event for event in self._waiting if self._wants(event))
        self._bytes = sum(len(event.payload) for event in self._waiting)
        return found, sum(self._dropped.pop(topic, 0) for topic in claimed)

    def _wants(self, event: PublishedEvent) -> bool:
        return any(topic in self._topics for topic in event.topics)
