"""State of a coordinator: its own repairs, and inquiries to other coordinators."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from gossamer.protocols.contract import Peer
from gossamer.protocols.elasto.messages import AddneiQ, ChurnNotice, NodeDescriptor

EventKey = tuple[bool, Peer, int]


def key_of(churn: ChurnNotice) -> EventKey:
    """Return the identity of a churn event."""
    return (churn.joins, churn.peer, churn.stamp)


class RepairInquiry:
    """A churn event that another node should repair."""

    __slots__ = ("affected", "at", "churn", "tried", "tries")

    def __init__(self, churn: ChurnNotice, affected: tuple[NodeDescriptor, ...], at: int) -> None:
        self.churn = churn
        self.affected = affected
        self.at = at
        self.tries = 0
        self.tried: dict[Peer, int] = {}


class Repair:
    """A churn event that this node repairs."""

    __slots__ = (
        "around", "asked", "asked_until", "attempts", "churn", "failed", "heard", "late", "looked",
        "made", "nodes", "number", "served", "todo", "tries", "until", "waiting",
    )  # fmt: skip

    def __init__(self, number: int, churn: ChurnNotice) -> None:
        self.number = number
        self.churn = churn
        self.nodes: dict[Peer, NodeDescriptor] = {}
        """Nodes that must be connected: the joined node, or the neighbours of the left one."""
        self.served: dict[Peer, None] = {}
        """Nodes connected by an earlier repair of the same event."""
        self.late: dict[Peer, NodeDescriptor] = {}
        self.waiting: dict[Peer, None] = {}
        self.failed: dict[Peer, None] = {}
        self.heard: dict[Peer, None] = {}
        """Nodes that have answered, though a link was not made."""
        self.todo: dict[tuple[Peer, Peer], AddneiQ] = {}
        self.made: dict[tuple[Peer, Peer], None] = {}
        """Links of this repair, in both directions."""
        self.tries = 0
        self.attempts = 0
        self.until: int | None = None
        """Time until which neighbours are awaited; none if they are not."""
        self.looked = False
        self.asked: dict[Peer, None] = {}
        """Shadows whose neighbours are awaited."""
        self.asked_until = 0
        self.around: dict[Peer, NodeDescriptor] = {}
        """Descriptors of the shadows and of their neighbours."""


def with_links(node: NodeDescriptor, made: Iterable[tuple[Peer, Peer]]) -> NodeDescriptor:
    """Return a descriptor with the links that were made since."""
    more = [other for end, other in made if end == node.peer and other not in node.neighbours]
    if not more:
        return node
    return msgspec.structs.replace(node, neighbours=(*node.neighbours, *more))
