"""Swaps of links between two nodes.

Only the owner of a link gives it away, so two nodes can swap theirs without asking others. A node
offers some of its links, each for one of a peer's. The peer carries out what it can at once, and
answers. Both claim their new links from the peers at the other ends, which only take note. A
request is repeated in the next round, and gets the same answer, so a swap is carried out once
whatever is lost.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gossamer.protocols.components.component import Component
from gossamer.protocols.contract import Effects, Peer, Send
from gossamer.protocols.stan.messages import SwapReply, SwapRequest, TopicDisconnect
from gossamer.protocols.stan.policy import best_swap
from gossamer.protocols.stan.views import Pending, TopicView

if TYPE_CHECKING:
    from gossamer.protocols.stan.machine import StaN


class Swaps(Component):
    """Swaps of a node on all its topics. Starting some costs O(candidates · view log view)."""

    def __init__(self, node: StaN) -> None:
        self._node = node

    # -- messages ----------------------------------------------------------------------------

    def on_swap_request(self, peer: Peer, message: SwapRequest, now: int, out: Effects) -> None:
        """Carry out the swaps that are possible; repeat the answer to a repeated request."""
        node = self._node
        view = node.views.get(message.topic)
        if view is None:
            out.append(Send(peer, TopicDisconnect((message.topic,))))
            return
        answer = view.answers.get(peer)
        if answer is None or answer.number < message.number:
            taken = tuple(
                offered
                for offered, wanted in zip(message.offered, message.wanted, strict=False)
                if self._swap(view, peer, offered, wanted, now, out)
            )
            answer = SwapReply(message.topic, message.number, taken)
            view.remember(peer, answer)
        if answer.number == message.number:
            out.append(Send(peer, answer))

    def on_swap_reply(self, peer: Peer, message: SwapReply, now: int, out: Effects) -> None:
        """Carry out what a peer has carried out."""
        links = self._node.links
        view = self._node.views.get(message.topic)
        pending = None if view is None else view.swaps.get(peer)
        if view is None or pending is None or pending.message.number != message.number:
            return
        request = view.swaps.pop(peer).message
        for offered, wanted in zip(request.offered, request.wanted, strict=True):
            if offered in message.taken:
                links.give(view, offered, out)
                links.take(view, wanted, peer, now, out)

    # -- rounds ------------------------------------------------------------------------------

    def start(self, view: TopicView, now: int, out: Effects) -> None:
        """Offer swaps to the candidates with which the node gains, those of most gain first."""
        offer = view.offer(self._node.me)
        if not offer.owned:
            return
        view.update_candidates(self._node.me)
        gains = {}
        for peer, theirs in list(view.candidates.items()):
            _, gains[peer] = best_swap(offer, theirs, self._node.weigh)
            if not gains[peer]:
                del view.candidates[peer], gains[peer]
        for peer in sorted(gains, key=gains.__getitem__, reverse=True):
            pairs, gain = best_swap(offer, view.candidates[peer], self._node.weigh)
            if gain and peer not in view.swaps:
                del view.candidates[peer]
                offered, wanted = zip(*pairs, strict=True)
                message = SwapRequest(view.token, self._node.next_number(now), offered, wanted)
                view.swaps[peer] = Pending(message, now, now)
                out.append(Send(peer, message))
                offer = view.offer(self._node.me)

    def repeat(self, view: TopicView, sent_by: int, first_by: int, now: int, out: Effects) -> None:
        """Repeat requests that were sent by a time; give up those as old as ``first_by``."""
        for peer, pending in list(view.swaps.items()):
            if pending.first <= first_by:
                del view.swaps[peer]
            elif pending.sent <= sent_by:
                view.swaps[peer] = replace(pending, sent=now)
                out.append(Send(peer, pending.message))

    # -- helpers -----------------------------------------------------------------------------

    def _swap(
        self, view: TopicView, peer: Peer, offered: Peer, wanted: Peer, now: int, out: Effects
    ) -> bool:
        """Swap a link for that of a peer; return False if the node cannot."""
        node = self._node
        if (
            peer == wanted
            or offered == node.me
            or offered in view.expected()
            or wanted not in view.free()
        ):
            return False
        node.links.give(view, wanted, out)
        node.links.take(view, offered, peer, now, out)
        return True
