"""Neighbours that were suspected, and when to ask them again.

Ours, not the paper's: two sides of a partition cover themselves, and nothing else would bring
them together when it heals. Each is asked a few times, after growing pauses.
"""

from __future__ import annotations

from gossamer.protocols.contract import Peer

__all__ = ["ReconnectBackoff"]

FIRST_PAUSE, LAST_PAUSE = 2, 64
"""In heartbeats; a pause is twice the one before it."""
MAX_LOST = 64


class ReconnectBackoff:
    """Whom a node has lost, and in which tasks (as bits).

    Parameters
    ----------
    heartbeat
        The unit of the pauses, in microseconds.
    """

    def __init__(self, heartbeat: int) -> None:
        self._heartbeat = heartbeat
        self._lost: dict[Peer, tuple[int, int, int]] = {}

    @property
    def peers(self) -> list[Peer]:
        """Peers that are asked again."""
        return list(self._lost)

    def add(self, peer: Peer, within: int, now: int) -> None:
        """Remember a neighbour of some tasks; nothing if it was none, or too many are lost."""
        if within and len(self._lost) < MAX_LOST:
            self._lost[peer] = (within, now + FIRST_PAUSE * self._heartbeat, FIRST_PAUSE)

    def found(self, peer: Peer) -> None:
        """Forget one who is a neighbour again."""
        self._lost.pop(peer, None)

    def due(self, now: int) -> list[tuple[Peer, int]]:
        """Return whom to ask now, and for which tasks."""
        asked = []
        for peer, (within, at, pause) in list(self._lost.items()):
            if at > now:
                continue
            if pause > LAST_PAUSE:
                del self._lost[peer]
                continue
            self._lost[peer] = (within, now + 2 * pause * self._heartbeat, 2 * pause)
            asked.append((peer, within))
        return asked
