"""Newscast: peer sampling by exchange of views (Jelasity et al., TOCS 2007).

A node's view holds the ``size`` freshest descriptors that it has seen. Periodically it sends its
view and a fresh descriptor of its own to a random peer of the view, and receives the same in
return; both keep the freshest descriptors of the union. The view is therefore a changing random
sample, and departed nodes disappear from all views.

Inherited from the other gossip membership: bootstrap from contacts, rejection of descriptors that
are older than a suspicion, and occasional contact with missing peers, which rejoins the two sides
of a healed partition.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    Send,
    Topics,
)
from gossamer.random_stream import Stream
from gossamer.time import microseconds

MAX_AGE = 30
"""Maximum age of a descriptor, in periods."""


class ViewExchange(Message, frozen=True, tag="news"):
    """View and own descriptor, and a request for the receiver's."""

    descriptors: RatedDescriptors


class ViewExchangeReply(Message, frozen=True, tag="news-reply"):
    """View and own descriptor, in return."""

    descriptors: RatedDescriptors


class Newscast(GossipMembership):
    """Peer sampling of a node, and its view.

    Each exchange takes O(size log size).

    Parameters
    ----------
    me, topics, random
        Identifier, topics and random stream of the node.
    contacts
        Peers for the first contact, asked until one answers.
    size
        Maximum number of descriptors (paper: 20).
    period
        Microseconds between exchanges; a tenth of it while the view grows.
    """

    def __init__(
        self,
        me: Peer,
        topics: Topics,
        random: Stream,
        *,
        contacts: tuple[Peer, ...] = (),
        size: int = 20,
        period: int = 1_000_000,
    ) -> None:
        super().__init__(
            me, topics, random, contacts=contacts, size=size, period=period, max_age=MAX_AGE
        )
        self.rates: Rates = ()
        """Publication rates of the node's own topics, if they are reported."""
        self._rates: dict[Peer, Rates] = {}

    def descriptors(self, now: int) -> list[RatedDescriptor]:
        """Return the view: a random sample of the other nodes."""
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
        """Answer with the view, and merge the received one."""
        reply = ViewExchangeReply(self._own_view(now))
        self._merge(message.descriptors, now)
        out.append(Send(peer, reply))

    def on_view_exchange_reply(
        self, peer: Peer, message: ViewExchangeReply, now: int, out: Effects
    ) -> None:
        """Merge the received view."""
        self._merge(message.descriptors, now)

    # -- helpers --------------------------------------------------------------------

    def _partner(self) -> Peer:
        """Return a random peer, which counts as missing until it answers."""
        partner = self.random.choice(list(self.known))
        self._miss(partner)
        return partner

    def _shuffle_with(self, partner: Peer, now: int) -> Send:
        return Send(partner, ViewExchange(self._own_view(now)))

    def _own_view(self, now: int) -> tuple[RatedDescriptor, ...]:
        own = RatedDescriptor(self.me, self.topics, self.rates, now, 0)
        return (own, *self.descriptors(now)[: MAX_DESCRIPTORS - 1])

    def _drop(self, peer: Peer) -> None:
        super()._drop(peer)
        self._rates.pop(peer, None)

    def _merge(self, descriptors: Sequence[RatedDescriptor], now: int) -> None:
        for descriptor in descriptors:
            said = now - descriptor.age * 1000
            if descriptor.peer == self.me or said < now - self.max_age:
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
