"""Parts: large events are split for the way, and assembled within bounds of memory and time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from gossamer.live.events.envelope import Part
from gossamer.protocols.contract import Peer

PART_BYTES = 256 << 10


def split(content: bytes, number: int) -> Iterator[Part]:
    """Yield the parts of an encoded envelope.

    Examples
    --------
    >>> [(part.index, part.count, len(part.content)) for part in split(bytes(600_000), 1)]
    [(0, 3, 262144), (1, 3, 262144), (2, 3, 75712)]
    """
    count = -(-len(content) // PART_BYTES)
    for index in range(count):
        piece = content[index * PART_BYTES : (index + 1) * PART_BYTES]
        yield Part(number, index, count, len(content), piece)


@dataclass
class _Assembly:
    """An event of which some parts have arrived."""

    count: int
    size: int
    latest: float
    parts: dict[int, bytes] = field(default_factory=dict)
    bytes: int = 0


class Assembler:
    """Assembler of events from their parts.

    Parameters
    ----------
    max_size
        Maximum size of an event in bytes.
    max_bytes
        Maximum size of all stored parts in bytes. Beyond that, the event whose latest part is the
        oldest is given up.
    max_seconds
        Seconds without a further part after which an event is given up.
    clock
        Function that returns the time in seconds.
    """

    def __init__(
        self,
        max_size: int,
        max_bytes: int,
        max_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.incomplete = 0
        """Number of events that were given up."""
        self.bytes = 0
        self._max_size = max_size
        self._max_bytes = max_bytes
        self._max_seconds = max_seconds
        self._clock = clock
        self._assemblies: dict[tuple[Peer, int], _Assembly] = {}
        """Incomplete events by publisher and number, in the order of their latest parts."""

    def __len__(self) -> int:
        return len(self._assemblies)

    def add(self, publisher: Peer, part: Part) -> bytes | None:
        """Add a part; return the whole content if no part is missing."""
        self.drop_old()
        if part.size > self._max_size or part.index >= part.count or part.count > part.size:
            self.incomplete += 1
            return None
        key = (publisher, part.number)
        found = self._assemblies.pop(key, None) or _Assembly(part.count, part.size, 0.0)
        self._assemblies[key] = found
        found.latest = self._clock()
        if part.index not in found.parts:
            found.parts[part.index] = part.content
            found.bytes += len(part.content)
            self.bytes += len(part.content)
        if found.bytes > found.size or (found.count, found.size) != (part.count, part.size):
            self._give_up(key)
            return None
        if len(found.parts) == found.count:
            del self._assemblies[key]
            self.bytes -= found.bytes
            content = b"".join(found.parts[index] for index in range(found.count))
            if len(content) == found.size:
                return content
            self.incomplete += 1
            return None
        while self.bytes > self._max_bytes:
            self._give_up(next(iter(self._assemblies)))
        return None

    def drop_old(self) -> None:
        """Give up events of which no part has arrived for ``max_seconds``."""
        limit = self._clock() - self._max_seconds
        while self._assemblies:
            key, oldest = next(iter(self._assemblies.items()))
            if oldest.latest >= limit:
                return
            self._give_up(key)

    def _give_up(self, key: tuple[Peer, int]) -> None:
        self.bytes -= self._assemblies.pop(key).bytes
        self.incomplete += 1
