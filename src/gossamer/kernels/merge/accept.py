"""Acceptance of proposed links against the true components.

A component is represented by any of its subscriptions: ``parents`` is a union–find over all of
them, and ``parts`` counts the components of each topic. A proposal carries the topics that it
may merge, with a subscription of the component of either end for each; no other data is needed.
"""

from __future__ import annotations

import numpy as np

from gossamer.kernels.jit import Bools, Int32s, Int64s, kernel
from gossamer.kernels.union_find import root_of, unite


@kernel
def accept_proposals(
    floor: int,
    offsets: Int64s,
    topics: Int32s,
    ones: Int32s,
    others: Int32s,
    parents: Int32s,
    parts: Int32s,
    heads: Int64s,
    successors: Int64s,
    accepted: Bools,
) -> int:
    """Accept proposals by descending contribution, down to ``floor`` topics; return the merges.

    Proposals wait in lists by an upper bound on their contribution (``heads``), in the order given;
    a proposal whose contribution has fallen moves to the list of its new level. O(Σ entries ·
    visits).
    """
    count = len(offsets) - 1
    for level in range(len(heads)):
        heads[level] = -1
    for k in range(count - 1, -1, -1):
        level = offsets[k + 1] - offsets[k]
        successors[k] = heads[level]
        heads[level] = k
    merged = 0
    for level in range(len(heads) - 1, floor - 1, -1):
        k = heads[level]
        while k >= 0:
            following = successors[k]
            now = 0
            for e in range(offsets[k], offsets[k + 1]):
                if root_of(parents, ones[e]) != root_of(parents, others[e]):
                    now += 1
            if now == level:
                accepted[k] = True
                merged += now
                for e in range(offsets[k], offsets[k + 1]):
                    parts[topics[e]] -= unite(parents, ones[e], others[e])
            elif now >= floor:
                successors[k] = heads[now]
                heads[now] = k
            k = following
    return merged


@kernel
def write_labels(parents: Int32s, labels: Int32s) -> None:
    """Write the component of every subscription: the lowest subscription in it."""
    for p in range(len(parents)):
        labels[p] = labels[parents[p]] if parents[p] != p else p
    # A parent is always lower than its child, so its label exists already.
    assert len(parents) == 0 or labels[0] == np.int32(0)
