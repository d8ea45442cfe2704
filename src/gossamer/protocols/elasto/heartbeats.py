"""Heartbeats to linked peers and ring neighbours, and detection of silent ones.

A peer that has the current descriptor receives a short heartbeat with its version; other peers
receive a profile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.protocols.components.component import Component
from gossamer.protocols.components.failure_detector import FailureDetector
from gossamer.protocols.contract import Effects, Peer, Send
from gossamer.protocols.elasto.messages import NeighbQ, NodeProfile, VersionHeartbeat

if TYPE_CHECKING:
    from gossamer.protocols.elasto.machine import ElastO


class Heartbeats(Component):
    """Watched peers, and the version of the node that each has.

    Parameters
    ----------
    node
        Machine that this component belongs to.
    detector
        Failure detector of the watched peers.
    """

    def __init__(self, node: ElastO, detector: FailureDetector) -> None:
        self._node = node
        self._detector = detector
        self._watched: dict[Peer, None] = {}
        self._sent: dict[Peer, int] = {}

    def heard(self, peer: Peer, now: int) -> None:
        """Note a sign of life of a watched peer."""
        if peer in self._watched:
            self._detector.heard(peer, now)

    def watch(self, peer: Peer, now: int) -> None:
        """Watch a peer."""
        self._watched[peer] = None
        self._detector.heard(peer, now)

    def forget(self, peer: Peer) -> None:
        """Stop watching a peer."""
        self._detector.forget(peer)
        self._watched.pop(peer, None)
        self._sent.pop(peer, None)

    def note_sent(self, peer: Peer) -> None:
        """Note that a peer has the current descriptor."""
        if peer in self._watched:
            self._sent[peer] = self._node.version

    def silent(self, now: int) -> list[Peer]:
        """Return the suspected peers."""
        return self._detector.suspects(now)

    def send(self, now: int, out: Effects) -> None:
        """Send heartbeats to all watched peers; query the neighbours of changed predecessors."""
        self._update_watched(now)
        node, sent = self._node, self._sent
        version = node.version
        for peer in self._watched:
            linked, epoch = peer in node.neighbours, node.epoch_for(peer)
            if sent.get(peer) == version:
                out.append(Send(peer, VersionHeartbeat(version, linked, epoch)))
            else:
                sent[peer] = version
                out.append(Send(peer, NodeProfile(node.own(), linked, epoch)))
        local = node.local
        out += [  # Algorithm 6, lines 5-11
            Send(peer, NeighbQ(peer))
            for peer in local.pred
            if local.pversions.get(peer, -1) < local.known[peer].version
        ]

    def _update_watched(self, now: int) -> None:
        """Watch exactly the linked peers and ring neighbours."""
        wanted = {**dict.fromkeys(self._node.neighbours), **self._node.local.ring_peers()}
        if wanted.keys() == self._watched.keys():
            return
        for peer in list(self._watched):
            if peer not in wanted:
                self.forget(peer)
        for peer in wanted:
            if peer not in self._watched:
                self.watch(peer, now)
