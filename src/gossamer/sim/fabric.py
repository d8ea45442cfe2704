"""The simulated network: a port for each node, and messages on their way between them.

Where a message goes and what is counted of it is here; what happens to it on the way is the
business of the rules, and when, the scheduler's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from gossamer.host import Codec, Host, Stream
from gossamer.protocols.contract import Message, Peer
from gossamer.sim.rules import Rule, judged
from gossamer.sim.scheduler import Scheduler

__all__ = ["Fabric", "Meter", "Port"]


class Meter(Protocol):
    """Counts messages, one by one."""

    def sent(self, node: int, message: Any) -> None:
        """Count a message that a node sends, lost or not."""
        ...

    def arrived(self, node: int, message: Any) -> None:
        """Count a message that a node is about to take."""
        ...


class Port:
    """A node's place on the network, through all its lives; the wire of its host."""

    __slots__ = ("_fabric", "arrival", "host", "joined", "life", "links", "node", "sent")

    def __init__(self, fabric: Fabric, node: int) -> None:
        self._fabric = fabric
        self.node = node
        self.host: Host | None = None
        self.life = 0
        self.joined = 0
        self.links: dict[Peer, None] = {}
        self.sent = 0
        self.arrival = self.arrive

    def send(self, peer: Peer, message: Any) -> None:
        """Send a message; it may be lost."""
        self._fabric.carry(self, peer, message)

    def link(self, peer: Peer) -> None:
        """Note a link of the overlay."""
        self.links[peer] = None
        self._fabric.changes += 1

    def unlink(self, peer: Peer) -> None:
        """Note that there is none any more."""
        self.links.pop(peer, None)
        self._fabric.changes += 1

    def arrive(self, source: Peer, message: Any) -> None:
        """Take a message that has come, if anybody is there."""
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
        Whose time it is.
    nodes
        How many ports there are.
    rules
        What happens to messages, in order.
    random
        The stream that the rules draw from.
    codec
        If given, every message is encoded to count its bytes, and what arrives is decoded.
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
        """How often a link was made or ended."""
        self.meter: Meter | None = None
        """Told of every message, if anybody counts them one by one."""
        self._scheduler = scheduler
        self._random = random
        self._codec = codec

    def carry(self, source: Port, target: Peer, message: Any) -> None:
        """Take a message from a port, and let it arrive where the rules let it."""
        kind = type(message)
        sent = self.sent
        sent[kind] = sent.get(kind, 0) + 1
        source.sent += 1
        if self.meter is not None:
            self.meter.sent(source.node, message)
        if type(target) is not int or not 0 <= target < len(self.ports):
            self.lost += 1  # garbage may name anybody
            return
        if self._codec is not None:
            content = self._codec.encode(message)
            self.bytes[kind] = self.bytes.get(kind, 0) + len(content)
            message = self._codec.decode(content)
        scheduler = self._scheduler
        now = scheduler.time
        node = source.node
        arrivals = judged(self.rules, now, node, target, self._random)
        if not arrivals:
            self.lost += 1
        arrive = self.ports[target].arrival
        for delay in arrivals:
            scheduler.at(now + delay, arrive, node, message)
