"""Peers that are ignored for some time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator


class Bans:
    """Peers that are banned, each for the same time.

    Parameters
    ----------
    seconds
        Time for which a peer is banned.
    max_peers
        Maximum number of banned peers; beyond that the ban of the first one ends.
    """

    def __init__(self, seconds: float, max_peers: int) -> None:
        self._seconds = seconds
        self._max_peers = max_peers
        self.until: dict[str, float] = {}
        """Time until which each peer is banned."""

    def add(self, peer: str) -> None:
        """Ban a peer."""
        if len(self.until) >= self._max_peers:
            del self.until[next(iter(self.until))]
        self.until[peer] = asyncio.get_running_loop().time() + self._seconds

    def __len__(self) -> int:
        return len(self.until)

    def __iter__(self) -> Iterator[str]:
        return iter(self.until)

    def __contains__(self, peer: str) -> bool:
        """Whether a peer is banned now."""
        until = self.until.get(peer)
        if until is None:
            return False
        if asyncio.get_running_loop().time() < until:
            return True
        del self.until[peer]
        return False
