"""Cover forest: short paths and bounded maxima where interests have heavy tails."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.design._trees.degree_caps import (
    DegreeCaps,
    check_cap,
    check_radius,
    degree_caps,
    typical_links,
)
from gossamer.design._trees.reparent import improve
from gossamer.design.registry import algorithm
from gossamer.kernels.measure.overlap import cover_size
from gossamer.kernels.relation import relation_of
from gossamer.kernels.trees.cover_forest import CoverState, place_nodes
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress, silent

__all__ = ["Placement", "cover_forest", "forest_caps", "place_all"]

MAX_ROUNDS = 8
NEARLY = 32  # a round whose worst node is over its cap by less than a 32nd is good enough
BUSIEST = 8
"""Nodes that are asked what they need themselves."""

NODES_A_STEP = 1_000


def forest_caps(interests: Interests, *, radius: int, degree_cap: int = 0) -> DegreeCaps:
    """Return the cap given, for every node alike, or by rule: 3 √s, s the most subscriptions.

    The busiest node can have its s topics covered by √s others that share √s of them each, and
    others hang under it; three such roles are what it gets. But not less than any of the eight
    busiest nodes needs to have its topics covered, since no cap brings the maximum below that;
    nor than fifteen times the links that an average node needs, nor than
    :func:`~gossamer.design._trees.degree_caps.degree_caps`: with less, too many members are full,
    and later
    nodes find nobody who covers much of them.
    """
    average = degree_cap
    if not average:
        sizes = interests.subscription_sizes
        busiest = np.argsort(-sizes, kind="stable")[:BUSIEST]
        covers = (_cover(interests, int(node)) for node in busiest)
        average = max(
            math.ceil(3 * math.sqrt(int(sizes.max(initial=0)))),
            max(covers, default=0),
            math.ceil(15 * typical_links(interests)),
            degree_caps(interests, radius=radius).average,
        )
    return DegreeCaps(average, np.full(interests.node_count, average, dtype=np.int32))


def _cover(interests: Interests, node: int) -> int:
    """Return how many others cover a node's topics, chosen greedily."""
    return cover_size(node, relation_of(interests))


