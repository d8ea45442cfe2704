"""StaN's decisions as pure functions: sizes of views, weights of links, swaps.

Only the supplement of the paper is available, without Algorithms 1 and 2 of the main paper. Its
description is followed, and the rest is reconstructed:

- the weight of a link is a hash of the pair of its ends: symmetric, equal on every topic, and
  independent of interests, so a graph of light links is still random;
- each link has an owner, and only the owner gives it away, so two nodes swap without asking others;
- a *pair* of links is swapped, (p,x) and (c,y) for (p,y) and (c,x), if that is lighter. Views keep
  their sizes, and weights only decrease, so swaps converge. To *move* one end, (p,x) to (p,c),
  shares more links, but sizes of views diverge and clustering rises: ``gossamer reproduce stan
  swap-rules`` has both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from gossamer.protocols.components.hashes import HASHES, hash_of_pair
from gossamer.protocols.contract import Peer

weight = hash_of_pair
"""Weight of a link; light links are better."""
DOUBLE = 2 * HASHES
"""Weight of a link between nodes that have another one on the topic."""
MAX_WEIGHED = 1 << 11
"""Maximum number of weights that are kept of the links of a node."""
MAX_WEIGHING = 1 << 11
"""Maximum number of nodes of whose links weights are kept."""


class Weights(dict[Peer, int]):
    """Weights of the links of a node, by peer; computed when they are first asked for."""

    def __init__(self, node: Peer) -> None:
        super().__init__()
        self.node = node

    def __missing__(self, peer: Peer) -> int:
        if len(self) >= MAX_WEIGHED:
            self.clear()
        found = self[peer] = weight(self.node, peer)
        return found


weights_of = lru_cache(maxsize=MAX_WEIGHING)(Weights)
"""Weights of the links of a node, shared by all that weigh them."""


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


class Offer(NamedTuple):
    """Links of a node on a topic in a swap.

    Attributes
    ----------
    node
        The node.
    owned
        Peers to which it owns a link that may be swapped.
    others
        Its neighbours by other links. A peer may be in both, with a double link.
    """

    node: Peer
    owned: Sequence[Peer]
    others: Collection[Peer]


def best_swap(
    one: Offer, other: Offer, weigh: Callable[[Peer], int]
) -> tuple[list[tuple[Peer, Peer]], int]:
    """Return the swap that makes links lightest, as pairs of peers, and by how much.

    A pair (x, y) replaces the links (one, x) and (other, y) by (other, x) and (one, y). No new link
    is one that exists. A double link is heavier than any other, so that it is given away. ``weigh``
    returns the weight of a link of ``one``.

    The gain of a pair is a term for x plus a term for y, so the pairs are those of the largest
    terms. O(n log n).
    """
    weigh_other = weights_of(other.node).__getitem__
    gains_of_one = _gains(one, other, weigh, weigh_other)
    if not gains_of_one:
        return [], 0
    gains_of_other = _gains(other, one, weigh_other, weigh)
    if not gains_of_other or max(gains_of_one)[0] + max(gains_of_other)[0] <= 0:
        return [], 0
    pairs, total = [], 0
    for (first, x), (second, y) in zip(
        sorted(gains_of_one, key=itemgetter(0), reverse=True),
        sorted(gains_of_other, key=itemgetter(0), reverse=True),
        strict=False,
    ):
        if first + second <= 0:
            break
        pairs.append((x, y))
        total += first + second
    return pairs, total


def _gains(
    giver: Offer, taker: Offer, weigh: Callable[[Peer], int], weigh_taken: Callable[[Peer], int]
) -> list[tuple[int, Peer]]:
    """Return the peers to which the taker may own the giver's link, and how much lighter it is."""
    taken = {taker.node, *taker.owned, *taker.others}
    doubled = giver.others
    return [
        ((DOUBLE if peer in doubled else weigh(peer)) - weigh_taken(peer), peer)
        for peer in giver.owned
        if peer not in taken
    ]
