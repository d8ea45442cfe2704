"""T-Man: a table of neighbours that gets better by exchanging it (Jelasity, Babaoglu, ESOA 2005).

Vitis, Algorithms 2 and 3: each round a node sends what it knows, its table, a fresh sample and
its own descriptor, to one of its table, and gets the same back; both merge what came with what they
know and select their tables anew. What a good table is, is the ranking's business, which is
given: it is handed the descriptors that came, and does with them what it likes.

The partner is any of the table, all equally likely; with a chance of one in three it is a neighbour
on the ring instead, which completes the ring in half the rounds (ours).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gossamer.protocols.components.profiles import (
    MAX_DESCRIPTORS,
    RatedDescriptor,
    RatedDescriptors,
)
from gossamer.protocols.contract import Effects, Message, Peer, Randomness, Send

__all__ = ["TMan", "TableExchange", "TableExchangeReply"]


class TableExchange(Message, frozen=True, tag="exchange"):
    """Whom I know; send me whom you know."""

    descriptors: RatedDescriptors


class TableExchangeReply(Message, frozen=True, tag="exchange-reply"):
    """Whom I know, in return."""

    descriptors: RatedDescriptors


class TMan:
    """The exchanging part of a machine.

    Parameters
    ----------
    random
        The node's.
    buffer
        Gives the descriptors to send at a time: of the node itself, its table, and a sample.
    select
        Takes descriptors at a time, and makes the best of them.
    ring_one_in
        One in so many partners is a neighbour on the ring; 0 for none but by chance, as printed.
    """

    def __init__(
        self,
        random: Randomness,
        buffer: Callable[[int], Sequence[RatedDescriptor]],
        select: Callable[[Sequence[RatedDescriptor], int], Effects],
        *,
        ring_one_in: int = 3,
    ) -> None:
        self._random = random
        self._buffer = buffer
        self._select = select
        self._ring_one_in = ring_one_in

    def on_round(self, table: Sequence[Peer], ring: Sequence[Peer], now: int) -> Effects:
        """Begin an exchange with somebody (Algorithm 2, lines 2-5); nothing if nobody is there."""
        if not table:
            return []
        often = self._ring_one_in
        is_on_ring = bool(ring) and often > 0 and self._random.randbelow(often) == 0
        partner = self._random.choice(ring if is_on_ring else table)
        return [Send(partner, TableExchange(tuple(self._buffer(now))[:MAX_DESCRIPTORS]))]

    def on_exchange(self, peer: Peer, message: TableExchange, now: int) -> Effects:
        """Answer, and select (Algorithm 3)."""
        reply = TableExchangeReply(tuple(self._buffer(now))[:MAX_DESCRIPTORS])
        return [Send(peer, reply), *self._select(message.descriptors, now)]

    def on_reply(self, message: TableExchangeReply, now: int) -> Effects:
        """Select (Algorithm 2, lines 6-8)."""
        return self._select(message.descriptors, now)
