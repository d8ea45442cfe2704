"""Clock of a live node: microseconds since 1970 at its start, then monotonic."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any


class LoopClock:
    """The clock (:class:`gossamer.host.Clock`) of an event loop.

    It starts at wall-clock time, so that later incarnations have later times, and does not follow
    jumps of the wall clock.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._offset = time.time_ns() // 1000 - int(loop.time() * 1_000_000)

    def now(self) -> int:
        """Return the present time."""
        return self._offset + int(self._loop.time() * 1_000_000)

    def call_at(
        self, when: int, callback: Callable[[Any], None], argument: Any
    ) -> asyncio.TimerHandle:
        """Call back at a time, unless cancelled."""
        # One microsecond is added, so that rounding never makes it early.
        return self._loop.call_at((when - self._offset + 1) / 1_000_000, callback, argument)
