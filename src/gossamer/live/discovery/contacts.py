"""Contacts of a node: the addresses that it joins, and the sources that supply such addresses."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from gossamer.live.discovery.sources import MAX_ADDRESSES, JoinSource, source_of
from gossamer.live.log import LOG
from gossamer.protocols.contract import Peer
from gossamer.random_stream import Stream

ADDRESSES_PER_MESSAGE = 3
"""Number of addresses of a source to which a message is sent."""
ATTEMPTS, PAUSE_SECONDS = 10, 0.1
"""Attempts to find an address for a message, and the pause between them."""
MAX_WAITING_MESSAGES = 8


class Contacts:
    """The contacts of a node.

    Parameters
    ----------
    contacts
        Addresses and sources, as the application gives them.
    send
        Function that sends a message to an address.
    down
        Function called with a source that leads to no node.
    random
        Random stream that chooses addresses.
    """

    def __init__(
        self,
        contacts: Iterable[str],
        send: Callable[[Peer, Any], None],
        down: Callable[[Peer], None],
        random: Stream,
    ) -> None:
        self.dialled: set[str] = set(contacts)
        """Addresses that may lead to nodes with other names."""
        self.sources: dict[str, JoinSource] = {}
        """Source of each contact that names one."""
        for one in tuple(self.dialled):
            source = source_of(one)
            if source is not None:
                self.sources[one] = source
        self.dialled -= self.sources.keys()
        self._send = send
        self._down = down
        self._random = random
        self._source_of: dict[str, str] = {}
        """Source of each address that it supplied and that has not answered yet."""
        self._reached_sources: set[str] = set()
        self._own: set[str] = set()
        """Addresses that lead to the node itself."""
        self._waiting: dict[str, deque[Any]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._faults: dict[str, str] = {}

    async def start(self, me: str, protocol: str) -> None:
        """Start the sources, and wait up to a second for the first address of another node.

        Without it, the protocol would find no node to join at its start, and try again much later.
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
        """Send a message to a few addresses of a source when it has supplied them."""
        self._waiting.setdefault(source, deque(maxlen=MAX_WAITING_MESSAGES)).append(message)
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
        source = self._source_of.pop(address, None)
        if source is not None:
            self._reached_sources.add(source)

    def note_down(self, address: str) -> Peer | None:
        """Return the contact that is down if an address does not answer.

        For an address from a source, that is the source, or None if the source has led to a node or
        the address is the node's own. Any other address is a contact itself.
        """
        source = self._source_of.get(address)
        if source is None:
            return address
        return None if source in self._reached_sources or address in self._own else source

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
        for address in self._random.sample(others, min(ADDRESSES_PER_MESSAGE, len(others))):
            if len(self._source_of) < MAX_ADDRESSES or address in self._source_of:
                self._source_of.setdefault(address, source)
                self.dialled.add(address)
                for message in waiting:
                    self._send(address, message)

    def _report(self, source: str, fault: str) -> None:
        if self._faults.get(source) != fault:
            self._faults[source] = fault
            LOG.warning("%s leads to no node (%s); still trying", source, fault)
