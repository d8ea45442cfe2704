"""Bounded-radius greedy merge (BRGM): low degrees and short paths at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.design._merge.engine import isolated_components, renumber_nodes
from gossamer.design._trees.degree_caps import TREE_CHECKS, check_cap, check_radius, degree_caps
from gossamer.design._trees.reparent import improve
from gossamer.design.registry import algorithm
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

LOOSE_SHARE = 0.45
"""Share of all joins after which trees are rooted."""

MIN_PROGRESS = 0.005
"""Share of the missing joins that a sweep must do for its level to be swept again."""

ROWS_PER_STEP = 1_000


@algorithm(
    "bounded-radius",
    reference="ours: greedy merge with a bound on every topic's radius",
    topic_connected=True,
    diameter=(2, "radius"),
    caps=degree_caps,
    checks=TREE_CHECKS,
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

    Every topic becomes a tree, by links that join trees of as many topics as possible. First small
    trees merge, as long as they stay shallow. Then the largest tree of every topic gets a root, its
    centre, and the others attach to it, no deeper than the radius; trees not yet attached continue
    to merge where a link allows it.

    Parameters
    ----------
    interests
        Topics of each node.
    radius
        Maximum distance to the root of a topic, 1 to 64; the diameter is at most twice as much.
    degree_cap
        Maximum degree of a node of average interests; a node with k times as many subscriptions
        may have √k times as many links. 0 for a rule: the greater of 5/3 μ n^(1/radius) and
        5 μ ln n / (radius - 1/2), where n is the number of subscribers of the largest topic and μ
        the links that an average node needs (see
        :func:`~gossamer.design._trees.degree_caps.degree_caps`). The cap is soft: if it leaves a
        tree no place to attach, it rises as little as necessary.
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
    Write R for the radius and Δ for the largest even number below R. A member of a loose tree has
    a reach, the distance to the farthest member; a member of a rooted tree has a depth. A link
    (u, v) joins, in a topic of both: two loose trees if reach(u) + 1 + reach(v) ≤ Δ, and a loose
    tree to the rooted one if depth(u) + 1 + reach(v) ≤ R. Its contribution is the number of topics
    in which it joins trees.

    **Guarantee.** A tree that attaches to u has at most R - depth(u) - 1 hops from the attached
    member to its farthest one. So no depth exceeds R, and two members of a topic are at most R + R
    hops apart, by way of the root, over links of the tree; links made for other topics can only
    shorten that. The algorithm ends with one tree a topic. A path between two members of a loose
    tree over a new link has length reach + 1 + reach ≤ Δ at most, so a loose tree has diameter Δ at
    most, and its centre has reach Δ/2 at most. The centre can attach to the root, since
    0 + 1 + Δ/2 ≤ R as Δ is less than R. So while a topic is disconnected, some link contributes, if
    caps allow it; and caps rise until they do, beyond the links that nodes reserve. ∎

    **Loose stage.** Contributions never rise, since reaches only rise. So one sweep per level,
    from the highest down, is exact, as in greedy merge; the stage ends when 45 % of all joins are
    done, or at level 2. Caps are two thirds of the given ones, to leave places near the roots.
    **Rooted stage.** A contribution may rise here, when a tree attaches and its members become
    places. So a level is swept again while a sweep does half a per cent of the remaining joins; at
    level 1 until nothing remains, and caps rise by one if a sweep joins nothing. A node reserves a
    link for each topic in which it is still alone; else the nodes that others attach to would be
    full before they are attached themselves. An existing link may contribute again, in topics that
    it did not join before; it then counts twice towards the caps of its ends, once in the overlay.
    Of the links of a node, the tightest come first, so that places near the root are left for the
    tallest trees, then those to nodes of lower degree. **Improvement phase.** At the end redundant
    links are removed and nodes choose their parents again, within the same radius
    (:mod:`~gossamer.design._trees.reparent`): that saves few links where interests are alike, one
    in seven where tails are heavy, and lowers the degree of busy nodes.

    With V nodes, S subscriptions and n_t subscribers of topic t: a sweep costs Σ n_t² / 2 at most
    in the loose stage and Σ n_t · (loose members of t) in the rooted one. About twenty sweeps
    suffice, all but the first few much shorter, since only members within reach are visited.
    Reaches and depths cost O(S · R) over the whole run, and the improvement phase O(8,192 · V) per
    parent of a node and round. Memory O(V + S), about 100 bytes a subscription: of pairs of nodes
    only links are kept.

    See Also
    --------
    cover_forest, partitioned_radius

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
    growth.attach_all()
    overlay = Overlay.from_links(interests.node_count, order[growth.ends()])
    roots = growth.roots(order)
    del growth, shuffled  # the improvement phase takes as much memory again
    made = improve(interests, overlay, roots, radius, caps, seed=seed, progress=progress)
    return made, roots


def shuffle_nodes(interests: Interests, seed: int) -> tuple[Interests, NDArray[np.int64]]:
    """Return the interests with nodes in random order, the same for all topics, and the order."""
    order = np.random.default_rng(seed).permutation(interests.node_count)
    return renumber_nodes(interests, order), order


class Growth:
    """The trees of all topics, while they merge and while they attach to their roots.

    Parameters
    ----------
    interests
        Topics of each node; rows are swept in the order of nodes.
    radius
        Maximum depth.
    caps
        Maximum degree of each node.
    hidden
        Whether there are members that are not in the interests; then a reach may exceed what the
        interests allow.
    progress
        Callback that receives the current step and the fraction done.
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
        self.limits = Limits(diameter=max_loose_diameter(radius), radius=radius)
        count, nodes = interests.subscription_count, interests.node_count
        self.relation = relation_of(interests)
        self.components = isolated_components(interests)
        self.trees = empty_trees(interests)
        # No distance is as large as the number of members of a topic.
        most = radius + 1
        widths = (
            np.full(len(interests.popularity), most)
            if hidden
            else np.minimum(interests.popularity, most)
        )
        bases = offsets_of(widths)
        self.loose, self.rooted = _empty_lists(bases, count), _empty_lists(bases, count)
        self.tallies = Tallies(
            tally=np.zeros(nodes, dtype=np.int32),
            row=np.empty(nodes, dtype=np.int64),
            highest=np.zeros(1, dtype=np.int64),
        )
        self.ceilings = interests.subscription_sizes.astype(np.int32)
        self.links: list[NDArray[np.int64]] = []
        self.to_merge = self.missing_merges()

    def missing_merges(self) -> int:
        """Return the number of joins still missing: Σ over topics of trees - 1."""
        return int(np.maximum(self.components.parts - 1, 0).sum(dtype=np.int64))

    def ends(self) -> NDArray[np.int64]:
        """Return the ends of links in the order in which they were added, shape (m, 2)."""
        keys = np.concatenate([np.empty(0, dtype=np.int64), *self.links])
        return np.stack(np.divmod(keys, max(self.interests.node_count, 1)), axis=1)

    def roots(self, order: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the root of every topic, by its number in the order; -1 if there is none."""
        found = np.full(self.interests.topic_count, -1, dtype=np.int64)
        places = np.flatnonzero(self.trees.depths == 0)
        found[self.interests.node_topics[places]] = order[self.interests.node_column[places]]
        return found

    def grow_loose(self) -> None:
        """Merge loose trees, from the highest level down."""
        caps = (-(-2 * self.caps // 3)).astype(np.int32)
        level = int(self.ceilings.max(initial=0))
        while level > 1 and self.missing_merges() > (1 - LOOSE_SHARE) * self.to_merge:
            self._sweep(level, caps, rooted=False)
            level = int(min(level - 1, self.ceilings.max()))

    def root(self) -> None:
        """Give the largest tree of every topic a root."""
        choose_roots(self.relation, self.components, self.trees)

    def attach_all(self) -> None:
        """Attach loose trees to the roots, until every topic is one tree."""
        level = int(self.interests.subscription_sizes.max(initial=0))
        raised = 0
        while left := self.missing_merges():
            most = self._sweep(level, self.caps, rooted=True)
            done = left - self.missing_merges()
            if level > 1:
                if done < MIN_PROGRESS * left:
                    level = max(min(level - 1, most), 1)
            elif done == 0:
                # By one at first, later by more; else hubs would need a sweep per link.
                step = 1 + raised // 16
                self.caps += np.int32(step)
                raised += step

    def _sweep(self, level: int, caps: NDArray[np.int32], *, rooted: bool) -> int:
        """Add links that contribute ``level`` or more; return the highest contribution seen."""
        arrays = (self.relation, self.components, self.trees)
        list_by_distance(False, caps, *arrays, self.loose)
        if rooted:
            list_by_distance(True, caps, *arrays, self.rooted)
        sweep = Sweep(level, rooted, caps, self.ceilings)
        links = np.empty(self.missing_merges() // level, dtype=np.int64)
        most, base = 0, 1
        self.tallies.tally[:] = 0
        for start in range(0, self.interests.node_count, ROWS_PER_STEP):
            stop = min(start + ROWS_PER_STEP, self.interests.node_count)
            count, base, highest = sweep_rows(
                start, stop, base, sweep, self.limits, *arrays,
                self.loose, self.rooted, self.tallies, links,
            )  # fmt: skip
            self.links.append(links[:count].copy())
            most = max(most, highest)
            stage = "attaching trees" if rooted else "joining trees"
            self.progress(stage, 1 - self.missing_merges() / max(self.to_merge, 1))
        return most


def empty_trees(interests: Interests) -> Trees:
    """Return trees of one member each, all loose."""
    count, largest = interests.subscription_count, int(interests.popularity.max(initial=0))
    return Trees(
        heads=np.full(count, -1, dtype=np.int32),
        next_arc=np.empty(2 * count, dtype=np.int32),
        targets=np.empty(2 * count, dtype=np.int32),
        used=np.zeros(1, dtype=np.int64),
        reaches=np.zeros(count, dtype=np.int32),
        depths=np.full(count, -1, dtype=np.int32),
        queue=np.empty(largest, dtype=np.int32),
        steps=np.empty(largest, dtype=np.int32),
        origins=np.empty(largest, dtype=np.int32),
    )


def max_loose_diameter(radius: int) -> int:
    """Return the largest even number that is less than the radius.

    It is even, so that a tree of this diameter has one centre, at equal distance to all sides. Half
    of the radius then serves loose trees, and half the places that they attach to. Taller trees
    would have so few places that those exceed their caps; shorter ones leave more to attach.
    """
    return 2 * ((radius - 1) // 2)


def _empty_lists(bases: NDArray[np.int64], count: int) -> DistanceLists:
    return DistanceLists(
        bases=bases,
        offsets=np.zeros(int(bases[-1]) + 1, dtype=np.int64),
        cursors=np.empty(int(bases[-1]), dtype=np.int64),
        nodes=np.empty(count, dtype=np.int32),
        labels=np.empty(count, dtype=np.int32),
    )
