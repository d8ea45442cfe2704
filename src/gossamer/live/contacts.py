"""The addresses to join of a node: each contact is an address or a source of several."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from gossamer.live.bans import LOG
from gossamer.live.discovery import MAX_ADDRESSES, JoinSource, source_of
from gossamer.protocols.contract import Peer
from gossamer.random_stream import Stream

ASKED = 3
"""Addresses of a source that get a message."""
ATTEMPTS, PAUSE_SECONDS = 10, 0.1
MAX_WAITING = 8
"""Attempts to find an address for a message, and the pause between them."""


class Contacts:
    """The contacts of a node.

    Parameters
    ----------
    listed
        Contacts as the application gives them.
    send
        Function that sends a message to an address.
    down
        Called with a source that leads to no node.
    random
        Random stream that chooses addresses.
    """

    def __init__(
        self,
        listed: Iterable[str],
        send: Callable[[Peer, Any], None],
        down: Callable[[Peer], None],
        random: Stream,
    ) -> None:
        self.dialled: set[str] = set(listed)
        """Addresses that may lead to nodes with other names."""
        self.sources: dict[str, JoinSource] = {}
        """Sources by contact."""
        for one in tuple(self.dialled):
            source = source_of(one)
            if source is not None:
                self.sources[one] = source
        self.dialled -= self.sources.keys()
        self._send = send
        self._down = down
        self._random = random
        self._found: dict[str, str] = {}
        """Source of each address that was found and has not answered yet."""
        self._reached: set[str] = set()
        self._own: set[str] = set()
        """Addresses that lead to the node itself."""
        self._waiting: dict[str, deque[Any]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._faults: dict[str, str] = {}

    async def start(self, me: str, protocol: str) -> None:
        """Start the sources, and wait a little for the first address of another node.

        A protocol joins at its start, and would try again much later.
        """
        for source in self.sources.values():
            await source.start(me, protocol)
        for attempt in range(ATTEMPTS if self.sources and not self.dialled else 0):
            await asyncio.sleep(PAUSE_SECONDS if attempt else 0)
            for source in self.sources.values():
                with suppress(OSError, UnicodeError):
                    if any(one not in (me, *self._own) for one in await source.addresses()):
                        return

    async def close(self) -> None:
        """Close the sources."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        for source in self.sources.values():
            source.close()

    def is_own(self, address: str) -> bool:
        """Whether an address leads to the node itself."""
        return address in self._own

    def send(self, source: str, message: Any) -> None:
        """Send a message to a few addresses of a source; a few messages wait for them."""
        self._waiting.setdefault(source, deque(maxlen=MAX_WAITING)).append(message)
        if source not in self._tasks:
            task = asyncio.get_running_loop().create_task(self._send_to_some(source))
            self._tasks[source] = task
            task.add_done_callback(lambda _: self._tasks.pop(source, None))

    def note_own(self, address: str) -> None:
        """Note that an address leads to the node itself."""
        if len(self._own) < MAX_ADDRESSES:
            self._own.add(address)

    def note_reached(self, address: str) -> None:
        """Note that a node answered at an address."""
        source = self._found.pop(address, None)
        if source is not None:
            self._reached.add(source)

    def note_down(self, address: str) -> Peer | None:
        """Return what is down if an address does not answer: it, its source, or nothing."""
        source = self._found.get(address)
        if source is None:
            return address
        return None if source in self._reached or address in self._own else source

    async def _send_to_some(self, source: str) -> None:
        others: list[str] = []
        for attempt in range(ATTEMPTS):
            await asyncio.sleep(PAUSE_SECONDS if attempt else 0)
            try:
                listed = await self.sources[source].addresses()
            except (OSError, UnicodeError) as fault:
                self._report(source, str(fault))
                self._down(source)
                return
            others = [one for one in dict.fromkeys(listed[:MAX_ADDRESSES]) if one not in self._own]
            if others:
                break
        waiting = self._waiting.pop(source, ())
        for address in self._random.sample(others, min(ASKED, len(others))):
            if len(self._found) < MAX_ADDRESSES or address in self._found:
                self._found.setdefault(address, source)
                self.dialled.add(address)
                for message in waiting:
                    self._send(address, message)

    def _report(self, source: str, fault: str) -> None:
        if self._faults.get(source) != fault:
            self._faults[source] = fault
            LOG.warning("%s leads to no node (%s); still trying", source, fault)
