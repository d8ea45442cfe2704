"""Bounded-radius greedy merge (BRGM): low degrees and short paths together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.design._trees.degree_caps import check_cap, check_radius, degree_caps
from gossamer.design._trees.reparent import improve
from gossamer.design.registry import algorithm
from gossamer.kernels.merge.components import Components
from gossamer.kernels.relation import relation_of
from gossamer.kernels.trees.bounded_merge import (
    DistanceLists,
    Sweep,
    Tallies,
    list_by_distance,
    sweep_rows,
)
from gossamer.kernels.trees.shallow_trees import Limits, Trees, choose_roots
from gossamer.model import Interests, Overlay
from gossamer.model.csr import offsets_of
from gossamer.progress import Progress, silent

__all__ = ["Growth", "bounded_radius", "empty_trees", "grow_trees", "shuffle_nodes"]

LOOSE_SHARE = 0.45
"""Trees are rooted after the level at which this share of all joins is done."""

WORTHWHILE = 0.005
"""A level is swept again if the last sweep did at least this share of the joins left."""

ROWS_A_STEP = 1_000


@algorithm(
    "bounded-radius",
    reference="ours: greedy merge with a bound on every topic's radius",
    topic_connected=True,
    diameter=(2, "radius"),
    caps=degree_caps,
)
def bounded_radius(
    interests: Interests,
    *,
    radius: int = 6,
    degree_cap: int = 0,
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Greedy merge in which every topic is a tree of bounded radius (BRGM, ours).

    Every topic is built as a tree, by links that join trees of as many topics as possible.
    First small trees grow together, as long as they stay shallow. Then every topic's largest
    tree gets a root, its centre, and the others are hung under it, no deeper than the radius;
    those not hung yet go on growing together where a link allows it.

    Parameters
    ----------
    interests
        Who wants what.
    radius
        From 1 to 64: nobody is further than this from the root of a topic, so no two are
        further apart than twice this.
    degree_cap
        Links that a node of average interests should have at most; one with k times as many
        subscriptions may have √k times as many. 0, if none is given: by rule, the greater of
        5/3 μ n^(1/radius) and 5 μ ln n / (radius - 1/2), n being the subscribers of the largest
        topic and μ the links that an average node needs (see
        :func:`~gossamer.design._trees.degree_caps.degree_caps`). It is soft: where it leaves a
        tree nowhere
        to hang, it rises, as little as is needed.
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
    Write R for the radius and Δ for the largest even number below R. Each member of a loose
    tree knows its reach, the distance to its farthest fellow; each of a rooted tree its depth.
    A link (u, v) joins, in a topic of both: two loose trees if reach(u) + 1 + reach(v) ≤ Δ,
    and a loose tree to the rooted one if depth(u) + 1 + reach(v) ≤ R. Its worth is the number
    of topics in which it joins trees.

    **Guarantee.** Every tree that is ever hung has, from the member it hangs by, at most
    R - depth(u) - 1 hops to its farthest member, so nobody is deeper than R, and two members
    of a topic are at most R + R hops apart, by way of the root, over links of the tree.
    Links that were made for other topics can only shorten that. And it ends with one tree a
    topic: a path between two members of a loose tree that leads over a new link is at most
    reach + 1 + reach ≤ Δ long, so loose trees have diameter at most Δ, and one of even
    diameter Δ has a centre whose reach is Δ/2 (one of a smaller diameter has one of no larger
    reach). The centre can hang from the root: 0 + 1 + Δ/2 ≤ R, as Δ is less than R. So while a
    topic is in parts some link is worth something, if caps allow it; and they rise until they
    do, with room for more than is kept. ∎

    **Loose stage.** A link's worth only falls, since reaches only rise. So one sweep a level,
    from the highest down, is exact, as in greedy merge; it goes on until 45 % of all
    joins are done, or to level 2. Caps are two thirds of the given ones, to leave room near
    the roots. **Rooted stage.** A worth may rise here, when a tree is hung and its members
    begin to offer places. So a level is swept again while a sweep does half a per cent of
    what is left; at level 1 until nothing is left, and caps rise by one when nothing moves.
    A node keeps room for one link for each topic in which it is still alone: else those that
    others hang from would be full before they are hung themselves.
    A link that is there may be found useful again, for topics that it did not join before; it
    then counts twice towards the caps of its ends, once in the overlay. Of a node's possible
    links the tightest come first, so that places near the root are left
    for the tallest trees, then those to nodes of fewer links. **At the end** needless links are
    taken away and nodes choose their parents anew, within the same radius
    (:mod:`~gossamer.design._trees.reparent`): that saves few links where interests are alike,
    one in seven where tails are heavy, and takes load from busy nodes.

    With V nodes, S subscriptions and n_t subscribers of topic t: a sweep costs at most
    Σ n_t² / 2 in the loose stage and Σ n_t · (loose members of t) in the rooted one, and
    some twenty of them are made, all but the first few much shorter, since only members
    within reach are walked. Reaches and depths cost O(S · R) over the whole run, and the
    improvement phase O(8,192 · V) for each parent of a node and round. Memory O(V + S), some
    100 bytes a subscription: no pairs of nodes are kept but links.

    Examples
    --------
    >>> from gossamer.model import Interests
    >>> interests = Interests.from_lists({name: ["x", "y"] for name in "abcdefg"})
    >>> overlay = bounded_radius(interests, radius=2)
    >>> overlay.link_count
    6
    """
    check_radius(radius)
    check_cap(degree_cap)
    caps = degree_caps(interests, radius=radius, degree_cap=degree_cap).caps
    return grow_trees(interests, radius, caps, seed=seed, progress=progress)[0]


