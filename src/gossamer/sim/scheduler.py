"""Virtual time: what is to happen, ordered by (time, sequence).

Of two things at the same time, the one that was scheduled first happens first; nothing else
decides, so a run is the same every time.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

__all__ = ["Scheduler"]

Call = Callable[[Any, Any], None]


class _Timer:
    """A call that can be taken back."""

    __slots__ = ("argument", "callback")

    def __init__(self, callback: Callable[[Any], None], argument: Any) -> None:
        self.callback: Callable[[Any], None] | None = callback
        self.argument = argument

    def cancel(self) -> None:
        """Let it not happen. Its place in the queue stays until its time."""
        self.callback = None


def _run_timer(timer: _Timer, _: Any) -> None:
    callback = timer.callback
    if callback is not None:
        timer.callback = None
        callback(timer.argument)


class Scheduler:
    """A clock (:class:`gossamer.host.Clock`) whose time passes only by what happens.

    Scheduling and running cost O(log n) for n things that are waiting.
    """

    def __init__(self) -> None:
        self.time = 0
        self.happened = 0
        """How many things have happened, cancelled ones included."""
        self._waiting: list[tuple[int, int, Call, Any, Any]] = []
        self._sequence = 0

    def now(self) -> int:
        """Return the present time."""
        return self.time

    def at(self, when: int, call: Call, first: Any, second: Any) -> None:
        """Let something happen at a time, or next if that is past."""
        self._sequence = sequence = self._sequence + 1
        time = self.time
        heapq.heappush(
            self._waiting, (when if when > time else time, sequence, call, first, second)
        )

    def call_at(self, when: int, callback: Callable[[Any], None], argument: Any) -> _Timer:
        """Call back at a time, unless cancelled before."""
        timer = _Timer(callback, argument)
        self.at(when, _run_timer, timer, None)
        return timer

    def run(self, until: int) -> None:
        """Let everything happen that is due up to and including a time."""
        waiting, pop = self._waiting, heapq.heappop
        happened = 0
        while waiting and waiting[0][0] <= until:
            when, _, call, first, second = pop(waiting)
            self.time = when
            happened += 1
            call(first, second)
        self.time = until
        self.happened += happened

    @property
    def idle(self) -> bool:
        """Whether nothing is waiting."""
        return not self._waiting
