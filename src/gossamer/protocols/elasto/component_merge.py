"""Merging of disconnected components of a topic.

Each component has a root (:mod:`~gossamer.protocols.elasto.component_roots`). A root probes other
subscribers of its topics. If a probed node has a lower root, the two are linked, for all such
topics at once; if it has a higher root, that root receives a hint and probes in turn. So of two
components only one acts, and each makes one link at a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from gossamer.protocols.components.component import Component
from gossamer.protocols.components.identifiers import identifier_of_node
from gossamer.protocols.contract import Effects, Peer, Send, SetTimer, Topic, Topics
from gossamer.protocols.elasto.component_roots import WAVE, ComponentRoots
from gossamer.protocols.elasto.messages import Hint, NodeProfile, Probe, ProbeReply, Roots

if TYPE_CHECKING:
    from gossamer.protocols.elasto.machine import ElastO

LAST_PAUSE = 16
"""Maximum number of heartbeats between probes of a root without results."""
PATROL = 16
"""Heartbeats between probes of a node that is no root."""
MAX_CHECKED = 512
MAX_HINTS = 8
DRAWN = 3


class ComponentMerge(Component):
    """Roots of a node, and its search for other components.

    Parameters
    ----------
    node
        Machine that this component belongs to.
    heartbeat
        Microseconds between heartbeats, the unit of times.
    """

    TIMER: ClassVar[str] = "roots"

    def __init__(self, node: ElastO, heartbeat: int) -> None:
        self.roots = ComponentRoots(node.me, heartbeat)
        self.links_made = 0
        """Number of links made to merge components."""
        self._node = node
        self._soon = max(1, heartbeat // 20)
        self._dirty = False
        self._waiting = False
        self._checked: dict[Peer, None] = {}
        """Recently probed nodes that are in no other component."""
        self._pause = 1
        self._next = 0
        self._hints = 0
        self._patrol = identifier_of_node(node.me) % PATROL

    def set_topics(self, topics: Topics, now: int) -> None:
        """Adapt to the topics of the node."""
        self.roots.set_topics(topics, now)
        self._restart()

    def reset_stability(self, now: int) -> None:
        """Wait until roots have spread along new links."""
        self.roots.reset_stability(list(self.roots.labels), now)

    def _restart(self) -> None:
        self._checked.clear()
        self._pause = 1
        self._next = 0

    # -- roots along links -------------------------------------------------------------------

    def schedule_roots(self, now: int, out: Effects) -> None:
        """Send roots to neighbours soon."""
        self._dirty = True
        if not self._waiting:
            self._waiting = True
            out.append(SetTimer(self.TIMER, now + self._soon))

    def on_timer(self, now: int, out: Effects) -> None:
        """Send each neighbour the roots that it has not received, on the shared topics."""
        self._waiting = False
        self._dirty = False
        labels = self.roots.labels
        for peer, known in self._node.neighbours.items():
            level = known.level
            topics = []
            for topic in known.shared:
                label = labels[topic]
                pair = level.get(topic)
                if pair is None or pair[1] != label.number or pair[0] != label.root:
                    level[topic] = (label.root, label.number)
                    topics.append(topic)
            if topics:
                listed = [level[topic] for topic in topics]
                roots, numbers = (tuple(column) for column in zip(*listed, strict=True))
                out.append(Send(peer, Roots(tuple(topics), roots, numbers)))

    def on_roots(self, peer: Peer, message: Roots, now: int, out: Effects) -> None:
        """Merge the roots of a neighbour."""
        known = self._node.neighbours.get(peer)
        if known is None:
            return
        labels = self.roots.labels
        soon = False
        for topic, root, number in zip(
            message.topics, message.roots, message.numbers, strict=False
        ):
            label = labels.get(topic)
            if label is None or topic not in known.wanted:
                continue
            known.level[topic] = (root, number)
            if self.roots.hear(topic, root, number, now):
                soon = True
            elif label.root != root:
                soon = True  # theirs is not as low
            elif label.number == number:
                self._dirty = True
        if soon:
            self._restart()
            self.schedule_roots(now, out)

    # -- search for other components ---------------------------------------------------------

    def on_beat(self, beats: int, now: int, out: Effects) -> None:
        """Expire failed roots, spread the others, and probe for other components."""
        self._hints = 0
        if self.roots.expire(now):
            self._restart()
            self._dirty = True
        if beats % WAVE == 0:
            self.roots.raise_own(now)
            self._dirty = True
        if self._dirty:
            self.on_timer(now, out)
        if beats % PATROL == self._patrol:
            self._probe_any(out)
        if beats < self._next:
            return
        topics = self.roots.own(now)
        if not topics:
            return
        peer = self._probe_target(topics)
        if peer is None:
            self._checked.clear()
            self._pause = min(2 * self._pause, LAST_PAUSE)
        else:
            self._checked[peer] = None
            if len(self._checked) > MAX_CHECKED:
                del self._checked[next(iter(self._checked))]
            self.probe(peer, topics, out)
        self._next = beats + self._pause

    def _probe_any(self, out: Effects) -> None:
        """Probe a random node from a node that is no root, which may know other nodes."""
        node = self._node
        if node.topics:
            peer = node.view.any_covering(node.topics, tuple(node.neighbours), node.random)
            if peer is not None:
                self.probe(peer, node.topics, out)

    def _probe_target(self, topics: list[Topic]) -> Peer | None:
        """Return a node with many of the topics that was not probed recently."""
        node = self._node
        wanted = frozenset(topics)
        without = {node.me, *self._checked}
        best: Peer | None = None
        most = 0
        if node.membership is None:
            for _ in range(DRAWN):
                peer = node.view.any_covering(topics, without, node.random)
                if peer is None:
                    break
                gain = len(wanted.intersection(node.view.topics_of(peer) or ()))
                if gain > most:
                    best, most = peer, gain
            if best is not None:
                return best
        ties: list[Peer] = []
        sampled = {} if node.membership is None else node.membership.known
        for known in (sampled.items(), _topics_known(node)):
            for peer, theirs in known:
                if peer in without:
                    continue
                gain = len(wanted.intersection(theirs))
                if gain > most:
                    ties, most = [peer], gain
                elif gain == most and gain:
                    ties.append(peer)
        return node.random.choice(ties) if ties else None

    def probe(self, peer: Peer, topics: Iterable[Topic], out: Effects) -> None:
        """Probe the components of a node on some topics."""
        labels = self.roots.labels
        listed = tuple(topic for topic in topics if topic in labels)
        if listed:
            roots = tuple(labels[topic].root for topic in listed)
            out.append(Send(peer, Probe(self._node.own(), listed, roots)))

    def on_probe(self, peer: Peer, message: Probe, now: int, out: Effects) -> None:
        """Answer with different roots; let the component with the higher root act."""
        if message.node.peer != peer:
            return
        self._node.local.meet(message.node, now)
        others = self.roots.others(message.topics, message.roots, now)
        topics = tuple(topic for topic, _, _ in others)
        roots = tuple(root for _, root, _ in others)
        out.append(Send(peer, ProbeReply(self._node.own(), topics, roots)))
        higher: dict[Peer, list[Topic]] = {}
        for topic, root, lower in others:
            if not lower:
                higher.setdefault(root, []).append(topic)
        self._act(peer, higher, now, out)

    def _act(self, other: Peer, higher: dict[Peer, list[Topic]], now: int, out: Effects) -> None:
        """Let the roots of this node's components probe a node with lower roots."""
        for root, topics in higher.items():
            if root != self._node.me:
                out.append(Send(root, Hint(other, tuple(topics))))
            elif self._hints < MAX_HINTS:
                self._hints += 1
                self.probe(other, topics, out)

    def on_hint(self, peer: Peer, message: Hint, now: int, out: Effects) -> None:
        """Probe a node that seems to be in another component."""
        mine = set(self.roots.own(now))
        topics = [topic for topic in message.topics if topic in mine]
        if topics and message.peer != self._node.me and self._hints < MAX_HINTS:
            self._hints += 1
            self.probe(message.peer, topics, out)

    def on_probe_reply(self, peer: Peer, message: ProbeReply, now: int, out: Effects) -> None:
        """Link to a node in components with lower roots."""
        node = self._node
        if message.node.peer != peer:
            return
        node.local.meet(message.node, now)
        joined: list[Topic] = []
        higher: dict[Peer, list[Topic]] = {}
        for topic, root in zip(message.topics, message.roots, strict=False):
            label = self.roots.labels.get(topic)
            if label is None or identifier_of_node(root) >= label.identifier:
                continue
            if label.root != node.me:
                higher.setdefault(label.root, []).append(topic)
            elif self.roots.is_stable(topic, now):
                joined.append(topic)
        if joined:
            known = peer in node.neighbours
            if node.add_link(message.node, now, out):
                self.links_made += not known
                self.roots.reset_stability(joined, now)
                out.append(Send(peer, NodeProfile(node.own(), True, node.epoch)))
                self._restart()
        self._act(peer, higher, now, out)


def _topics_known(node: ElastO) -> list[tuple[Peer, Topics]]:
    return [(peer, one.topics) for peer, one in node.local.known.items()]
