"""Holds: a subscription with the policy *wait* lets the publishers of its topics wait.

When half of its queue is filled, the subscription asks the publishers that it hears to hold, and
again as long as it is; when a quarter is left, it lets them go on. A hold ends by itself after
``SECONDS``, so a subscriber that crashes stops no publisher for longer.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable

from gossamer.live.event_queue import EventQueue
from gossamer.live.messages import MAX_LISTED, Hold
from gossamer.live.published_event import PublishedEvent
from gossamer.protocols.contract import Peer

SECONDS = 1.0
RENEWAL_SECONDS = 0.4
MAX_HOLDS = 4096
_NUMBERS = itertools.count(1)


class Holds:
    """The holds on the topics that a node publishes on.

    Parameters
    ----------
    on_room
        Called when a hold ends.
    """

    def __init__(self, on_room: Callable[[], None]) -> None:
        self._on_room = on_room
        self._until: dict[tuple[str, Peer, int], float] = {}
        """Time until which each topic is held, by subscriber and subscription."""

    def on_hold(self, peer: Peer, message: Hold) -> None:
        """Note or end the holds of a subscription."""
        until = asyncio.get_running_loop().time() + min(message.milliseconds / 1000, SECONDS)
        for topic in message.topics:
            key = (topic, peer, message.subscription)
            self._until.pop(key, None)
            if message.milliseconds and len(self._until) < MAX_HOLDS:
                self._until[key] = until
        if not message.milliseconds:
            self._on_room()

    def held(self, topics: Iterable[str]) -> bool:
        """Whether one of the topics is held. O(1) if no topic is."""
        if not self._until:
            return False
        now = asyncio.get_running_loop().time()
        for key in [key for key, until in self._until.items() if until <= now]:
            del self._until[key]
        return any(topic in topics for topic, _, _ in self._until)


class Brake:
    """The holds of one subscription.

    Parameters
    ----------
    send
        Function that sends a message to a peer.
    """

    def __init__(self, send: Callable[[Peer, Hold], None]) -> None:
        self._send = send
        self._number = next(_NUMBERS)
        self._topics: dict[Peer, dict[str, None]] = {}
        """Topics on which each publisher is held."""
        self._renewal: asyncio.TimerHandle | None = None

    def note_put(self, queue: EventQueue, event: PublishedEvent) -> None:
        """Hold the publisher of an event if half of the queue is filled."""
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

    def note_got(self, queue: EventQueue) -> None:
        """Let publishers go on if a quarter of the queue is left."""
        if self._topics and 4 * len(queue) < queue.max_events and 4 * queue.bytes < queue.max_bytes:
            self.release()

    def release(self) -> None:
        """Let all publishers go on."""
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
