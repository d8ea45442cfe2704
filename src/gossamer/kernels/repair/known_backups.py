"""Choice of backups among a few candidates, at a cost that depends on the candidates alone."""

from __future__ import annotations

import numpy as np

from gossamer.kernels.jit import Int32s, Int64s, UInt64s, kernel
from gossamer.kernels.repair.backups import NO_NODE, add_by_greed, add_by_primal_dual
from gossamer.kernels.repair.blocks import Blocks, Subscriptions
from gossamer.kernels.repair.shadows import find_shadows


@kernel
def choose_among(
    target: int,
    candidates: Int32s,
    topics: Int32s,
    factor: int,
    own: Blocks,
    places: Int32s,
    greedy: bool,
    weights: Int64s,
    sequence: UInt64s,
) -> Int32s:
    """Return backups that cover each topic ``factor`` times, or as often as the candidates can.

    ``candidates`` ascend, as do the backups; the target may be among them, but is never chosen.
    ``own`` has the topics of each node, and ``places`` is scratch as in ``find_shadows``. The
    weight of each chosen backup increases by one. The choice is that of
    :func:`~gossamer.kernels.repair.backups.add_by_primal_dual` or ``add_by_greed`` when only the
    candidates are present. O(subscriptions of the candidates), and O(candidates) per backup.
    """
    count = len(candidates)
    shadows = find_shadows(candidates, topics, own, places)
    known = Subscriptions(
        _lists(shadows.node_offsets, shadows.node_topics),
        _lists(shadows.topic_offsets, shadows.topic_nodes),
    )
    here, target_place = np.empty(count, dtype=np.int64), NO_NODE
    for place in range(count):
        here[place] = weights[candidates[place]]
        if candidates[place] == target:
            target_place = place
    numbers = np.arange(len(topics)).astype(np.int32)
    present, chosen = np.ones(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    cover, backups = np.zeros(len(topics), dtype=np.int32), np.empty(count, dtype=np.int32)
    if greedy:
        counts = np.zeros(count, dtype=np.int32)
        found = add_by_greed(
            target_place, numbers, factor, known, present, here, chosen, cover, counts, backups, 0
        )
    else:
        found = add_by_primal_dual(
            target_place, numbers, factor, known, present, here, sequence, chosen, cover, backups, 0
        )
    written = 0
    for place in range(count):
        if chosen[place]:
            weights[candidates[place]] += 1
            backups[written] = candidates[place]
            written += 1
    return backups[:found]


@kernel
def _lists(offsets: Int32s, values: Int32s) -> Blocks:
    """Return compressed lists as blocks without spare capacity."""
    counts = offsets[1:] - offsets[:-1]
    return Blocks(offsets[:-1].astype(np.int64), counts, counts, values)
