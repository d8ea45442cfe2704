"""The neighbours of a node on each topic, the links that they share, and both ends of one mind.

A link is there while its ends are neighbours on some topic. Messages may be lost half-way through
a change, so neighbours compare by heartbeats on which topics they are neighbours. Where they
differ in the same way twice in a row, the account of the lower name holds, if nothing has changed
by then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from gossamer.protocols.components.composed_machine import ComposedMachine
from gossamer.protocols.components.failure_detector import MissedHeartbeats
from gossamer.protocols.components.hashes import token_of
from gossamer.protocols.components.membership import make_membership
from gossamer.protocols.components.views import order_of
from gossamer.protocols.contract import (
    Effects,
    Link,
    NodeContext,
    Peer,
    Send,
    Topic,
    Topics,
    Trace,
    Unlink,
)
from gossamer.protocols.stan.config import StaNConfig
from gossamer.protocols.stan.messages import (
    DigestHeartbeat,
    LinkStateReply,
    LinkStateRequest,
    TopicDisconnect,
)
from gossamer.protocols.stan.views import MAX_NEIGHBOURS, TopicView

__all__ = ["Neighbourhood"]

MAX_ODD = 1024


class Neighbourhood(ComposedMachine):
    """A node's views and links. Adding and removing cost O(view)."""

    def __init__(self, context: NodeContext, config: StaNConfig) -> None:
        membership = make_membership(context, config)
        super().__init__(context, membership, flood=config.flood, period=config.heartbeat)
        self.detector = MissedHeartbeats(config.heartbeat, config.missed_heartbeats)
        self._views: dict[int, TopicView] = {}
        """By token."""
        self._shared: dict[Peer, dict[int, None]] = {}
        """The topics, by token, on which each linked peer is a neighbour."""
        self._digests: dict[Peer, int] = {}
        self._odd: dict[Peer, tuple[int, int]] = {}
        """Who is not of our mind: our digest and theirs."""

    def linked(self) -> Iterable[Peer]:
        """Return whom the node is linked to, in the order of linking."""
        return list(self._shared)

    def neighbours_on(self, topic: Topic) -> list[Peer]:
        """Return the view of a topic."""
        view = self._views.get(token_of(topic))
        return [] if view is None else view.peers

    def names_for_gossip(self, topics: Topics) -> Topics:
        """Return what gossip calls topics: their tokens."""
        return tuple(sorted(token_of(topic) for topic in topics))

    def on_peer_down(self, peer: Peer, now: int, out: Effects) -> None:
        """Do without a peer, on all topics."""
        for token in list(self._shared.get(peer, ())):
            view = self._views[token]
            self._remove(view, peer, out)
            view.lose(peer)
        if self.membership is not None:
            self.membership.suspect(peer, now)

    def send_heartbeats(self, now: int, out: Effects) -> None:
        """Give up who was silent for too long, and tell the others that this node is there."""
        for peer in self.detector.suspects(now):
            out.append(Trace("suspect", peer))
            self.on_peer_down(peer, now, out)
        for peer, digest in self._digests.items():
            out.append(Send(peer, DigestHeartbeat(digest)))

    # -- links ---------------------------------------------------------------------------

    def _replace(
        self, view: TopicView, given_up: Peer, gained: Peer, now: int, out: Effects
    ) -> None:
        self._add(view, gained, now, out)
        self._remove(view, given_up, out)
        view.idle, view.due = 0, 0

    def _add(self, view: TopicView, peer: Peer, now: int, out: Effects) -> None:
        if peer in view.peers or peer == self.me:
            return
        view.peers.append(peer)
        view.idle, view.due = 0, 0
        if peer not in self._shared:
            self._shared[peer] = {}
            self._digests[peer] = 0
            self.detector.heard(peer, now)
            out.append(Link(peer))
            out += self.dissemination.linked(peer, now)
        else:
            out += self.dissemination.changed(now)
        self._shared[peer][view.token] = None
        self._digests[peer] ^= view.token

    def _remove(self, view: TopicView, peer: Peer, out: Effects) -> None:
        if peer not in view.peers:
            return
        view.peers.remove(peer)
        view.idle, view.due = 0, 0
        tokens = self._shared[peer]
        del tokens[view.token]
        self._digests[peer] ^= view.token
        if not tokens:
            del self._shared[peer], self._digests[peer]
            self.detector.forget(peer)
            self.dissemination.unlinked(peer)
            out.append(Unlink(peer))

    # -- of one mind ---------------------------------------------------------------------

    def _on_heartbeat(self, peer: Peer, message: DigestHeartbeat, now: int, out: Effects) -> None:
        if peer in self._shared:
            self.detector.heard(peer, now)
        mine = self._digests.get(peer, 0)
        differ = (mine, message.digest)
        if mine == message.digest:
            self._odd.pop(peer, None)
        elif self._odd.pop(peer, None) != differ:  # once may be a swap under way
            self._odd[peer] = differ
            if len(self._odd) > MAX_ODD:
                del self._odd[next(iter(self._odd))]
        elif order_of(self.me) < order_of(peer):
            self._send_link_state(peer, message.digest, out)
        else:
            out.append(Send(peer, LinkStateRequest(mine)))

    def _on_link_state_request(
        self, peer: Peer, message: LinkStateRequest, now: int, out: Effects
    ) -> None:
        if order_of(self.me) < order_of(peer):
            self._send_link_state(peer, message.digest, out)

    def _send_link_state(self, peer: Peer, digest: int, out: Effects) -> None:
        out.append(Send(peer, LinkStateReply(tuple(self._shared.get(peer, ())), digest)))

    def _on_link_state_reply(
        self, peer: Peer, message: LinkStateReply, now: int, out: Effects
    ) -> None:
        mine = self._digests.get(peer, 0)
        if order_of(peer) > order_of(self.me) or mine != message.instead_of:
            return
        theirs = dict.fromkeys(message.topics)
        for token in [one for one in self._shared.get(peer, ()) if one not in theirs]:
            self._remove(self._views[token], peer, out)
        unknown = []
        for token in theirs:
            view = self._views.get(token)
            full = view is not None and len(view.peers) >= MAX_NEIGHBOURS
            if view is None or (full and peer not in view.peers):
                unknown.append(token)
            else:
                self._add(view, peer, now, out)
        if unknown:
            out.append(Send(peer, TopicDisconnect(tuple(unknown))))

    HANDLERS: ClassVar[dict[type, Callable[..., None]]] = {
        DigestHeartbeat: _on_heartbeat,
        LinkStateRequest: _on_link_state_request,
        LinkStateReply: _on_link_state_reply,
    }
