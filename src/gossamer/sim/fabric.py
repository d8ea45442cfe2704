"""Simulated network: one port per node, and messages in flight between ports.

The fabric routes and counts messages. Network rules decide on delay and loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from gossamer.host import Codec, Host, Stream
from gossamer.protocols.contract import Message, Peer
from gossamer.sim.rules import Rule, apply_rules
from gossamer.sim.scheduler import Scheduler


class Meter(Protocol):
    """Counter that sees every message."""

    def sent(self, node: int, message: Any) -> None:
        """Count a message that a node sends, lost or not."""
        ...

    def arrived(self, node: int, message: Any) -> None:
        """Count a message that is about to be received by a node."""
        ...


class Port:
    """Network address of a node in all its incarnations; the wire of its host."""

    __slots__ = ("_fabric", "arrival", "host", "incarnation", "joined", "links", "node", "sent")

    def __init__(self, fabric: Fabric, node: int) -> None:
        self._fabric = fabric
        self.node = node
        self.host: Host | None = None
        self.incarnation = 0
        self.joined = 0
        self.links: dict[Peer, None] = {}
        self.sent = 0
        self.arrival = self.arrive

    def send(self, peer: Peer, message: Any) -> None:
        """Send a message; it may be lost."""
        self._fabric.carry(self, peer, message)

    def link(self, peer: Peer) -> None:
        """Record a link of the overlay."""
        self.links[peer] = None
        self._fabric.changes += 1

    def unlink(self, peer: Peer) -> None:
        """Record the end of a link."""
        self.links.pop(peer, None)
        self._fabric.changes += 1

    def arrive(self, source: Peer, message: Any) -> None:
        """Receive a message; it is lost if the node is absent."""
        if self.host is not None:
            if self._fabric.meter is not None:
                self._fabric.meter.arrived(self.node, message)
            self.host.receive(source, message)
        else:
            self._fabric.lost += 1


class Fabric:
    """The network between ports.

    Parameters
    ----------
    scheduler
        Virtual time.
    nodes
        Number of ports.
    rules
        Network rules, in order.
    random
        Random stream of the rules.
    codec
        Codec with which every message is encoded, counted and decoded, if given.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        nodes: int,
        rules: Sequence[Rule],
        random: Stream,
        codec: Codec | None = None,
    ) -> None:
        self.ports = [Port(self, node) for node in range(nodes)]
        self.rules = list(rules)
        self.sent: dict[type[Message], int] = {}
        self.bytes: dict[type[Message], int] = {}
        self.lost = 0
        self.changes = 0
        """Number of link changes."""
        self.meter: Meter | None = None
        """Counter of messages, if there is one."""
        self._scheduler = scheduler
        self._random = random
        self._codec = codec

    def carry(self, source: Port, target: Peer, message: Any) -> None:
        """Send a message from a port; the rules decide when it arrives."""
        kind = type(message)
        sent = self.sent
        sent[kind] = sent.get(kind, 0) + 1
        source.sent += 1
        if self.meter is not None:
            self.meter.sent(source.node, message)
        if type(target) is not int or not 0 <= target < len(self.ports):
            self.lost += 1  # a malformed message may name any peer
            return
        if self._codec is not None:
            content = self._codec.encode(message)
            self.bytes[kind] = self.bytes.get(kind, 0) + len(content)
            message = self._codec.decode(content)
        scheduler = self._scheduler
        now = scheduler.time
        node = source.node
        arrivals = apply_rules(self.rules, now, node, target, self._random)
        if not arrivals:
            self.lost += 1
        arrive = self.ports[target].arrival
        for delay in arrivals:
            scheduler.at(now + delay, arrive, node, message)
