"""Exchange of local views (Algorithm 3, handleLvQS), and candidates for backups.

The paper's nodes send each other their whole local views, and choose partners at random. Here a
message has the neighbourhood of the receiver on the circle and some random nodes; partners are by
turns a ring neighbour, so that the circle closes soon, and the node with the oldest descriptor, so
that failures are detected. MemberServ "extends a gossip-based peer sampling service": other
candidates come from its view, or from an oracle.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, ClassVar

from gossamer.protocols.components.component import Component
from gossamer.protocols.components.identifiers import identifier_of_node
from gossamer.protocols.contract import Effects, Peer, Send, SetTimer, Topic, Topics
from gossamer.protocols.elasto.messages import BackupRequest, LvQ, LvS, NodeDescriptor
from gossamer.protocols.elasto.policy import missing_coverage, nearest

if TYPE_CHECKING:
    from gossamer.protocols.elasto.machine import ElastO

EXCHANGED = 10
"""Random descriptors in a message, besides the receiver's neighbourhood."""
DRAWN = 24
"""Number of random nodes drawn from an oracle."""
MAX_DRAWN = 64
MAX_SERVED = 4096
SERVED_FOR = 240
"""Rounds for which a backup request is valid."""
SILENT = 2
"""Unanswered exchanges after which a member of the view is dropped."""
ROUNDS_BETWEEN_LOOKS = 8
"""Rounds between checks of unchanged backups."""


class LocalViewExchange(Component):
    """Exchange of local views of a node.

    Parameters
    ----------
    node
        Machine that this component belongs to.
    period
        Microseconds between exchanges.
    """

    TIMER: ClassVar[str] = "view"

    def __init__(self, node: ElastO, period: int) -> None:
        self.primaries = 0
        """Number of nodes that this one is a backup for, as far as it knows."""
        self._node = node
        self._period = period
        self._rounds = 0
        self._serves: dict[Peer, tuple[int, int]] = {}
        """Number of predecessors of each node that this one is a backup for, and its time."""
        self._unanswered: dict[Peer, int] = {}

    def on_timer(self, now: int, out: Effects) -> None:
        """Choose backups if necessary, and exchange views with a peer."""
        node, local = self._node, self._node.local
        self._rounds += 1
        self.look_around(now)
        looked = self._rounds % ROUNDS_BETWEEN_LOOKS == 0
        if local.stale or looked:
            for peer, count in local.select(self.candidates, node.is_gone).items():
                out.append(Send(peer, BackupRequest(count)))
        if looked:
            local.tidy(node.neighbours, now)
            self._fade(now)
        partner = self._partner(now)
        if partner is not None:
            self._unanswered[partner] = self._unanswered.get(partner, 0) + 1
            view = self.selection(partner, now)
            out.append(Send(partner, LvQ(node.own(), local.backup_count(partner), view)))
        out.append(SetTimer(self.TIMER, now + self._period))

    def _partner(self, now: int) -> Peer | None:
        node, local = self._node, self._node.local
        for peer, count in list(self._unanswered.items()):
            if count > SILENT:
                del self._unanswered[peer]
                if peer not in node.neighbours and peer not in local.ring_peers():
                    local.drop(peer, now)
        near = list(local.ring_peers())
        if near and self._rounds % 2:
            return node.random.choice(near)
        members = local.members()
        if members:
            return min(members, key=local.said.__getitem__)
        return node.random_contact()

    def look_around(self, now: int) -> None:
        """Add nodes of peer sampling, or of an oracle, that belong on the circle."""
        node, local = self._node, self._node.local
        found: Collection[Peer]
        if node.membership is not None:
            found = list(node.membership.known)
        else:
            before, after = node.view.around(identifier_of_node(node.me), node.concurrent)
            found = (*before, *after)
        for peer in found:
            if local.wants_in_ring(peer):
                topics = node.view.topics_of(peer)
                if topics is not None:
                    local.take(NodeDescriptor(peer, 0, 0, topics), now)

    def candidates(
        self, missing: dict[Topic, int], known: Collection[Peer]
    ) -> Mapping[Peer, Topics]:
        """Return candidates for backups, with their topics.

        ``missing`` is the coverage of topics that the local view lacks.
        """
        node = self._node
        if node.membership is not None:
            return node.membership.known
        found: dict[Peer, Topics] = {}
        left = dict(missing)
        without = {node.me, *known}
        if left:
            for _ in range(DRAWN):
                self._draw(node.view.any_peer(without, node.random), found, without, left)
        for _ in range(MAX_DRAWN):
            if not left:
                break
            peer = node.view.any_covering(list(left), without, node.random)
            if peer is None:
                break
            self._draw(peer, found, without, left)
        return found

    def _draw(
        self,
        peer: Peer | None,
        found: dict[Peer, Topics],
        without: set[Peer],
        left: dict[Topic, int],
    ) -> None:
        topics = None if peer is None else self._node.view.topics_of(peer)
        if peer is None or topics is None:
            return
        without.add(peer)
        found[peer] = topics
        still = missing_coverage(left, [topics])
        left.clear()
        left.update(still)

    def selection(self, other: Peer, now: int) -> tuple[NodeDescriptor, ...]:
        """Return descriptors for a peer: its neighbourhood on the circle, and random nodes."""
        node, local = self._node, self._node.local
        known = [peer for peer, one in local.known.items() if one.version and peer != other]
        before, after = nearest(other, known, node.concurrent)
        chosen = dict.fromkeys((*before, *after, *node.random.sample(known, EXCHANGED)))
        return tuple(local.describe(peer, now) for peer in chosen)

    def on_lv_q(self, peer: Peer, message: LvQ, now: int, out: Effects) -> None:
        """Answer with part of the local view, and merge the received one."""
        out.append(Send(peer, LvS(self._node.own(), self.selection(peer, now))))
        if message.backup_count or peer in self._serves:
            self.serve(peer, message.backup_count, now)
        self._take(peer, message.node, message.view, now)

    def on_lv_s(self, peer: Peer, message: LvS, now: int, out: Effects) -> None:
        """Merge the received view."""
        self._unanswered.pop(peer, None)
        self._take(peer, message.node, message.view, now)

    def _take(
        self, peer: Peer, node: NodeDescriptor, view: tuple[NodeDescriptor, ...], now: int
    ) -> None:
        local = self._node.local
        if node.peer == peer:
            local.meet(node, now)
        for one in view:
            local.take(one, now)

    def on_backup_request(self, peer: Peer, message: BackupRequest, now: int, out: Effects) -> None:
        """Note the predecessors of a node that this one is a backup for."""
        self.serve(peer, message.primaries, now)

    def serve(self, peer: Peer, count: int, now: int) -> None:
        """Set the number of predecessors of a node that this one is a backup for."""
        before = self._serves.pop(peer, (0, 0))[0]
        if count and len(self._serves) < MAX_SERVED:
            self._serves[peer] = (count, now)
            self.primaries += count
        self.primaries -= before
        if count != before:
            self._node.invalidate_descriptor()

    def forget(self, peer: Peer) -> None:
        """Forget a peer that has failed or left."""
        self._unanswered.pop(peer, None)
        self.serve(peer, 0, 0)

    def _fade(self, now: int) -> None:
        limit = now - SERVED_FOR * self._period
        for peer in [one for one, (_, since) in self._serves.items() if since < limit]:
            self.serve(peer, 0, now)
        while len(self._unanswered) > MAX_SERVED:
            del self._unanswered[next(iter(self._unanswered))]
