"""Cover forest: short paths and bounded maximum degrees where interests have heavy tails."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.design._trees.degree_caps import (
    TREE_CHECKS,
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

MAX_ROUNDS = 8
TOLERANCE = 32  # a round is good enough if no node exceeds its cap by more than a 32nd of it
BUSIEST_NODES = 8
"""Nodes whose own covers bound the cap from below."""

NODES_PER_STEP = 1_000


def forest_caps(interests: Interests, *, radius: int, degree_cap: int = 0) -> DegreeCaps:
    """Return the cap given, for every node alike, or by a rule: 3 √s for s the most subscriptions.

    The s topics of the busiest node can be covered by √s other nodes that share √s of them each,
    and further nodes attach to it; the cap leaves room for three such roles. The cap is at least
    what any of the eight busiest nodes needs to cover its topics, since no lower cap reduces the
    maximum; at least fifteen times the links that an average node needs; and at least
    :func:`~gossamer.design._trees.degree_caps.degree_caps`. With a lower cap too many members are
    full, and later nodes find no parent that covers much.
    """
    average = degree_cap
    if not average:
        sizes = interests.subscription_sizes
        busiest = np.argsort(-sizes, kind="stable")[:BUSIEST_NODES]
        relation = relation_of(interests)
        covers = (cover_size(int(node), relation) for node in busiest)
        average = max(
            math.ceil(3 * math.sqrt(int(sizes.max(initial=0)))),
            max(covers, default=0),
            math.ceil(15 * typical_links(interests)),
            degree_caps(interests, radius=radius).average,
        )
    return DegreeCaps(average, np.full(interests.node_count, average, dtype=np.int32))


@algorithm(
    "cover-forest",
    reference="ours: sequential covers, scarce topics first, under a cap",
    topic_connected=True,
    diameter=(2, "radius"),
    caps=forest_caps,
    checks=TREE_CHECKS,
)
def cover_forest(
    interests: Interests,
    *,
    radius: int = 6,
    degree_cap: int = 0,
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Place nodes one by one, each under few parents that cover its topics (ours).

    Nodes of most subscriptions come first. In each of its topics a node attaches to a placed
    subscriber, no deeper than the radius, or becomes the root. It chooses the parents that cover
    most of its topics, where a topic counts more the fewer nodes can cover it. The algorithm suits
    interests with heavy tails, where greedy merge produces hubs of hundreds or thousands of links:
    the cap limits them, and short paths follow.

    Parameters
    ----------
    interests
        Topics of each node.
    radius
        Maximum distance to the root of a topic, 1 to 64; the diameter is at most twice as much.
    degree_cap
        Maximum degree of a node; 0 for a rule: 3 √s, where s is the most subscriptions of a node,
        or what such a node needs (see :func:`forest_caps`). It is soft: if all placed subscribers
        of a topic are full, the one of lowest degree takes a link. A cap far below the rule fills
        most nodes, and later ones find no good parent: more links, and no lower maximum.
    seed
        Seed of the random number generator.
    progress
        Callback that receives the current step and the fraction done.

    Returns
    -------
    Overlay
        Topic-connected; the diameter of every topic is at most 2 · radius.

    Notes
    -----
    **Guarantee.** The first subscriber of a topic is its root, at depth 0. Each later one attaches
    at depth(parent) + 1, under a parent of depth less than the radius; the root is always one. So
    every topic is a tree no deeper than the radius, and two of its members are at most twice that
    apart, by way of the root. ∎

    **Caps.** A node cannot refuse links in topics where no other node is placed yet. They add to
    those it accepts freely. So placing is repeated, up to eight times: a node above its cap freely
    accepts fewer links by the excess; one whose excess reaches all that it could freely accept is
    placed last, where it chooses its own parents and no node depends on it. The round with the
    smallest largest excess is kept, at once if that is a 32nd of the cap.

    At the end the improvement phase removes redundant links and lets nodes choose their parents
    again, within the same radius and caps (:func:`~gossamer.design._trees.reparent.improve`).

    A round costs, for each parent, the open members of the node's topics: O(Σ n_t² / 2) times the
    two or three parents of a node, for n_t subscribers of topic t; full members are not visited.
    Memory O(V + S), 20 bytes a subscription, plus that of the improvement phase.

    If all nodes have equally many interests, ``bounded-radius`` needs a tenth fewer links.

    See Also
    --------
    bounded_radius

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
    show = progress or silent
    count, sizes = interests.node_count, interests.subscription_sizes
    caps = forest_caps(interests, radius=radius, degree_cap=degree_cap).caps
    shuffled = np.random.default_rng(seed).permutation(count)
    descending = shuffled[np.argsort(-sizes[shuffled], kind="stable")]
    free, last = caps.astype(np.int32), np.zeros(count, dtype=np.bool_)
    best: Placement | None = None
    for turn in range(MAX_ROUNDS):
        order = np.concatenate((descending[~last[descending]], descending[last[descending]][::-1]))

        def report(done: float, turn: int = turn) -> None:
            show(f"placing nodes, round {turn + 1}", (turn + done) / MAX_ROUNDS)

        found = place_nodes_in_order(interests, order, radius, free, report)
        over = np.maximum(found.degrees - caps, 0)
        if best is None or int(over.max(initial=0)) < best.over(caps):
            best = found
        if int(over.max(initial=0)) <= caps.max(initial=0) // TOLERANCE:
            break
        last |= over >= free
        free = np.maximum(free - over, 1).astype(np.int32)
    assert best is not None
    overlay = Overlay.from_links(count, best.ends())
    return improve(interests, overlay, best.roots, radius, caps, seed=seed, progress=progress)


@dataclass(frozen=True, eq=False)
class Placement:
    """Result of placing all nodes once: links as keys u · V + v, degrees, and roots of topics."""

    links: NDArray[np.int64]
    degrees: NDArray[np.int32]
    roots: NDArray[np.int64]

    def ends(self) -> NDArray[np.int64]:
        """Return the ends of links in the order in which they were added, shape (m, 2)."""
        return np.stack(np.divmod(self.links, max(len(self.degrees), 1)), axis=1)

    def over(self, caps: NDArray[np.int32]) -> int:
        """Return the largest excess of a node over its cap."""
        return int(np.maximum(self.degrees - caps, 0).max(initial=0))


def place_nodes_in_order(
    interests: Interests,
    order: NDArray[np.int64],
    radius: int,
    caps: NDArray[np.int32],
    report: Callable[[float], None] = lambda done: None,
) -> Placement:
    """Place all nodes in an order, under parents below their caps."""
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
    for start in range(0, count, NODES_PER_STEP):
        some = order[start : start + NODES_PER_STEP]
        made += place_nodes(some, radius, caps, roots, relation, forest, links[made:])
        report(min(start + NODES_PER_STEP, count) / count)
    return Placement(links[:made].copy(), forest.degrees, roots.astype(np.int64))
