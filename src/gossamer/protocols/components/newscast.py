"""Newscast: peer sampling by passing on the news (Jelasity et al., TOCS 2007).

A node's view is the ``size`` freshest cards that it has seen. Now and then it sends its view, and
a fresh card of its own, to a random peer of its view, and gets the same back; both keep the
freshest of the union. So the view is a random sample that is new each time, and who has gone
disappears from all views by itself.

What it has in common with the other gossip membership is inherited: how it starts from contacts,
what it does not take back of those who were suspected, and how it turns now and then to somebody
whom it misses, so that two sides that were cut off find each other again.
"""

from __future__ import annotations

from collections.abc import Sequence

from gossamer.model import ParameterError
from gossamer.protocols.components.membership import OLDEST, GossipMembership
from gossamer.protocols.components.profiles import MAX_CARDS, Card, Cards, Rates
from gossamer.protocols.contract import Effect, Message, NodeContext, Peer, Randomness, Send, Topics
from gossamer.time import SECOND

__all__ = ["News", "NewsReply", "Newscast", "newscast_without_oracle"]

PATIENCE = 30
"""Periods after which a card is dropped, even if there is room for it."""


class News(Message, frozen=True, tag="news"):
    """My view, and my card; send me yours."""

    cards: Cards


class NewsReply(Message, frozen=True, tag="news-reply"):
    """My view, and my card, in return."""

    cards: Cards


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
        How many cards a view has at most (paper: 20).
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

    def cards(self, now: int) -> list[Card]:
        """Return the view: a random sample of the others."""
        return [
            Card(
                peer,
                topics,
                self._rates[peer],
                self._versions[peer],
                max(0, now - self._said[peer]) // 1000,
            )
            for peer, topics in self.known.items()
        ]

    def on_news(self, peer: Peer, message: News, now: int) -> list[Effect]:
        """Answer with the view, and take in theirs."""
        reply = NewsReply(self._told(now))
        self._merge(message.cards, now)
        return [Send(peer, reply)]

    def on_news_reply(self, message: NewsReply, now: int) -> list[Effect]:
        """Take in what came in return."""
        self._merge(message.cards, now)
        return []

    # -- inside --------------------------------------------------------------------

    def _partner(self) -> Peer:
        """Return a random peer, who is missed until it answers."""
        partner = self.random.choice(list(self.known))
        self._miss(partner)
        return partner

    def _shuffle_with(self, partner: Peer, now: int) -> Send:
        return Send(partner, News(self._told(now)))

    def _told(self, now: int) -> tuple[Card, ...]:
        own = Card(self.me, self.topics, self.rates, now, 0)
        return (own, *self.cards(now)[: MAX_CARDS - 1])

    def _drop(self, peer: Peer) -> None:
        super()._drop(peer)
        self._rates.pop(peer, None)

    def _merge(self, cards: Sequence[Card], now: int) -> None:
        for card in cards:
            said = now - card.age * 1000
            if card.peer == self.me or said < now - self.patience:
                continue
            if said <= self._suspected.get(card.peer, -OLDEST):
                continue
            self._missed.pop(card.peer, None)
            if card.peer in self.known:
                known = (self._versions[card.peer], self._said[card.peer])
                if (card.version, said) <= known:
                    continue
            self._versions[card.peer] = card.version
            self._said[card.peer] = said
            self._rates[card.peer] = card.rates
            self.put(card.peer, card.topics)
        if len(self.known) > self.size:
            freshest = sorted(self._said, key=self._said.__getitem__, reverse=True)
            for peer in freshest[self.size :]:
                self._drop(peer)


def newscast_without_oracle(
    context: NodeContext, *, view_size: int, shuffle: float
) -> Newscast | None:
    """Return the sampling part of a machine whose context has no view, None where it has one."""
    if not 1 <= view_size < MAX_CARDS:
        raise ParameterError(f"view_size is {view_size}; expected 1 to {MAX_CARDS - 1}")
    if not 0.001 <= shuffle <= 86_400:
        raise ParameterError(f"shuffle is {shuffle} seconds; expected 0.001 to 86400")
    if context.view is not None:
        return None
    return Newscast(
        context.me,
        context.topics,
        context.random,
        contacts=context.contacts,
        size=view_size,
        period=round(shuffle * SECOND),
    )
