"""Holds: a subscription with the policy *wait* makes the publishers of its topics pause.

When its queue is half full, the subscription sends a hold to each publisher of the events that
arrive, and renews it until the queue is less than a quarter full. Then it releases the publishers.
A hold expires after ``SECONDS``, so a subscriber that crashes stops no publisher for longer.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable

from gossamer.live.events.messages import MAX_LISTED, Hold
from gossamer.live.events.published_event import PublishedEvent
from gossamer.live.messaging.event_queue import EventQueue
from gossamer.protocols.contract import Peer

SECONDS = 1.0
RENEWAL_SECONDS = 0.4
MAX_HOLDS = 4096
_NUMBERS = itertools.count(1)


class ReceivedHolds:
    """Holds that subscribers have placed on the topics of this node's publications.

    Parameters
    ----------
    on_room
        Function called when a subscription releases its holds.
    """

    def __init__(self, on_room: Callable[[], None]) -> None:
        self._on_room = on_room
        self._until: dict[tuple[str, Peer, int], float] = {}
        """Expiry time of each hold, by topic, subscriber and number of the subscription."""

    def on_hold(self, peer: Peer, message: Hold) -> None:
        """Place, renew or release the holds of a subscription."""
        until = asyncio.get_running_loop().time() + min(message.milliseconds / 1000, SECONDS)
        for topic in message.topics:
            key = (topic, peer, message.subscription)
            self._until.pop(key, None)
            if message.milliseconds and len(self._until) < MAX_HOLDS:
                self._until[key] = until
        if not message.milliseconds:
            self._on_room()

    def is_held(self, topics: Iterable[str]) -> bool:
        """Whether one of the topics is held; O(1) if there are no holds."""
        if not self._until:
            return False
        now = asyncio.get_running_loop().time()
        for key in [key for key, until in self._until.items() if until <= now]:
            del self._until[key]
        return any(topic in topics for topic, _, _ in self._until)


class SentHolds:
    """Holds that one subscription has placed on publishers.

    Parameters
    ----------
    send
        Function that sends a hold to a peer.
    """

    def __init__(self, send: Callable[[Peer, Hold], None]) -> None:
        self._send = send
        self._number = next(_NUMBERS)
        self._topics: dict[Peer, dict[str, None]] = {}
        """Held topics, by publisher."""
        self._renewal: asyncio.TimerHandle | None = None

    def note_added(self, queue: EventQueue, event: PublishedEvent) -> None:
        """Hold the publisher of an added event if the queue is half full."""
        if not queue.half_full:
            return
        held = self._topics.setdefault(event.publisher, {})
        new = [topic for topic in event.topics if isinstance(topic, str) and topic not in held]
        if new:
            held.update(dict.fromkeys(new))
            self._hold(event.publisher, new, SECONDS)
        if self._renewal is None:
            loop = asyncio.get_running_loop()
            self._renewal = loop.call_later(RENEWAL_SECONDS, self._renew)

    def note_removed(self, queue: EventQueue) -> None:
        """Release all publishers if the queue is less than a quarter full."""
        if self._topics and 4 * len(queue) < queue.max_events and 4 * queue.bytes < queue.max_bytes:
            self.release()

    def release(self) -> None:
        """Release all publishers."""
        if self._renewal is not None:
            self._renewal.cancel()
            self._renewal = None
        for publisher, topics in self._topics.items():
            self._hold(publisher, list(topics), 0.0)
        self._topics.clear()

    def _renew(self) -> None:
        self._renewal = asyncio.get_running_loop().call_later(RENEWAL_SECONDS, self._renew)
        for publisher, topics in self._topics.items():
            self._hold(publisher, list(topics), SECONDS)

    def _hold(self, publisher: Peer, topics: list[str], seconds: float) -> None:
        for start in range(0, len(topics), MAX_LISTED):
            part = tuple(topics[start : start + MAX_LISTED])
            self._send(publisher, Hold(self._number, part, round(1000 * seconds)))
