"""Vitis' own decision, without state: which neighbours a table has (Algorithm 4).

The others are parts that are of use alone: who is next on the ring (:mod:`~.parts.ring`), where
small-world links go (:mod:`~.parts.small_world`), what a friend is worth (:mod:`~.parts.friends`),
who is proposed as gateway and where a lookup goes next (:mod:`~.parts.rendezvous`).

How what is printed is read:

- Events and proposals go over both directions of a link: to those in the table, and to those
  whose profiles say that this node is in theirs. In one direction a node can adopt a gateway that
  does not reach it, and misses events.
- Algorithm 5, line 10 has ``hops + 1 < d``; the text has gateways at most d hops away. The line
  holds, so with d = 5 a gateway is four hops away at most.
- Of equal utilities the present link stays (line 14 does not say); the distance of a small-world
  link (line 8) is drawn once. Else links change for ever.
- A proposal that a neighbour has from this node is passed over: line 7 would take it, since a
  node is not in its own table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from gossamer.protocols.components.friends import rank_friends
from gossamer.protocols.components.identifiers import closest
from gossamer.protocols.components.ring import find_predecessor, find_successor
from gossamer.protocols.contract import Peer

__all__ = ["Selection", "select_neighbours"]


class Selection(NamedTuple):
    """A table's neighbours, by what they are for."""

    successor: Peer | None
    predecessor: Peer | None
    small_world: tuple[Peer, ...]
    friends: tuple[Peer, ...]

    @property
    def all(self) -> list[Peer]:
        """All of them, each once."""
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
) -> Selection:
    """Return the table that is best of the candidates (Algorithm 4).

    O(n log n) for n candidates.

    Parameters
    ----------
    me
        The node.
    candidates
        Others, each once.
    targets
        Where small-world links should go, one for each.
    friends
        How many friends there are at most.
    value
        The utility of a link to somebody.
    present
        Who is in the table already.
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
    return Selection(successor, predecessor, tuple(far), tuple(ranked[:friends]))
