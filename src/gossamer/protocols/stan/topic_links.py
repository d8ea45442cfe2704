"""Neighbours on each topic, the links that topics share, and agreement between both ends.

A link on a topic has an owner, which alone gives it away, and another end, which holds it. The new
owner claims the link from the other end, and repeats the claim in each round until it is
acknowledged. A node that hears on a topic from a peer that is no neighbour there answers that the
link is unknown: its owner then claims it, and an end that only holds it drops it. So a lost message
is repaired by the next one.

A link between two nodes exists while they are neighbours on some topic. Heartbeats carry digests of
the topics on which they are. If the digests differ in the same way twice in a row, both nodes send
the topics on which they own the link, and hold those of the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.protocols.components.component import Component
from gossamer.protocols.contract import Effects, Peer, Send
from gossamer.protocols.stan.messages import (
    DigestHeartbeat,
    LinkAck,
    LinkClaim,
    LinkUnknown,
    OwnedTopics,
    TopicDisconnect,
)
from gossamer.protocols.stan.views import MAX_NEIGHBOURS, PendingClaim, TopicView

if TYPE_CHECKING:
    from gossamer.protocols.stan.machine import StaN

MAX_DISAGREEING = 1024
Digests = tuple[int, int]
"""Exclusive or of the tokens of the topics on which a link is owned, and is held."""


class TopicLinks(Component):
    """Views of a node and the links under them. Adding and removing cost O(view)."""

    def __init__(self, node: StaN) -> None:
        self.views: dict[int, TopicView] = {}
        """View of each topic, by token."""
        self.shared: dict[Peer, dict[int, None]] = {}
        """Tokens of the topics on which each linked peer is a neighbour."""
        self._node = node
        self._digests: dict[Peer, Digests] = {}
        self._disagreeing: dict[Peer, tuple[Digests, Digests]] = {}
        """Digests of this node and of a peer that differ."""

    def check_invariants(self) -> None:
        """Raise AssertionError if views, links and digests contradict each other."""
        for token, view in self.views.items():
            assert token == view.token
            assert len(set(view.peers)) == len(view.peers) <= MAX_NEIGHBOURS + 1
            assert set(view.peers) == {*view.owned, *view.held}
            assert view.claims.keys() <= view.owned.keys()
            if view.whole_offer is not None:
                assert view.whole_offer.owned == (*view.owned,)
                assert {*view.whole_offer.others} == view.held.keys()
            assert all(token in self.shared[peer] for peer in view.peers)
        for peer, tokens in self.shared.items():
            owned = held = 0
            for token in tokens:
                view = self.views[token]
                assert peer in view.peers, "a link serves a topic without a neighbour"
                owned ^= token if peer in view.owned else 0
                held ^= token if peer in view.held else 0
            assert tokens, "a link serves no topic"
            assert (owned, held) == self._digests[peer]

    # -- messages ----------------------------------------------------------------------------

    def on_link_claim(self, peer: Peer, message: LinkClaim, now: int, out: Effects) -> None:
        """Hold a link that a peer owns, in place of another neighbour's."""
        view = self.views.get(message.topic)
        if view is None or (len(view.peers) >= MAX_NEIGHBOURS and peer not in view.peers):
            out.append(Send(peer, TopicDisconnect((message.topic,))))
            return
        self.hold(view, peer, now, out)
        if message.instead_of is not None and message.instead_of != peer:
            self.release(view, message.instead_of, out)
        out.append(Send(peer, LinkAck(message.topic)))

    def on_link_ack(self, peer: Peer, message: LinkAck, now: int, out: Effects) -> None:
        """Note that a peer holds a link of this node, or answer that there is none."""
        view = self.views.get(message.topic)
        if view is None or peer not in view.owned:
            out.append(Send(peer, LinkUnknown(message.topic)))
        else:
            view.claims.pop(peer, None)

    def on_link_unknown(self, peer: Peer, message: LinkUnknown, now: int, out: Effects) -> None:
        """PendingClaim an owned link again; drop one that a peer no longer owns."""
        view = self.views.get(message.topic)
        if view is None:
            return
        if peer in view.held:
            self.release(view, peer, out)
        elif peer in view.owned and not view.swaps:
            self.take(view, peer, None, now, out)

    def on_heartbeat(self, peer: Peer, message: DigestHeartbeat, now: int, out: Effects) -> None:
        """Compare digests with a peer."""
        if peer in self.shared:
            self._node.detector.heard(peer, now)
        mine, theirs = self._digests.get(peer, (0, 0)), (message.held, message.owned)
        differ = (mine, theirs)
        if mine == theirs:
            self._disagreeing.pop(peer, None)
        elif self._disagreeing.pop(peer, None) == differ:  # once may be a swap in progress
            self._send_state(peer, out)
        else:
            self._disagreeing[peer] = differ
            if len(self._disagreeing) > MAX_DISAGREEING:
                del self._disagreeing[next(iter(self._disagreeing))]

    def on_owned_topics(self, peer: Peer, message: OwnedTopics, now: int, out: Effects) -> None:
        """Hold the links that a peer owns, and no others of it; answer with the own ones."""
        theirs = dict.fromkeys(message.owned)
        for token in list(self.shared.get(peer, ())):
            if token not in theirs:
                self.release(self.views[token], peer, out)
        unknown = []
        for token in theirs:
            view = self.views.get(token)
            if view is None or (len(view.peers) >= MAX_NEIGHBOURS and peer not in view.peers):
                unknown.append(token)
            else:
                self.hold(view, peer, now, out)
        if unknown:
            out.append(Send(peer, TopicDisconnect(tuple(unknown))))
        if not message.answer:
            self._send_state(peer, out, answer=True)

    # -- changes -----------------------------------------------------------------------------

    def own(self, view: TopicView, peer: Peer, now: int, out: Effects) -> None:
        """Own a link that the peer knows of."""
        if peer != self._node.me and peer not in view.owned:
            view.owned[peer] = None
            self._add(view, peer, (view.token, 0), now, out)

    def take(
        self, view: TopicView, peer: Peer, instead_of: Peer | None, now: int, out: Effects
    ) -> None:
        """Own a link to a peer, possibly in place of another node, and claim it."""
        self.own(view, peer, now, out)
        if peer in view.owned:
            self._claim(view, peer, LinkClaim(view.token, instead_of), now, out)

    def hold(self, view: TopicView, peer: Peer, now: int, out: Effects) -> None:
        """Hold a link that a peer owns."""
        if peer != self._node.me and peer not in view.held:
            view.held[peer] = None
            view.asked.pop(peer, None)
            self._add(view, peer, (0, view.token), now, out)

    def give(self, view: TopicView, peer: Peer, out: Effects) -> None:
        """Own the link to a peer no longer."""
        if peer in view.owned:
            del view.owned[peer]
            view.claims.pop(peer, None)
            self._drop(view, peer, (view.token, 0), out)

    def release(self, view: TopicView, peer: Peer, out: Effects) -> None:
        """Hold the link of a peer no longer."""
        if peer in view.held:
            del view.held[peer]
            self._drop(view, peer, (0, view.token), out)

    def remove(self, view: TopicView, peer: Peer, out: Effects) -> None:
        """Remove a neighbour on a topic."""
        self.give(view, peer, out)
        self.release(view, peer, out)

    # -- rounds ------------------------------------------------------------------------------

    def repeat_claims(self, view: TopicView, sent_by: int, now: int, out: Effects) -> None:
        """Repeat the claims that were sent by a time and are not acknowledged."""
        for peer, claim in view.claims.items():
            if claim.sent <= sent_by:
                self._claim(view, peer, claim.message, now, out)

    def send_heartbeats(self, out: Effects) -> None:
        """Send digests to each linked peer."""
        for peer, (owned, held) in self._digests.items():
            out.append(Send(peer, DigestHeartbeat(owned, held)))

    # -- helpers -----------------------------------------------------------------------------

    def _add(self, view: TopicView, peer: Peer, change: Digests, now: int, out: Effects) -> None:
        node = self._node
        view.idle, view.due, view.whole_offer = 0, 0, None
        if peer not in view.peers:
            view.peers.append(peer)
            if peer not in self.shared:
                self.shared[peer] = {}
                self._digests[peer] = (0, 0)
                node.link(peer, now, out)
            else:
                node.dissemination.on_neighbours_changed(now, out)
            self.shared[peer][view.token] = None
        self._change_digests(peer, change)

    def _drop(self, view: TopicView, peer: Peer, change: Digests, out: Effects) -> None:
        view.idle, view.due, view.whole_offer = 0, 0, None
        self._change_digests(peer, change)
        if peer in view.owned or peer in view.held:
            return
        view.peers.remove(peer)
        del self.shared[peer][view.token]
        if not self.shared[peer]:
            del self.shared[peer], self._digests[peer]
            self._node.unlink(peer, out)
        self._node.dissemination.note_changed()

    def _change_digests(self, peer: Peer, change: Digests) -> None:
        owned, held = self._digests[peer]
        self._digests[peer] = (owned ^ change[0], held ^ change[1])

    def _claim(
        self, view: TopicView, peer: Peer, message: LinkClaim, now: int, out: Effects
    ) -> None:
        view.claims[peer] = PendingClaim(message, now)
        out.append(Send(peer, message))

    def _send_state(self, peer: Peer, out: Effects, *, answer: bool = False) -> None:
        tokens = self.shared.get(peer, ())
        owned = tuple(token for token in tokens if peer in self.views[token].owned)
        out.append(Send(peer, OwnedTopics(owned, answer)))
