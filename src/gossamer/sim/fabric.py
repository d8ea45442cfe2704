"""Simulated network: one port per node, and messages in flight between ports.

The fabric routes and counts messages. Network rules decide on delay and loss.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeGuard

import numpy as np

from gossamer.definitions import blame
from gossamer.host import Codec, Host, Stream
from gossamer.model.scenario import Delays, Rule
from gossamer.protocols.contract import Message, Peer
from gossamer.sim.rules import apply_rules
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

    __slots__ = (
        "_fabric", "_step", "arrival", "host", "incarnation", "joined", "links", "node", "sent",
    )  # fmt: skip

    def __init__(self, fabric: Fabric, node: int) -> None:
        self._fabric = fabric
        self.node = node
        self.host: Host | None = None
        self.incarnation = 0
        self.joined = 0
        self.links: dict[Peer, None] = {}
        self.sent = 0
        self.arrival = self.arrive
        self._step: dict[Peer, list[Any]] = {}
        """Messages of the present step to each peer, if they go out together."""

    def send(self, peer: Peer, message: Any) -> None:
        """Send a message; it may be lost."""
        if self._fabric.compound:
            self._step.setdefault(peer, []).append(message)
        else:
            self._fabric.carry(self, peer, message)

    def flush(self) -> None:
        """Send the messages of a step: those to a peer as one compound."""
        if self._step:
            step, self._step = self._step, {}
            for peer, messages in step.items():
                self._fabric.carry_compound(self, peer, messages)

    def link(self, peer: Peer) -> None:
        """Record a link of the overlay."""
        if not self._fabric.is_port(peer) or peer == self.node:
            assert self.host is not None
            blame(
                type(self.host.machine),
                f"handle of node {self.node} returned Link({peer!r:.40}); expected another node, "
                f"0 to {len(self._fabric.ports) - 1}",
            )
        self.links[peer] = None
        self._fabric.changes += 1

    def unlink(self, peer: Peer) -> None:
        """Record the end of a link."""
        self.links.pop(peer, None)
        self._fabric.changes += 1

    def arrive_together(self, source: Peer, messages: list[Any]) -> None:
        """Receive the messages of a compound, in the order of sending."""
        for message in messages:
            self.arrive(source, message)

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
    compound
        Whether the messages of a step to a peer travel as one: the rules decide about all of them.
    check_kind
        Called with each type of message before the first of its messages is sent, if given.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        nodes: int,
        rules: Sequence[Rule],
        random: Stream,
        codec: Codec | None = None,
        *,
        compound: bool = False,
        check_kind: Callable[[type[Message]], None] | None = None,
    ) -> None:
        self.compound = compound
        self.compounds = 0
        """Number of compounds sent; each message is one, unless they travel together."""
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
        self._check_kind = check_kind

    def carry(self, source: Port, target: Peer, message: Any) -> None:
        """Send a message from a port; the rules decide when it arrives."""
        message = self._count(source, message)
        arrivals = self._arrivals(source, target)
        if not arrivals:
            self.lost += 1
            return
        scheduler, node = self._scheduler, source.node
        arrive, now = self.ports[target].arrival, scheduler.time  # type: ignore[index]
        for delay in arrivals:
            scheduler.at(now + delay, arrive, node, message)

    def carry_compound(self, source: Port, target: Peer, messages: list[Any]) -> None:
        """Send messages from a port that travel together."""
        messages = [self._count(source, message) for message in messages]
        arrivals = self._arrivals(source, target)
        if not arrivals:
            self.lost += len(messages)
            return
        scheduler, node = self._scheduler, source.node
        arrive, now = self.ports[target].arrive_together, scheduler.time  # type: ignore[index]
        for delay in arrivals:
            scheduler.at(now + delay, arrive, node, messages)

    def is_port(self, peer: object) -> TypeGuard[int]:
        """Whether a peer is a node of this network; a machine may use NumPy's integers too."""
        if type(peer) is not int and not isinstance(peer, np.integer):  # True is no identifier
            return False
        return bool(0 <= peer < len(self.ports))

    def _count(self, source: Port, message: Any) -> Any:
        """Count a message, lost or not; return it as it arrives."""
        kind = type(message)
        try:
            self.sent[kind] += 1
        except KeyError:
            if self._check_kind is not None:
                self._check_kind(kind)
            self.sent[kind] = 1
        source.sent += 1
        if self.meter is not None:
            self.meter.sent(source.node, message)
        if self._codec is None:
            return message
        content = self._codec.encode(message)
        self.bytes[kind] = self.bytes.get(kind, 0) + len(content)
        return self._codec.decode(content)

    def _arrivals(self, source: Port, target: Peer) -> Delays:
        """Return the delays of the copies that arrive; none at a target that is no port."""
        self.compounds += 1
        if not self.is_port(target):
            return ()  # a malformed message may name any peer
        return apply_rules(self.rules, self._scheduler.time, source.node, target, self._random)
