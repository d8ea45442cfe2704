"""Trimming: taking away what turned out to be needless, within the same radius."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.measure import topic_graphs
from gossamer.kernels.trees.prune import Hung, Pairs, hang_all, list_pairs, trim_links
from gossamer.model import Interests, Overlay
from gossamer.model.csr import offsets_of

__all__ = ["hung_under", "trimmed"]


def trimmed(
    interests: Interests, overlay: Overlay, roots: NDArray[np.int64], radius: int
) -> Overlay:
    """Take away links without which everybody still is near enough to every topic's root.

    Links are made one after the other, each for what was missing then. Where nodes want very
    many topics, links made later serve the same topics again, and one in seven or so of the
    earlier turns out to be needless.

    Parameters
    ----------
    interests, overlay
        Over the same nodes, topic-connected.
    roots
        A node for each topic, whom nobody who wants it is further away from than the radius; -1
        for a topic that nobody wants.
    radius
        What nobody's distance to a root will exceed.

    Notes
    -----
    Every topic is hung under its root, breadth first. A link goes if whoever hangs by it, in
    any topic, can hang by another of their own, with all below them, no deeper than the
    radius. So what is left has the same bounds as before. Links between nodes of few links are
    tried first, since a hub's are harder to do without: that takes away most.

    O(Σ over links of both ends' subscriptions + radius · pairs), pairs being the topics shared
    over all links; 20 bytes a pair and 24 a subscription.
    """
    pairs, hung = hung_under(interests, overlay, roots)
    assert int(hung.depths.max(initial=0)) <= radius, "somebody is too far from a root"
    kept = np.ones(overlay.link_count, dtype=np.bool_)
    ends = overlay.degrees[overlay.links]
    trim_links(np.lexsort((ends.min(axis=1), ends.max(axis=1))), radius, pairs, hung, kept)
    return Overlay.from_links(interests.node_count, overlay.links[kept])


def hung_under(
    interests: Interests, overlay: Overlay, roots: NDArray[np.int64]
) -> tuple[Pairs, Hung]:
    """Hang every topic under its root, breadth first, over all links that its subscribers have."""
    arrays = (interests.node_offsets, interests.node_topics)
    shared = topic_graphs.count_shared_topics(*arrays, overlay.links)
    degrees = topic_graphs.slot_degrees(*arrays, interests.slots, overlay.links)
    count, slots = int(shared.sum(dtype=np.int64)), interests.subscription_count
    pairs = Pairs(
        link_offsets=offsets_of(shared),
        ones=np.empty(count, dtype=np.int32),
        others=np.empty(count, dtype=np.int32),
        links=np.empty(count, dtype=np.int32),
        slot_offsets=offsets_of(degrees),
        of_slots=np.empty(2 * count, dtype=np.int32),
    )
    list_pairs(*arrays, interests.slots, overlay.links, pairs)
    largest, most = interests.popularity.max(initial=0), shared.max(initial=0)
    hung = Hung(
        by=np.full(slots, -1, dtype=np.int32),
        depths=np.full(slots, -1, dtype=np.int32),
        queue=np.empty(int(largest), dtype=np.int32),
        steps=np.empty(int(largest), dtype=np.int32),
        seen=np.zeros(slots, dtype=np.int64),
        children=np.empty(int(most), dtype=np.int32),
        instead=np.empty(int(most), dtype=np.int32),
    )
    hang_all(_slots_of(interests, roots), pairs, hung)
    assert (hung.depths >= 0).all(), "a topic is in parts"
    return pairs, hung


def _slots_of(interests: Interests, roots: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where the roots stand among their topics' subscribers."""
    offsets = interests.topic_offsets
    return np.array(
        [
            offsets[t] + np.searchsorted(interests.topic_nodes[offsets[t] : offsets[t + 1]], root)
            for t, root in enumerate(roots.tolist())
            if root >= 0
        ],
        dtype=np.int64,
    )
