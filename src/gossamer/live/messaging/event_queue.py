"""The queue of events that wait for a reader, with a policy for a reader that is too slow.

- ``drop-oldest``: drop the oldest waiting events. For measurements, of which the latest matter.
- ``drop-newest``: drop the events that arrive. For a reader that must not miss the beginning.
- ``coalesce``: replace the waiting event with the same key, in its place in the queue. For state.
  An event that a later one of the same publisher has overtaken is left out. A queue with a limit
  below the number of keys loses the state of some.
- ``wait``: make publishers pause (:mod:`~gossamer.live.messaging.holds`) while the queue is half
  full. Events that are on their way by then are kept beyond the limits, up to ``OVERFILL`` times
  ``max_bytes``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from time import monotonic
from typing import Literal, get_args

from msgspec.structs import replace

from gossamer.errors import ParameterError
from gossamer.live.events.envelope import NO_HEADERS
from gossamer.live.events.published_event import PublishedEvent
from gossamer.live.messaging.last_values import REORDER_SECONDS, is_older

Policy = Literal["wait", "drop-oldest", "drop-newest", "coalesce"]
KeyFunction = Callable[[PublishedEvent], Hashable]

MAX_EVENTS = 4096
MAX_BYTES = 16 << 20
OVERFILL = 4
"""Multiple of ``max_bytes`` up to which the policy *wait* keeps events."""
EVENT_BYTES = 512
"""Assumed size of an event without its payload, for that bound."""


class EventQueue:
    """Queue of the events that wait for one reader.

    A single event is kept whatever its size.

    Parameters
    ----------
    policy
        Policy of a full queue.
    key
        Function that returns the key of an event, for *coalesce*; by default its topic.
    max_events, max_bytes
        Maximum number of waiting events, and maximum size of their payloads in bytes. With
        *coalesce*, allow at least one event for each key.
    """

    def __init__(
        self,
        policy: Policy = "drop-oldest",
        key: KeyFunction | None = None,
        max_events: int = MAX_EVENTS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        if policy not in get_args(Policy):
            listed = ", ".join(get_args(Policy))
            raise ParameterError(f"policy is {policy!r}; expected one of {listed}")
        if key is not None and policy != "coalesce":
            raise ParameterError(f"key is given with policy {policy}; expected policy coalesce")
        if max_events < 1 or max_bytes < 1:
            raise ParameterError(
                f"max_events is {max_events} and max_bytes {max_bytes}; expected 1 at least"
            )
        self.policy = policy
        self.dropped = 0
        """Number of events that were dropped."""
        self.coalesced = 0
        """Number of events that a later one with the same key has replaced or overtaken."""
        self.bytes = 0
        """Size of the payloads of the waiting events."""
        self.max_events = max_events
        self.max_bytes = max_bytes
        self._events: deque[PublishedEvent] = deque()
        self._key = key or _topic_of if policy == "coalesce" else None
        self._keyed: dict[Hashable, PublishedEvent] = {}
        self._newest: dict[Hashable, tuple[PublishedEvent, float]] = {}
        """The newest event of each key, without content, and its time of arrival."""

    def __len__(self) -> int:
        return len(self._keyed) if self._key is not None else len(self._events)

    @property
    def half_full(self) -> bool:
        """Whether the queue is half full or more."""
        return 2 * len(self) >= self.max_events or 2 * self.bytes >= self.max_bytes

    def put(self, event: PublishedEvent) -> None:
        """Add an event, and apply the policy if the queue is full."""
        if self._key is not None:
            self._replace(self._key(event), event)
            return
        self._events.append(event)
        self.bytes += len(event.payload)
        while self._overfull and len(self._events) > 1:
            oldest = self.policy == "drop-oldest"
            dropped = self._events.popleft() if oldest else self._events.pop()
            self.bytes -= len(dropped.payload)
            self.dropped += 1

    @property
    def _overfull(self) -> bool:
        """Whether an event must be dropped."""
        if len(self) <= self.max_events and self.bytes <= self.max_bytes:
            return False
        beyond = EVENT_BYTES * max(0, len(self) - self.max_events)
        return self.policy != "wait" or self.bytes + beyond > OVERFILL * self.max_bytes

    def _replace(self, key: Hashable, event: PublishedEvent) -> None:
        now = monotonic()
        if key in self._newest and _overtaken(event, *self._newest[key], now):
            self.coalesced += 1
            return
        self._newest.pop(key, None)
        self._newest[key] = (replace(event, payload=b"", headers=NO_HEADERS), now)
        if len(self._newest) > 2 * self.max_events:
            del self._newest[next(iter(self._newest))]
        earlier = self._keyed.get(key)
        if earlier is not None:
            self.bytes -= len(earlier.payload)
            self.coalesced += 1
        self._keyed[key] = event
        self.bytes += len(event.payload)
        while self._overfull and len(self._keyed) > 1:
            oldest = next(iter(self._keyed))
            self.bytes -= len(self._keyed.pop(oldest).payload)
            self.dropped += 1

    def get(self) -> PublishedEvent:
        """Remove and return the next event; the queue must not be empty."""
        if self._key is not None:
            event = self._keyed.pop(next(iter(self._keyed)))
        else:
            event = self._events.popleft()
        self.bytes -= len(event.payload)
        return event


def _topic_of(event: PublishedEvent) -> str:
    return event.topic


def _overtaken(event: PublishedEvent, newest: PublishedEvent, arrival: float, now: float) -> bool:
    """Whether an event is older than the newest one of its key.

    A lower number belongs to an older event if that event was missing or arrives soon after the
    newest one; otherwise the publisher has restarted.
    """
    if not is_older(event, newest) or is_older(newest, event):
        return False
    topic, number = event.topics[0], event.numbers[0]
    return now - arrival < REORDER_SECONDS or any(
        gap.topic == topic and gap.first <= number <= gap.last for gap in newest.missing
    )
