"""T-Man: a table of neighbours that gets better by exchanging it (Jelasity, Babaoglu, ESOA 2005).

Vitis, Algorithms 2 and 3: each round a node sends what it knows, its table, a fresh sample and
its own card, to one of its table, and gets the same back; both merge what came with what they
know and select their tables anew. What a good table is, is the ranking's business, which is
given: it is handed the cards that came, and does with them what it likes.

The partner is any of the table, all equally likely; with a chance of one in three it is a neighbour
on the ring instead, which completes the ring in half the rounds (ours).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gossamer.protocols.components.profiles import MAX_CARDS, Card, Cards
from gossamer.protocols.contract import Effect, Message, Peer, Randomness, Send

__all__ = ["Exchange", "ExchangeReply", "TMan"]


class Exchange(Message, frozen=True, tag="exchange"):
    """Whom I know; send me whom you know."""

    cards: Cards


class ExchangeReply(Message, frozen=True, tag="exchange-reply"):
    """Whom I know, in return."""

    cards: Cards


class TMan:
    """The exchanging part of a machine.

    Parameters
    ----------
    random
        The node's.
    buffer
        Gives the cards to send at a time: of the node itself, its table, and a sample.
    select
        Takes cards at a time, and makes the best of them.
    ring_one_in
        One in so many partners is a neighbour on the ring; 0 for none but by chance, as printed.
    """

    def __init__(
        self,
        random: Randomness,
        buffer: Callable[[int], Sequence[Card]],
        select: Callable[[Sequence[Card], int], list[Effect]],
        *,
        ring_one_in: int = 3,
    ) -> None:
        self._random = random
        self._buffer = buffer
        self._select = select
        self._ring_one_in = ring_one_in

    def on_round(self, table: Sequence[Peer], ring: Sequence[Peer], now: int) -> list[Effect]:
        """Begin an exchange with somebody (Algorithm 2, lines 2-5); nothing if nobody is there."""
        if not table:
            return []
        often = self._ring_one_in
        is_on_ring = bool(ring) and often > 0 and self._random.below(often) == 0
        partner = self._random.choice(ring if is_on_ring else table)
        return [Send(partner, Exchange(tuple(self._buffer(now))[:MAX_CARDS]))]

    def on_exchange(self, peer: Peer, message: Exchange, now: int) -> list[Effect]:
        """Answer, and select (Algorithm 3)."""
        reply = ExchangeReply(tuple(self._buffer(now))[:MAX_CARDS])
        return [Send(peer, reply), *self._select(message.cards, now)]

    def on_reply(self, message: ExchangeReply, now: int) -> list[Effect]:
        """Select (Algorithm 2, lines 6-8)."""
        return self._select(message.cards, now)
