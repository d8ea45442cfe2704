"""Neighbours on each topic, the links that topics share, and agreement between both ends.

A link exists while its ends are neighbours on some topic. Messages may be lost in the middle of a
change, so heartbeats carry a digest of the topics on which two nodes are neighbours. If the digests
differ in the same way twice in a row, the node with the lower name sends its topics, and the other
adopts them unless something has changed meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.protocols.components.component import Component
from gossamer.protocols.components.views import order_of
from gossamer.protocols.contract import Effects, Peer, Send
from gossamer.protocols.stan.messages import (
    DigestHeartbeat,
    LinkStateReply,
    LinkStateRequest,
    TopicDisconnect,
)
from gossamer.protocols.stan.views import MAX_NEIGHBOURS, TopicView

if TYPE_CHECKING:
    from gossamer.protocols.stan.machine import StaN

MAX_DISAGREEING = 1024


class TopicLinks(Component):
    """Views of a node and the links under them. Adding and removing cost O(view)."""

    def __init__(self, node: StaN) -> None:
        self.views: dict[int, TopicView] = {}
        """View of each topic, by token."""
        self.shared: dict[Peer, dict[int, None]] = {}
        """Tokens of the topics on which each linked peer is a neighbour."""
        self._node = node
        self._digests: dict[Peer, int] = {}
        """Exclusive or of these tokens."""
        self._disagreeing: dict[Peer, tuple[int, int]] = {}
        """Digests of this node and of a peer that differ."""

    def check_invariants(self) -> None:
        """Raise AssertionError if views, links and digests contradict each other."""
        for token, view in self.views.items():
            assert token == view.token
            assert len(set(view.peers)) == len(view.peers) <= MAX_NEIGHBOURS + 1
            assert all(token in self.shared[peer] for peer in view.peers)
        for peer, tokens in self.shared.items():
            digest = 0
            for token in tokens:
                assert peer in self.views[token].peers, "a link serves a topic without a neighbour"
                digest ^= token
            assert tokens, "a link serves no topic"
            assert digest == self._digests[peer]

    # -- messages ----------------------------------------------------------------------------

    def on_heartbeat(self, peer: Peer, message: DigestHeartbeat, now: int, out: Effects) -> None:
        """Compare digests with a peer."""
        if peer in self.shared:
            self._node.detector.heard(peer, now)
        mine = self._digests.get(peer, 0)
        differ = (mine, message.digest)
        if mine == message.digest:
            self._disagreeing.pop(peer, None)
        elif self._disagreeing.pop(peer, None) != differ:  # once may be a swap in progress
            self._disagreeing[peer] = differ
            if len(self._disagreeing) > MAX_DISAGREEING:
                del self._disagreeing[next(iter(self._disagreeing))]
        elif order_of(self._node.me) < order_of(peer):
            self._send_link_state(peer, message.digest, out)
        else:
            out.append(Send(peer, LinkStateRequest(mine)))

    def on_link_state_request(
        self, peer: Peer, message: LinkStateRequest, now: int, out: Effects
    ) -> None:
        """Send the shared topics, if this node has the lower name."""
        if order_of(self._node.me) < order_of(peer):
            self._send_link_state(peer, message.digest, out)

    def on_link_state_reply(
        self, peer: Peer, message: LinkStateReply, now: int, out: Effects
    ) -> None:
        """Adopt the shared topics of a peer with a lower name."""
        mine = self._digests.get(peer, 0)
        if order_of(peer) > order_of(self._node.me) or mine != message.instead_of:
            return
        theirs = dict.fromkeys(message.topics)
        for token in [one for one in self.shared.get(peer, ()) if one not in theirs]:
            self.remove(self.views[token], peer, out)
        unknown = []
        for token in theirs:
            view = self.views.get(token)
            full = view is not None and len(view.peers) >= MAX_NEIGHBOURS
            if view is None or (full and peer not in view.peers):
                unknown.append(token)
            else:
                self.add(view, peer, now, out)
        if unknown:
            out.append(Send(peer, TopicDisconnect(tuple(unknown))))

    # -- helpers -----------------------------------------------------------------------------

    def send_heartbeats(self, out: Effects) -> None:
        """Send a digest to each linked peer."""
        for peer, digest in self._digests.items():
            out.append(Send(peer, DigestHeartbeat(digest)))

    def add(self, view: TopicView, peer: Peer, now: int, out: Effects) -> None:
        """Add a neighbour on a topic."""
        node = self._node
        if peer in view.peers or peer == node.me:
            return
        view.peers.append(peer)
        view.idle, view.due = 0, 0
        if peer not in self.shared:
            self.shared[peer] = {}
            self._digests[peer] = 0
            node.link(peer, now, out)
        else:
            node.dissemination.on_neighbours_changed(now, out)
        self.shared[peer][view.token] = None
        self._digests[peer] ^= view.token

    def remove(self, view: TopicView, peer: Peer, out: Effects) -> None:
        """Remove a neighbour on a topic."""
        if peer not in view.peers:
            return
        view.peers.remove(peer)
        view.idle, view.due = 0, 0
        tokens = self.shared[peer]
        del tokens[view.token]
        self._digests[peer] ^= view.token
        if not tokens:
            del self.shared[peer], self._digests[peer]
            self._node.unlink(peer, out)
        self._node.dissemination.note_changed()

    def replace(
        self, view: TopicView, given_up: Peer, gained: Peer, now: int, out: Effects
    ) -> None:
        """Replace a neighbour on a topic by another."""
        self.add(view, gained, now, out)
        self.remove(view, given_up, out)
        view.idle, view.due = 0, 0

    def _send_link_state(self, peer: Peer, digest: int, out: Effects) -> None:
        out.append(Send(peer, LinkStateReply(tuple(self.shared.get(peer, ())), digest)))
