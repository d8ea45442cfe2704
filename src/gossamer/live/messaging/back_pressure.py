"""Back-pressure: ``await node.publish(…)`` waits for room, and ``try_publish`` returns without it.

There is room for a publication unless

- the send queue to a linked peer is a quarter full and the peer is reading it. The node does not
  wait for a peer that reads nothing for ``STALLED_SECONDS``: messages beyond the limit of its queue
  are dropped, and the peer pulls the lost publications when it reads again;
- a subscription holds one of the topics (:mod:`~gossamer.live.messaging.holds`).

After ``PUBLICATIONS_PER_TURN`` publications without a pause, a publisher yields to the event loop,
so that readers in the same process keep up. It waits longer while more than ``MAX_UNACKNOWLEDGED``
handovers have no acknowledgement of a known subscriber.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress

from gossamer.live.errors import NotRunningError
from gossamer.live.messaging.holds import ReceivedHolds
from gossamer.live.transport.connection import Connection
from gossamer.live.transport.network import Network

STALLED_SECONDS = 1.0
POLL_SECONDS = 0.05
PUBLICATIONS_PER_TURN = 32
MAX_UNACKNOWLEDGED = 256
"""Half of the handovers that a machine keeps (``components.handover.MAX_WAITING``)."""
UNACKNOWLEDGED_SECONDS = 0.005


class BackPressure:
    """Back-pressure on the publications of a node.

    Parameters
    ----------
    unacknowledged
        Function that returns the number of handovers from the oldest one that still lacks the
        acknowledgement of a known subscriber.
    """

    def __init__(self, unacknowledged: Callable[[], int]) -> None:
        self.holds = ReceivedHolds(self.notify)
        self._congested: dict[Connection, None] = {}
        self._unacknowledged = unacknowledged
        self._progress: dict[Connection, tuple[int, float]] = {}
        """Unwritten bytes of each congested connection, and the time of their last decrease."""
        self._changed: asyncio.Event | None = None
        self._closed = False
        self._turn = 0

    def watch(self, network: Network) -> None:
        """Watch the send queues of a network."""
        self._congested = network.congested
        network.on_room = self.notify

    def has_room(self, topics: Iterable[str]) -> bool:
        """Whether there is room for a publication on some topics; O(1) unless congested or held."""
        return not (self._congested and self._is_peer_reading()) and not self.holds.is_held(topics)

    def _is_peer_reading(self) -> bool:
        """Whether one of the congested peers is reading."""
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

    def need_not_wait(self, topics: Iterable[str]) -> bool:
        """Whether a publication need not wait: there is room, and no pause is due."""
        self._turn += 1
        return self._turn < PUBLICATIONS_PER_TURN and not self._closed and self.has_room(topics)

    async def wait(self, topics: Iterable[str]) -> None:
        """Wait for room, and yield to the event loop if a pause is due.

        Raises
        ------
        NotRunningError
            If the node stops during the wait.
        """
        if self._turn >= PUBLICATIONS_PER_TURN:
            self._turn = 0
            await asyncio.sleep(0)
            await self._wait_for_subscribers()
        if self._changed is None:
            self._changed = asyncio.Event()
        while not self._closed and not self.has_room(topics):
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS):
                    await self._changed.wait()
        if self._closed:
            raise NotRunningError("the node has stopped while the publication waited for room")

    async def _wait_for_subscribers(self) -> None:
        """Wait up to ``STALLED_SECONDS`` for acknowledgements of earlier publications."""
        loop = asyncio.get_running_loop()
        end = loop.time() + STALLED_SECONDS
        while self._unacknowledged() > MAX_UNACKNOWLEDGED and loop.time() < end:
            await asyncio.sleep(UNACKNOWLEDGED_SECONDS)
            if self._closed:
                return

    def notify(self) -> None:
        """Wake waiting publications, which check for room again."""
        if self._changed is not None:
            self._changed.set()

    def close(self) -> None:
        """Wake waiting publications with an error: the node stops."""
        self._closed = True
        self.notify()
