"""TcoUpgrader (Algorithms 4 and 5): repair of the overlay after a join or leave.

The coordinator of a churn event is the first node clockwise of the churned one. Other nodes that
notice the event ask the coordinator, as far as they know the circle, until it answers. The
coordinator finds the shadows, chooses links among them, and asks both ends of each link.

Ours: an event is repaired once, as long as it is remembered. A node that asks about a repaired
event and was left out is connected to the others afterwards, so that a topic stays connected though
the coordinator did not know all neighbours of the churned node.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, ClassVar

import msgspec

from gossamer.model.repair import RepairRule
from gossamer.protocols.components.component import Component
from gossamer.protocols.contract import Effects, Peer, Send, SetTimer, Topic
from gossamer.protocols.elasto.messages import (
    MAX_HOPS,
    MAX_NODES,
    AddneiQ,
    AddneiS,
    ChurnNotice,
    NeighbQ,
    NeighbS,
    NodeDescriptor,
    RepairQ,
    RepairS,
)
from gossamer.protocols.elasto.policy import coordinator_of, ready_to_handle, repair_request
from gossamer.protocols.elasto.repair_state import (
    EventKey,
    Repair,
    RepairInquiry,
    key_of,
    with_links,
)

if TYPE_CHECKING:
    from gossamer.protocols.elasto.machine import ElastO

MAX_TRIES = 12
TRIES_EACH = 2
"""Requests to one coordinator before the next one is asked."""
TRIES_OF_A_LINK = 3
MAX_ATTEMPTS = 5
MAX_OPEN = 256
MAX_ASKED = 256
"""Maximum number of shadows whose neighbours are queried."""
MAX_DONE = 1024
REMEMBERED = 30
"""Heartbeats for which a repaired event is remembered."""
FRESH = 2
"""Heartbeats within which a known peer counts as alive, whatever other nodes report."""
PREPARED = 2
"""Heartbeats for which the neighbours of a left node are awaited."""


class Upgrader(Component):
    """The repairs of one node.

    Parameters
    ----------
    node
        Machine that this component belongs to.
    repair_rule
        Function that returns the links of a repair; without it, only roots merge components.
    heartbeat
        Microseconds before an unanswered request is repeated.
    reach
        Whether the neighbours of shadows are queried before links are chosen.
    """

    TIMER: ClassVar[str] = "repair"

    def __init__(
        self, node: ElastO, repair_rule: RepairRule | None, heartbeat: int, *, reach: int
    ) -> None:
        self.coordinated = 0
        """Number of events that this node has repaired."""
        self.links_added = 0
        """Number of links that its repairs have made."""
        self.open: dict[EventKey, Repair] = {}
        self._node = node
        self._repair_rule = repair_rule
        self._heartbeat = heartbeat
        self._reach = reach
        self._asks: dict[EventKey, RepairInquiry] = {}
        self._done: dict[EventKey, tuple[int, dict[Peer, None]]] = {}
        self._number = 0
        self._ticking = False

    # -- repairTcoOnChurn (Algorithm 4) ---------------------------------------------------

    def notice(
        self,
        churn: ChurnNotice,
        affected: tuple[NodeDescriptor, ...],
        now: int,
        out: Effects,
        *,
        wait: int = 0,
        complete: bool = False,
    ) -> None:
        """Repair an event as its coordinator, or ask the coordinator.

        ``affected`` are nodes that must be connected again, all of them if it is ``complete``.
        """
        key = key_of(churn)
        if churn.peer != self._node.me and self.coordinator(churn.peer) == self._node.me:
            self._coordinate(churn, affected, None, now, out, complete=complete)
        elif affected or churn.peer == self._node.me:
            if key not in self._asks and len(self._asks) >= MAX_OPEN:
                return
            self._asks[key] = RepairInquiry(churn, affected, now + wait)
            if wait:
                self._set_timer(now, out)
            else:
                self._ask(key, now, out)

    def coordinator(self, churned: Peer, without: Collection[Peer] = ()) -> Peer | None:
        """Return the coordinator, as far as is known (getCoordinator)."""
        node = self._node
        local = node.local
        near = local.ring_peers()
        present = (
            peer
            for peer in local.known
            # A ring neighbour known only by gossip may have failed long ago.
            if peer not in without and (peer in local.met or peer not in near)
        )
        return coordinator_of(churned, (*present, node.me))

    def _ask(self, key: EventKey, now: int, out: Effects) -> None:
        """Send a RepairQ (Algorithm 4, lines 19-26; line 21 has a RepairS)."""
        ask = self._asks[key]
        node = self._node
        ask.tries += 1
        ask.at = now + self._heartbeat
        if ask.tries > MAX_TRIES:
            del self._asks[key]
            return
        tired = [peer for peer, count in ask.tried.items() if count >= TRIES_EACH]
        target = self.coordinator(ask.churn.peer, tired)
        if target == node.me and ask.churn.peer != node.me:
            del self._asks[key]
            self._coordinate(ask.churn, ask.affected, None, now, out)
            return
        if target is None or target == node.me:
            target = node.random_contact()
        if target is not None:
            ask.tried[target] = ask.tried.get(target, 0) + 1
            out.append(Send(target, RepairQ(ask.churn, node.own(), ask.affected, 0)))
        self._set_timer(now, out)

    def on_repair_q(self, peer: Peer, message: RepairQ, now: int, out: Effects) -> None:
        """HandleRepairQ (Algorithm 3)."""
        churn, source, node = message.churn, message.source, self._node
        key = key_of(churn)
        if churn.peer == node.me or source.peer == node.me:
            return
        node.local.take(source, now)
        if not churn.joins and source.peer != churn.peer:
            since = now - FRESH * self._heartbeat
            if node.local.heard_since(churn.peer, churn.stamp, since):
                return  # a false suspicion, or it will be repeated
        if key in self._done or key in self.open:
            self._coordinate(churn, message.affected, source, now, out)
            return
        target = self.coordinator(churn.peer)
        if target in (node.me, peer, source.peer, None) or message.hops >= MAX_HOPS:
            self._coordinate(churn, message.affected, source, now, out)
            return
        assert target is not None
        out.append(Send(target, msgspec.structs.replace(message, hops=message.hops + 1)))

    def on_repair_s(self, peer: Peer, message: RepairS, now: int, out: Effects) -> None:
        """End the inquiry."""
        self._asks.pop((message.joins, message.peer, message.stamp), None)

    def _coordinate(
        self,
        churn: ChurnNotice,
        affected: Iterable[NodeDescriptor],
        source: NodeDescriptor | None,
        now: int,
        out: Effects,
        *,
        complete: bool = False,
    ) -> None:
        """Repair an event as its coordinator (lines 3-17), once."""
        key = key_of(churn)
        node = self._node
        named = {one.peer: one for one in affected}
        if source is not None:
            # A node that unsubscribes names all its neighbours on the topics.
            complete = source.peer == churn.peer
            if churn.joins or not complete:
                named[source.peer] = source
            if churn.joins and source.peer == churn.peer:
                node.welcome(source, now, out)
        done = self._done.get(key)
        repair = self.open.get(key)
        if repair is None:
            served = {} if done is None else done[1]
            fresh = {peer: one for peer, one in named.items() if peer not in served}
            if done is not None and not fresh:
                if source is not None:
                    out.append(Send(source.peer, RepairS(*key)))
                return
            if len(self.open) >= MAX_OPEN:
                return
            repair = self._open(churn, served, done is None)
            repair.nodes.update(fresh)
            if source is not None:
                repair.waiting[source.peer] = None
            if complete or churn.joins or served:
                self._compute(repair, now, out)
            else:
                self._prepare(repair, now, out)
            return
        if source is not None:
            repair.waiting[source.peer] = None
        for peer, one in named.items():
            if peer not in repair.nodes and peer not in repair.served:
                early = repair.until is not None or repair.asked
                place = repair.nodes if early else repair.late
                place[peer] = one

    def _open(self, churn: ChurnNotice, served: dict[Peer, None], first: bool) -> Repair:
        self._number += 1
        repair = Repair(self._number, churn)
        repair.served = dict(served)
        self.open[key_of(churn)] = repair
        self.coordinated += first
        return repair

    def _prepare(self, repair: Repair, now: int, out: Effects) -> None:
        """Find the neighbours of a left node, then repair (prepareLV)."""
        local, churned = self._node.local, repair.churn.peer
        affected = local.pneighb.get(churned)
        for one in affected or ():
            repair.nodes.setdefault(one.peer, one)
        if ready_to_handle(local.neighbours_of(churned), repair.nodes) and affected is not None:
            self._compute(repair, now, out)
            return
        repair.until = now + PREPARED * self._heartbeat
        out += [Send(peer, NeighbQ(churned)) for peer in local.succ]
        self._set_timer(now, out)

    def adopt_neighbours(self, message: NeighbS, now: int, out: Effects) -> None:
        """Adopt the neighbours of a left node from another successor of it."""
        for repair in list(self.open.values()):
            if repair.churn.peer == message.node.peer and repair.until is not None:
                for one in message.neighbours[:MAX_NODES]:
                    repair.nodes.setdefault(one.peer, one)
                self._compute(repair, now, out)

    def cancel_inquiries(self, peer: Peer) -> None:
        """Cancel inquiries about the failure of a peer that is alive."""
        for key in [key for key in self._asks if not key[0] and key[1] == peer]:
            if peer != self._node.me:
                del self._asks[key]

    # -- computeTcoOnChurn (Algorithm 5) ----------------------------------------------------

    def _look_around(self, repair: Repair, now: int, out: Effects) -> bool:
        """Query the neighbours of the shadows of a left node; return whether answers are due.

        Ours: the paper's coordinator knows only the links among shadows, and adds redundant ones,
        since other nodes connect shadows already.
        """
        repair.looked = True
        must_connect, shadows, _ = self._shadows_of(repair, now)
        asked = [peer for peer in shadows if peer != self._node.me][:MAX_ASKED]
        if len(must_connect) < 2 or not asked:
            return False
        repair.asked = dict.fromkeys(asked)
        repair.asked_until = now + self._heartbeat // 2
        out += [Send(peer, NeighbQ(peer)) for peer in asked]
        self._set_timer(now, out)
        return True

    def adopt_shadow(self, message: NeighbS, now: int, out: Effects) -> None:
        """Adopt the descriptors of a shadow and of its neighbours."""
        peer = message.node.peer
        for repair in list(self.open.values()):
            if peer not in repair.asked:
                continue
            for one in (message.node, *message.neighbours):
                before = repair.around.get(one.peer)
                if before is None or before.version < one.version:
                    repair.around[one.peer] = one
            del repair.asked[peer]
            if not repair.asked:
                self._compute(repair, now, out)

    def _compute(self, repair: Repair, now: int, out: Effects) -> None:
        repair.until = None
        leaves = not repair.churn.joins and self._repair_rule is not None
        if self._reach and leaves and not repair.looked and self._look_around(repair, now, out):
            return
        repair.asked.clear()
        repair.tries = 0
        repair.attempts += 1
        must_connect, shadows, preconnected = self._shadows_of(repair, now)
        if must_connect and self._repair_rule is not None:
            listed = [with_links(one, repair.made) for one in shadows.values()]
            others = self._read_only(repair, shadows, now)
            topics = repair.churn.topics
            request = repair_request(listed, topics, must_connect, preconnected, others)
            for low, high in self._repair_rule(request):
                self._make(repair, listed[low], listed[high], now, out)
        if not repair.todo:
            self._finish(repair, now, out)
        else:
            self._set_timer(now, out)

    def _read_only(
        self, repair: Repair, shadows: Collection[Peer], now: int
    ) -> list[NodeDescriptor]:
        """Return other known subscribers of the topics."""
        if not self._reach or repair.churn.joins:
            return []
        known = dict.fromkeys((*repair.around, *self._node.local.known))
        others = {
            peer: self._latest(repair.around.get(peer), peer, now)
            for peer in known
            if peer not in shadows and peer != repair.churn.peer
        }
        return list(self._useful(others, frozenset(repair.churn.topics), repair).values())

    def _shadows_of(
        self, repair: Repair, now: int
    ) -> tuple[dict[Peer, NodeDescriptor], dict[Peer, NodeDescriptor], dict[Peer, None]]:
        """Return the nodes to connect, all shadows, and the preconnected ones (lines 3-7)."""
        node = self._node
        churn = repair.churn
        topics = frozenset(churn.topics)
        must_connect = {
            peer: self._latest(repair.around.get(peer, one), peer, now)
            for peer, one in repair.nodes.items()
            if peer != churn.peer or churn.joins
        }
        must_connect = self._useful(must_connect, topics, repair)
        shadows = dict(must_connect)
        preconnected: dict[Peer, None] = {}
        if must_connect and self._repair_rule is not None:
            around = repair.around
            backups = {
                peer: self._latest(around.get(peer), peer, now) for peer in node.backups_for(churn)
            }
            backups[node.me] = node.own()
            served = {peer: self._latest(None, peer, now) for peer in repair.served}
            more = {**self._useful(served, topics, repair), **self._useful(backups, topics, repair)}
            for peer, one in more.items():
                if peer != churn.peer:
                    shadows.setdefault(peer, one)
            if churn.joins:
                preconnected = {peer: None for peer in shadows if peer not in must_connect}
            elif repair.served:
                preconnected = {peer: None for peer in repair.served if peer in shadows}
        return must_connect, shadows, preconnected

    def _latest(self, affected: NodeDescriptor | None, peer: Peer, now: int) -> NodeDescriptor:
        """Return the newest descriptor of a peer."""
        if peer == self._node.me:
            return self._node.own()
        known = self._node.local.known.get(peer)
        if known is None:
            return affected if affected is not None else NodeDescriptor(peer, 0, 0, ())
        if affected is None or known.version >= affected.version:
            return self._node.local.describe(peer, now)
        return affected

    def _useful(
        self, nodes: dict[Peer, NodeDescriptor], topics: frozenset[Topic], repair: Repair
    ) -> dict[Peer, NodeDescriptor]:
        return {
            peer: one
            for peer, one in nodes.items()
            if peer not in repair.failed
            and not topics.isdisjoint(one.topics)
            and not self._node.is_gone(peer)
        }

    def _make(
        self, repair: Repair, one: NodeDescriptor, other: NodeDescriptor, now: int, out: Effects
    ) -> None:
        """Ask both ends to make a link (Algorithm 4, lines 8-10)."""
        self.links_added += 1
        node = self._node
        for end, newnei in ((one, other), (other, one)):
            repair.made[end.peer, newnei.peer] = None
            if end.peer == node.me:
                node.offer(newnei, None, out)
                continue
            fresh = msgspec.structs.replace(newnei, age=0)
            message = AddneiQ(repair.number, fresh, node.epoch)
            repair.todo[end.peer, newnei.peer] = message
            out.append(Send(end.peer, message))

    def on_addnei_s(self, peer: Peer, message: AddneiS, now: int, out: Effects) -> None:
        """Finish a repair when all ends have answered (line 12)."""
        if message.node.peer == peer:
            self._node.local.meet(message.node, now)
        for repair in self.open.values():
            if repair.number == message.repair and (peer, message.newnei) in repair.todo:
                repair.heard[peer] = None
                if not message.done:
                    return
                del repair.todo[peer, message.newnei]
                if not repair.todo:
                    self._finish(repair, now, out)
                return

    def give_up(self, failed: Peer, now: int, out: Effects) -> None:
        """Repeat repairs without a failed node (lines 13-17)."""
        for repair in list(self.open.values()):
            if failed in repair.asked:
                del repair.asked[failed]
                if not repair.asked:
                    self._compute(repair, now, out)
            if any(failed in ends for ends in repair.todo):
                self._without(repair, [failed], now, out)

    def _without(self, repair: Repair, failed: Iterable[Peer], now: int, out: Effects) -> None:
        repair.failed.update(dict.fromkeys(failed))
        for end, newnei in repair.todo:
            repair.made.pop((end, newnei), None)
            repair.made.pop((newnei, end), None)
        repair.todo.clear()
        if repair.attempts >= MAX_ATTEMPTS:
            self._finish(repair, now, out)
        else:
            self._compute(repair, now, out)

    def _finish(self, repair: Repair, now: int, out: Effects) -> None:
        key = key_of(repair.churn)
        del self.open[key]
        served = {**repair.served, **dict.fromkeys(repair.nodes)}
        self._done.pop(key, None)
        self._done[key] = (now, served)
        if len(self._done) > MAX_DONE:
            del self._done[next(iter(self._done))]
        out += [Send(peer, RepairS(*key)) for peer in repair.waiting]
        if repair.late:
            again = self._open(repair.churn, served, False)
            again.nodes.update(repair.late)
            self._compute(again, now, out)

    # -- timers --------------------------------------------------------------------------------

    def on_timer(self, now: int, out: Effects) -> None:
        """Repeat unanswered requests, and forget old events."""
        self._ticking = False
        for key in [key for key, ask in self._asks.items() if ask.at <= now]:
            self._ask(key, now, out)
        for repair in list(self.open.values()):
            if repair.until is not None:
                if repair.until <= now:
                    self._compute(repair, now, out)
                continue
            if repair.asked:
                if repair.asked_until <= now:
                    self._compute(repair, now, out)
                continue
            repair.tries += 1
            if repair.tries >= TRIES_OF_A_LINK:
                ends = dict.fromkeys(end for pair in repair.todo for end in pair)
                silent = [end for end in ends if end not in repair.heard and end != self._node.me]
                self._without(repair, silent, now, out)
            else:
                out += [Send(end, message) for (end, _), message in repair.todo.items()]
        limit = now - REMEMBERED * self._heartbeat
        while self._done:
            key = next(iter(self._done))
            if self._done[key][0] >= limit:
                break
            del self._done[key]
        if self._asks or self.open or self._done:
            self._set_timer(now, out)

    def _set_timer(self, now: int, out: Effects) -> None:
        if not self._ticking:
            self._ticking = True
            out.append(SetTimer(self.TIMER, now + self._heartbeat // 2))

    def reset(self) -> None:
        """Drop all repairs and inquiries; a new design replaces the overlay."""
        self._asks.clear()
        self.open.clear()
