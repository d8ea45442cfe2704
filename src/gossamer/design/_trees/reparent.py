"""Rehanging: nodes choose their parents anew, until hardly any link is saved by it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gossamer.design._trees.prune import hung_under, trimmed
from gossamer.kernels.trees.reparent import (
    Hanging,
    Members,
    Room,
    Seen,
    hang_anew,
    list_children,
)
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress, silent

__all__ = ["hanging_of", "rehang", "rehung", "seen_by"]

MAX_ROUNDS = 8

WORTHWHILE = 0.002
"""There is another round if the last one saved at least this share of the links."""

LOOKED_AT = 1 << 13
"""Subscribers of its topics that a node looks at for each parent, on average."""

NODES_A_STEP = 1_000


def rehung(
    interests: Interests,
    overlay: Overlay,
    roots: NDArray[np.int64],
    radius: int,
    caps: NDArray[np.int32],
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Make an overlay of bounded radius lighter: fewer links, and fewer at busy nodes.

    Greedy ways decide on a link when little else is there. Looking back, with all links at
    hand, a node often needs fewer: under one parent it could hang in the topics for which
    it has two.

    Parameters
    ----------
    interests, overlay
        Over the same nodes, topic-connected.
    roots
        A node for each topic, whom nobody who wants it is further away from than the radius; -1
        for a topic that nobody wants.
    radius
        What nobody's distance to a root will exceed.
    caps
        How many links each node should have at most.
    seed
        Settles in which order nodes choose, and whom they see where many want their topics.
    progress
        Told how far it is.

    Returns
    -------
    Overlay
        Topic-connected, within the same radius; it has no more links than before, and no node is
        over its cap that was not before, nor by more.

    Notes
    -----
    Links that nobody needs are taken away first (:func:`~gossamer.design._trees.prune.trimmed`).
    Then, in a random order, each node v chooses its parents anew, all topics' trees staying as
    they are otherwise. A link to a child, somebody who hangs under v in some topic, is there
    anyway, so v may hang under a child of another topic for nothing. For what is left it takes,
    one after the other, whoever can be its parent in most topics: nobody below v there, and
    high enough that all below v stay within the radius; of these the one of fewest links.
    If that takes fewer links than v had to parents, or as many whose other ends have fewer,
    it is done. Then needless links are taken away again, and all begins anew, while a round
    saves one link in five hundred.

    The number of links, and for equal numbers the sum of the squares of degrees, falls with every
    change, so it ends. On top of trimming it saves some links in a hundred where interests have
    heavy tails, more where they are real ones; where they are alike, hardly any of a design by
    ``bounded-radius``, but the busiest tenth of the nodes get lighter (``script/bench rehanging``).

    A node sees all subscribers of its topics if they are 8,192 or fewer, counted with
    repetition; else the share of all nodes that makes it as many. So a round costs at most
    O(8,192 · V) for each parent of a node, two or three, and O(radius · S). Memory: 48 bytes a
    subscription, and 20 for each topic that the ends of a link share, over all links.
    """
    tell = progress or silent
    shuffles = np.random.default_rng(seed)
    overlay = trimmed(interests, overlay, roots, radius)
    for turn in range(MAX_ROUNDS):
        before = overlay.link_count

        def told(done: float, turn: int = turn) -> None:
            tell(f"choosing parents anew, round {turn + 1}", done)

        order = shuffles.permutation(interests.node_count)
        seen = seen_by(interests, shuffles)
        overlay = rehang(interests, overlay, roots, radius, caps, order, seen, told)
        overlay = trimmed(interests, overlay, roots, radius)
        if before - overlay.link_count < WORTHWHILE * before:
            break
    return overlay


def seen_by(interests: Interests, shuffles: np.random.Generator) -> Seen:
    """Draw whom each node looks at: all, or a stretch of nodes with enough subscribers in it."""
    count = interests.node_count
    fellows = np.zeros(count)
    np.add.at(fellows, interests.node_column, interests.popularity[interests.node_topics])
    widths = np.minimum(np.ceil(count * LOOKED_AT / np.maximum(fellows, 1)), count)
    return Seen(shuffles.integers(0, max(count, 1), count), widths.astype(np.int64))


def rehang(
    interests: Interests,
    overlay: Overlay,
    roots: NDArray[np.int64],
    radius: int,
    caps: NDArray[np.int32],
    order: NDArray[np.int64],
    seen: Seen,
    told: Callable[[float], None] = lambda done: None,
) -> Overlay:
    """Let nodes choose their parents anew, once each; links of no tree are left out."""
    members = Members(
        node_offsets=interests.node_offsets,
        topics=interests.node_topics,
        slots=interests.slots,
        topic_offsets=interests.topic_offsets,
        nodes=interests.topic_nodes,
    )
    hanging = hanging_of(interests, overlay, roots)
    room = _room(interests)
    degrees = _overlay_of(interests, hanging).degrees.astype(np.int32)
    for start in range(0, len(order), NODES_A_STEP):
        some = order[start : start + NODES_A_STEP]
        hang_anew(some, radius, seen, caps, degrees, members, hanging, room)
        told(min(start + NODES_A_STEP, len(order)) / len(order))
    return _overlay_of(interests, hanging)


def hanging_of(interests: Interests, overlay: Overlay, roots: NDArray[np.int64]) -> Hanging:
    """Hang every topic under its root, as near to it as can be."""
    pairs, hung = hung_under(interests, overlay, roots)
    slots = np.arange(interests.subscription_count, dtype=np.int32)
    ups = np.full_like(slots, -1)
    hangs = hung.by >= 0
    by = hung.by[hangs]
    ups[hangs] = pairs.ones[by] + pairs.others[by] - slots[hangs]
    none = np.full_like(slots, -1)
    hanging = Hanging(ups, hung.depths, firsts=none, nexts=none.copy(), befores=none.copy())
    list_children(hanging)
    return hanging


def _overlay_of(interests: Interests, hanging: Hanging) -> Overlay:
    slots = np.flatnonzero(hanging.ups >= 0)
    nodes = interests.topic_nodes
    ends = np.stack((nodes[slots], nodes[hanging.ups[slots]]), axis=1)
    return Overlay.from_links(interests.node_count, ends)


def _room(interests: Interests) -> Room:
    count, slots = interests.node_count, interests.subscription_count
    largest = int(interests.popularity.max(initial=0))
    most = int(interests.subscription_sizes.max(initial=0))

    def empty(length: int) -> NDArray[np.int32]:
        return np.empty(length, dtype=np.int32)

    return Room(
        children=empty(count), parents=empty(count), tally=np.zeros(count, dtype=np.int32),
        met=empty(count), below=empty(slots), queue=empty(largest), steps=empty(largest),
        waiting=empty(most), deepest=empty(most), choices=empty(most),
        old=empty(most), new=empty(most),
    )  # fmt: skip
