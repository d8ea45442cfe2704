"""What a coordinator has in hand: events that it deals with, and those that others are to."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from gossamer.protocols.contract import Peer
from gossamer.protocols.elasto.messages import AddneiQ, Churn, Node

__all__ = ["Ask", "EventKey", "Repair", "key_of", "with_links"]

EventKey = tuple[bool, Peer, int]


def key_of(churn: Churn) -> EventKey:
    """Return what tells an event from others."""
    return (churn.joins, churn.peer, churn.stamp)


class Ask:
    """An event that somebody else is to deal with."""

    __slots__ = ("at", "churn", "target", "told", "tried", "tries")

    def __init__(self, churn: Churn, told: tuple[Node, ...], at: int) -> None:
        self.churn = churn
        self.told = told
        self.at = at
        self.tries = 0
        self.tried: dict[Peer, int] = {}
        self.target: Peer | None = None


class Repair:
    """An event that this node deals with."""

    __slots__ = (
        "around", "asked", "asked_until", "attempts", "churn", "failed", "heard", "late", "looked",
        "made", "nodes", "number", "served", "todo", "tries", "until", "waiting",
    )  # fmt: skip

    def __init__(self, number: int, churn: Churn) -> None:
        self.number = number
        self.churn = churn
        self.nodes: dict[Peer, Node] = {}
        """Who must hang together again: the newcomer, or the neighbours of who left."""
        self.served: dict[Peer, None] = {}
        """Who does already, by an earlier repair of the same event."""
        self.late: dict[Peer, Node] = {}
        self.waiting: dict[Peer, None] = {}
        self.failed: dict[Peer, None] = {}
        self.heard: dict[Peer, None] = {}
        """Who has answered, though a link was not made."""
        self.todo: dict[tuple[Peer, Peer], AddneiQ] = {}
        self.made: dict[tuple[Peer, Peer], None] = {}
        """Links of this repair, each from both ends."""
        self.tries = 0
        self.attempts = 0
        self.until: int | None = None
        """Until when neighbours are asked for; none if they are not."""
        self.looked = False
        self.asked: dict[Peer, None] = {}
        """Of which shadows the neighbours are awaited."""
        self.asked_until = 0
        self.around: dict[Peer, Node] = {}
        """What the shadows said of themselves and of their neighbours."""


def with_links(node: Node, made: Iterable[tuple[Peer, Peer]]) -> Node:
    """Return a descriptor with links that were made since."""
    more = [other for end, other in made if end == node.peer and other not in node.neighbours]
    if not more:
        return node
    return msgspec.structs.replace(node, neighbours=(*node.neighbours, *more))
