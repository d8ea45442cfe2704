"""The ring of all nodes, ordered by identifier: successor and predecessor (Vitis, Algorithm 4).

On a ring, lookups are consistent: all lookups of a topic end at the same node. The ring neighbours
of a node are the nearest known nodes in both directions.
"""

from __future__ import annotations

from collections.abc import Iterable

from gossamer.protocols.components.identifiers import clockwise, identifier_of_node
from gossamer.protocols.contract import Peer


def find_successor(me: Peer, candidates: Iterable[Peer]) -> Peer | None:
    """Return the successor of a node on the ring; None if it is alone.

    Algorithm 4, line 2.
    """
    here = identifier_of_node(me)
    others = (peer for peer in candidates if peer != me)
    return min(others, key=lambda peer: clockwise(here, identifier_of_node(peer)), default=None)


def find_predecessor(me: Peer, candidates: Iterable[Peer]) -> Peer | None:
    """Return the predecessor of a node on the ring; None if it is alone.

    Algorithm 4, line 5.
    """
    here = identifier_of_node(me)
    others = (peer for peer in candidates if peer != me)
    return min(others, key=lambda peer: clockwise(identifier_of_node(peer), here), default=None)
