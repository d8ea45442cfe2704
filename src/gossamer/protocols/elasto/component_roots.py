"""Roots of the components of a topic.

Ours: the paper assumes a topic-connected overlay and bounds concurrent failures. The *root* of a
component is its node with the lowest identifier. Roots spread along links with a number that only
the root itself increases. A root whose number has not increased for some time has failed or is
disconnected; each node of the component then becomes its own root again.

A component joins another one with a lower root, by one link at a time, so components are merged
without cycles, as in Borůvka's method.
"""

from __future__ import annotations

from collections.abc import Iterable

from gossamer.protocols.components.identifiers import identifier_of_node
from gossamer.protocols.contract import Peer, Topic, Topics

WAVE = 5
"""Heartbeats after which a root increases its number."""
EXPIRED_AFTER = 4 * WAVE
"""Heartbeats after which a root without an increased number expires."""
STABLE_AFTER = 4
"""Heartbeats for which a root must be unchanged before it acts."""
MAX_EXPIRED = 8


class RootLabel:
    """Root of a topic, its latest number, and the times of the number and of the root."""

    __slots__ = ("expired", "heard", "identifier", "number", "root", "since")

    def __init__(self, root: Peer, number: int, now: int) -> None:
        self.root = root
        self.identifier = identifier_of_node(root)
        self.number = number
        self.heard = now
        self.since = now
        self.expired: dict[Peer, int] = {}
        """Expired roots, with their last numbers."""

    def become(self, root: Peer, number: int, now: int) -> None:
        """Change the root."""
        self.root, self.number, self.heard, self.since = root, number, now, now
        self.identifier = identifier_of_node(root)


class ComponentRoots:
    """Roots of a node, by topic.

    Parameters
    ----------
    me
        Identifier of the node.
    heartbeat
        Microseconds between heartbeats, the unit of times.
    """

    def __init__(self, me: Peer, heartbeat: int) -> None:
        self.me = me
        self.labels: dict[Topic, RootLabel] = {}
        self._expired_after = EXPIRED_AFTER * heartbeat
        self._stable_after = STABLE_AFTER * heartbeat

    def set_topics(self, topics: Topics, now: int) -> None:
        """Set the topics."""
        kept = self.labels
        self.labels = {t: kept.get(t) or RootLabel(self.me, now, now) for t in topics}

    def hear(self, topic: Topic, root: Peer, number: int, now: int) -> bool:
        """Merge a root of a neighbour; return whether the root has changed."""
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
        """Expire roots whose numbers have not increased; return whether there were any."""
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
        """Increase the numbers of topics whose root is the node."""
        for label in self.labels.values():
            if label.root == self.me:
                label.number = label.heard = now

    def reset_stability(self, topics: Iterable[Topic], now: int) -> None:
        """Restart the waiting time of topics."""
        for topic in topics:
            if topic in self.labels:
                self.labels[topic].since = now

    def is_stable(self, topic: Topic, now: int) -> bool:
        """Whether the root is unchanged for long enough."""
        return self.labels[topic].since <= now - self._stable_after

    def own(self, now: int) -> list[Topic]:
        """Return the topics whose stable root is the node."""
        limit = now - self._stable_after
        me = self.me
        return [
            topic
            for topic, label in self.labels.items()
            if label.root == me and label.since <= limit
        ]

    def others(
        self, topics: Topics, roots: tuple[Peer, ...], now: int
    ) -> list[tuple[Topic, Peer, bool]]:
        """Return topics with another root, that root, and whether it is the lower one."""
        found = []
        for topic, root in zip(topics, roots, strict=False):
            label = self.labels.get(topic)
            if label is None or label.root == root or not self.is_stable(topic, now):
                continue
            found.append((topic, label.root, label.identifier < identifier_of_node(root)))
        return found
