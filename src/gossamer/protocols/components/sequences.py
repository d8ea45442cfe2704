"""The numbers that have arrived of each stream of publications, as ranges.

A stream is one incarnation of a publisher on one topic: its publications have the numbers 1, 2, 3
and so on there. Publishers number by topic since a node does not receive topics that it does not
subscribe to, and their numbers would be gaps. Without loss a stream is one range, however long.

Numbers before the first one that arrived are unknown, not missing: a subscriber need not have been
there. A stream has at most ``MAX_GAPS`` gaps; beyond that the oldest counts as arrived, so that
nothing is delivered twice. ``MAX_STREAMS`` streams are stored; beyond that those that were silent
for longest are forgotten.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from heapq import nsmallest
from operator import itemgetter

from gossamer.protocols.contract import Peer, Topic
from gossamer.time import SECOND

Stream = tuple[Peer, int, Topic]
"""Publisher, incarnation and topic."""
Span = tuple[int, int]
"""First and last number of a range."""

MAX_GAPS = 1024
"""Gaps of a stream: more than those that a request leaves whose answers change places."""
MAX_STREAMS = 1 << 16
MAX_GAP_AGE = 120 * SECOND
"""Microseconds after which a missing publication is given up."""


def ranges_of(numbers: Iterable[int]) -> Iterator[Span]:
    """Yield the ranges of ascending numbers.

    Examples
    --------
    >>> list(ranges_of([1, 2, 3, 7]))
    [(1, 3), (7, 7)]
    """
    first = last = -1
    for number in numbers:
        if number != last + 1 and last >= 0:
            yield first, last
        if number != last + 1 or last < 0:
            first = number
        last = number
    if last >= 0:
        yield first, last


class Arrived:
    """Numbers of a stream that have arrived: all from first to last, but for the gaps."""

    __slots__ = ("_gaps", "first", "heard", "last")

    def __init__(self, number: int, now: int) -> None:
        self.first = number
        self.last = number
        self.heard = now
        """Time of the latest arrival."""
        self._gaps: list[tuple[int, int, int]] = []
        """First and last number of each gap, and the time at which it was noticed, ascending."""

    @property
    def has_gaps(self) -> bool:
        """Whether a number between the first and the last is missing."""
        return bool(self._gaps)

    @property
    def gaps(self) -> tuple[Span, ...]:
        """Missing ranges, ascending."""
        return tuple((first, last) for first, last, _ in self._gaps)

    def latest_gaps(self, count: int) -> tuple[Span, ...]:
        """Return at most some of the missing ranges, those of the highest numbers."""
        return tuple((first, last) for first, last, _ in self._gaps[-count:])

    def add(self, number: int, now: int) -> bool:
        """Note a number; return whether it is new."""
        self.heard = now
        if number == self.last + 1:
            self.last = number
            if self._gaps:
                limit = now - MAX_GAP_AGE
                self._gaps = [gap for gap in self._gaps if gap[2] >= limit]
            return True
        if number > self.last:
            self._gaps.append((self.last + 1, number - 1, now))
            self.last = number
        elif number < self.first:
            if number + 1 < self.first:
                self._gaps.insert(0, (number + 1, self.first - 1, now))
            self.first = number
        elif not self._fill(number):
            return False
        if len(self._gaps) > MAX_GAPS:
            del self._gaps[0]
        return True

    def _fill(self, number: int) -> bool:
        place = bisect_right(self._gaps, number, key=itemgetter(0)) - 1
        if place < 0 or self._gaps[place][1] < number:
            return False
        first, last, since = self._gaps[place]
        parts = ((first, number - 1, since), (number + 1, last, since))
        self._gaps[place : place + 1] = [part for part in parts if part[0] <= part[1]]
        return True

    def missing(self, first: int, last: int) -> list[Span]:
        """Return the ranges between two numbers that have not arrived, ascending."""
        if self.first <= first and last <= self.last and not self._gaps:
            return []
        gaps = [(first, min(last, self.first - 1)), *self.gaps, (max(first, self.last + 1), last)]
        clipped = [(max(start, first), min(end, last)) for start, end in gaps]
        return [span for span in clipped if span[0] <= span[1]]


class Sequences:
    """The streams that a node has received publications of."""

    def __init__(self) -> None:
        self.streams: dict[Stream, Arrived] = {}

    def add(self, stream: Stream, number: int, now: int) -> Arrived | None:
        """Note a number of a stream; return the stream if it is new. O(1) without a gap."""
        arrived = self.streams.get(stream)
        if arrived is None:
            if len(self.streams) >= MAX_STREAMS:
                self._forget()
            arrived = self.streams[stream] = Arrived(number, now)
            return arrived
        return arrived if arrived.add(number, now) else None

    def missing(self, stream: Stream, first: int, last: int) -> list[Span]:
        """Return the ranges of a stream between two numbers that have not arrived."""
        arrived = self.streams.get(stream)
        return [(first, last)] if arrived is None else arrived.missing(first, last)

    def _forget(self) -> None:
        """Forget the eighth of the streams that were silent for longest."""
        heard = self.streams
        for stream in nsmallest(MAX_STREAMS // 8, heard, key=lambda one: heard[one].heard):
            del heard[stream]
