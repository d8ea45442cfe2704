"""Pruning: removal of the links that a design of bounded radius does not need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.measure.topic_graphs import count_shared_topics, slot_degrees
from gossamer.kernels.relation import relation_of
from gossamer.kernels.trees.prune import PairForest, Pairs, attach_all, fill_pairs, prune_links
from gossamer.model import Interests, Overlay
from gossamer.model.csr import offsets_of


def prune(interests: Interests, overlay: Overlay, roots: NDArray[np.int64], radius: int) -> Overlay:
    """Remove redundant links: those without which every topic keeps its radius.

    A greedy design adds each link for what is missing at that moment. Where nodes share very
    many topics, later links serve the same topics again, and about one in seven of the earlier
    ones becomes redundant.

    Parameters
    ----------
    interests, overlay
        Topics of each node, and a topic-connected overlay.
    roots
        Root node of each topic; -1 for a topic without subscribers. No subscriber is farther
        from it than the radius.
    radius
        Maximum distance to a root, before and after.

    Notes
    -----
    Every topic gets a breadth-first tree. A link is removed if every node that it attaches, in
    any topic, can be attached by another of its own links, with its subtree, within the radius.
    Links between nodes of low degree are tried first, since links of a hub are rarely
    redundant; that removes most.

    O(Σ over links of both ends' subscriptions + radius · pairs), where pairs are the topics
    shared over all links; 20 bytes a pair and 24 a subscription.
    """
    pairs, forest = breadth_first_forest(interests, overlay, roots)
    assert int(forest.depths.max(initial=0)) <= radius, "a node is too far from a root"
    kept = np.ones(overlay.link_count, dtype=np.bool_)
    ends = overlay.degrees[overlay.links]
    prune_links(np.lexsort((ends.min(axis=1), ends.max(axis=1))), radius, pairs, forest, kept)
    return Overlay.from_links(interests.node_count, overlay.links[kept])


def breadth_first_forest(
    interests: Interests, overlay: Overlay, roots: NDArray[np.int64]
) -> tuple[Pairs, PairForest]:
    """Return the pairs of all links, and a breadth-first tree of every topic."""
    relation = relation_of(interests)
    shared = count_shared_topics(relation, overlay.links)
    count, slots = int(shared.sum(dtype=np.int64)), interests.subscription_count
    pairs = Pairs(
        link_offsets=offsets_of(shared),
        ones=np.empty(count, dtype=np.int32),
        others=np.empty(count, dtype=np.int32),
        links=np.empty(count, dtype=np.int32),
        slot_offsets=offsets_of(slot_degrees(relation, overlay.links)),
        of_slots=np.empty(2 * count, dtype=np.int32),
    )
    fill_pairs(relation, overlay.links, pairs)
    largest, most = interests.popularity.max(initial=0), shared.max(initial=0)
    forest = PairForest(
        attached_by=np.full(slots, -1, dtype=np.int32),
        depths=np.full(slots, -1, dtype=np.int32),
        queue=np.empty(int(largest), dtype=np.int32),
        steps=np.empty(int(largest), dtype=np.int32),
        marks=np.zeros(slots, dtype=np.int64),
        children=np.empty(int(most), dtype=np.int32),
        replacements=np.empty(int(most), dtype=np.int32),
    )
    rooted = np.flatnonzero(roots[interests.node_topics] == interests.node_column)
    attach_all(np.sort(interests.slots[rooted]).astype(np.int64), pairs, forest)
    assert (forest.depths >= 0).all(), "a topic is disconnected"
    return pairs, forest
