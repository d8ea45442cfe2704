"""Room for publications: ``await node.publish(…)`` waits for it, ``try_publish`` asks for it.

There is room unless

- the send queue to a linked peer is a quarter full and the peer is reading it. A peer that reads
  nothing for ``STALLED_SECONDS`` is not waited for: what its queue has no room for is dropped, and
  repaired from the history when it reads again;
- a subscription holds one of the topics (:mod:`~gossamer.live.holds`).

A publisher gives way to the event loop at every ``TURN``-th publication, so that readers of the
same process keep up; and longer while publications on topics that the node does not subscribe to
wait for the acknowledgement of a known subscriber.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress

from gossamer.live.connection import Connection
from gossamer.live.errors import NotRunningError
from gossamer.live.holds import Holds
from gossamer.live.network import Network

STALLED_SECONDS = 1.0
POLL_SECONDS = 0.05
TURN = 32
MAX_UNACKNOWLEDGED = 256
"""Half of the handovers that a machine keeps (``components.handover.MAX_WAITING``)."""
UNACKNOWLEDGED_SECONDS = 0.005


class Room:
    """Room for the publications of a node.

    Parameters
    ----------
    unacknowledged
        Function that returns the number of handovers since the oldest one that a known subscriber
        has not acknowledged.
    """

    def __init__(self, unacknowledged: Callable[[], int]) -> None:
        self.holds = Holds(self.notify)
        self._congested: dict[Connection, None] = {}
        self._unacknowledged = unacknowledged
        self._progress: dict[Connection, tuple[int, float]] = {}
        """Unwritten bytes of each congested connection, and since when it has no fewer."""
        self._changed: asyncio.Event | None = None
        self._closed = False
        self._turn = 0

    def watch(self, network: Network) -> None:
        """Watch the send queues of a network."""
        self._congested = network.congested
        network.on_room = self.notify

    def free(self, topics: Iterable[str]) -> bool:
        """Whether there is room for a publication on some topics. O(1) if nothing is congested."""
        return not (self._congested and self._reading()) and not self.holds.held(topics)

    def _reading(self) -> bool:
        """Whether a congested peer is reading."""
        now = asyncio.get_running_loop().time()
        before, self._progress = self._progress, {}
        reading = False
        for connection in self._congested:
            unwritten = connection.unwritten
            earlier, since = before.get(connection, (unwritten + 1, now))
            since = now if unwritten < earlier else since
            self._progress[connection] = (unwritten, since)
            reading = reading or now - since < STALLED_SECONDS
        return reading

    def passes(self, topics: Iterable[str]) -> bool:
        """Whether a publication need not wait: there is room, and it is not the turn of others."""
        self._turn += 1
        return self._turn < TURN and not self._closed and self.free(topics)

    async def wait(self, topics: Iterable[str]) -> None:
        """Wait for room, and give way to the event loop.

        Raises
        ------
        NotRunningError
            If the node stops meanwhile.
        """
        if self._turn >= TURN:
            self._turn = 0
            await asyncio.sleep(0)
            await self._wait_for_subscribers()
        if self._changed is None:
            self._changed = asyncio.Event()
        while not self._closed and not self.free(topics):
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS):
                    await self._changed.wait()
        if self._closed:
            raise NotRunningError("the node has stopped while the publication waited for room")

    async def _wait_for_subscribers(self) -> None:
        """Wait, not forever, until subscribers have acknowledged earlier publications."""
        loop = asyncio.get_running_loop()
        end = loop.time() + STALLED_SECONDS
        while self._unacknowledged() > MAX_UNACKNOWLEDGED and loop.time() < end:
            await asyncio.sleep(UNACKNOWLEDGED_SECONDS)
            if self._closed:
                return

    def notify(self) -> None:
        """Let waiting publications look for room again."""
        if self._changed is not None:
            self._changed.set()

    def close(self) -> None:
        """End all waiting: the node stops."""
        self._closed = True
        self.notify()