def grow_trees(
    interests: Interests,
    radius: int,
    caps: NDArray[np.int32],
    *,
    seed: int,
    progress: Progress | None = None,
) -> tuple[Overlay, NDArray[np.int64]]:
    """Grow and improve all trees; return the overlay, and the root of every topic (-1: none)."""
    shuffled, order = shuffle_nodes(interests, seed)
    growth = Growth(shuffled, radius, caps[order], progress=progress)
    growth.grow_loose()
    growth.root()
    growth.hang_all()
    overlay = Overlay.from_links(interests.node_count, order[growth.ends()])
    roots = growth.roots(order)
    del growth, shuffled  # the improvement phase takes as much memory again
    made = improve(interests, overlay, roots, radius, caps, seed=seed, progress=progress)
    return made, roots


def shuffle_nodes(interests: Interests, seed: int) -> tuple[Interests, NDArray[np.int64]]:
    """Put nodes in a random order, in which rows come, the same for all topics."""
    order = np.random.default_rng(seed).permutation(interests.node_count)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    shuffled = Interests.from_ids(
        rank[interests.node_column],
        interests.node_topics,
        node_names=interests.node_count,
        topic_names=interests.topic_count,
    )
    return shuffled, order


class Growth:
    """The trees of all topics while they grow together, and are hung under their roots.

    Parameters
    ----------
    interests
        Who wants what; rows are swept in the nodes' order.
    radius
        What nobody's depth exceeds.
    caps
        How many links each node should have at most.
    hidden
        Whether there are members that are not in the interests; then a reach may be longer than
        the interests tell.
    progress
        Told how far it is.
    """

    def __init__(
        self,
        interests: Interests,
        radius: int,
        caps: NDArray[np.int32],
        *,
        hidden: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self.interests = interests
        self.progress = progress or silent
        self.caps = caps.astype(np.int32)
        self.limits = Limits(diameter=loose_diameter(radius), radius=radius)
        count, nodes = interests.subscription_count, interests.node_count
        self.relation = relation_of(interests)
        self.components = Components(
            labels=np.arange(count, dtype=np.int32),
            ring=np.arange(count, dtype=np.int32),
            sizes=np.ones(count, dtype=np.int32),
            parts=interests.popularity.astype(np.int32),
            degrees=np.zeros(nodes, dtype=np.int32),
        )
        self.trees = empty_trees(interests)
        # Nobody is as far from a fellow as the topic has members.
        most = radius + 1
        widths = (
            np.full(len(interests.popularity), most)
            if hidden
            else np.minimum(interests.popularity, most)
        )
        bases = offsets_of(widths)
        self.loose, self.rooted = _room(bases, count), _room(bases, count)
        self.tallies = Tallies(
            tally=np.zeros(nodes, dtype=np.int32),
            row=np.empty(nodes, dtype=np.int64),
            highest=np.zeros(1, dtype=np.int64),
        )
        self.ceilings = interests.subscription_sizes.astype(np.int32)
        self.links: list[NDArray[np.int64]] = []
        self.to_join = self.apart()

    def apart(self) -> int:
        """Return how many joins are still missing: Σ over topics of trees - 1."""
        return int(np.maximum(self.components.parts - 1, 0).sum(dtype=np.int64))

    def ends(self) -> NDArray[np.int64]:
        """Return the links' ends in the order in which they were added, shape (m, 2)."""
        keys = np.concatenate([np.empty(0, dtype=np.int64), *self.links])
        return np.stack(np.divmod(keys, max(self.interests.node_count, 1)), axis=1)

    def roots(self, order: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the node at every topic's root, by its name in the order; -1 where is none."""
        found = np.full(self.interests.topic_count, -1, dtype=np.int64)
        places = np.flatnonzero(self.trees.depths == 0)
        found[self.interests.node_topics[places]] = order[self.interests.node_column[places]]
        return found

    def grow_loose(self) -> None:
        """Let trees grow together, from the highest level down."""
        caps = (-(-2 * self.caps // 3)).astype(np.int32)
        level = int(self.ceilings.max(initial=0))
        while level > 1 and self.apart() > (1 - LOOSE_SHARE) * self.to_join:
            self._sweep(level, caps, rooted=False)
            level = int(min(level - 1, self.ceilings.max()))

    def root(self) -> None:
        """Give the largest tree of every topic a root."""
        choose_roots(self.relation, self.components, self.trees)

    def hang_all(self) -> None:
        """Hang what is loose under the roots, until every topic is one tree."""
        level = int(self.interests.subscription_sizes.max(initial=0))
        raised = 0
        while left := self.apart():
            most = self._sweep(level, self.caps, rooted=True)
            done = left - self.apart()
            if level > 1:
                if done < WORTHWHILE * left:
                    level = max(min(level - 1, most), 1)
            elif done == 0:
                # By one, and after many times by more, else hubs would need a sweep a link.
                step = 1 + raised // 16
                self.caps += np.int32(step)
                raised += step

    def _sweep(self, level: int, caps: NDArray[np.int32], *, rooted: bool) -> int:
        """Add links worth a level or more; return the most that any pair seemed worth."""
        arrays = (self.relation, self.components, self.trees)
        list_by_distance(False, caps, *arrays, self.loose)
        if rooted:
            list_by_distance(True, caps, *arrays, self.rooted)
        sweep = Sweep(level, rooted, caps, self.ceilings)
        links = np.empty(self.apart() // level, dtype=np.int64)
        most, base = 0, 1
        self.tallies.tally[:] = 0
        for start in range(0, self.interests.node_count, ROWS_A_STEP):
            stop = min(start + ROWS_A_STEP, self.interests.node_count)
            count, base, highest = sweep_rows(
                start, stop, base, sweep, self.limits, *arrays,
                self.loose, self.rooted, self.tallies, links,
            )  # fmt: skip
            self.links.append(links[:count].copy())
            most = max(most, highest)
            stage = "hanging trees" if rooted else "joining trees"
            self.progress(stage, 1 - self.apart() / max(self.to_join, 1))
        return most


def empty_trees(interests: Interests) -> Trees:
    """Make room for the trees of all topics; everybody is alone, and loose."""
    count, largest = interests.subscription_count, int(interests.popularity.max(initial=0))
    return Trees(
        heads=np.full(count, -1, dtype=np.int32),
        nexts=np.empty(2 * count, dtype=np.int32),
        targets=np.empty(2 * count, dtype=np.int32),
        used=np.zeros(1, dtype=np.int64),
        reaches=np.zeros(count, dtype=np.int32),
        depths=np.full(count, -1, dtype=np.int32),
        queue=np.empty(largest, dtype=np.int32),
        steps=np.empty(largest, dtype=np.int32),
        origins=np.empty(largest, dtype=np.int32),
    )


def loose_diameter(radius: int) -> int:
    """Return the largest even number that is less than the radius.

    Even, so that a tree of this diameter has one centre, as near to all as can be. Half of the
    radius is then for loose trees, and half for the places that they hang from. Larger ones could
    hang from so few that these come far over their caps; smaller ones leave more to hang.
    """
    return 2 * ((radius - 1) // 2)


def _room(bases: NDArray[np.int64], count: int) -> DistanceLists:
    return DistanceLists(
        bases=bases,
        offsets=np.zeros(int(bases[-1]) + 1, dtype=np.int64),
        cursors=np.empty(int(bases[-1]), dtype=np.int64),
        nodes=np.empty(count, dtype=np.int32),
        labels=np.empty(count, dtype=np.int32),
    )