@algorithm(
    "cover-forest",
    reference="ours: sequential covers, scarce topics first, under a cap",
    topic_connected=True,
    diameter=(2, "radius"),
    caps=forest_caps,
)
def cover_forest(
    interests: Interests,
    *,
    radius: int = 6,
    degree_cap: int = 0,
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Place nodes one by one, each under few others that cover its topics (ours).

    Nodes of many interests come first. In each of its topics a node hangs under one that is
    there already, no deeper than the radius, or becomes the root. It takes as parents those
    that cover most of its topics, each topic counting the more the fewer there are who could
    cover it. For interests with heavy tails, where greedy merge makes hubs of hundreds or
    thousands of links: here the cap keeps them down, and short paths come by themselves.

    Parameters
    ----------
    interests
        Who wants what.
    radius
        From 1 to 64: nobody is further than this from the root of a topic, so no two are
        further apart than twice this.
    degree_cap
        Links that a node should have at most. 0, if none is given: by rule, 3 √s, s being the
        most subscriptions of a node, or what such a node needs (see :func:`forest_caps`). It is
        soft: a topic whose placed subscribers all have as many links takes the least busy. One
        far below the rule's fills so many that later nodes find nobody who covers much: more
        links, and no lower maximum.
    seed
        Settles random choices; the same seed gives the same overlay.
    progress
        Told what is being done and how far it is.

    Returns
    -------
    Overlay
        Topic-connected; every topic has a diameter of at most 2 · radius.

    Notes
    -----
    **Guarantee.** A topic's first subscriber is its root, at depth 0. Each later one hangs at
    depth(parent) + 1, under a parent of less depth than the radius; there always is one, the
    root. So every topic is a tree no deeper than the radius, and two of its members are at
    most twice that apart, by way of the root. ∎

    **Caps.** Some links a node cannot refuse: in topics where nobody else is placed yet. They
    come on top of those it took freely. So all is done again, up to eight times: a node that
    was over its cap takes, freely, as many fewer as it was over; and one that was over by all
    that it could take freely comes last, where it chooses its parents itself and nobody needs
    it. The round whose worst node is least over is kept, at once if that is a 32nd of the cap.

    At the end needless links are taken away, and nodes choose their parents anew, within the same
    radius and under the same caps (:func:`~gossamer.design._trees.reparent.rehung`).

    A round costs, a parent, the open members of the node's topics: O(Σ n_t² / 2) times the
    parents of a node, two or three, for n_t subscribers of topic t; full members are not looked
    at. Memory O(V + S), 20 bytes a subscription, and then what rehanging takes.

    Where all nodes have equally many interests, ``bounded-radius`` needs a tenth fewer links.

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> interests = Interests.from_lists({name: ["x", "y"] for name in "abcdefg"})
    >>> overlay = cover_forest(interests, radius=2, degree_cap=3)
    >>> overlay.link_count, int(overlay.degrees.max())
    (6, 3)
    """
    check_radius(radius)
    check_cap(degree_cap)
    tell = progress or silent
    count, sizes = interests.node_count, interests.subscription_sizes
    caps = forest_caps(interests, radius=radius, degree_cap=degree_cap).caps
    shuffled = np.random.default_rng(seed).permutation(count)
    descending = shuffled[np.argsort(-sizes[shuffled], kind="stable")]
    free, last = caps.astype(np.int32), np.zeros(count, dtype=np.bool_)
    best: Placement | None = None
    for turn in range(MAX_ROUNDS):
        order = np.concatenate((descending[~last[descending]], descending[last[descending]][::-1]))

        def told(done: float, turn: int = turn) -> None:
            tell(f"placing nodes, round {turn + 1}", (turn + done) / MAX_ROUNDS)

        found = place_all(interests, order, radius, free, told)
        over = np.maximum(found.degrees - caps, 0)
        if best is None or int(over.max(initial=0)) < best.over(caps):
            best = found
        if int(over.max(initial=0)) <= caps.max(initial=0) // NEARLY:
            break
        last |= over >= free
        free = np.maximum(free - over, 1).astype(np.int32)
    assert best is not None
    overlay = Overlay.from_links(count, best.ends())
    return improve(interests, overlay, best.roots, radius, caps, seed=seed, progress=progress)


@dataclass(frozen=True, eq=False)
class Placement:
    """What came of placing all nodes once: a key u · V + v a link, degrees, and topics' roots."""

    links: NDArray[np.int64]
    degrees: NDArray[np.int32]
    roots: NDArray[np.int64]

    def ends(self) -> NDArray[np.int64]:
        """Return the links' ends in the order in which they were added, shape (m, 2)."""
        return np.stack(np.divmod(self.links, max(len(self.degrees), 1)), axis=1)

    def over(self, caps: NDArray[np.int32]) -> int:
        """Return by how many links the worst node is over its cap."""
        return int(np.maximum(self.degrees - caps, 0).max(initial=0))


def place_all(
    interests: Interests,
    order: NDArray[np.int64],
    radius: int,
    caps: NDArray[np.int32],
    told: Callable[[float], None] = lambda done: None,
) -> Placement:
    """Place all nodes in an order, under parents with fewer links than their caps."""
    count, subscriptions = interests.node_count, interests.subscription_count
    relation = relation_of(interests)
    forest = CoverState(
        depths=np.full(subscriptions, -1, dtype=np.int32),
        degrees=np.zeros(count, dtype=np.int32),
        opened=np.zeros(interests.topic_count, dtype=np.int64),
        members=np.empty(subscriptions, dtype=np.int32),
        tally=np.zeros(count, dtype=np.int64),
        met=np.empty(count, dtype=np.int32),
        waiting=np.empty(int(interests.subscription_sizes.max(initial=0)), dtype=np.int32),
    )
    roots = np.full(interests.topic_count, -1, dtype=np.int32)
    links = np.empty(subscriptions, dtype=np.int64)
    made = 0
    for start in range(0, count, NODES_A_STEP):
        some = order[start : start + NODES_A_STEP]
        made += place_nodes(some, radius, caps, roots, relation, forest, links[made:])
        told(min(start + NODES_A_STEP, count) / count)
    return Placement(links[:made].copy(), forest.degrees, roots.astype(np.int64))
