"""Newscast: peer sampling by passing on the news (Jelasity et al., TOCS 2007).

A node's view holds the ``size`` freshest descriptors that it has seen. Periodically it sends its
view and a fresh descriptor of its own to a random peer of the view, and receives the same in
return; both keep the freshest descriptors of the union. The view is therefore a changing random
sample, and departed nodes disappear from all views.

Inherited from the other gossip membership: bootstrap from contacts, rejection of descriptors that
are older than a suspicion, and occasional contact with missing peers, which rejoins the two sides
of a healed partition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from gossamer.protocols.components.component import Handler
from gossamer.protocols.components.config import RoundConfig
from gossamer.protocols.components.membership import OLDEST, GossipMembership
from gossamer.protocols.components.profiles import (
    MAX_DESCRIPTORS,
    RatedDescriptor,
    RatedDescriptors,
    Rates,
)
from gossamer.protocols.contract import (
    Effects,
    Message,
    NodeContext,
    Peer,
    Randomness,
    Send,
    Topics,
)
from gossamer.time import microseconds

__all__ = ["Newscast", "ViewExchange", "ViewExchangeReply", "make_newscast"]

PATIENCE = 30
"""Periods after which a descriptor is dropped, even if there is room for it."""


class ViewExchange(Message, frozen=True, tag="news"):
    """My view, and my descriptor; send me yours."""

    descriptors: RatedDescriptors


class ViewExchangeReply(Message, frozen=True, tag="news-reply"):
    """My view, and my descriptor, in return."""

    descriptors: RatedDescriptors


class Newscast(GossipMembership):
    """The sampling part of a machine, and its view.

    Each exchange costs O(size log size).

    Parameters
    ----------
    me, topics, random
        The node's.
    contacts
        Peers to start from; they are asked until somebody answers.
    size
        How many descriptors a view has at most (paper: 20).
    period
        Between exchanges, in microseconds (ours: 1 s; a tenth of it while the view grows).
    """

    def __init__(
        self,
        me: Peer,
        topics: Topics,
        random: Randomness,
        *,
        contacts: tuple[Peer, ...] = (),
        size: int = 20,
        period: int = 1_000_000,
    ) -> None:
        super().__init__(
            me, topics, random, contacts=contacts, size=size, period=period, patience=PATIENCE
        )
        self.rates: Rates = ()
        """Of the node's own topics, if they are told."""
        self._rates: dict[Peer, Rates] = {}

    def descriptors(self, now: int) -> list[RatedDescriptor]:
        """Return the view: a random sample of the others."""
        return [
            RatedDescriptor(
                peer,
                topics,
                self._rates[peer],
                self._versions[peer],
                max(0, now - self._said[peer]) // 1000,
            )
            for peer, topics in self.known.items()
        ]

    def on_view_exchange(self, peer: Peer, message: ViewExchange, now: int, out: Effects) -> None:
        """Answer with the view, and take in theirs."""
        reply = ViewExchangeReply(self._told(now))
        self._merge(message.descriptors, now)
        out.append(Send(peer, reply))

    def on_view_exchange_reply(
        self, peer: Peer, message: ViewExchangeReply, now: int, out: Effects
    ) -> None:
        """Take in what came in return."""
        self._merge(message.descriptors, now)

    # -- inside --------------------------------------------------------------------

    def _partner(self) -> Peer:
        """Return a random peer, who is missed until it answers."""
        partner = self.random.choice(list(self.known))
        self._miss(partner)
        return partner

    def _shuffle_with(self, partner: Peer, now: int) -> Send:
        return Send(partner, ViewExchange(self._told(now)))

    def _told(self, now: int) -> tuple[RatedDescriptor, ...]:
        own = RatedDescriptor(self.me, self.topics, self.rates, now, 0)
        return (own, *self.descriptors(now)[: MAX_DESCRIPTORS - 1])

    def _drop(self, peer: Peer) -> None:
        super()._drop(peer)
        self._rates.pop(peer, None)

    def _merge(self, descriptors: Sequence[RatedDescriptor], now: int) -> None:
        for descriptor in descriptors:
            said = now - descriptor.age * 1000
            if descriptor.peer == self.me or said < now - self.patience:
                continue
            if said <= self._suspected.get(descriptor.peer, -OLDEST):
                continue
            self._missed.pop(descriptor.peer, None)
            if descriptor.peer in self.known:
                known = (self._versions[descriptor.peer], self._said[descriptor.peer])
                if (descriptor.version, said) <= known:
                    continue
            self._versions[descriptor.peer] = descriptor.version
            self._said[descriptor.peer] = said
            self._rates[descriptor.peer] = descriptor.rates
            self.put(descriptor.peer, descriptor.topics)
        if len(self.known) > self.size:
            freshest = sorted(self._said, key=self._said.__getitem__, reverse=True)
            for peer in freshest[self.size :]:
                self._drop(peer)

    HANDLERS: ClassVar[Mapping[type, Handler]] = {
        ViewExchange: on_view_exchange,
        ViewExchangeReply: on_view_exchange_reply,
    }


def make_newscast(context: NodeContext, config: RoundConfig) -> Newscast | None:
    """Return the peer sampling of a node; None where its context has an oracle."""
    if context.view is not None:
        return None
    return Newscast(
        context.me,
        context.topics,
        context.random,
        contacts=context.contacts,
        size=config.view_size,
        period=microseconds(config.shuffle_seconds),
    )
