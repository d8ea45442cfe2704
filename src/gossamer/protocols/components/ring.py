"""The ring of all nodes, by identifier: who comes next, and who before (Vitis, Algorithm 4).

Lookups are consistent only on a ring: wherever one starts, it ends at the same node. Each node
takes for its neighbours there the nearest in both directions of those that it has heard of.
"""

from __future__ import annotations

from collections.abc import Iterable

from gossamer.protocols.components.identifiers import clockwise, identifier_of_node
from gossamer.protocols.contract import Peer

__all__ = ["find_predecessor", "find_successor"]


def find_successor(me: Peer, candidates: Iterable[Peer]) -> Peer | None:
    """Return who is next above a node on the ring; None if there is nobody else.

    Algorithm 4, line 2.
    """
    here = identifier_of_node(me)
    others = (peer for peer in candidates if peer != me)
    return min(others, key=lambda peer: clockwise(here, identifier_of_node(peer)), default=None)


def find_predecessor(me: Peer, candidates: Iterable[Peer]) -> Peer | None:
    """Return who is next below a node on the ring; None if there is nobody else.

    Algorithm 4, line 5.
    """
    here = identifier_of_node(me)
    others = (peer for peer in candidates if peer != me)
    return min(others, key=lambda peer: clockwise(identifier_of_node(peer), here), default=None)
