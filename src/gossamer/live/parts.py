"""Large events travel in parts, which subscribers assemble within bounds of memory and time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from gossamer.live.envelope import Part
from gossamer.protocols.contract import Peer

PART_BYTES = 256 << 10


def cut(content: bytes, number: int) -> Iterator[Part]:
    """Yield the parts of a content.

    Examples
    --------
    >>> [(part.index, part.count, len(part.content)) for part in cut(bytes(600_000), 1)]
    [(0, 3, 262144), (1, 3, 262144), (2, 3, 75712)]
    """
    count = -(-len(content) // PART_BYTES)
    for index in range(count):
        piece = content[index * PART_BYTES : (index + 1) * PART_BYTES]
        yield Part(number, index, count, len(content), piece)


@dataclass
class _Assembly:
    """The parts of an event that have arrived."""

    count: int
    size: int
    latest: float
    parts: dict[int, bytes] = field(default_factory=dict)
    bytes: int = 0


class Assembler:
    """Events of which not all parts have arrived.

    Parameters
    ----------
    max_size
        Maximum size of an event.
    max_bytes
        Maximum size of all parts; beyond that, the event that waits longest is given up.
    max_seconds
        Seconds without a further part after which an event is given up.
    clock
        Time in seconds.
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
        """Incomplete events by publisher and number, the one that waits longest first."""

    def __len__(self) -> int:
        return len(self._assemblies)

    def add(self, publisher: Peer, part: Part) -> bytes | None:
        """Add a part; return the content if it is the last one."""
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
        """Give up events of which no part has arrived for long."""
        limit = self._clock() - self._max_seconds
        while self._assemblies:
            key, oldest = next(iter(self._assemblies.items()))
            if oldest.latest >= limit:
                return
            self._give_up(key)

    def _give_up(self, key: tuple[Peer, int]) -> None:
        self.bytes -= self._assemblies.pop(key).bytes
        self.incomplete += 1
