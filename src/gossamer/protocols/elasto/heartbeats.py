"""Heartbeats to linked peers and to those near on the circle, and who of them is silent.

Who has had all that the node says of itself gets a short heartbeat with its version; who has not,
a profile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.protocols.components.component import Component
from gossamer.protocols.components.failure_detector import FailureDetector
from gossamer.protocols.contract import Effects, Peer, Send
from gossamer.protocols.elasto.messages import NeighbQ, NodeProfile, VersionHeartbeat

if TYPE_CHECKING:
    from gossamer.protocols.elasto.machine import ElastO

__all__ = ["Heartbeats"]


class Heartbeats(Component):
    """Whom a node watches, and which version of itself each was told.

    Parameters
    ----------
    node
        Whose.
    detector
        Says who has been silent for too long.
    """

    def __init__(self, node: ElastO, detector: FailureDetector) -> None:
        self._node = node
        self._detector = detector
        self._watched: dict[Peer, None] = {}
        self._told: dict[Peer, int] = {}

    def heard(self, peer: Peer, now: int) -> None:
        """Note a sign of life of somebody who is watched."""
        if peer in self._watched:
            self._detector.heard(peer, now)

    def watch(self, peer: Peer, now: int) -> None:
        """Watch a peer from now on."""
        self._watched[peer] = None
        self._detector.heard(peer, now)

    def forget(self, peer: Peer) -> None:
        """Watch a peer no more."""
        self._detector.forget(peer)
        self._watched.pop(peer, None)
        self._told.pop(peer, None)

    def note_sent(self, peer: Peer) -> None:
        """Note that a peer was told what the node is like now."""
        if peer in self._watched:
            self._told[peer] = self._node.version

    def silent(self, now: int) -> list[Peer]:
        """Return who has been silent for too long."""
        return self._detector.suspects(now)

    def send(self, now: int, out: Effects) -> None:
        """Send a heartbeat to everybody who is watched; ask predecessors who changed for news."""
        self._update_watched(now)
        node, told = self._node, self._told
        version, epoch = node.version, node.epoch
        beats = (VersionHeartbeat(version, False, epoch), VersionHeartbeat(version, True, epoch))
        for peer in self._watched:
            linked = peer in node.neighbours
            if told.get(peer) == version:
                out.append(Send(peer, beats[linked]))
            else:
                told[peer] = version
                out.append(Send(peer, NodeProfile(node.own(), linked, epoch)))
        local = node.local
        out += [  # Algorithm 6, lines 5-11
            Send(peer, NeighbQ(peer))
            for peer in local.pred
            if local.pversions.get(peer, -1) < local.known[peer].version
        ]

    def _update_watched(self, now: int) -> None:
        """Watch linked peers and those near on the circle, and nobody else."""
        wanted = {**dict.fromkeys(self._node.neighbours), **self._node.local.ring_peers()}
        if wanted.keys() == self._watched.keys():
            return
        for peer in list(self._watched):
            if peer not in wanted:
                self.forget(peer)
        for peer in wanted:
            if peer not in self._watched:
                self.watch(peer, now)
