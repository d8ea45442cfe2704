"""Last values: the newest event of each topic, for subscriptions that begin with it.

A node keeps the newest event of each topic that it subscribes to or publishes on, up to
``MAX_TOPICS`` topics and ``MAX_BYTES`` of payload. A new subscription with ``last=True`` asks the
linked peers and a few known subscribers. Of two events of one publisher, the one with the higher
number is newer; of two events of different publishers, the one that arrived later at the node that
answers.

The stream begins with the newest event of each topic. Events that arrive while the node waits for
answers follow it. Older events of the same publisher, which the history of a neighbour may bring in
the first ``OLDER_SECONDS``, are left out.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable
from time import monotonic

from gossamer.live.events.envelope import MARK, Envelope, decode_envelope, encode_envelope
from gossamer.live.events.messages import MAX_LISTED, LastEvent, LastQuery, LastReply
from gossamer.live.events.parts import PART_BYTES
from gossamer.live.events.patterns import PatternIndex
from gossamer.live.events.published_event import PublishedEvent
from gossamer.protocols.contract import Peer, Topics

MAX_TOPICS = 1 << 16
MAX_BYTES = 16 << 20
TRIM_AFTER = 64
"""Number of events, beyond one for each topic, after which the limits are enforced."""
MAX_REPLIED, MAX_REPLY_BYTES = 4096, 512 << 10
"""Maximum number of events in a reply, and maximum size of their payloads, which fit in a frame."""
MAX_ASKED = 8
"""Maximum number of nodes that a subscription asks."""
REPLY_SECONDS = 0.5
"""Time to wait for replies."""
FIND_SECONDS = 2.0
"""Time to find a node to ask, for a node that joins others and knows none yet."""
OLDER_SECONDS = 2.0
REORDER_SECONDS = 1.0
"""Time within which a lower number means an older event, and not a restarted publisher."""
_QUERIES = itertools.count(1)


class LastValues:
    """The newest event of each topic, as far as a node has it."""

    def __init__(self) -> None:
        self._events: dict[str, PublishedEvent] = {}
        self._times: dict[str, float] = {}
        self._until_trim = TRIM_AFTER

    def __len__(self) -> int:
        return len(self._events)

    def note(self, event: PublishedEvent) -> None:
        """Keep a delivered event unless a newer one of its topic is kept."""
        topic = event.topic
        if len(event.payload) > PART_BYTES or event.request:
            return
        now = monotonic()
        known = self._events.get(topic)
        if (
            known is not None
            and known.publisher == event.publisher
            and is_older(event, known)
            and now - self._times[topic] < REORDER_SECONDS
        ):
            return
        self._events[topic] = event
        self._times[topic] = now
        self._until_trim -= 1
        if not self._until_trim:
            self._trim()

    def matching(self, topics: Iterable[str]) -> list[PublishedEvent]:
        """Return the events on topics, and on those that match patterns."""
        index = PatternIndex(topics)
        return [event for topic, event in self._events.items() if index.matching(topic)]

    def _trim(self) -> None:
        """Drop the oldest events beyond the limits; O(n log n)."""
        count, size = len(self._events), sum(len(one.payload) for one in self._events.values())
        for topic in sorted(self._times, key=self._times.__getitem__):
            if count <= MAX_TOPICS and size <= MAX_BYTES:
                break
            count -= 1
            size -= len(self._events.pop(topic).payload)
            del self._times[topic]
        self._until_trim = TRIM_AFTER + len(self._events)

    def reply_to(self, message: LastQuery) -> LastReply:
        """Return the answer to a query."""
        found, size = [], 0
        for event in reversed(self.matching(message.topics)[-MAX_REPLIED:]):
            size += len(event.payload)
            if size > MAX_REPLY_BYTES:
                break
            found.append(event)
        return LastReply(
            message.query,
            tuple(
                LastEvent(
                    event.topic,
                    str(event.topics[0]),
                    str(event.publisher),
                    event.sequence,
                    encode_envelope(
                        Envelope(
                            event.number, (event.topic,), dict(event.headers), False, event.payload
                        )
                    ),
                )
                for event in found
            ),
        )


class LastValueConsumer:
    """A consumer whose stream begins with the newest event of each topic.

    Parameters
    ----------
    topics
        Topics and patterns of the subscription.
    put
        Function called with each event of the stream.
    known
        Newest events at the node itself.
    ask
        Function that sends a query to other nodes and returns their number; None if no other node
        is known yet.
    """

    def __init__(
        self,
        topics: Topics,
        put: Callable[[PublishedEvent], None],
        known: Iterable[PublishedEvent],
        ask: Callable[[LastQuery], int | None],
    ) -> None:
        self.topics = topics
        self.query = next(_QUERIES)
        self._put = put
        self._ask = ask
        self._newest: dict[str, PublishedEvent] = {}
        self._collected: dict[tuple[str, Peer], PublishedEvent] = {}
        self._collecting = True
        self._loop = asyncio.get_running_loop()
        self._expected: int | None = None
        self._replies = 0
        self._until = self._loop.time() + FIND_SECONDS
        self._timer: asyncio.TimerHandle | None = None
        for event in known:
            self._newest[event.topic] = event
        self._find()

    def put(self, event: PublishedEvent) -> None:
        """Receive an event of the topics."""
        key = (event.topic, event.publisher)
        latest = self._collected.get(key)
        if latest is not None and is_older(event, latest):
            return
        if self._collecting or self._loop.time() < self._until:
            self._collected[key] = event
        elif self._collected:
            self._collected.clear()
        if not self._collecting:
            self._put(event)

    def on_reply(self, peer: Peer, message: LastReply) -> None:
        """Receive the newest events of another node."""
        if message.query != self.query or not self._collecting:
            return
        for one in message.events:
            event = _event_of(one, self.topics)
            known = self._newest.get(one.topic)
            if event is not None and (known is None or is_older(known, event)):
                self._newest[one.topic] = event
        self._replies += 1
        if self._expected is not None and self._replies >= self._expected:
            self._finish()

    def close(self) -> None:
        """Stop collecting: the subscription is closed."""
        self._collecting = False
        if self._timer is not None:
            self._timer.cancel()

    def _find(self) -> None:
        """Ask other nodes, and try again later if none is known."""
        now = self._loop.time()
        self._expected = self._ask(LastQuery(self.query, tuple(map(str, self.topics[:MAX_LISTED]))))
        if self._expected is None and now < self._until:
            self._timer = self._loop.call_later(0.02, self._find)
        else:
            pause = REPLY_SECONDS if self._expected else 0.0
            self._timer = self._loop.call_later(pause, self._finish)

    def _finish(self) -> None:
        """Begin the stream: collected events of other publishers, then the newest of each topic."""
        if not self._collecting:
            return
        self._collecting = False
        if self._timer is not None:
            self._timer.cancel()
        self._until = self._loop.time() + OLDER_SECONDS
        for (topic, publisher), event in self._collected.items():
            newest = self._newest.get(topic)
            if newest is None or publisher != newest.publisher:
                self._put(event)
            elif is_older(newest, event):
                self._newest[topic] = event
        for topic, event in self._newest.items():
            self._collected[topic, event.publisher] = event
            self._put(event)


def is_older(one: PublishedEvent, other: PublishedEvent) -> bool:
    """Whether an event is known to be, or to precede, another one of the same publisher."""
    if one.publisher != other.publisher:
        return False
    if one.number and other.number:
        return one.number <= other.number
    same = one.topics[0] == other.topics[0]
    return same and 0 < one.numbers[0] <= other.numbers[0]


def _event_of(one: LastEvent, topics: Topics) -> PublishedEvent | None:
    """Return an event as this node receives it in a reply."""
    content = decode_envelope(one.content) if one.content[:1] == MARK else None
    if not isinstance(content, Envelope):
        return None
    index = PatternIndex(str(topic) for topic in topics)
    matching = sorted(index.matching(one.topic), key=lambda topic: topic != one.numbered_on)
    numbers = tuple(one.sequence if topic == one.numbered_on else 0 for topic in matching)
    return PublishedEvent(
        tuple(matching), content.payload, one.publisher, 0, numbers, (), one.topic,
        content.headers, content.number,
    )  # fmt: skip
