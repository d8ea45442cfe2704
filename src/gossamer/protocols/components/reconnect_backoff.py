"""Reconnection to suspected neighbours, with exponential backoff.

Ours: both sides of a partition reach coverage on their own, so without it they would stay
disconnected after it heals. Each neighbour is asked a few times, after increasing pauses.
"""

from __future__ import annotations

from gossamer.protocols.contract import Peer

FIRST_PAUSE, LAST_PAUSE = 2, 64
"""Pauses in heartbeats; each is twice the previous one."""
MAX_LOST = 64


class ReconnectBackoff:
    """Lost neighbours, with the tasks that they served (as bits).

    Parameters
    ----------
    heartbeat
        Microseconds between heartbeats, the unit of pauses.
    """

    def __init__(self, heartbeat: int) -> None:
        self._heartbeat = heartbeat
        self._lost: dict[Peer, tuple[int, int, int]] = {}

    @property
    def peers(self) -> list[Peer]:
        """Peers that are asked again."""
        return list(self._lost)

    def add(self, peer: Peer, within: int, now: int) -> None:
        """Add a lost neighbour of some tasks, unless there are too many."""
        if within and len(self._lost) < MAX_LOST:
            self._lost[peer] = (within, now + FIRST_PAUSE * self._heartbeat, FIRST_PAUSE)

    def found(self, peer: Peer) -> None:
        """Remove a peer that is a neighbour again."""
        self._lost.pop(peer, None)

    def due(self, now: int) -> list[tuple[Peer, int]]:
        """Return the peers to ask now, each with its tasks."""
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
