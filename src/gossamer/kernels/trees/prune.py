"""Removal of redundant links from trees of bounded depth.

A link is a *pair* of slots in every topic that its ends share. Some of the pairs of a topic
form its tree: each slot but the root is attached by one of them. A link is redundant if every
slot that is attached by it, in any topic, can be attached by another of its pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.csr import next_shared
from gossamer.kernels.jit import Int32s, Int64s, kernel
from gossamer.kernels.relation import Relation, first_shared


class Pairs(NamedTuple):
    """All links in all topics that their ends share.

    Link e has the pairs ``link_offsets[e] : link_offsets[e + 1]``; pair k joins the slots
    ``ones[k]`` and ``others[k]`` and belongs to link ``links[k]``. Slot x has the pairs
    ``of_slots[slot_offsets[x] : slot_offsets[x + 1]]``.
    """

    link_offsets: Int64s
    ones: Int32s
    others: Int32s
    links: Int32s
    slot_offsets: Int64s
    of_slots: Int32s


class PairForest(NamedTuple):
    """The tree of every topic: the pair that attaches each slot (-1: a root), and its depth.

    The rest is scratch: by member of one topic (``queue``, ``steps``), by slot (``marks``),
    and by topic of one link (``children``, ``replacements``).
    """

    attached_by: Int32s
    depths: Int32s
    queue: Int32s
    steps: Int32s
    marks: Int64s
    children: Int32s
    replacements: Int32s


@kernel
def fill_pairs(relation: Relation, links: Int32s, pairs: Pairs) -> None:
    """Fill in the pairs, given both offsets. O(Σ over links of both ends' subscriptions)."""
    topics, free = relation.topics, pairs.slot_offsets[:-1].copy()
    k = 0
    for link in range(len(links)):
        u, v = links[link]
        i, end_i, j, end_j = first_shared(relation, u, v)
        while i < end_i:
            one, other = relation.slots[i], relation.slots[j]
            pairs.ones[k], pairs.others[k], pairs.links[k] = one, other, link
            pairs.of_slots[free[one]], pairs.of_slots[free[other]] = k, k
            free[one] += 1
            free[other] += 1
            k += 1
            i, j = next_shared(topics, i + 1, end_i, topics, j + 1, end_j)


@kernel
def attach_all(roots: Int64s, pairs: Pairs, forest: PairForest) -> None:
    """Build breadth-first trees from the root slots. O(pairs)."""
    for root in roots:
        forest.attached_by[root], forest.depths[root], forest.queue[0] = -1, 0, root
        count, done = 1, 0
        while done < count:
            at = forest.queue[done]
            done += 1
            for place in range(pairs.slot_offsets[at], pairs.slot_offsets[at + 1]):
                k = pairs.of_slots[place]
                other = pairs.ones[k] + pairs.others[k] - at
                if forest.depths[other] < 0:
                    forest.attached_by[other], forest.depths[other] = k, forest.depths[at] + 1
                    forest.queue[count] = other
                    count += 1


@kernel
def _list_subtree(child: int, mark: int, pairs: Pairs, forest: PairForest) -> int:
    """List and mark the subtree of a slot, with the steps from it; return its size."""
    forest.queue[0], forest.steps[0], forest.marks[child] = child, 0, mark
    count, done = 1, 0
    while done < count:
        at = forest.queue[done]
        for place in range(pairs.slot_offsets[at], pairs.slot_offsets[at + 1]):
            k = pairs.of_slots[place]
            other = pairs.ones[k] + pairs.others[k] - at
            if forest.attached_by[other] == k:
                forest.queue[count], forest.steps[count] = other, forest.steps[done] + 1
                forest.marks[other] = mark
                count += 1
        done += 1
    return count


@kernel
def _replacement(
    child: int, mark: int, radius: int, pairs: Pairs, forest: PairForest, kept: NDArray[np.bool_]
) -> int:
    """Return another pair to attach a slot by, as near to the root as possible; -1 if none."""
    able = False
    for place in range(pairs.slot_offsets[child], pairs.slot_offsets[child + 1]):
        k = pairs.of_slots[place]
        other = pairs.ones[k] + pairs.others[k] - child
        # Neither the pair that attaches the slot, nor one that attaches a child of it.
        free = forest.attached_by[child] != k and forest.attached_by[other] != k
        able = able or (kept[pairs.links[k]] and free)
    if not able:
        return -1
    below = _list_subtree(child, mark, pairs, forest)
    height = forest.steps[below - 1]
    best, least = -1, radius - height
    for place in range(pairs.slot_offsets[child], pairs.slot_offsets[child + 1]):
        k = pairs.of_slots[place]
        other = pairs.ones[k] + pairs.others[k] - child
        if not kept[pairs.links[k]] or forest.attached_by[child] == k:
            continue
        if forest.marks[other] != mark and forest.depths[other] < least:
            best, least = k, forest.depths[other]
    return best


@kernel
def prune_links(
    order: Int64s, radius: int, pairs: Pairs, forest: PairForest, kept: NDArray[np.bool_]
) -> int:
    """Remove redundant links, tried in the order given; return their number.

    No depth exceeds the radius afterwards. The cost of a link is, for each topic in which it
    attaches a slot, the number of pairs of the slots below. A slot has at most ``radius``
    ancestors, so that is O(radius · pairs), and as much again where slots move down.
    """
    removed, mark = 0, 0
    for link in order:
        moves, needed = 0, False
        for k in range(pairs.link_offsets[link], pairs.link_offsets[link + 1]):
            by_one = forest.attached_by[pairs.ones[k]] == k
            child = pairs.ones[k] if by_one else pairs.others[k]
            if forest.attached_by[child] != k:
                continue
            mark += 1
            replacement = _replacement(child, mark, radius, pairs, forest, kept)
            if replacement < 0:
                needed = True
                break
            forest.children[moves], forest.replacements[moves] = child, replacement
            moves += 1
        if needed:
            continue
        kept[link] = False
        removed += 1
        for at in range(moves):
            child, k = forest.children[at], forest.replacements[at]
            mark += 1
            below = _list_subtree(child, mark, pairs, forest)
            depth = forest.depths[pairs.ones[k] + pairs.others[k] - child] + 1
            forest.attached_by[child] = k
            for place in range(below):
                forest.depths[forest.queue[place]] = depth + forest.steps[place]
    return removed
