"""Two-edge-connected topics: a few more links, so that no single link failure disconnects a topic.

The blocks of a topic are its components after all bridges are removed; the bridges form a tree of
the blocks of a component. A leaf of that tree needs a link to another block, which merges all
blocks on the path between them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import GossamerError
from gossamer.kernels.measure import bridges
from gossamer.kernels.relation import relation_of
from gossamer.kernels.repair import two_edge
from gossamer.kernels.repair.two_edge import Leaves, Worth
from gossamer.model import Interests, Overlay
from gossamer.model.overlay import check_fit
from gossamer.progress import Progress, silent
from gossamer.quality.topic_graphs import TopicGraphs

SINGLE = Worth(last=9, other=4)
"""For leaves of one subscriber, which must get the link: the last leaf of a node counts double."""
SHARED = Worth(last=1, other=1)
"""For leaves of several subscribers, any of which may get the link."""
SHARE = 0.4
"""Share of the nodes that a round links, the best ones; a lower share takes longer."""
VISITS = 400_000_000
"""Approximate number of subscribers that a round visits; beyond it, nodes visit a sample."""
ROWS_PER_STEP = 2_000


def make_resilient(
    interests: Interests,
    overlay: Overlay,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Add a few links, so that no link is a bridge of a topic: any single link may fail.

    Every component of a topic with three or more subscribers becomes two-edge-connected; the only
    link of two subscribers stays a bridge. Disconnected topics stay so, unless a bridge can only be
    removed by a link that joins two components of another topic.

    Parameters
    ----------
    interests, overlay
        Topics of each node, and the links to keep.
    seed
        Seed of the random number generator.
    progress
        Callback that receives the current step and the share of the leaves that are covered.

    Returns
    -------
    Overlay
        The given and the added links, verified to have no such bridge.

    Raises
    ------
    OverlayError
        If the interests and the overlay have different nodes.

    Notes
    -----
    For one topic, ⌈leaves / 2⌉ links are necessary and sufficient (Eswaran and Tarjan, SIAM J.
    Comput. 1976). For all topics together, the minimum contains set cover: a node that is a leaf
    by itself in many topics needs links whose other ends subscribe to all of them. The method is
    therefore greedy. In each round, every node with a leaf finds the partner with which a link
    covers most leaves of both, and the best of these pairs are linked; ties go to lower degrees.
    The last leaf of a node counts more than two others, which gave 6 % fewer links than equal
    counts (LowODA, 10,000 nodes with 10 of 100 topics). Leaves of one subscriber come first; blocks
    are computed again until there are no bridges.

    With ℓ_t leaves among a topic's n_t subscribers, a round takes at most O(Σ ℓ_t · n_t); from the
    second round on, only nodes whose partner has lost worth search again. Above ``VISITS`` a node
    visits a sample of the others. Memory: 25 bytes per subscription, and 4 for each end of a link
    in each of its topics. :func:`resilience_lower_bound` gives the necessary number of links.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": "x", "bob": "x", "cy": ["x", "y"], "dee": "y"})
    >>> make_resilient(interests, Overlay.from_links(4, [(0, 1), (1, 2), (2, 3)])).links.tolist()
    [[0, 1], [0, 2], [1, 2], [2, 3]]
    """
    check_fit(interests, overlay)
    work = _BridgeRemoval(interests, overlay, seed=seed, progress=progress or silent)
    while work.find_leaves():
        while work.link_best():
            pass
        if not work.added and not work.link_best(joining=True):
            raise GossamerError("a bridge remains that no link removes; a bug in gossamer")
    return work.overlay


