"""One node of StaN: a view for each topic, filled at random, then swapped for lighter links.

*Filling.* A node that subscribes to a topic asks subscribers to be its neighbours until its view
has ⌈ln n⌉ + slack of them. A node whose view is full passes one of its links on, and so keeps its
size. Views grow with the topic. A view that loses neighbours is refilled only below ``refill``, by
asking the nodes that a walk met (supplement, C.2).

*Swapping.* In each round, on each topic, a walk through the topic's overlay collects other
subscribers with their links. The node offers swaps to those with which links get lighter:
(p,x) and (c,y) become (p,y) and (c,x). It also uses the walks that it forwards, so that a lost walk
costs little (supplement, C.4). Nothing is repeated within a round.

*Privacy.* All these messages carry the token of a topic. Without an oracle, gossip membership uses
tokens too, so a node that does not know the name of a topic learns only that the topic exists.
Publications carry the names of their topics, to neighbours on one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from gossamer.protocols.components.component import Component
from gossamer.protocols.components.composed_machine import ComposedMachine
from gossamer.protocols.components.failure_detector import FailureDetector, MissedHeartbeats
from gossamer.protocols.components.hashes import hash_of, token_of
from gossamer.protocols.components.membership import make_membership
from gossamer.protocols.components.views import order_of
from gossamer.protocols.contract import (
    Effects,
    Key,
    NodeContext,
    Peer,
    Send,
    SetTimer,
    Topic,
    Topics,
    Trace,
)
from gossamer.protocols.stan.config import StaNConfig
from gossamer.protocols.stan.messages import (
    Collected,
    JoinAccept,
    JoinRequest,
    LinkUnknown,
    Seen,
    TopicDisconnect,
    Walk,
)
from gossamer.protocols.stan.policy import heaviest, lightest, view_size, weights_of
from gossamer.protocols.stan.swaps import Swaps
from gossamer.protocols.stan.topic_links import TopicLinks
from gossamer.protocols.stan.views import MAX_NEIGHBOURS, Pending, TopicView
from gossamer.time import microseconds

ROUND, HEARTBEAT = "round", "beat"
ROUNDS_PER_SKETCH = 30
MAX_SURPLUS = 2
"""Neighbours of a view beyond its aim, at which further ones are refused."""


class StaN(ComposedMachine):
    """One node of StaN.

    A round costs O(hops) messages for each topic. A swap costs two, and each link that changes its
    owner two more. Memory is O(LVS).
    """

    COMPONENTS: ClassVar[Mapping[str, type[Component]]] = {"links": TopicLinks, "swaps": Swaps}
    detector: FailureDetector

    def __init__(self, context: NodeContext, config: StaNConfig) -> None:
        super().__init__(
            context,
            make_membership(context, config),
            MissedHeartbeats(config.heartbeat, config.missed_heartbeats),
            flood=config.flood,
            history=config.history,
            ordering=config.ordering,
            period=config.heartbeat,
        )
        self.config = config
        self.links = TopicLinks(self)
        self.swaps = Swaps(self)
        self.weigh: Callable[[Peer], int] = weights_of(context.me).__getitem__
        """Weight of the link to a peer."""
        self._rounds = 0
        self._number = 0

    # -- queries -----------------------------------------------------------------------------

    @property
    def views(self) -> dict[int, TopicView]:
        """View of each topic, by token."""
        return self.links.views

    def linked(self) -> Iterable[Peer]:
        """Return the linked peers, in the order of linking."""
        return list(self.links.shared)

    def neighbours_on(self, topic: Topic) -> list[Peer]:
        """Return the view of a topic."""
        view = self.views.get(token_of(topic))
        return [] if view is None else view.peers

    def names_for_gossip(self, topics: Topics) -> Topics:
        """Return the tokens of topics, which stand for them in gossip."""
        return tuple(sorted(token_of(topic) for topic in topics))

    def requested(self) -> Iterable[Peer]:
        """Return the peers that were asked to be a neighbour on some topic."""
        return [peer for view in self.views.values() for peer in view.asked]

    def lost(self) -> Iterable[Peer]:
        """Return the neighbours that were lost on some topic."""
        return [peer for view in self.views.values() for peer in view.lost]

    def check_invariants(self) -> None:
        """Raise AssertionError if the state contradicts itself."""
        super().check_invariants()
        assert {view.topic for view in self.views.values()} == set(self.topics)
        self.links.check_invariants()

    # -- events ------------------------------------------------------------------------------

    def on_started(self, now: int, out: Effects) -> None:
        """Join the overlay of each topic."""
        self._enter(self._topics, now)
        self._fill_all(now, out)
        out.append(SetTimer(ROUND, now + self.random.randbelow(self.config.period)))
        out.append(SetTimer(HEARTBEAT, now + self.random.randbelow(self.config.heartbeat)))

    def on_peer_down(self, peer: Peer, now: int, out: Effects) -> None:
        """Remove a peer on all topics; refill views that it leaves empty."""
        touched = [self.views[token] for token in self.links.shared.get(peer, ())]
        for view in touched:
            self._forget(view, peer, out)
            view.lose(peer)
        if self.membership is not None:
            self.membership.suspect(peer, now)
        for view in touched:
            if not view.peers:
                self._fill(view, now, out)

    def on_interest(self, before: Topics, now: int, out: Effects) -> None:
        """Leave the overlays of old topics and join those of new ones."""
        for topic in before:
            if topic not in self._topics:
                view = self.views[token_of(topic)]
                for peer in list(view.peers):
                    out.append(Send(peer, TopicDisconnect((view.token,))))
                    self.links.remove(view, peer, out)
                del self.views[view.token]
        self._enter(tuple(topic for topic in self._topics if topic not in before), now)
        self._fill_all(now, out)

    def on_leave(self, now: int, out: Effects) -> None:
        """Leave all overlays."""
        for peer, tokens in self.links.shared.items():
            out.append(Send(peer, TopicDisconnect(tuple(tokens))))

    # -- messages ----------------------------------------------------------------------------

    def _on_join_request(self, peer: Peer, message: JoinRequest, now: int, out: Effects) -> None:
        view = self.views.get(message.topic)
        if view is None or (len(view.peers) >= MAX_NEIGHBOURS and peer not in view.peers):
            out.append(Send(peer, TopicDisconnect((message.topic,))))
            return
        view.sketch.add(message.hashes)
        if peer in view.owned:
            self.links.take(view, peer, None, now, out)
            return
        if peer in view.asked:  # of two requests that cross, the one of the lower name counts
            if order_of(self.me) < order_of(peer):
                return
            del view.asked[peer]
        answer = view.answers.get(peer)
        if answer is None or answer.number < message.number:
            given = self._to_give(view, peer, message.view)
            if given is None and len(view.expected()) >= self._aim(view) + MAX_SURPLUS:
                out.append(Send(peer, TopicDisconnect((message.topic,))))
                return
            if given is not None:
                self.links.give(view, given, out)
            self.links.hold(view, peer, now, out)
            answer = JoinAccept(message.topic, message.number, given, self._hashes(view))
            view.remember(peer, answer)
        if answer.number == message.number:
            out.append(Send(peer, answer))

    def _on_join_accept(self, peer: Peer, message: JoinAccept, now: int, out: Effects) -> None:
        view = self.views.get(message.topic)
        asked = None if view is None else view.asked.get(peer)
        if view is None or asked is None or asked.message.number != message.number:
            if view is None or peer not in view.peers:
                out.append(Send(peer, TopicDisconnect((message.topic,))))
            return
        del view.asked[peer]
        view.sketch.add(message.hashes)
        self.links.own(view, peer, now, out)
        if message.given is not None:
            self.links.take(view, message.given, peer, now, out)
        if view.moving is not None and view.moving[0] == peer:
            given_up, view.moving = view.moving[1], None
            if given_up in view.peers:
                out.append(Send(given_up, TopicDisconnect((view.token,))))
                self.links.remove(view, given_up, out)

    def _on_topic_disconnect(
        self, peer: Peer, message: TopicDisconnect, now: int, out: Effects
    ) -> None:
        for token in message.topics:
            view = self.views.get(token)
            if view is not None:
                self._forget(view, peer, out)
                if not view.peers:
                    self._fill(view, now, out)

    def _on_walk(self, peer: Peer, message: Walk, now: int, out: Effects) -> None:
        view = self.views.get(message.topic)
        if view is None:
            out.append(Send(peer, TopicDisconnect((message.topic,))))
            return
        if peer not in view.peers:
            out.append(Send(peer, LinkUnknown(message.topic)))
        if message.origin == self.me:
            self._use(view, message.seen, now, out)
            return
        if self.config.overhear:
            view.hear(message.seen, self.me)
        seen = (*message.seen, self._described(view))
        if message.left and view.peers:
            onward = Walk(message.topic, message.origin, message.left - 1, seen)
            out.append(Send(self.random.choice(view.peers), onward))
        else:
            out.append(Send(message.origin, Collected(message.topic, seen, self._hashes(view))))

    def _on_collected(self, peer: Peer, message: Collected, now: int, out: Effects) -> None:
        view = self.views.get(message.topic)
        if view is None:
            return
        view.sketch.add(message.hashes)
        self._use(view, message.seen, now, out)

    # -- timers ------------------------------------------------------------------------------

    def on_timer(self, key: Key, now: int, out: Effects) -> None:
        """Run a round, or send heartbeats."""
        if key == ROUND:
            out.append(SetTimer(ROUND, now + self.config.period))
            self._on_round(now, out)
        else:
            out.append(SetTimer(HEARTBEAT, now + self.config.heartbeat))
            for peer in self.detector.suspects(now):
                out.append(Trace("suspect", peer))
                self.on_peer_down(peer, now, out)
            self.links.send_heartbeats(out)

    def _on_round(self, now: int, out: Effects) -> None:
        self._rounds += 1
        for view in self.views.values():
            if self.membership is not None:
                self._update_sketch(view)
                self._reconnect(view, now, out)
            self._repeat(view, now, out)
            self._fill(view, now, out)
            if now >= view.filled_at and view.peers and self._rounds >= view.due:
                if view.walking:  # the walk of the last round is lost
                    self.swaps.start(view, now, out)
                self._walk(view, out)

    # -- decisions ---------------------------------------------------------------------------

    def _fill_all(self, now: int, out: Effects) -> None:
        for view in self.views.values():
            self._fill(view, now, out)

    def _fill(self, view: TopicView, now: int, out: Effects) -> None:
        """Request neighbours: half of the missing ones, since others request too."""
        size = self._aim(view)
        missing = 0
        if now < view.filled_at:
            missing = -(-(size - len(view.peers)) // 2)
        elif size > view.aim:  # the topic has grown
            missing = (size - view.aim + self.random.randbelow(2)) // 2
        view.aim = max(view.aim, size)
        if not view.peers and self.config.refill:  # a walk has no start
            missing = max(missing, min(size, 1))
        for _ in range(missing - len(view.asked)):
            without = {*view.peers, *view.asked}
            found = self.view.any_covering((self._gossip_name(view),), without, self.random)
            if found is None:
                return
            self._ask(view, found, now, out)

    def _repeat(self, view: TopicView, now: int, out: Effects) -> None:
        """Repeat claims and requests of the last round, and give up those of earlier ones."""
        period = self.config.period
        sent_by, first_by = now - period // 2, now - self.config.retries * period
        self.links.repeat_claims(view, sent_by, now, out)
        self.swaps.repeat(view, sent_by, first_by, now, out)
        for peer, pending in list(view.asked.items()):
            if pending.first <= first_by:
                del view.asked[peer]
            elif pending.sent <= sent_by:
                view.asked[peer] = replace(pending, sent=now)
                out.append(Send(peer, pending.message))

    def _to_give(self, view: TopicView, peer: Peer, theirs: Sequence[Peer]) -> Peer | None:
        """Return the peer to which a joining node takes over the link.

        A full view so keeps its size, and the joining node gains two neighbours.
        """
        if peer in view.peers or self.config.swap == "move":
            return None
        if len(view.peers) < max(2, self._aim(view)):
            return None
        strange = [one for one in view.free() if one not in theirs and one != peer]
        return heaviest(strange, self.weigh) if strange else None

    def _reconnect(self, view: TopicView, now: int, out: Effects) -> None:
        """Request lost neighbours that are known again."""
        for peer in [lost for lost in view.lost if lost in self.view]:
            del view.lost[peer]
            if view.token in (self.view.topics_of(peer) or ()) and peer not in view.peers:
                self._ask(view, peer, now, out)

    def _use(self, view: TopicView, seen: Seen, now: int, out: Effects) -> None:
        """Refill the view from the nodes that a walk collected, offer a swap, or do nothing."""
        if view.walking:
            view.walking = False
            view.idle += 1
            view.due = self._rounds + min(1 << min(view.idle, 12), self.config.idle_rounds)
        swap = self.config.swap
        if view.size < self._min_view(view) or swap == "move":
            collected = [one for peer, owned, held in seen for one in (peer, *owned, *held)]
            found = lightest(collected, view.peers, self.me, self.weigh)
            if found is not None and found not in view.asked:
                self._adopt(view, found, now, out)
        elif swap == "pair":
            view.hear(seen, self.me)
            self.swaps.start(view, now, out)

    def _adopt(self, view: TopicView, found: Peer, now: int, out: Effects) -> None:
        """Ask a node that a walk collected, to refill the view or instead of the heaviest."""
        if view.size >= self._min_view(view):
            worst = heaviest(view.peers, self.weigh) if view.peers else None
            if worst is None or self.weigh(found) >= self.weigh(worst):
                return
            view.moving = (found, worst)
        self._ask(view, found, now, out)

    def _forget(self, view: TopicView, peer: Peer, out: Effects) -> None:
        """Remove a neighbour on a topic, and requests to it."""
        view.asked.pop(peer, None)
        view.update_candidates(self.me)
        view.candidates.pop(peer, None)
        view.swaps.pop(peer, None)
        self.links.remove(view, peer, out)

    # -- helpers -----------------------------------------------------------------------------

    def _enter(self, topics: Topics, now: int) -> None:
        for topic in topics:
            view = TopicView(topic, token_of(topic), now + microseconds(self.config.fill_seconds))
            if self.membership is not None:
                view.sketch.add((hash_of(self.me),))
            self.views[view.token] = view

    def _subscribers(self, view: TopicView) -> int:
        """Return the estimated number of subscribers of a topic, this node included."""
        known = 1 + self.view.count_on(self._gossip_name(view))
        return known if self.membership is None else max(known, view.sketch.estimate())

    def _aim(self, view: TopicView) -> int:
        """Return the number of neighbours that a view should have."""
        return view_size(self._subscribers(view), self.config.slack)

    def _min_view(self, view: TopicView) -> int:
        """Return the size below which a view is refilled."""
        return min(self.config.refill, self._aim(view))

    def _gossip_name(self, view: TopicView) -> Topic:
        """Return the name of a topic in the view of other nodes."""
        return view.topic if self.membership is None else view.token

    def _ask(self, view: TopicView, peer: Peer, now: int, out: Effects) -> None:
        neighbours, hashes = tuple(view.expected()), self._hashes(view)
        message = JoinRequest(view.token, self.next_number(now), neighbours, hashes)
        view.asked[peer] = Pending(message, now, now)
        out.append(Send(peer, message))

    def next_number(self, now: int) -> int:
        """Return the number of a request, above those of earlier incarnations too."""
        self._number = max(self._number + 1, now)
        return self._number

    def _hashes(self, view: TopicView) -> tuple[int, ...]:
        return () if self.membership is None else view.sketch.hashes

    def _walk(self, view: TopicView, out: Effects) -> None:
        view.walking = True
        own = (self._described(view),) if self.config.overhear else ()
        first = self.random.choice(view.peers)
        out.append(Send(first, Walk(view.token, self.me, self.config.walk_hops - 1, own)))
        if self.membership is not None:
            # After a partition, the two sides know each other only by gossip.
            stranger = self.view.any_covering((view.token,), view.peers, self.random)
            if stranger is not None:
                out.append(Send(stranger, Walk(view.token, self.me, 0, ())))

    def _described(self, view: TopicView) -> tuple[Peer, tuple[Peer, ...], tuple[Peer, ...]]:
        """Return this node and its links, as a walk collects them."""
        offer = view.offer(self.me)
        return self.me, tuple(offer.owned), tuple(offer.others)

    def _update_sketch(self, view: TopicView) -> None:
        if self._rounds % ROUNDS_PER_SKETCH == 0:
            view.sketch.start_period()
        view.sketch.add((hash_of(self.me),))
