"""Two-edge-connected topics: a few links more, so that no single failed link splits a topic.

A topic's blocks are what is left in one piece when all its bridges are cut; the bridges make a
tree of the blocks of a component. Without bridges there is one block. A leaf of that tree must
get a link to another block, which makes one block of all on the way between them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import GossamerError, OverlayError
from gossamer.kernels.measure import bridges
from gossamer.kernels.relation import relation_of
from gossamer.kernels.repair import two_edge as reinforcing
from gossamer.kernels.repair.two_edge import Leaves, Worth
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress, silent
from gossamer.quality.topic_graphs import TopicGraphs

__all__ = ["make_resilient", "resilience_lower_bound"]

ALONE = Worth(last=9, other=4)
"""For leaves of one subscriber, who must get the link: a node's last leaf is as dear as two."""
TOGETHER = Worth(last=1, other=1)
"""For leaves of several, any of whom may get it: nobody must be seen through."""
SHARE = 0.4
"""The share of the nodes that a round looks at as the best: fewer make more and longer rounds."""
VISITS = 400_000_000
"""About how many subscribers a round looks at; beyond, a node looks at some of the others."""
ROWS_A_STEP = 2_000


def make_resilient(
    interests: Interests,
    overlay: Overlay,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Add a few links, so that no link is a bridge of a topic: any one may fail.

    Every component of a topic with three subscribers or more becomes two-edge-connected; the
    only link of two subscribers stays a bridge. Topics in parts are left in parts, unless a
    bridge can only be taken away by a link that joins two parts of another topic.

    Parameters
    ----------
    interests, overlay
        Over the same nodes; an :class:`OverlayError` says if they are not. All links stay.
    seed
        Settles random choices.
    progress
        Told how far it is: the share of the leaves that are covered.

    Returns
    -------
    Overlay
        The links given and those added, checked to have no such bridge.

    Notes
    -----
    For one topic alone, ⌈leaves / 2⌉ links are enough and needed (Eswaran and Tarjan, SIAM J.
    Comput. 1976). For all topics together, finding the fewest contains set cover: a node that
    is a leaf by itself in many topics must get links whose other ends want all of these. So this
    is greedy. In a round each node with a leaf finds the partner with whom a link covers most,
    leaves of both, and the best of these pairs are linked; those of equal worth by degree, to
    keep the maximum low. The last leaf of a node counts for more than two others, which gave 6 %
    fewer links than counting leaves (LowODA, 10,000 nodes with 10 of 100 topics). Leaves of one
    subscriber come first, and what is left in blocks is looked for until there are no bridges.

    With ℓ_t leaves among a topic's n_t subscribers, a round costs at most O(Σ ℓ_t · n_t), and
    from the second on only the nodes whose partner has become worth less look again. Above
    ``VISITS`` a node looks at some of the others only. Memory: 25 bytes a subscription, and 4
    for each end of a link in each of its topics. :func:`resilience_lower_bound` says how many
    links it takes at least.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": "x", "bob": "x", "cy": "xy", "dee": "y"})
    >>> make_resilient(interests, Overlay.from_links(4, [(0, 1), (1, 2), (2, 3)])).links.tolist()
    [[0, 1], [0, 2], [1, 2], [2, 3]]
    """
    if overlay.node_count != interests.node_count:
        raise OverlayError(
            f"the overlay has {overlay.node_count} nodes, the interests have "
            f"{interests.node_count}; expected the same nodes in both"
        )
    work = _BridgeRemoval(interests, overlay, seed=seed, progress=progress or silent)
    while work.find_leaves():
        while work.link_best():
            pass
        if not work.added and not work.link_best(joining=True):
            raise GossamerError("a bridge is left for which there is no link; a bug in gossamer")
    return work.overlay


def resilience_lower_bound(interests: Interests, overlay: Overlay) -> int:
    """Return how many links must be added at least to take away all bridges that can be.

    Every leaf needs an end of a link of its topic, so a topic with ℓ leaves needs ⌈ℓ / 2⌉. And a
    node that is a leaf by itself in k topics, of which no other node that it is not linked to
    wants more than m, must get ⌈k / m⌉ links; half of the sum over all nodes is needed. The
    greater of both holds for every way to choose them.

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
    if work.worth is ALONE:
        leaves, needs = work.leaves, work.leaves.needs
        # A link to another component may serve as well, once links join the two.
        leaves.components[:] = 0
        reinforcing.list_leaves(interests.topic_offsets, interests.topic_nodes, leaves)
        most = np.zeros(interests.node_count, dtype=np.int64)
        reinforcing.most_covered(work.relation, leaves, *overlay.adjacency, most)
        bound = max(bound, int(-(-needs // np.maximum(most, 1)).sum() + 1) // 2)
    return bound


class _BridgeRemoval:
    """The overlay as it grows, its blocks when last looked for, and who is whose best partner."""

    def __init__(
        self, interests: Interests, overlay: Overlay, *, seed: int, progress: Progress
    ) -> None:
        self.interests, self.progress = interests, progress
        self.overlay = overlay
        self.random = np.random.default_rng(seed)
        self.relation = relation_of(interests)
        self.degrees = overlay.degrees.astype(np.int32)
        self.worth = ALONE
        self.found = 0
        self.added: list[NDArray[np.int32]] = []
        """Links since the blocks were last looked for: worth nothing a second time."""
        self.leaf = np.zeros(0, dtype=np.bool_)
        count, node_count = interests.subscription_count, interests.node_count
        self.leaves = Leaves(
            slots=interests.slots,
            blocks=np.empty(count, dtype=np.int32),
            components=np.empty(count, dtype=np.int32),
            wanted=np.zeros(count, dtype=np.bool_),
            offsets=np.zeros(interests.topic_count + 1, dtype=np.int64),
            members=np.empty(count, dtype=np.int32),
            needs=np.zeros(node_count, dtype=np.int32),
        )
        self.partners = np.full(node_count, -1, dtype=np.int32)
        self.scores = np.zeros(node_count, dtype=np.int64)

    def find_leaves(self) -> bool:
        """Look for the blocks as they are now, and for leaves to cover; tell whether there are any.

        Those of one subscriber come before all others. O(subscriptions + arcs).
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
        self.worth = ALONE if alone.any() else TOGETHER
        self.leaves.wanted[:] = alone if alone.any() else leaf
        self.partners[:] = -1
        self.found = int(self.leaves.wanted.sum())
        return self.found > 0

    def link_best(self, *, joining: bool = False) -> int:
        """Link the best pairs of a round; return how many.

        ``joining``: also those that join two components of another topic.
        """
        interests, leaves = self.interests, self.leaves
        reinforcing.list_leaves(interests.topic_offsets, interests.topic_nodes, leaves)
        self.progress("taking away bridges", 1 - int(leaves.wanted.sum()) / max(self.found, 1))
        rows = np.flatnonzero(leaves.needs > 0).astype(np.int32)
        if not len(rows):
            return 0
        reinforcing.look_again(rows, self.partners, self.scores, self.relation, leaves, self.worth)
        self._find_partners(rows[self.partners[rows] < 0], VISITS, joining=joining)
        if (self.partners[rows] < 0).all():  # perhaps only in the stretches that were looked at
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
        count = reinforcing.cover_leaves(
            rows, least, self.partners, self.relation, leaves, self.worth, self.degrees, links
        )
        if count:
            self.added.append(links[:count].copy())
        return count

    def _find_partners(self, rows: NDArray[np.int32], most: int | None, *, joining: bool) -> None:
        """Find the best partner of each row, among all nodes or, with ``most``, in a stretch."""
        interests = self.interests
        visits = 2 * int((np.diff(self.leaves.offsets) * interests.popularity).sum())
        stretches = 1 if most is None else max(1, -(-visits // most))
        chosen = np.sort(self.random.integers(0, stretches, len(rows)))
        rows = self.random.permutation(rows) if stretches > 1 else rows
        firsts = (chosen * interests.node_count // stretches).astype(np.int32)
        lasts = ((chosen + 1) * interests.node_count // stretches).astype(np.int32)
        reinforcing.find_partners(
            rows, firsts, lasts, self.relation, self.leaves, self.worth, joining,
            *self.overlay.adjacency, self.degrees, self.partners, self.scores,
        )  # fmt: skip