def resilience_lower_bound(interests: Interests, overlay: Overlay) -> int:
    """Return a lower bound on the number of links that remove all removable bridges.

    Every leaf needs an end of a link of its topic, so a topic with ℓ leaves needs ⌈ℓ / 2⌉ links. A
    node that is a leaf by itself in k topics, of which each other non-neighbour subscribes to at
    most m, needs ⌈k / m⌉ links; half of the sum over all nodes is a bound. The result is the
    greater of both.

    Notes
    -----
    O(Σ ℓ_t · n_t) for ℓ_t leaves of one subscriber among the n_t of a topic.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": "x", "bob": "x", "cy": "x", "dee": "x"})
    >>> resilience_lower_bound(interests, Overlay.from_links(4, [(0, 1), (0, 2), (0, 3)]))
    2
    """
    work = _BridgeRemoval(interests, overlay, seed=0, progress=silent)
    if not work.find_leaves():
        return 0
    topics = np.repeat(np.arange(interests.topic_count), interests.popularity)
    by_topic = np.bincount(topics[work.leaf], minlength=1)
    bound = int((by_topic.max() + 1) // 2)
    if work.worth is SINGLE:
        leaves, needs = work.leaves, work.leaves.needs
        # A link to another component may serve as well, once links join the two.
        leaves.components[:] = 0
        two_edge.list_leaves(interests.topic_offsets, interests.topic_nodes, leaves)
        most = np.zeros(interests.node_count, dtype=np.int64)
        two_edge.max_covered(work.relation, leaves, *overlay.adjacency, most)
        bound = max(bound, int(-(-needs // np.maximum(most, 1)).sum() + 1) // 2)
    return bound


class _BridgeRemoval:
    """The growing overlay, its blocks when last computed, and the best partner of each node."""

    def __init__(
        self, interests: Interests, overlay: Overlay, *, seed: int, progress: Progress
    ) -> None:
        self.interests, self.progress = interests, progress
        self.overlay = overlay
        self.random = np.random.default_rng(seed)
        self.relation = relation_of(interests)
        self.degrees = overlay.degrees.astype(np.int32)
        self.worth = SINGLE
        self.found = 0
        self.added: list[NDArray[np.int32]] = []
        """Links added since the blocks were computed; a second one between them has no worth."""
        self.leaf = np.zeros(0, dtype=np.bool_)
        count, node_count = interests.subscription_count, interests.node_count
        self.leaves = Leaves(
            slots=interests.slots,
            blocks=np.empty(count, dtype=np.int32),
            components=np.empty(count, dtype=np.int32),
            uncovered=np.zeros(count, dtype=np.bool_),
            offsets=np.zeros(interests.topic_count + 1, dtype=np.int64),
            members=np.empty(count, dtype=np.int32),
            needs=np.zeros(node_count, dtype=np.int32),
        )
        self.partners = np.full(node_count, -1, dtype=np.int32)
        self.scores = np.zeros(node_count, dtype=np.int64)

    def find_leaves(self) -> bool:
        """Compute the blocks and the leaves to cover; return whether there are any.

        Leaves of one subscriber come first. O(subscriptions + arcs).
        """
        links = np.concatenate((self.overlay.links, *self.added))
        self.overlay = Overlay.from_links(self.interests.node_count, links)
        self.added.clear()
        blocks, components = self.leaves.blocks, self.leaves.components
        ends, sizes = np.empty_like(blocks), np.empty_like(blocks)
        graphs = TopicGraphs.of(self.interests, self.overlay)
        bridges.find_blocks(
            graphs.topic_offsets, graphs.offsets, graphs.neighbours, blocks, components, ends, sizes
        )
        leaf = self.leaf = (ends == 1) & (sizes[components] >= 3)
        alone = leaf & (np.diff(graphs.offsets) == 1)
        self.worth = SINGLE if alone.any() else SHARED
        self.leaves.uncovered[:] = alone if alone.any() else leaf
        self.partners[:] = -1
        self.found = int(self.leaves.uncovered.sum())
        return self.found > 0

    def link_best(self, *, joining: bool = False) -> int:
        """Link the best pairs of a round; return their number.

        ``joining`` allows links that join two components of another topic.
        """
        interests, leaves = self.interests, self.leaves
        two_edge.list_leaves(interests.topic_offsets, interests.topic_nodes, leaves)
        self.progress("removing bridges", 1 - int(leaves.uncovered.sum()) / max(self.found, 1))
        rows = np.flatnonzero(leaves.needs > 0).astype(np.int32)
        if not len(rows):
            return 0
        two_edge.update_partners(
            rows, self.partners, self.scores, self.relation, leaves, self.worth
        )
        self._find_partners(rows[self.partners[rows] < 0], VISITS, joining=joining)
        if (self.partners[rows] < 0).all():  # perhaps only in the sampled ranges
            self._find_partners(rows, None, joining=joining)
        rows = rows[self.partners[rows] >= 0]
        if not len(rows):
            return 0
        scores = self.scores[rows]
        least = int(np.quantile(scores, 1 - SHARE, method="lower"))
        rows, scores = rows[scores >= least], scores[scores >= least]
        busier = np.maximum(self.degrees[rows], self.degrees[self.partners[rows]])
        rows = rows[np.lexsort((self.random.permutation(len(rows)), busier, -scores))]
        links = np.empty((len(rows), 2), dtype=np.int32)
        count = two_edge.cover_leaves(
            rows, least, self.partners, self.relation, leaves, self.worth, self.degrees, links
        )
        if count:
            self.added.append(links[:count].copy())
        return count

    def _find_partners(
        self, rows: NDArray[np.int32], max_visits: int | None, *, joining: bool
    ) -> None:
        """Find the best partner of each row, in a range of nodes if there are more visits."""
        interests = self.interests
        visits = 2 * int((np.diff(self.leaves.offsets) * interests.popularity).sum())
        ranges = 1 if max_visits is None else max(1, -(-visits // max_visits))
        chosen = np.sort(self.random.integers(0, ranges, len(rows)))
        rows = self.random.permutation(rows) if ranges > 1 else rows
        starts = (chosen * interests.node_count // ranges).astype(np.int32)
        ends = ((chosen + 1) * interests.node_count // ranges).astype(np.int32)
        two_edge.find_partners(
            rows, starts, ends, self.relation, self.leaves, self.worth, joining,
            *self.overlay.adjacency, self.degrees, self.partners, self.scores,
        )  # fmt: skip
