"""One node of StaN: a view for each topic, filled at random, then swapped for lighter links.

*Filling.* A node that subscribes to a topic asks subscribers to be its neighbours until its view
has ⌈ln n⌉ + slack of them. A node whose view is full passes one of its neighbours on, and so keeps
its size. Views grow with the topic. A view that loses neighbours is refilled only below ``refill``,
by asking the nodes that a walk met (supplement, C.2).

*Swapping.* In each round, on each topic, a walk through the topic's overlay collects other
subscribers. If the lightest of them, c, is lighter than the heaviest neighbour x, c is offered a
swap. c picks the neighbour y that it would give up, y asks x, and if all agree the links (p,x) and
(c,y) become (p,c) and (x,y), from the far end of that chain to the near one. A node takes part in
one swap of a topic at a time.

*Privacy.* All these messages carry the token of a topic. Without an oracle, gossip membership uses
tokens too, so a node that does not know the name of a topic learns only that the topic exists.
Publications carry the names of their topics, to neighbours on one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from gossamer.protocols.components.component import Component
from gossamer.protocols.components.composed_machine import ComposedMachine
from gossamer.protocols.components.failure_detector import FailureDetector, MissedHeartbeats
from gossamer.protocols.components.hashes import hash_of, token_of
from gossamer.protocols.components.membership import make_membership
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
    MAX_SEEN,
    Collected,
    JoinAccept,
    JoinRequest,
    LinkRedirect,
    SwapAccept,
    SwapCommit,
    SwapDone,
    SwapOffer,
    SwapRefused,
    TopicDisconnect,
    Walk,
)
from gossamer.protocols.stan.policy import best_swap, heaviest, lightest, view_size, weight
from gossamer.protocols.stan.topic_links import TopicLinks
from gossamer.protocols.stan.views import MAX_NEIGHBOURS, Swap, TopicView
from gossamer.time import microseconds

ROUND, HEARTBEAT = "round", "beat"
MAX_WEIGHED = 1 << 14
ROUNDS_PER_SKETCH = 30


class StaN(ComposedMachine):
    """One node of StaN.

    A round costs O(hops) messages for each topic, and a swap six. Memory is O(LVS).
    """

    COMPONENTS: ClassVar[Mapping[str, type[Component]]] = {"links": TopicLinks}
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
        self._weights: dict[Peer, int] = {}
        self._rounds = 0
        self._ticks = 0
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
            self.links.remove(view, peer, out)
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
        given = self._to_give(view, peer, message.view, now)
        if given is None:
            self.links.add(view, peer, now, out)
        else:
            self.links.replace(view, given, peer, now, out)
        out.append(Send(peer, JoinAccept(message.topic, given, self._hashes(view))))

    def _on_join_accept(self, peer: Peer, message: JoinAccept, now: int, out: Effects) -> None:
        view = self.views.get(message.topic)
        if view is None or view.asked.pop(peer, None) is None:
            if view is None or peer not in view.peers:
                out.append(Send(peer, TopicDisconnect((message.topic,))))
            return
        view.sketch.add(message.hashes)
        self.links.add(view, peer, now, out)
        if message.given not in (None, self.me):
            out.append(Send(message.given, LinkRedirect(view.token, peer)))
            self.links.add(view, message.given, now, out)
        if self.config.swap == "move" and view.swap is not None and view.swap.after == peer:
            given_up, view.swap = view.swap.given_up, None
            if given_up in view.peers:
                out.append(Send(given_up, TopicDisconnect((view.token,))))
                self.links.remove(view, given_up, out)

    def _on_link_redirect(self, peer: Peer, message: LinkRedirect, now: int, out: Effects) -> None:
        view = self.views.get(message.topic)
        if view is None:
            out.append(Send(peer, TopicDisconnect((message.topic,))))
            return
        self.links.add(view, peer, now, out)
        self.links.remove(view, message.of, out)

    def _on_topic_disconnect(
        self, peer: Peer, message: TopicDisconnect, now: int, out: Effects
    ) -> None:
        for token in message.topics:
            view = self.views.get(token)
            if view is not None:
                view.asked.pop(peer, None)
                self.links.remove(view, peer, out)
                if not view.peers:
                    self._fill(view, now, out)

    def _on_walk(self, peer: Peer, message: Walk, now: int, out: Effects) -> None:
        view = self.views.get(message.topic)
        if view is None:
            out.append(Send(peer, TopicDisconnect((message.topic,))))
            return
        if message.origin == self.me:
            self._use(view, message.seen, now, out)
            return
        seen = message.seen
        if 2 * message.left < self.config.walk_hops:  # near nodes close triangles
            met = (self.me, *view.peers) if self.config.collect == "views" else (self.me,)
            seen = (*seen, *met)[:MAX_SEEN]
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
        seen: Sequence[Peer] = message.seen
        if self.membership is not None:
            # After a partition, the two sides know each other only by gossip.
            stranger = self.view.any_covering((view.token,), view.peers, self.random)
            seen = seen if stranger is None else (*seen, stranger)
        self._use(view, seen, now, out)

    def _on_swap_offer(self, peer: Peer, message: SwapOffer, now: int, out: Effects) -> None:
        view = self.views.get(message.topic)
        turned = None
        if (
            view is not None
            and self._is_free(view, now)
            and peer not in view.peers
            and message.given_up not in (self.me, peer)
        ):
            turned = best_swap(self.me, view.peers, peer, message.given_up, self._weigh)
        if view is None or turned is None:
            out.append(Send(peer, SwapRefused(message.topic, message.number, peer)))
            return
        view.swap = Swap(peer, message.number, peer, turned, turned, peer, now)
        out.append(Send(turned, SwapAccept(message.topic, message.number, peer, message.given_up)))

    def _on_swap_accept(self, peer: Peer, message: SwapAccept, now: int, out: Effects) -> None:
        view = self.views.get(message.topic)
        crossed = message.given_up
        if (
            view is None
            or not self._is_free(view, now)
            or peer not in view.peers
            or crossed in view.peers
            or crossed in (self.me, message.offering)
        ):
            out.append(Send(peer, SwapRefused(message.topic, message.number, message.offering)))
            return
        view.swap = Swap(message.offering, message.number, peer, crossed, peer, crossed, now)
        out.append(Send(crossed, SwapCommit(message.topic, message.number, message.offering)))

    def _on_swap_commit(self, peer: Peer, message: SwapCommit, now: int, out: Effects) -> None:
        view = self.views.get(message.topic)
        answer = (message.topic, message.number, message.offering)
        if (
            view is None
            or not self._is_free(view, now)
            or message.offering not in view.peers
            or peer in view.peers
        ):
            out.append(Send(peer, SwapRefused(*answer)))
            return
        self.links.replace(view, message.offering, peer, now, out)
        out.append(Send(peer, SwapDone(*answer)))

    def _on_swap_done(self, peer: Peer, message: SwapDone, now: int, out: Effects) -> None:
        view, swap = self._under_way(peer, message)
        if view is None or swap is None:
            return
        view.swap = None
        if swap.given_up in view.peers:
            self.links.replace(view, swap.given_up, swap.gained, now, out)
        if swap.before is not None:
            out.append(Send(swap.before, SwapDone(message.topic, message.number, message.offering)))

    def _on_swap_refused(self, peer: Peer, message: SwapRefused, now: int, out: Effects) -> None:
        view, swap = self._under_way(peer, message)
        if view is None or swap is None:
            return
        view.swap = None
        if swap.before is not None:
            out.append(
                Send(swap.before, SwapRefused(message.topic, message.number, message.offering))
            )

    # -- timers ------------------------------------------------------------------------------

    def on_timer(self, key: Key, now: int, out: Effects) -> None:
        """Run a round, or send heartbeats."""
        if key == ROUND:
            tries = self.config.tries
            out.append(SetTimer(ROUND, now + self.config.period // tries))
            if self._ticks % tries == 0:
                self._on_round(now, out)
            else:
                self._try_again(now, out)
            self._ticks += 1
        else:
            out.append(SetTimer(HEARTBEAT, now + self.config.heartbeat))
            for peer in self.detector.suspects(now):
                out.append(Trace("suspect", peer))
                self.on_peer_down(peer, now, out)
            self.links.send_heartbeats(out)

    def _on_round(self, now: int, out: Effects) -> None:
        self._rounds += 1
        if len(self._weights) > MAX_WEIGHED:
            self._weights.clear()
        for view in self.views.values():
            if self.membership is not None:
                self._update_sketch(view)
                self._reconnect(view, now, out)
            self._fill(view, now, out)
            if now >= view.filled_at and view.peers and self._rounds >= view.due:
                self._walk(view, out)

    def _try_again(self, now: int, out: Effects) -> None:
        """Repeat walks that have not returned, and those whose swap was lost."""
        for view in self.views.values():
            if view.swap is not None and view.swap.before is None and self._is_free(view, now):
                view.walking = True
            if view.walking and view.peers:
                self._walk(view, out)

    # -- decisions ---------------------------------------------------------------------------

    def _fill_all(self, now: int, out: Effects) -> None:
        for view in self.views.values():
            self._fill(view, now, out)

    def _fill(self, view: TopicView, now: int, out: Effects) -> None:
        """Request neighbours: half of the missing ones, since others request too."""
        late = now - self.config.period
        if view.asked:
            view.asked = {peer: when for peer, when in view.asked.items() if when > late}
        size = view_size(self._subscribers(view), self.config.slack)
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

    def _to_give(
        self, view: TopicView, peer: Peer, theirs: Sequence[Peer], now: int
    ) -> Peer | None:
        """Return the neighbour that a joining node replaces and adopts.

        A full view so keeps its size, and the joining node gains two neighbours.
        """
        if not self._is_free(view, now) or peer in view.peers or self.config.swap == "move":
            return None
        if len(view.peers) < max(2, view_size(self._subscribers(view), self.config.slack)):
            return None
        strange = [one for one in view.peers if one not in theirs]
        return heaviest(strange, self._weigh) if strange else None

    def _reconnect(self, view: TopicView, now: int, out: Effects) -> None:
        """Request lost neighbours that are known again."""
        for peer in [lost for lost in view.lost if lost in self.view]:
            del view.lost[peer]
            if view.token in (self.view.topics_of(peer) or ()) and peer not in view.peers:
                self._ask(view, peer, now, out)

    def _use(self, view: TopicView, seen: Sequence[Peer], now: int, out: Effects) -> None:
        """Refill the view from the nodes that a walk collected, offer a swap, or do nothing."""
        found = lightest(seen, view.peers, self.me, self._weigh)
        view.walking = False
        view.idle += 1
        view.due = self._rounds + min(1 << min(view.idle, 12), self.config.idle_rounds)
        if found is None or found in view.asked:
            return
        if len(view.peers) < self._min_view(self._subscribers(view)):
            self._ask(view, found, now, out)
        elif self.config.swap != "none" and view.peers and self._is_free(view, now):
            worst = heaviest(view.peers, self._weigh)
            if self._weigh(found) < self._weigh(worst):
                self._offer(view, found, worst, now, out)

    def _is_free(self, view: TopicView, now: int) -> bool:
        """Whether no swap of the topic is in progress; one that takes too long counts as lost."""
        swap = view.swap
        if swap is not None and swap.since <= now - self.config.timeout:
            view.swap = swap = None
        return swap is None

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

    def _min_view(self, subscribers: int) -> int:
        """Return the size below which a view is refilled."""
        return min(self.config.refill, view_size(subscribers, self.config.slack))

    def _gossip_name(self, view: TopicView) -> Topic:
        """Return the name of a topic in the view of other nodes."""
        return view.topic if self.membership is None else view.token

    def _ask(self, view: TopicView, peer: Peer, now: int, out: Effects) -> None:
        view.asked[peer] = now
        out.append(Send(peer, JoinRequest(view.token, tuple(view.peers), self._hashes(view))))

    def _hashes(self, view: TopicView) -> tuple[int, ...]:
        return () if self.membership is None else view.sketch.hashes

    def _walk(self, view: TopicView, out: Effects) -> None:
        view.walking = True
        first = self.random.choice(view.peers)
        out.append(Send(first, Walk(view.token, self.me, self.config.walk_hops - 1, ())))

    def _update_sketch(self, view: TopicView) -> None:
        if self._rounds % ROUNDS_PER_SKETCH == 0:
            view.sketch.start_period()
        view.sketch.add((hash_of(self.me),))

    def _weigh(self, peer: Peer) -> int:
        known = self._weights.get(peer)
        if known is None:
            known = self._weights[peer] = weight(self.me, peer)
        return known

    def _offer(self, view: TopicView, found: Peer, worst: Peer, now: int, out: Effects) -> None:
        self._number += 1
        view.swap = Swap(self.me, self._number, None, found, worst, found, now)
        if self.config.swap == "move":
            self._ask(view, found, now, out)
            return
        out.append(Send(found, SwapOffer(view.token, self._number, worst)))

    def _under_way(
        self, peer: Peer, message: SwapDone | SwapRefused
    ) -> tuple[TopicView | None, Swap | None]:
        """Return the view and the swap in progress that an answer belongs to."""
        view = self.views.get(message.topic)
        swap = None if view is None else view.swap
        if swap is None or (swap.after, swap.offering, swap.number) != (
            peer, message.offering, message.number
        ):  # fmt: skip
            return None, None
        return view, swap
