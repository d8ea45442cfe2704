"""StaN's decisions as pure functions: sizes of views, weights of links, swaps.

Only the supplement of the paper is available, without Algorithms 1 and 2 of the main paper. Its
description is followed, and the rest is reconstructed:

- the weight of a link is a hash of the pair of its ends: symmetric, equal on every topic, and
  independent of interests, so a graph of light links is still random;
- a walk collects in its second half alone, since near nodes close triangles;
- a *pair* of links is swapped, (p,x) and (c,y) for (p,c) and (x,y), if that is lighter. Views keep
  their sizes, and weights only decrease, so swaps converge. To *move* one end, (p,x) to (p,c),
  shares more links, but sizes of views diverge and clustering rises: ``gossamer reproduce stan
  swap-rules`` has both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from gossamer.protocols.components.hashes import hash_of_pair
from gossamer.protocols.contract import Peer

weight = hash_of_pair
"""Weight of a link; light links are better."""


def view_size(subscribers: int, slack: int) -> int:
    """Return the size of a view of a topic: ⌈ln n⌉ + slack, at most n - 1.

    Examples
    --------
    >>> [view_size(n, 2) for n in (1, 2, 5, 20, 1000)]
    [0, 1, 4, 5, 9]
    """
    if subscribers < 2:
        return 0
    return min(math.ceil(math.log(subscribers)) + slack, subscribers - 1)


def heaviest(peers: Iterable[Peer], weigh: Callable[[Peer], int]) -> Peer:
    """Return the peer with the heaviest link; there must be one."""
    return max(peers, key=weigh)


def lightest(
    seen: Iterable[Peer], view: Sequence[Peer], me: Peer, weigh: Callable[[Peer], int]
) -> Peer | None:
    """Return the peer outside the view with the lightest link; None if there is none."""
    others = [peer for peer in dict.fromkeys(seen) if peer != me and peer not in view]
    return min(others, key=weigh) if others else None


def best_swap(
    me: Peer, view: Sequence[Peer], offering: Peer, given_up: Peer, weigh: Callable[[Peer], int]
) -> Peer | None:
    """Return the neighbour y to give up for the offering node, so that the links get lightest.

    Links (offering, given up) and (me, y) become (offering, me) and (given up, y). None if no swap
    makes them lighter.
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
