"""Repairs: publications that neighbours have announced and that have not arrived.

A node waits a little, since most of them are on their way on a tree. Then it requests them from a
peer that has announced them; if there is no answer, the next peer is asked, after pauses that
double. If a publication still arrives on the tree after it was requested, the node was too
impatient: it doubles the wait, up to ``MAX_PATIENCE``, and shortens it again when that happens no
more. So a busy network is not loaded with requests that it makes itself. At most ``MAX_REQUESTED``
publications, or about ``MAX_BYTES``, are requested of a peer at a time, so that a long history
fills no queue.
"""

from __future__ import annotations

from collections.abc import Iterator

from gossamer.protocols.components.sequences import Sequences, Span, Stream
from gossamer.protocols.contract import Peer

PATIENCE, MAX_PATIENCE = 100_000, 800_000
CALM = 10_000_000
"""Microseconds without a redundant request after which the wait is halved."""
RETRY, MAX_DOUBLINGS = 250_000, 2
MAX_REQUESTED = 512
MAX_BYTES = 1 << 20
MAX_OFFERS = 8
MAX_SHORT = 16
"""Publications of a short request, which are sent on at once; others are announced."""
MAX_TRIES = 24
MAX_WANTED = 1 << 14


class Wanted:
    """Announced publications of a stream, and the peers that have announced them."""

    __slots__ = ("asked", "due", "first", "last", "late", "left", "offers", "short", "tries")

    def __init__(self, first: int, last: int, due: int) -> None:
        self.first = first
        self.last = last
        self.due = due
        self.offers: dict[Peer, Span] = {}
        self.asked: Peer | None = None
        self.left = 0
        """Publications of the present request that have not arrived."""
        self.short = False
        """Whether few publications were missing at the present request."""
        self.tries = 0
        self.late = False


class Repairs:
    """The publications that a node requests."""

    def __init__(self, sequences: Sequences) -> None:
        self.due: int | None = None
        """Time of the next request, or before; None if nothing is wanted."""
        self._sequences = sequences
        self._wanted: dict[Stream, Wanted] = {}
        self.patience = PATIENCE
        self.delay = 0
        """Microseconds by which messages are late, which are waited for too."""
        self._changed = 0
        """Time at which the wait changed."""
        self._size = MAX_BYTES // MAX_SHORT
        """Mean size of answers in bytes."""

    def __len__(self) -> int:
        return len(self._wanted)

    def offer(self, stream: Stream, span: Span, peer: Peer, now: int) -> None:
        """Note that a peer has publications, some of which have not arrived."""
        wanted = self._wanted.get(stream)
        if wanted is None:
            if len(self._wanted) >= MAX_WANTED:
                return  # it is announced again
            wanted = self._wanted[stream] = Wanted(*span, now + self.patience + 2 * self.delay)
            self._schedule(wanted.due)
        wanted.first, wanted.last = min(wanted.first, span[0]), max(wanted.last, span[1])
        known = wanted.offers.pop(peer, span)
        wanted.offers[peer] = (min(known[0], span[0]), max(known[1], span[1]))
        if len(wanted.offers) > MAX_OFFERS:
            del wanted.offers[next(iter(wanted.offers))]

    def note_answer(self, stream: Stream, peer: Peer, size: int, now: int) -> None:
        """Note an answer of a peer; the next requests are due after the last one."""
        wanted = self._wanted.get(stream)
        if wanted is None or wanted.asked != peer:
            return
        self._size += (size - self._size) // 8
        wanted.left -= 1
        wanted.due = now + max(RETRY, self.patience) + 2 * self.delay
        wanted.tries = 0
        if wanted.left == 0:
            for one in self._wanted.values():
                if one.asked is None or one is wanted:
                    one.asked, one.due = None, now
            self.due = now

    def note_redundant(self, now: int) -> None:
        """Note that a publication that was requested has arrived on the tree too."""
        if now - self._changed >= self.patience:
            self.patience = min(2 * self.patience, MAX_PATIENCE)
            self._changed = now

    def is_short(self, stream: Stream) -> bool:
        """Whether the present request of a stream is short."""
        wanted = self._wanted.get(stream)
        return wanted is not None and wanted.short

    def forget(self, peer: Peer) -> None:
        """Ask other peers than this one."""
        for wanted in self._wanted.values():
            wanted.offers.pop(peer, None)

    def postpone(self, now: int, lag: int) -> None:
        """Wait longer, since the timer was late: messages may be waiting to be read."""
        for wanted in self._wanted.values():
            if wanted.due <= now and not wanted.late:
                wanted.late = True
                wanted.due = now + 2 * lag
        self.due = min((wanted.due for wanted in self._wanted.values()), default=None)

    def requests(self, now: int) -> Iterator[tuple[Peer, Stream, list[Span]]]:
        """Yield the requests that are due: peer, stream and ranges."""
        if self.patience > PATIENCE and now - self._changed >= CALM:
            self.patience = max(PATIENCE, self.patience // 2)
            self._changed = now
        busy: dict[Peer, int] = {}
        for wanted in self._wanted.values():
            if wanted.asked is not None and wanted.due > now:
                busy[wanted.asked] = busy.get(wanted.asked, 0) + wanted.left
        most = max(1, min(MAX_REQUESTED, MAX_BYTES // max(self._size, 1)))
        for stream, wanted in list(self._wanted.items()):
            if wanted.due > now:
                continue
            missing = self._sequences.missing(stream, wanted.first, wanted.last)
            if not missing or not wanted.offers or wanted.tries > MAX_TRIES:
                del self._wanted[stream]
                continue
            wanted.asked, wanted.left = None, 0
            wanted.short = missing[-1][1] - missing[0][0] < MAX_SHORT
            pause = max(RETRY, self.patience) + 2 * self.delay
            wanted.due = now + (pause << min(wanted.tries, MAX_DOUBLINGS))
            for peer, offered in list(wanted.offers.items()):
                spans = _first_of(missing, offered, most - busy.get(peer, 0))
                if spans:
                    wanted.offers[peer] = wanted.offers.pop(peer)  # the last one the next time
                    wanted.asked = peer
                    wanted.left = sum(last - first + 1 for first, last in spans)
                    wanted.tries += 1
                    busy[peer] = busy.get(peer, 0) + wanted.left
                    yield peer, stream, spans
                    break
        self.due = min((wanted.due for wanted in self._wanted.values()), default=None)

    def _schedule(self, at: int) -> None:
        if self.due is None or at < self.due:
            self.due = at


def _first_of(missing: list[Span], offered: Span, most: int) -> list[Span]:
    """Return the first missing numbers that are offered."""
    found: list[Span] = []
    for first, last in missing:
        first, last = (
            max(first, offered[0]),
            min(last, offered[1], max(first, offered[0]) + most - 1),
        )
        if first <= last:
            found.append((first, last))
            most -= last - first + 1
    return found
