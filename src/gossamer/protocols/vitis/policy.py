"""Vitis' selection of a table as a pure function (Algorithm 4).

Other decisions are in components: ring neighbours (``components.ring``), targets of small-world
links (``components.small_world``), utility of friends (``components.friends``), gateway proposals
and next hops (``components.rendezvous``).

Reading of the paper:

- Publications and proposals use both directions of a link: peers in the table, and peers whose
  profiles say that this node is in theirs. In one direction a node can adopt a gateway that does
  not reach it, and misses publications.
- Algorithm 5, line 10 has ``hops + 1 < d``; the text has gateways at most d hops away. The text
  holds, since it causes less overhead: with d = 5 a gateway is at most five hops away.
- Lookups use both directions too: paths are shorter, and cause less overhead, than along tables.
- Of equal utilities the present link stays (line 14 leaves it open), and the length of a
  small-world link (line 8) is drawn once. Otherwise links would never converge.
- A proposal that a neighbour has from this node is skipped: line 7 would adopt it, since a node is
  not in its own table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from gossamer.protocols.components.friends import rank_friends
from gossamer.protocols.components.identifiers import closest
from gossamer.protocols.components.ring import find_predecessor, find_successor
from gossamer.protocols.contract import Peer


class TableSelection(NamedTuple):
    """Neighbours of a table, by role."""

    successor: Peer | None
    predecessor: Peer | None
    small_world: tuple[Peer, ...]
    friends: tuple[Peer, ...]

    @property
    def all(self) -> list[Peer]:
        """All neighbours."""
        ring = [peer for peer in (self.successor, self.predecessor) if peer is not None]
        return [*ring, *self.small_world, *self.friends]


def select_neighbours(
    me: Peer,
    candidates: Iterable[Peer],
    *,
    targets: Sequence[int],
    friends: int,
    value: Callable[[Peer], float],
    present: Collection[Peer],
) -> TableSelection:
    """Return the best table of the candidates (Algorithm 4).

    O(n log n) for n candidates.

    Parameters
    ----------
    me
        Identifier of the node.
    candidates
        Candidates, without duplicates.
    targets
        Identifiers that small-world links aim at.
    friends
        Maximum number of friends.
    value
        Utility of a link to a candidate.
    present
        Peers in the present table.
    """
    left = dict.fromkeys(peer for peer in candidates if peer != me)
    successor = find_successor(me, left)  # line 2
    if successor is not None:
        del left[successor]
    predecessor = find_predecessor(me, left)  # line 5
    if predecessor is not None:
        del left[predecessor]
    far: list[Peer] = []
    for target in targets:  # line 8
        found = closest(left, target)
        if found is not None:
            far.append(found)
            del left[found]
    ranked = rank_friends(me, left, value, present) if friends else []  # lines 11-15
    return TableSelection(successor, predecessor, tuple(far), tuple(ranked[:friends]))
