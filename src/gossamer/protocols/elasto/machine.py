"""The machine of ElastO (Chen, Vitenberg, Jacobsen 2013): its links and heartbeats.

The paper's MemberServ is :mod:`~gossamer.protocols.elasto.local_view`, its TcoUpgrader
:mod:`~gossamer.protocols.elasto.upgrader`, and its TcoCreator the sender of :class:`InstallLinks`.
The paper does not specify the following:

- heartbeats to linked peers and to ring neighbours, with the version of the node's descriptor;
- agreement on half-open links: a node that learns of a link to itself adopts it if the two share a
  topic, and ends it otherwise;
- a node pushes changes of its neighbours to its successors, which therefore know them when it
  crashes;
- a change of interests is treated as a join or leave on the changed topics;
- components of a topic that are still disconnected are merged by
  :mod:`~gossamer.protocols.elasto.component_roots`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import ClassVar

from gossamer.protocols.components.component import Component
from gossamer.protocols.components.composed_machine import ComposedMachine
from gossamer.protocols.components.failure_detector import make_detector
from gossamer.protocols.components.membership import make_membership
from gossamer.protocols.components.reconnect_backoff import ReconnectBackoff
from gossamer.protocols.contract import (
    Effects,
    InstallLinks,
    Key,
    NodeContext,
    Peer,
    Send,
    SetTimer,
    Topic,
    Topics,
)
from gossamer.protocols.elasto.component_merge import ComponentMerge
from gossamer.protocols.elasto.config import ElastOConfig
from gossamer.protocols.elasto.heartbeats import Heartbeats
from gossamer.protocols.elasto.local_view import LocalView
from gossamer.protocols.elasto.messages import (
    MAX_NODES,
    AddneiQ,
    AddneiS,
    ChurnNotice,
    LeavingNode,
    LinkDisconnect,
    LvS,
    NeighbQ,
    NeighbS,
    NodeDescriptor,
    NodeProfile,
    StateRequest,
    VersionHeartbeat,
)
from gossamer.protocols.elasto.neighbour import LinkedPeer
from gossamer.protocols.elasto.upgrader import Upgrader
from gossamer.protocols.elasto.view_exchange import LocalViewExchange

HEARTBEAT, NOTIFY = "heartbeat", "notify"
MAX_OFFERED = 256
MAX_AGE = 120
"""Maximum age of a descriptor, in exchanges of views."""


class ElastO(ComposedMachine):
    """One node of ElastO."""

    COMPONENTS: ClassVar[Mapping[str, type[Component]]] = {
        "heartbeats": Heartbeats,
        "upgrader": Upgrader,
        "merge": ComponentMerge,
        "exchange": LocalViewExchange,
    }

    def __init__(self, context: NodeContext, config: ElastOConfig) -> None:
        heartbeat = config.heartbeat
        membership = make_membership(context, config)
        super().__init__(
            context, membership, flood=config.flood, period=heartbeat, history=config.history,
            ordering=config.ordering,
        )  # fmt: skip
        detector = make_detector(config.detector, heartbeat, config.missed_heartbeats)
        self.heartbeats = Heartbeats(self, detector)
        self.heartbeat = heartbeat
        self.period = config.exchange_period
        self.concurrent = config.concurrent
        self.epoch = 0
        """Number of the latest known design of the overlay."""
        self.local = LocalView(
            context.me,
            context.random,
            concurrent=config.concurrent,
            coverage=config.coverage,
            backups=config.backups,
            max_age=MAX_AGE * self.period,
        )
        self.upgrader = Upgrader(self, context.repair_rule, heartbeat, reach=config.reach)
        self.merge = ComponentMerge(self, heartbeat)
        self.exchange = LocalViewExchange(self, self.period)
        self.backoff = ReconnectBackoff(heartbeat)
        self.neighbours: dict[Peer, LinkedPeer] = {}
        self.incarnation = 0
        self._contacts = tuple(peer for peer in context.contacts if peer != context.me)
        self.version = 0
        self._own: NodeDescriptor | None = None
        self._wanted = frozenset(self._topics)
        self._installed = False
        self._notifying = False
        self._offered: dict[Peer, tuple[Peer, int] | None] = {}
        """Peers that were offered a link, with the coordinator and number of the repair."""
        self._beats = 0

    # -- queries -----------------------------------------------------------------------------

    def linked(self) -> Iterable[Peer]:
        """Return the linked peers, in the order of linking."""
        return list(self.neighbours)

    def neighbours_on(self, topic: Topic) -> list[Peer]:
        """Return the linked peers that are known to subscribe to a topic."""
        return [peer for peer, known in self.neighbours.items() if topic in known.wanted]

    def ring(self) -> tuple[Peer | None, Peer | None]:
        """Return the known predecessor and successor on the circle."""
        pred, succ = self.local.pred, self.local.succ
        return (pred[0] if pred else None, succ[0] if succ else None)

    @property
    def primaries(self) -> int:
        """Number of nodes for which this one knows that it is a backup."""
        return self.exchange.primaries

    def own(self) -> NodeDescriptor:
        """Return the descriptor of the node itself."""
        if self._own is None:
            linked = tuple(self.neighbours)
            self._own = NodeDescriptor(
                self.me, self.incarnation, self.version, self._topics, linked, self.primaries
            )
        return self._own

    def epoch_for(self, peer: Peer) -> int:
        """Return the design number for a message to a peer: that of the link, if there is one."""
        known = self.neighbours.get(peer)
        return self.epoch if known is None else known.epoch

    def is_gone(self, peer: Peer) -> bool:
        """Whether a peer is known to have failed or left (v.D of Algorithm 3)."""
        gone = peer in self.local.gone or peer in self.local.left
        return (gone and peer not in self.local.known) or self.view.is_gone(peer)

    def requested(self) -> Iterable[Peer]:
        """Return the peers that were offered a link and have not answered."""
        return self._offered

    def suspected(self) -> Iterable[Peer]:
        """Return the peers that have failed or left."""
        return (*self.local.gone, *self.local.left)

    def lost(self) -> Iterable[Peer]:
        """Return the former neighbours to which a link is tried again with backoff."""
        return self.backoff.peers

    def check_invariants(self) -> None:
        """Raise AssertionError if the state contradicts itself."""
        super().check_invariants()
        for known in self.neighbours.values():
            assert known.shared, "a link has no common topic"
            assert set(known.shared) == self._wanted.intersection(known.node.topics)
        assert self.merge.roots.labels.keys() == self._wanted, "a topic has no root"
        self.local.check_invariants()

    # -- events ------------------------------------------------------------------------------

    def on_started(self, now: int, out: Effects) -> None:
        """Start timers, and notice the node's own join (§4.2)."""
        self.incarnation = self.version = now
        self.merge.set_topics(self._topics, now)
        out.append(SetTimer(HEARTBEAT, now + self.random.randbelow(self.heartbeat)))
        out.append(
            SetTimer(
                self.exchange.TIMER, now + self.random.randbelow(min(self.period, self.heartbeat))
            )
        )
        self.exchange.look_around(now)
        if self._topics:
            churn = ChurnNotice(True, self.me, self.incarnation, self._topics)
            wait = 1 + self.random.randbelow(self.heartbeat)
            self.upgrader.notice(churn, (), now, out, wait=wait)

    def on_peer_down(self, peer: Peer, now: int, out: Effects) -> None:
        """Remove a failed peer, and notice its leave (Algorithm 3, handleEvent)."""
        known = self.neighbours.get(peer)
        node = known.node if known is not None else self.local.known.get(peer)
        near = peer in self.local.pred
        self.local.drop(peer, now)
        if known is not None:
            self.backoff.add(peer, 1, now)
        self._forget(peer, now, out)
        if self.membership is not None:
            self.membership.suspect(peer, now)
        self.upgrader.give_up(peer, now, out)
        if node is not None and node.topics and (near or known is not None):
            churn = ChurnNotice(False, peer, node.incarnation, node.topics)
            self.upgrader.notice(churn, (self.own(),) if known is not None else (), now, out)
        if near:
            self.exchange.look_around(now)

    def on_interest(self, before: Topics, now: int, out: Effects) -> None:
        """Notice a join or leave of the node on the changed topics."""
        was, wanted = frozenset(before), frozenset(self._topics)
        lost = tuple(topic for topic in before if topic not in wanted)
        new = tuple(topic for topic in self._topics if topic not in was)
        losing = frozenset(lost)
        affected = tuple(
            one for one in self._describe_neighbours(now) if not losing.isdisjoint(one.topics)
        )
        self._wanted = wanted
        self.merge.set_topics(self._topics, now)
        self._changed(now, out)
        for known in self.neighbours.values():
            known.take(known.node, wanted)
        stamp = self.version
        if lost and len(affected) > 1:
            self.upgrader.notice(ChurnNotice(False, self.me, stamp, lost), affected, now, out)
        self._drop_unshared(now, out)
        if new:
            self.upgrader.notice(ChurnNotice(True, self.me, stamp, new), (), now, out)
        out.append(SetTimer(HEARTBEAT, now))

    def on_install_links(self, event: InstallLinks, now: int, out: Effects) -> None:
        """Replace all links (§4.5: TcoCreator initialises or resets the overlay)."""
        self._installed = True
        self.epoch = max(self.epoch, event.epoch)
        self.upgrader.reset()
        self._offered.clear()
        listed = {peer: topics for peer, topics in event.neighbours if peer != self.me}
        for peer in [peer for peer in self.neighbours if peer not in listed]:
            self._remove(peer, now, out)
        for peer, topics in listed.items():
            known = self.local.known.get(peer)
            if self.add_link(known or NodeDescriptor(peer, 0, 0, topics), now, out):
                self.neighbours[peer].epoch = self.epoch
        self.merge.reset_stability(now)

    def on_leave(self, now: int, out: Effects) -> None:
        """Notify neighbours and successors of the leave, with the neighbours to reconnect."""
        message = LeavingNode(self.own(), self._describe_neighbours(now))
        peers = dict.fromkeys((*self.local.succ, *self.neighbours))
        out += [Send(peer, message) for peer in peers]
        for peer in self.neighbours:
            self.unlink(peer, out)
        self.neighbours.clear()

    # -- messages ----------------------------------------------------------------------------

    def _on_heartbeat(self, peer: Peer, message: VersionHeartbeat, now: int, out: Effects) -> None:
        if message.version <= self.local.left.get(peer, -1):
            return
        self.heartbeats.heard(peer, now)
        self._adopt(message.epoch)
        if not self.local.hear(peer, message.version, now):
            out.append(Send(peer, StateRequest()))
        elif message.linked and peer not in self.neighbours:
            self._on_half_open(peer, message.epoch, now, out)

    def _on_profile(self, peer: Peer, message: NodeProfile, now: int, out: Effects) -> None:
        node = message.node
        if node.peer != peer or node.version <= self.local.left.get(peer, -1):
            return
        self.heartbeats.heard(peer, now)
        self._adopt(message.epoch)
        self._learn(node, now, out)
        if message.linked and peer not in self.neighbours:
            self._on_half_open(peer, message.epoch, now, out)

    def _on_state_request(self, peer: Peer, message: StateRequest, now: int, out: Effects) -> None:
        self.heartbeats.note_sent(peer)
        linked = peer in self.neighbours
        out.append(Send(peer, NodeProfile(self.own(), linked, self.epoch_for(peer))))

    def _on_disconnect(self, peer: Peer, message: LinkDisconnect, now: int, out: Effects) -> None:
        if message.epoch >= self.epoch:
            self._remove(peer, now, out)

    def _on_leaving_node(self, peer: Peer, message: LeavingNode, now: int, out: Effects) -> None:
        node = message.node
        if node.peer != peer or node.version <= self.local.left.get(peer, -1):
            return
        linked = peer in self.neighbours
        self.local.record_leave(node)
        self._forget(peer, now, out)
        if self.membership is not None:
            self.membership.suspect(peer, now)
        churn = ChurnNotice(False, peer, node.incarnation, node.topics)
        self.upgrader.give_up(peer, now, out)
        others = {one.peer: one for one in message.neighbours}
        if linked:
            others[self.me] = self.own()
        wait = 2 * self.heartbeat
        affected = tuple(others.values())
        if linked or self.upgrader.coordinator(peer) == self.me:
            self.upgrader.notice(churn, affected, now, out, wait=wait, complete=True)

    def _on_addnei_q(self, peer: Peer, message: AddneiQ, now: int, out: Effects) -> None:
        """HandleAddneiQ (Algorithm 3)."""
        if message.epoch >= self.epoch:
            self.epoch = message.epoch
            offered = message.newnei.peer in self._offered
            if self.offer(message.newnei, (peer, message.repair), out):
                if offered:
                    out.append(self._answer(peer, message.repair, message.newnei.peer, done=False))
                return
        out.append(self._answer(peer, message.repair, message.newnei.peer, done=True))

    def _on_neighb_q(self, peer: Peer, message: NeighbQ, now: int, out: Effects) -> None:
        """HandleNeighbQ (Algorithm 3)."""
        if message.peer == self.me:
            out.append(Send(peer, NeighbS(self.own(), self._describe_neighbours(now))))
            return
        known = self.local.pneighb.get(message.peer)
        if known is not None:
            out.append(Send(peer, NeighbS(NodeDescriptor(message.peer, 0, 0, ()), known)))

    def _on_neighb_s(self, peer: Peer, message: NeighbS, now: int, out: Effects) -> None:
        if message.node.peer != peer:
            self.upgrader.adopt_neighbours(message, now, out)
            return
        self._learn(message.node, now, out)
        self.local.note_neighbours(message.node, message.neighbours, now)
        self.upgrader.adopt_shadow(message, now, out)

    # -- timers ------------------------------------------------------------------------------

    def on_timer(self, key: Key, now: int, out: Effects) -> None:
        """Send heartbeats, or notify successors."""
        if key == HEARTBEAT:
            self._on_heartbeat_due(now, out)
        elif key == NOTIFY:
            self._notify_successors(now, out)

    def _on_heartbeat_due(self, now: int, out: Effects) -> None:
        for peer in self.heartbeats.silent(now):
            self.on_peer_down(peer, now, out)
        self._beats += 1
        self.heartbeats.send(now, out)
        out.append(SetTimer(HEARTBEAT, now + self.heartbeat))
        self.merge.on_beat(self._beats, now, out)
        for peer, _ in self.backoff.due(now):
            self.merge.probe(peer, self._topics, out)

    def _notify_successors(self, now: int, out: Effects) -> None:
        """Push the neighbours to the nodes that would repair this node's failure."""
        self._notifying = False
        message = NeighbS(self.own(), self._describe_neighbours(now))
        for peer in self.local.succ:
            out.append(Send(peer, message))
            self.heartbeats.note_sent(peer)

    # -- decisions ---------------------------------------------------------------------------

    def backups_for(self, churn: ChurnNotice) -> Collection[Peer]:
        """Return the backups for a node that joined or left (Algorithm 5, line 3)."""
        kept = self.local.backups.get(churn.peer, ())
        more = self.exchange.candidates
        return self.local.choose_backups(churn.peer, churn.topics, kept, more, self.is_gone)

    def random_contact(self) -> Peer | None:
        """Return a random node for the first contact."""
        found = self.view.any_peer((self.me,), self.random)
        if found is None and self._contacts:
            found = self.random.choice(self._contacts)
        return found

    def add_link(self, node: NodeDescriptor, now: int, out: Effects) -> bool:
        """Add a link to a peer that shares a topic; return whether the peer is now linked."""
        peer = node.peer
        if peer in self.neighbours:
            return True
        if peer == self.me or node.version < self.local.left.get(peer, -1) + (node.version > 0):
            return False
        latest = self.local.known.get(peer)
        if latest is not None and latest.version > node.version:
            node = latest
        known = LinkedPeer(node, self._wanted, self.epoch)
        if not known.shared:
            return False
        self.neighbours[peer] = known
        self.local.take(node, now)
        self.heartbeats.watch(peer, now)
        self.backoff.found(peer)
        self.upgrader.cancel_inquiries(peer)
        self.link(peer, now, out)
        self._changed(now, out)
        asked = self._offered.pop(peer, None)
        if asked is not None:
            out.append(self._answer(asked[0], asked[1], peer, done=True))
        self.merge.schedule_roots(now, out)
        return True

    def offer(self, node: NodeDescriptor, asked: tuple[Peer, int] | None, out: Effects) -> bool:
        """Offer a link, which exists once the peer agrees; return whether it was offered.

        ``asked`` is the coordinator that requested the link, with the number of its repair.
        """
        peer = node.peer
        latest = self.local.known.get(peer)
        topics = (node if latest is None or latest.version < node.version else latest).topics
        if peer in self.neighbours or peer == self.me or self._wanted.isdisjoint(topics):
            return False
        if peer not in self._offered and len(self._offered) >= MAX_OFFERED:
            del self._offered[next(iter(self._offered))]
        self._offered[peer] = asked
        out.append(Send(peer, NodeProfile(self.own(), True, self.epoch)))
        return True

    def _on_half_open(self, peer: Peer, epoch: int, now: int, out: Effects) -> None:
        """Adopt a link of the peer, or end it if it belongs to an earlier design."""
        node = self.local.known.get(peer)
        if epoch < self.epoch or node is None or not self.add_link(node, now, out):
            out.append(Send(peer, LinkDisconnect(self.epoch)))
        else:
            self.epoch = self.neighbours[peer].epoch = max(self.epoch, epoch)
            out.append(Send(peer, NodeProfile(self.own(), True, self.epoch)))

    def _adopt(self, epoch: int) -> None:
        """Adopt the design number of a peer, if this node has had no design."""
        if epoch > self.epoch and not self._installed:
            self.epoch = epoch

    # -- helpers -----------------------------------------------------------------------------

    def invalidate_descriptor(self) -> None:
        """Rebuild the node's own descriptor when it is needed next."""
        self._own = None

    def _remove(self, peer: Peer, now: int, out: Effects) -> None:
        if self.neighbours.pop(peer, None) is None:
            return
        self.unlink(peer, out)
        self._changed(now, out)

    def _forget(self, peer: Peer, now: int, out: Effects) -> None:
        self._remove(peer, now, out)
        self.heartbeats.forget(peer)
        self._offered.pop(peer, None)
        self.exchange.forget(peer)

    def _drop_unshared(self, now: int, out: Effects) -> None:
        for peer in [peer for peer, known in self.neighbours.items() if not known.shared]:
            self._remove(peer, now, out)
            out.append(Send(peer, LinkDisconnect(self.epoch)))

    def _changed(self, now: int, out: Effects) -> None:
        """Increase the version, and notify successors soon."""
        self.version = max(now, self.version + 1)
        self.invalidate_descriptor()
        if not self._notifying:
            self._notifying = True
            out.append(SetTimer(NOTIFY, now + self.heartbeat // 5))

    def _describe_neighbours(self, now: int) -> tuple[NodeDescriptor, ...]:
        """Return the descriptors of the neighbours, with their ages."""
        local = self.local
        return tuple(
            local.describe(peer, now) if peer in local.known else known.node
            for peer, known in self.neighbours.items()
        )[:MAX_NODES]

    def _learn(self, node: NodeDescriptor, now: int, out: Effects) -> None:
        """Update a descriptor from the node itself."""
        self.local.meet(node, now)
        known = self.neighbours.get(node.peer)
        if known is not None and node.version > known.node.version:
            changed = node.topics != known.node.topics
            known.take(node, self._wanted)
            if changed:
                self.dissemination.on_neighbours_changed(now, out)
                self._drop_unshared(now, out)
                self.merge.schedule_roots(now, out)

    def welcome(self, newcomer: NodeDescriptor, now: int, out: Effects) -> None:
        """Send a joining node its neighbourhood on the circle."""
        view = self.exchange.selection(newcomer.peer, now)
        out.append(Send(newcomer.peer, LvS(self.own(), view)))

    def _answer(self, peer: Peer, repair: int, newnei: Peer, *, done: bool) -> Send:
        return Send(peer, AddneiS(repair, newnei, done, self.own()))
