"""T-Man: tables of neighbours that improve by exchange (Jelasity, Babaoglu, ESOA 2005).

Vitis, Algorithms 2 and 3: in each round a node sends its table, a fresh sample and its own
descriptor to a neighbour, and receives the same in return; both select their tables from the union.
The machine ranks the descriptors.

The partner is a random neighbour; with probability 1/3 it is a ring neighbour, which completes the
ring in half the rounds (ours).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gossamer.protocols.components.component import Component
from gossamer.protocols.components.profiles import (
    MAX_DESCRIPTORS,
    RatedDescriptors,
)
from gossamer.protocols.contract import Effects, Message, Peer, Send

if TYPE_CHECKING:
    from gossamer.protocols.components.neighbour_table import NeighbourTableMachine


class TableExchange(Message, frozen=True, tag="exchange"):
    """Known descriptors, and a request for the receiver's."""

    descriptors: RatedDescriptors


class TableExchangeReply(Message, frozen=True, tag="exchange-reply"):
    """Known descriptors, in return."""

    descriptors: RatedDescriptors


class TMan(Component):
    """Exchange of tables.

    Parameters
    ----------
    node
        Machine that this component belongs to.
    ring_one_in
        One in this many partners is a ring neighbour; 0 for none except by chance, as printed.
    """

    def __init__(self, node: NeighbourTableMachine, *, ring_one_in: int = 3) -> None:
        self._node = node
        self._ring_one_in = ring_one_in

    def start_exchange(
        self, table: Sequence[Peer], ring: Sequence[Peer], now: int, out: Effects
    ) -> None:
        """Send the table to a neighbour, if there is one (Algorithm 2, lines 2-5)."""
        if not table:
            return
        often = self._ring_one_in
        random = self._node.random
        is_on_ring = bool(ring) and often > 0 and random.randbelow(often) == 0
        partner = random.choice(ring if is_on_ring else table)
        out.append(Send(partner, TableExchange(self._descriptors(now))))

    def on_exchange(self, peer: Peer, message: TableExchange, now: int, out: Effects) -> None:
        """Answer, and select (Algorithm 3)."""
        out.append(Send(peer, TableExchangeReply(self._descriptors(now))))
        self._node.select(message.descriptors, now, out)

    def on_exchange_reply(
        self, peer: Peer, message: TableExchangeReply, now: int, out: Effects
    ) -> None:
        """Select (Algorithm 2, lines 6-8)."""
        self._node.select(message.descriptors, now, out)

    def _descriptors(self, now: int) -> RatedDescriptors:
        return tuple(self._node.buffer(now))[:MAX_DESCRIPTORS]
