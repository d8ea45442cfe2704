"""The history: publications that a node stores for neighbours that may miss them.

The history is bounded by time and by bytes. If the bytes do not suffice, the topic with most bytes
loses its oldest publications, so that a loud topic does not evict those of a quiet one. The node's
own publications stay until a neighbour has them, unless they alone exceed the bytes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from gossamer.protocols.components.dissemination import Publication
from gossamer.protocols.components.sequences import Span, Stream, ranges_of
from gossamer.protocols.contract import Peer, Topic, Topics
from gossamer.time import microseconds

OVERHEAD = 600
"""Bytes of a stored publication beside its payload, as measured."""


class Stored(NamedTuple):
    """A publication, where and when it came from, its topic in the history, and if by request."""

    publication: Publication
    source: Peer | None
    since: int
    home: Topic
    repaired: bool = False


@dataclass(frozen=True)
class HistoryLimits:
    """Limits of a history.

    Attributes
    ----------
    seconds
        Longest interruption that is repaired. Publications are stored for half as long again, in
        which the interruption is noticed to be over.
    max_bytes
        Maximum number of bytes, with ``OVERHEAD`` for each publication.
    """

    seconds: float = 60.0
    max_bytes: int = 64 << 20


class History:
    """Stored publications by stream."""

    def __init__(self, limits: HistoryLimits) -> None:
        self.max_age = microseconds(1.5 * limits.seconds)
        self.max_bytes = limits.max_bytes
        self.bytes = 0
        self._streams: dict[Topic, dict[Stream, dict[int, Stored]]] = {}
        self._ages: dict[Topic, deque[Stored]] = {}
        """Stored publications that may be evicted, by home topic, the oldest first."""
        self._sizes: dict[Topic, int] = {}
        self._unshared: dict[int, Stored] = {}
        """Own publications that no neighbour has, by number of the publication."""

    def __bool__(self) -> bool:
        return bool(self._streams)

    def __len__(self) -> int:
        return len(self._unshared) + sum(map(len, self._ages.values()))

    @property
    def unshared(self) -> int:
        """Number of own publications that no neighbour has."""
        return len(self._unshared)

    def add(
        self,
        one: Publication,
        topics: Topics,
        source: Peer | None,
        now: int,
        *,
        shared: bool,
        repaired: bool = False,
    ) -> None:
        """Store a publication for some of its topics."""
        stored = Stored(one, source, now, topics[0], repaired)
        for topic, stream, number in _places(one):
            if topic in topics:
                numbers = self._streams.setdefault(topic, {}).setdefault(stream, {})
                numbers.setdefault(number, stored)
        if shared:
            self._ages.setdefault(stored.home, deque()).append(stored)
        else:
            self._unshared[one.id.number] = stored
        size = OVERHEAD + len(one.payload)
        self._sizes[stored.home] = self._sizes.get(stored.home, 0) + size
        self.bytes += size
        if self.bytes > self.max_bytes:
            self._shrink()

    def get(self, stream: Stream, number: int) -> Stored | None:
        """Return a stored publication."""
        numbers = self._streams.get(stream[2], {}).get(stream)
        return None if numbers is None else numbers.get(number)

    def note_shared(self, stored: Stored) -> None:
        """Note that a neighbour has a publication of this node."""
        if self._unshared.pop(stored.publication.id.number, None) is not None:
            self._ages.setdefault(stored.home, deque()).append(stored)

    def spans(self, topic: Topic) -> Iterator[tuple[Stream, Span]]:
        """Yield the ranges of stored numbers of each stream of a topic. O(n log n) for n stored."""
        for stream, numbers in self._streams.get(topic, {}).items():
            for span in ranges_of(sorted(numbers)):
                yield stream, span

    def drop_old(self, now: int) -> None:
        """Evict publications beyond the age. O(topics), and O(1) for each."""
        limit = now - self.max_age
        for topic in list(self._ages):
            ages = self._ages[topic]
            while ages and ages[0].since < limit:
                self._remove(ages.popleft())
            if not ages:
                del self._ages[topic]

    def drop_topic(self, topic: Topic) -> None:
        """Drop the publications that count for a topic."""
        for stored in self._ages.pop(topic, ()):
            self._remove(stored)
        for stored in [one for one in self._unshared.values() if one.home == topic]:
            del self._unshared[stored.publication.id.number]
            self._remove(stored)

    def check_invariants(self) -> None:
        """Raise AssertionError if the state contradicts itself."""
        kept = [*self._unshared.values(), *(one for ages in self._ages.values() for one in ages)]
        sizes = sum(OVERHEAD + len(one.publication.payload) for one in kept)
        assert sizes == self.bytes == sum(self._sizes.values()), "bytes of the history"
        known = {id(one) for one in kept}
        for streams in self._streams.values():
            for numbers in streams.values():
                assert numbers, "a stream without publications"
                assert all(id(one) in known for one in numbers.values())

    def _shrink(self) -> None:
        """Evict the oldest of the topics with most bytes, to 15/16 of the maximum.

        All topics above some number of bytes are cut to that number.
        """
        excess = self.bytes - self.max_bytes + self.max_bytes // 16
        sizes = sorted((self._sizes[topic] for topic in self._ages), reverse=True)
        level, above = 0, 0
        for place, size in enumerate(sizes, 1):
            above += size
            level = max(0, (above - excess) // place)
            if above >= excess and (place == len(sizes) or level >= sizes[place]):
                break
        for topic in [topic for topic in self._ages if self._sizes[topic] > level]:
            ages = self._ages[topic]
            while ages and self._sizes[topic] > level:
                self._remove(ages.popleft())
            if not ages:
                del self._ages[topic]
        while self.bytes > self.max_bytes and self._unshared:
            self._remove(self._unshared.pop(next(iter(self._unshared))))

    def _remove(self, stored: Stored) -> None:
        one = stored.publication
        size = OVERHEAD + len(one.payload)
        self.bytes -= size
        self._sizes[stored.home] -= size
        if not self._sizes[stored.home]:
            del self._sizes[stored.home]
        for topic, stream, number in _places(one):
            streams = self._streams.get(topic)
            numbers = None if streams is None else streams.get(stream)
            if streams is None or numbers is None or numbers.get(number) is not stored:
                continue
            del numbers[number]
            if not numbers:
                del streams[stream]
                if not streams:
                    del self._streams[topic]


def _places(one: Publication) -> Iterator[tuple[Topic, Stream, int]]:
    for topic, number in zip(one.topics, one.places, strict=True):
        yield topic, (one.id.publisher, one.id.incarnation, topic), number
