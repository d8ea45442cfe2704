"""StaN's decisions, without state: how large a view is, what a link weighs, which to swap.

The main paper's Algorithms 1 and 2 are not in the text that we have, the supplement; what it
says of them is kept, and the rest is reconstructed:

- the weight of a link is a hash of the pair of its ends: symmetric, the same on every topic,
  and unrelated to interests, so a graph of light links is still a random one;
- a walk collects in its second half alone: who is near closes triangles;
- a *pair* of links is swapped, (p,x) and (c,y) for (p,c) and (x,y), if that is lighter. Every
  view keeps its size, and weights only fall, so it comes to an end. To *move* one end, (p,x) to
  (p,c), shares more links, but views drift apart in size and the clustering rises:
  ``gossamer reproduce stan swap-rules`` has both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from gossamer.protocols.components.hashes import hash_of_pair
from gossamer.protocols.contract import Peer

__all__ = ["best_turn", "heaviest", "lightest", "view_size", "weight"]

weight = hash_of_pair
"""The weight of a link: light ones are better."""


def view_size(subscribers: int, slack: int) -> int:
    """Return how many neighbours a view of a topic should have: ⌈ln n⌉ + slack, n - 1 at most.

    Examples
    --------
    >>> [view_size(n, 2) for n in (1, 2, 5, 20, 1000)]
    [0, 1, 4, 5, 9]
    """
    if subscribers < 2:
        return 0
    return min(math.ceil(math.log(subscribers)) + slack, subscribers - 1)


def heaviest(peers: Iterable[Peer], weigh: Callable[[Peer], int]) -> Peer:
    """Return whose link weighs most; there must be one."""
    return max(peers, key=weigh)


def lightest(
    seen: Iterable[Peer], view: Sequence[Peer], me: Peer, weigh: Callable[[Peer], int]
) -> Peer | None:
    """Return the lightest link to somebody who is not in the view yet; None if there is none."""
    others = [peer for peer in dict.fromkeys(seen) if peer != me and peer not in view]
    return min(others, key=weigh) if others else None


def best_turn(
    me: Peer, view: Sequence[Peer], offering: Peer, given_up: Peer, weigh: Callable[[Peer], int]
) -> Peer | None:
    """Return whom to give up for the offering one so that the two links weigh least together.

    None if no swap makes the links lighter: (offering, given up) and (me, y) become
    (offering, me) and (given up, y).
    """
    allowed = weight(offering, given_up) - weigh(offering)
    best, most = None, 0
    for peer in view:
        if peer in (offering, given_up):
            continue
        gain = allowed + weigh(peer) - weight(given_up, peer)
        if gain > most:
            best, most = peer, gain
    return best
