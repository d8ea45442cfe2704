"""Newscast peer sampling (Jelasity et al., ACM TOCS 2007): a round of all nodes.

The view of a node holds the ``c`` freshest descriptors it knows: peer and round of creation. In a
round each node exchanges views with one peer of its own, and both keep the freshest of the union.
"""

from __future__ import annotations

import numpy as np

from gossamer.kernels.jit import Bools, Int32s, Int64s, UInt64s, kernel
from gossamer.kernels.random import next_randbelow

TIES = 1 << 20


@kernel
def shuffle_order(order: Int32s, sequence: UInt64s) -> None:
    """Shuffle an array."""
    for k in range(len(order) - 1, 0, -1):
        other = next_randbelow(sequence, k + 1)
        order[k], order[other] = order[other], order[k]


@kernel
def bootstrap_view(
    view: Int32s,
    stamps: Int32s,
    node: int,
    present: Int32s,
    count: int,
    now: int,
    sequence: UInt64s,
) -> None:
    """Fill the view of a node with random peers among the first ``count`` present ones."""
    view[:] = -1
    filled = 0
    for _ in range(4 * len(view)):
        if filled == len(view) or count < 2:
            return
        peer = present[next_randbelow(sequence, count)]
        known = peer == node
        for k in range(filled):
            known = known or view[k] == peer
        if not known:
            view[filled] = peer
            stamps[filled] = now
            filled += 1


@kernel
def _gather(
    views: Int32s,
    stamps: Int32s,
    node: int,
    seen: Int64s,
    token: int,
    peers: Int32s,
    ages: Int32s,
    filled: int,
) -> int:
    """Add the entries of a view to a buffer; of two of the same peer, the fresher one remains."""
    for k in range(views.shape[1]):
        peer = views[node, k]
        if peer < 0:
            continue
        if seen[peer] < token:
            seen[peer] = token + filled
            peers[filled] = peer
            ages[filled] = stamps[node, k]
            filled += 1
        else:
            place = seen[peer] - token
            if stamps[node, k] > ages[place]:
                ages[place] = stamps[node, k]
    return filled


@kernel
def _keep_freshest(
    views: Int32s, stamps: Int32s, node: int, peers: Int32s, keys: Int64s, ages: Int32s, filled: int
) -> None:
    """Keep the entries with the highest keys in a node's view, without the node itself."""
    size = views.shape[1]
    kept = 0
    best = np.empty(size, np.int64)
    for k in range(filled):
        if peers[k] == node:
            continue
        if kept == size and keys[k] <= keys[best[size - 1]]:
            continue
        place = kept if kept < size else size - 1
        while place > 0 and keys[best[place - 1]] < keys[k]:
            best[place] = best[place - 1]
            place -= 1
        best[place] = k
        kept = min(kept + 1, size)
    for k in range(size):
        views[node, k] = peers[best[k]] if k < kept else -1
        stamps[node, k] = ages[best[k]] if k < kept else 0


@kernel
def newscast_round(
    views: Int32s,
    stamps: Int32s,
    alive: Bools,
    order: Int32s,
    now: int,
    sequence: UInt64s,
    seen: Int64s,
    token: int,
) -> int:
    """Let each node in turn exchange views with a random peer of its own; return the next token.

    ``seen`` is scratch by node, in which tokens only grow. A node that selects an absent peer
    removes it from the view. O(N c) for N nodes.
    """
    size = views.shape[1]
    peers = np.empty(2 * size + 2, np.int32)
    ages = np.empty(2 * size + 2, np.int32)
    keys = np.empty(2 * size + 2, np.int64)
    for node in order:
        known = 0
        while known < size and views[node, known] >= 0:
            known += 1
        if known == 0:
            continue
        place = next_randbelow(sequence, known)
        partner = views[node, place]
        if not alive[partner]:
            views[node, place] = views[node, known - 1]
            stamps[node, place] = stamps[node, known - 1]
            views[node, known - 1] = -1
            continue
        token += 2 * size + 3
        peers[0], ages[0] = node, now
        peers[1], ages[1] = partner, now
        seen[node] = token
        seen[partner] = token + 1
        filled = _gather(views, stamps, node, seen, token, peers, ages, 2)
        filled = _gather(views, stamps, partner, seen, token, peers, ages, filled)
        for k in range(filled):
            keys[k] = np.int64(ages[k]) * TIES + next_randbelow(sequence, TIES)
        _keep_freshest(views, stamps, node, peers, keys, ages, filled)
        _keep_freshest(views, stamps, partner, peers, keys, ages, filled)
    token += 2 * size + 3
    return token
