"""Order: deliveries of each publisher and topic in the order of publication, as an option.

A publication that arrives before an earlier one of its stream waits for it, at most ``max_wait``;
then it is delivered with the range that is missing. A publication that arrives after that is not
delivered any more. The first publications that a new subscriber receives wait too, since neighbours
may store earlier ones. A publication on several topics is delivered on each of them when it is its
turn there. At most ``MAX_HELD`` publications wait; beyond that the first of a stream are delivered.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from gossamer.protocols.components.component import Component
from gossamer.protocols.components.sequences import Stream
from gossamer.protocols.contract import Deliver, Effects, Gap, SetTimer

Order = Literal["none", "publisher"]

MAX_HELD = 4096
MAX_STREAMS = 1 << 16


class _Turn:
    """The next number of a stream, and waiting deliveries with the times of their arrival."""

    __slots__ = ("begun", "held", "next")

    def __init__(self) -> None:
        self.next = 1
        self.begun = False
        """Whether a publication was delivered; earlier ones are unknown, not missing."""
        self.held: dict[int, tuple[Deliver, int]] = {}


class Ordering(Component):
    """Deliveries of a node that wait for their turn.

    Parameters
    ----------
    max_wait
        Microseconds for which a delivery waits for earlier ones.
    """

    TIMER: ClassVar[str] = "order"

    def __init__(self, max_wait: int) -> None:
        self.max_wait = max_wait
        self._turns: dict[Stream, _Turn] = {}
        self._held = 0
        self._due: int | None = None

    def deliver(self, stream: Stream, one: Deliver, now: int, out: Effects) -> None:
        """Deliver a publication on one topic, now or when it is its turn."""
        number = one.numbers[0]
        turn = self._turns.get(stream)
        if turn is None:
            while len(self._turns) >= MAX_STREAMS:
                self._flush(next(iter(self._turns)), out)
            turn = self._turns[stream] = _Turn()
        if number < turn.next:
            return
        if number == turn.next:
            turn.next += 1
            turn.begun = True
            out.append(_without_gaps(one))
            self._release(turn, out)
            return
        turn.held[number] = (one, now)
        self._held += 1
        if self._held > MAX_HELD:
            fullest = max(self._turns.values(), key=lambda each: len(each.held))
            self._skip(fullest, out)
        self._schedule(self._due_of(turn), out)

    def on_timer(self, now: int, out: Effects) -> None:
        """Deliver what has waited for too long, with the ranges that are missing."""
        self._due = None
        for turn in self._turns.values():
            while turn.held and self._due_of(turn) <= now:
                self._skip(turn, out)
            if turn.held:
                self._schedule(self._due_of(turn), out)

    def _due_of(self, turn: _Turn) -> int:
        """Return the time at which the first held delivery stops to wait."""
        return next(iter(turn.held.values()))[1] + self.max_wait

    def _skip(self, turn: _Turn, out: Effects) -> None:
        """Deliver the lowest held number, and those that follow it."""
        number = min(turn.held)
        one, _ = turn.held.pop(number)
        self._held -= 1
        missing = (Gap(one.topics[0], turn.next, number - 1),) if turn.begun else ()
        out.append(_without_gaps(one, missing))
        turn.next, turn.begun = number + 1, True
        self._release(turn, out)

    def _release(self, turn: _Turn, out: Effects) -> None:
        while turn.held and turn.next in turn.held:
            one, _ = turn.held.pop(turn.next)
            self._held -= 1
            turn.next += 1
            out.append(_without_gaps(one))

    def _flush(self, stream: Stream, out: Effects) -> None:
        turn = self._turns.pop(stream)
        while turn.held:
            self._skip(turn, out)

    def _schedule(self, at: int, out: Effects) -> None:
        if self._due is None or at < self._due:
            self._due = at
            out.append(SetTimer(self.TIMER, at))


def _without_gaps(one: Deliver, missing: tuple[Gap, ...] = ()) -> Deliver:
    """Return a delivery with the ranges that were skipped for it; none arrives later."""
    return Deliver(one.topics, one.payload, one.publisher, one.hops, one.numbers, missing)
