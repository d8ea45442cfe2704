"""Announcements: which publications a node reports to which neighbours, and until when.

Publications that have arrived are announced together, ``LEAD`` after the first of them, and at most
every ``INTERVAL`` while more arrive: to neighbours whose link is lazy on the topic. Neighbours with
an eager link have probably received them; they get an announcement every period, which repairs
losses. A neighbour that has announced a publication itself needs no announcement of it.

An announcement is repeated every period until the neighbour has seen it. Then the neighbour knows
what it misses, and requests it; so when all is seen, there is silence.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from gossamer.protocols.components.sequences import Span, Stream
from gossamer.protocols.components.tree_messages import MAX_RANGES, Announcement, Range
from gossamer.protocols.contract import Effects, Peer, Send

LEAD = 50_000
INTERVAL = 250_000

Owed = dict[Stream, list[int]]
"""First and last numbers of ranges by stream, in one list."""


class Announcer:
    """Announcements to the linked peers of a node.

    Parameters
    ----------
    period
        Microseconds between announcements to neighbours with eager links, and between attempts.
    """

    def __init__(self, period: int) -> None:
        self.period = period
        self.lead = min(LEAD, period // 4)
        self.interval = min(INTERVAL, period // 4)
        self.due: int | None = None
        """Time of the next announcements; None if nothing is to be announced."""
        self.delay = 0
        """Microseconds by which acknowledgements are late: the queues of a busy network."""
        self._last = -self.interval
        self._number = 0
        self._arrived: dict[Stream, tuple[Peer | None, list[int]]] = {}
        """Ranges that have arrived since the last announcements, and their source if it is one."""
        self._heard: dict[tuple[Peer, Stream], Span] = {}
        """Ranges that peers have announced since then."""
        self._owed: dict[Peer, Owed] = {}
        self._sent: dict[Peer, deque[tuple[int, int, Owed]]] = {}
        """Number, time and ranges of announcements that peers have not seen."""
        self._seen: dict[Peer, list[int]] = {}
        """Numbers of announcements that peers have sent, and that were not acknowledged."""
        self._at: dict[Peer, int] = {}
        """Time of the last announcement to a peer."""

    # -- links ---------------------------------------------------------------------------------

    @property
    def peers(self) -> set[Peer]:
        """Linked peers."""
        return set(self._owed)

    def link(self, peer: Peer) -> None:
        """Note a link."""
        self._owed[peer] = {}
        self._sent[peer] = deque()
        self._seen[peer] = []
        self._at[peer] = -self.period

    def unlink(self, peer: Peer) -> None:
        """Note the end of a link."""
        for part in (self._owed, self._sent, self._seen, self._at):
            part.pop(peer, None)

    # -- what is announced ---------------------------------------------------------------------

    def note_arrived(self, stream: Stream, number: int, source: Peer | None, now: int) -> None:
        """Note a publication that has arrived, to announce it."""
        known = self._arrived.get(stream)
        if known is None:
            self._arrived[stream] = (source, [number, number])
            if self.due is None:
                self.due = max(now + self.lead, self._last + self.interval)
            return
        if known[0] != source:
            known = self._arrived[stream] = (None, known[1])
        _extend(known[1], number, number)

    def owe(self, peer: Peer, spans: Iterable[tuple[Stream, Span]], now: int) -> None:
        """Announce ranges to a peer soon, for instance the history to a new neighbour."""
        owed = self._owed[peer]
        before = len(owed)
        for stream, span in spans:
            _extend(owed.setdefault(stream, []), *span)
        if len(owed) > before:
            self._at[peer] = -self.period
            self._schedule(now + self.lead)

    def heard(self, peer: Peer, message: Announcement, now: int) -> None:
        """Note an announcement of a peer."""
        owed = self._owed.get(peer)
        if owed is None:
            return
        if message.seen:
            sent = self._sent[peer]
            seen = frozenset(message.seen)
            for number, at, _ in sent:
                if number in seen:
                    late = max(0, now - at - self.interval - self.lead)
                    self.delay = (
                        late if late > self.delay else self.delay - (self.delay - late) // 8
                    )
            self._sent[peer] = deque(one for one in sent if one[0] not in seen)
        if message.number and len(self._seen[peer]) < MAX_RANGES:
            self._seen[peer].append(message.number)
            self._schedule(max(now + self.lead, self._last + self.interval))
        for one in message.ranges:
            stream = one.stream
            self._heard[peer, stream] = (one.first, one.last)
            spans = owed.get(stream)
            if spans and one.first <= min(spans) and max(spans) <= one.last:
                del owed[stream]

    # -- announcing ----------------------------------------------------------------------------

    def announce(self, links: Mapping[Stream, Mapping[Peer, int]], now: int, out: Effects) -> None:
        """Send what is due. ``links`` are those of the topic of each stream; 0 for an eager one."""
        self.due = None
        self._last = now
        lazy = self._distribute(links)
        self._arrived.clear()
        self._heard.clear()
        waiting = False
        for peer, owed in self._owed.items():
            sent = self._sent[peer]
            while sent and sent[0][1] <= now - self.period:
                for stream, spans in sent.popleft()[2].items():
                    _merge(owed, stream, spans)
            ready = peer in lazy or self._at[peer] <= now - self.period
            if (owed and ready) or self._seen[peer]:
                self._send(peer, owed if ready else {}, now, out)
            waiting = waiting or bool(owed or sent)
        if waiting:
            self._schedule(now + self.interval)

    @property
    def arrived(self) -> Iterable[Stream]:
        """Streams of the publications that have arrived since the last announcements."""
        return self._arrived

    def _distribute(self, links: Mapping[Stream, Mapping[Peer, int]]) -> set[Peer]:
        """Add what has arrived to what is owed; return the peers to which some of it is lazy."""
        lazy: set[Peer] = set()
        for stream, (source, spans) in self._arrived.items():
            for peer, pruned in links[stream].items():
                if peer == source or peer == stream[0]:
                    continue
                heard = self._heard.get((peer, stream))
                if heard is not None and heard[0] <= min(spans) and max(spans) <= heard[1]:
                    continue
                _merge(self._owed[peer], stream, spans)
                if pruned:
                    lazy.add(peer)
        return lazy

    def _send(self, peer: Peer, owed: Owed, now: int, out: Effects) -> None:
        ranges: list[Range] = []
        listed: Owed = {}
        for stream, spans in owed.items():
            if len(ranges) + len(spans) // 2 > MAX_RANGES:
                break
            ranges += [Range.of(stream, span) for span in zip(spans[::2], spans[1::2], strict=True)]
            listed[stream] = spans
        for stream in listed:
            del owed[stream]
        number = 0
        if ranges:
            number = self._number = self._number + 1
            self._sent[peer].append((number, now, listed))
            self._at[peer] = -self.period if owed else now
        out.append(Send(peer, Announcement(number, tuple(self._seen[peer]), tuple(ranges))))
        self._seen[peer] = []

    def _schedule(self, at: int) -> None:
        if self.due is None or at < self.due:
            self.due = at


def _extend(spans: list[int], first: int, last: int) -> None:
    """Add a range to others, ascending where possible."""
    if spans and spans[-1] + 1 >= first >= spans[-2]:
        spans[-1] = max(spans[-1], last)
    elif len(spans) < MAX_RANGES:
        spans += (first, last)
    else:  # as one range: the receiver asks for what it misses of it
        low, high = min(first, *spans), max(last, *spans)
        spans[:] = (low, high)


def _merge(owed: Owed, stream: Stream, spans: list[int]) -> None:
    known = owed.get(stream)
    if known is None:
        owed[stream] = list(spans)
        return
    for place in range(0, len(spans), 2):
        _extend(known, spans[place], spans[place + 1])
