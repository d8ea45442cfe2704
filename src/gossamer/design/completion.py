"""Completion of an overlay: add links to the given ones until every topic is connected."""

from __future__ import annotations

import numpy as np

from gossamer.design._merge.engine import MergeDesign, Ties
from gossamer.design.greedy_merge import merge_greedily
from gossamer.kernels.measure import bridges
from gossamer.model import Interests, Overlay
from gossamer.progress import Progress
from gossamer.quality.topic_graphs import TopicGraphs


def complete_overlay(
    interests: Interests,
    start: Overlay,
    *,
    ties: Ties = "fewest-degree",
    seed: int = 0,
    progress: Progress | None = None,
) -> Overlay:
    """Add links to an overlay by greedy merge, until every topic is connected.

    Parameters
    ----------
    interests, start
        Topics of each node, and the overlay whose links are kept.
    ties
        Rule for links that merge equally many components; see ``greedy_merge``.
    seed
        Seed of the random number generator.
    progress
        Callback that receives the current step and the fraction done.

    Raises
    ------
    OverlayError
        If the interests and the overlay have different nodes.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": "x", "bob": "x", "cy": "x"})
    >>> complete_overlay(interests, Overlay.from_links(3, [(0, 1)])).link_count
    2
    """
    merging = MergeDesign(interests, ties=ties, seed=seed, progress=progress)
    added = continue_from(merging, start).ordered_links()
    return Overlay.from_links(interests.node_count, np.concatenate((start.links, added)))


def continue_from(merging: MergeDesign, start: Overlay) -> MergeDesign:
    """Complete an overlay by greedy merge; the result holds the added links only."""
    interests = merging.interests
    graphs = TopicGraphs.of(interests, start)
    blocks, components, ends, sizes = np.empty((4, interests.subscription_count), dtype=np.int32)
    bridges.find_blocks(
        graphs.topic_offsets, graphs.offsets, graphs.neighbours, blocks, components, ends, sizes
    )
    merging.restore_from(components[interests.slots], start.degrees.astype(np.int32))
    return merge_greedily(merging)
