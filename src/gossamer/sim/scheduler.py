"""Virtual time: a queue of calls ordered by (time, sequence).

Of two calls at the same time, the one scheduled first runs first, so runs are reproducible.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

Call = Callable[[Any, Any], None]


class _Timer:
    """A call that can be cancelled."""

    __slots__ = ("argument", "callback")

    def __init__(self, callback: Callable[[Any], None], argument: Any) -> None:
        self.callback: Callable[[Any], None] | None = callback
        self.argument = argument

    def cancel(self) -> None:
        """Cancel the call. Its queue entry stays until its time."""
        self.callback = None


def _run_timer(timer: _Timer, _: Any) -> None:
    callback = timer.callback
    if callback is not None:
        timer.callback = None
        callback(timer.argument)


class Scheduler:
    """Clock (:class:`gossamer.host.Clock`) that advances from call to call.

    Scheduling and running cost O(log n) for n waiting calls.
    """

    def __init__(self) -> None:
        self.time = 0
        self.happened = 0
        """Number of calls made, cancelled ones included."""
        self._waiting: list[tuple[int, int, Call, Any, Any]] = []
        self._sequence = 0

    def now(self) -> int:
        """Return the virtual time in microseconds."""
        return self.time

    def at(self, when: int, call: Call, first: Any, second: Any) -> None:
        """Schedule a call at a time, or next if that is past."""
        self._sequence = sequence = self._sequence + 1
        time = self.time
        heapq.heappush(
            self._waiting, (when if when > time else time, sequence, call, first, second)
        )

    def call_at(self, when: int, callback: Callable[[Any], None], argument: Any) -> _Timer:
        """Schedule a callback that can be cancelled."""
        timer = _Timer(callback, argument)
        self.at(when, _run_timer, timer, None)
        return timer

    def run(self, until: int) -> None:
        """Make all calls that are due up to and including a time."""
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
        """Whether no call is waiting."""
        return not self._waiting
