"""Which part of a topic a node is in: the parts have roots, and only roots look for other parts.

Ours, not the paper's, which begins with a topic-connected overlay and bounds what goes wrong at
once. The *root* of a topic's part is the node with the lowest identifier in it. Roots are told
along links, with a number that only the root itself raises; a root whose number has not risen
for some time is not there any more, or not connected, and each of its part begins anew as its own.

A part joins another whose root is lower, by one link at a time; so parts are joined without
circles, as in Borůvka's method.
"""

from __future__ import annotations

from collections.abc import Iterable

from gossamer.protocols.components.identifiers import identifier_of_node
from gossamer.protocols.contract import Peer, Topic, Topics

__all__ = ["EXPIRED_AFTER", "SETTLED_AFTER", "WAVE", "Label", "RootsOfTopics"]

WAVE = 5
"""Heartbeats after which a root raises its number."""
EXPIRED_AFTER = 4 * WAVE
"""Heartbeats after which a root whose number has not risen is given up."""
SETTLED_AFTER = 4
"""Heartbeats for which a root must have stood before anything is done about it."""
MAX_EXPIRED = 8


class Label:
    """A node's root on a topic, its latest number, and when that came and the root began."""

    __slots__ = ("expired", "heard", "identifier", "number", "root", "since")

    def __init__(self, root: Peer, number: int, now: int) -> None:
        self.root = root
        self.identifier = identifier_of_node(root)
        self.number = number
        self.heard = now
        self.since = now
        self.expired: dict[Peer, int] = {}
        """Roots that were given up, with their last numbers."""

    def become(self, root: Peer, number: int, now: int) -> None:
        """Have another root."""
        self.root, self.number, self.heard, self.since = root, number, now, now
        self.identifier = identifier_of_node(root)


class RootsOfTopics:
    """The labels of one node.

    Parameters
    ----------
    me
        The node.
    heartbeat
        The unit of times, in microseconds.
    """

    def __init__(self, me: Peer, heartbeat: int) -> None:
        self.me = me
        self.labels: dict[Topic, Label] = {}
        self._expired_after = EXPIRED_AFTER * heartbeat
        self._settled_after = SETTLED_AFTER * heartbeat

    def want(self, topics: Topics, now: int) -> None:
        """Have a label for each of these topics, and for no other."""
        kept = self.labels
        self.labels = {t: kept.get(t) or Label(self.me, now, now) for t in topics}

    def hear(self, topic: Topic, root: Peer, number: int, now: int) -> bool:
        """Take what a neighbour says; return whether the root is another one now."""
        label = self.labels.get(topic)
        if label is None or root == self.me:
            return False
        if root == label.root:
            if number > label.number:
                label.number, label.heard = number, now
            return False
        if identifier_of_node(root) > label.identifier:
            return False
        if number <= label.expired.get(root, -1):
            return False
        label.become(root, number, now)
        return True

    def expire(self, now: int) -> bool:
        """Give up roots whose numbers have not risen; return whether there were any."""
        limit = now - self._expired_after
        changed = False
        for label in self.labels.values():
            if label.heard < limit and label.root != self.me:
                label.expired[label.root] = label.number
                if len(label.expired) > MAX_EXPIRED:
                    del label.expired[next(iter(label.expired))]
                label.become(self.me, now, now)
                changed = True
        return changed

    def raise_own(self, now: int) -> None:
        """Raise the number where the node is the root."""
        for label in self.labels.values():
            if label.root == self.me:
                label.number = label.heard = now

    def unsettle(self, topics: Iterable[Topic], now: int) -> None:
        """Wait again before anything is done about these topics."""
        for topic in topics:
            if topic in self.labels:
                self.labels[topic].since = now

    def is_settled(self, topic: Topic, now: int) -> bool:
        """Whether the root has stood for some time."""
        return self.labels[topic].since <= now - self._settled_after

    def own(self, now: int) -> list[Topic]:
        """Return the topics whose root the node is, and has been for some time."""
        limit = now - self._settled_after
        me = self.me
        return [
            topic
            for topic, label in self.labels.items()
            if label.root == me and label.since <= limit
        ]

    def others(
        self, topics: Topics, roots: tuple[Peer, ...], now: int
    ) -> list[tuple[Topic, Peer, bool]]:
        """Return topics on which the node has another root, that root, and if it is the lower."""
        found = []
        for topic, root in zip(topics, roots, strict=False):
            label = self.labels.get(topic)
            if label is None or label.root == root or not self.is_settled(topic, now):
                continue
            found.append((topic, label.root, label.identifier < identifier_of_node(root)))
        return found
