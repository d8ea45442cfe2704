"""Taking away links without which every topic is still a tree of bounded depth.

A *slot* is a subscription, in the topics' order. A link is a *pair* of slots in every
topic that its ends share. Of a topic's pairs some make its tree: each slot but the root's
hangs by one of them. A link can go if whoever hangs by it, in any topic, can hang by
another of their own links.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.jit import Int32s, Int64s, kernel
from gossamer.kernels.measure.topic_graphs import next_shared

__all__ = ["Hung", "Pairs", "hang_all", "list_pairs", "trim_links"]


class Pairs(NamedTuple):
    """All links in all topics that their ends share.

    Link e is the pairs ``link_offsets[e] : link_offsets[e + 1]``; pair k joins the slots
    ``ones[k]`` and ``others[k]`` and is of link ``links[k]``. Slot x has the pairs
    ``of_slots[slot_offsets[x] : slot_offsets[x + 1]]``.
    """

    link_offsets: Int64s
    ones: Int32s
    others: Int32s
    links: Int32s
    slot_offsets: Int64s
    of_slots: Int32s


class Hung(NamedTuple):
    """Every topic's tree: the pair by which each slot hangs, -1 for roots, and its depth.

    The others are scratch: for one topic's slots (``queue``, ``steps``), for all slots
    (``seen``), and for the topics of one link (``children``, ``instead``).
    """

    by: Int32s
    depths: Int32s
    queue: Int32s
    steps: Int32s
    seen: Int64s
    children: Int32s
    instead: Int32s


@kernel
def list_pairs(
    node_offsets: Int64s, node_topics: Int32s, slots: Int32s, links: Int32s, pairs: Pairs
) -> None:
    """Fill in the pairs, given both offsets. O(Σ over links of both ends' subscriptions)."""
    free = pairs.slot_offsets[:-1].copy()
    k = 0
    for link in range(len(links)):
        left, left_end = node_offsets[links[link, 0]], node_offsets[links[link, 0] + 1]
        right, right_end = node_offsets[links[link, 1]], node_offsets[links[link, 1] + 1]
        left, right = next_shared(node_topics, left, left_end, right, right_end)
        while left < left_end:
            one, other = slots[left], slots[right]
            pairs.ones[k], pairs.others[k], pairs.links[k] = one, other, link
            pairs.of_slots[free[one]], pairs.of_slots[free[other]] = k, k
            free[one] += 1
            free[other] += 1
            k += 1
            left, right = next_shared(node_topics, left + 1, left_end, right + 1, right_end)


@kernel
def hang_all(roots: Int64s, pairs: Pairs, hung: Hung) -> None:
    """Hang everybody under the roots, as near as can be. O(pairs)."""
    for root in roots:
        hung.by[root], hung.depths[root], hung.queue[0] = -1, 0, root
        count, done = 1, 0
        while done < count:
            at = hung.queue[done]
            done += 1
            for place in range(pairs.slot_offsets[at], pairs.slot_offsets[at + 1]):
                k = pairs.of_slots[place]
                other = pairs.ones[k] + pairs.others[k] - at
                if hung.depths[other] < 0:
                    hung.by[other], hung.depths[other] = k, hung.depths[at] + 1
                    hung.queue[count] = other
                    count += 1


@kernel
def _gather(child: int, mark: int, pairs: Pairs, hung: Hung) -> int:
    """Put a slot and all below it in the queue, marked and in steps from it; return how many."""
    hung.queue[0], hung.steps[0], hung.seen[child] = child, 0, mark
    count, done = 1, 0
    while done < count:
        at = hung.queue[done]
        for place in range(pairs.slot_offsets[at], pairs.slot_offsets[at + 1]):
            k = pairs.of_slots[place]
            other = pairs.ones[k] + pairs.others[k] - at
            if hung.by[other] == k:
                hung.queue[count], hung.steps[count] = other, hung.steps[done] + 1
                hung.seen[other] = mark
                count += 1
        done += 1
    return count


@kernel
def _another(
    child: int, mark: int, radius: int, pairs: Pairs, hung: Hung, kept: NDArray[np.bool_]
) -> int:
    """Return the pair by which a slot could hang instead, as high as can be; -1 if by none."""
    able = False
    for place in range(pairs.slot_offsets[child], pairs.slot_offsets[child + 1]):
        k = pairs.of_slots[place]
        other = pairs.ones[k] + pairs.others[k] - child
        # Not the pair it hangs by, and nobody who hangs by this one.
        able = able or (kept[pairs.links[k]] and hung.by[child] != k and hung.by[other] != k)
    if not able:
        return -1
    below = _gather(child, mark, pairs, hung)
    height = hung.steps[below - 1]
    best, least = -1, radius - height
    for place in range(pairs.slot_offsets[child], pairs.slot_offsets[child + 1]):
        k = pairs.of_slots[place]
        other = pairs.ones[k] + pairs.others[k] - child
        if not kept[pairs.links[k]] or hung.by[child] == k or hung.seen[other] == mark:
            continue
        if hung.depths[other] < least:
            best, least = k, hung.depths[other]
    return best


@kernel
def trim_links(
    order: Int64s, radius: int, pairs: Pairs, hung: Hung, kept: NDArray[np.bool_]
) -> int:
    """Take away links in an order, where nobody needs them; return how many.

    Nobody comes to hang deeper than the radius. Costs, for each link and topic in which
    somebody hangs by it, the pairs of all who hang below; a slot has at most ``radius`` above
    it, so O(radius · pairs), and as much again where slots move down.
    """
    gone, mark = 0, 0
    for link in order:
        moves, needed = 0, False
        for k in range(pairs.link_offsets[link], pairs.link_offsets[link + 1]):
            child = pairs.ones[k] if hung.by[pairs.ones[k]] == k else pairs.others[k]
            if hung.by[child] != k:
                continue
            mark += 1
            instead = _another(child, mark, radius, pairs, hung, kept)
            if instead < 0:
                needed = True
                break
            hung.children[moves], hung.instead[moves] = child, instead
            moves += 1
        if needed:
            continue
        kept[link] = False
        gone += 1
        for at in range(moves):
            child, k = hung.children[at], hung.instead[at]
            mark += 1
            below = _gather(child, mark, pairs, hung)
            depth = hung.depths[pairs.ones[k] + pairs.others[k] - child] + 1
            hung.by[child] = k
            for place in range(below):
                hung.depths[hung.queue[place]] = depth + hung.steps[place]
    return gone
