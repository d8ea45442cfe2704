"""Callbacks of the application, which run outside the node's own work.

The event loop calls them in order, in its next iteration. The node is not carrying out effects
then, so a callback may call its methods. An exception in a callback is logged and counted, with no
other effect. If a callback returns a coroutine, that runs as a task.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from gossamer.live.log import LOG

Callback = Callable[..., object]


class Callbacks:
    """The callbacks of a node that are due or running.

    Parameters
    ----------
    name
        Name of the node in the log.
    """

    def __init__(self, name: str) -> None:
        self.errors = 0
        self._name = name
        self._loop = asyncio.get_running_loop()
        self._due: deque[tuple[Callback, tuple[Any, ...]]] = deque()
        self._scheduled = False
        self._tasks: set[asyncio.Task[Any]] = set()

    def call_soon(self, callback: Callback, *arguments: Any) -> None:
        """Call back in the next iteration of the event loop."""
        self._due.append((callback, arguments))
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._call_due)

    def _call_due(self) -> None:
        self._scheduled = False
        due, self._due = self._due, deque()
        for callback, arguments in due:
            self._call(callback, arguments)

    def _call(self, callback: Callback, arguments: tuple[Any, ...]) -> None:
        try:
            result = callback(*arguments)
        except Exception as fault:
            self._failed(callback, fault)
            return
        if inspect.iscoroutine(result):
            task = self._loop.create_task(self._run(callback, result))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _run(self, callback: Callback, running: Coroutine[Any, Any, object]) -> None:
        try:
            await running
        except Exception as fault:
            self._failed(callback, fault)

    def _failed(self, callback: Callback, fault: Exception) -> None:
        self.errors += 1
        name = getattr(callback, "__qualname__", repr(callback))
        LOG.error("%s: the callback %s failed", self._name, name, exc_info=fault)

    async def finish(self, seconds: float) -> None:
        """Call the callbacks that are due, wait some seconds for tasks, and cancel the others.

        The calling task is neither awaited nor cancelled.
        """
        self._call_due()
        tasks = self._tasks - {asyncio.current_task()}
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
