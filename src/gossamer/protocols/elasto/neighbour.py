"""State of a linked peer in ElastO."""

from __future__ import annotations

from gossamer.protocols.contract import Peer, Topic
from gossamer.protocols.elasto.messages import NodeDescriptor


class LinkedPeer:
    """State of a linked peer: descriptor, shared topics, and roots exchanged last.

    ``epoch`` is the number of the design at the time of the link: links of earlier designs end.
    """

    __slots__ = ("epoch", "level", "node", "shared", "wanted")

    def __init__(self, node: NodeDescriptor, own: frozenset[Topic], epoch: int) -> None:
        self.epoch = epoch
        self.level: dict[Topic, tuple[Peer, int]] = {}
        self.take(node, own)

    def take(self, node: NodeDescriptor, own: frozenset[Topic]) -> None:
        """Set the descriptor."""
        self.node = node
        self.wanted = frozenset(node.topics)
        self.shared = tuple(topic for topic in node.topics if topic in own)
        self.level = {t: pair for t, pair in self.level.items() if t in own and t in self.wanted}
