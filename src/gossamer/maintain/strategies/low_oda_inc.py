"""LowODA-Inc: LowODA's rule goes on from the links that are there (Chen et al., ElastO §7)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.design._merge.engine import Merging
from gossamer.design.greedy_merge import merge_greedily
from gossamer.design.low_oda import merge_low
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.repair import check_rho
from gossamer.maintain.strategies.registry import LinkChanges, strategy
from gossamer.model import Interests

__all__ = ["LowOdaInc"]


@strategy("low-oda-inc", reference="as Chen, Vitenberg, Jacobsen compare ElastO with")
class LowOdaInc:
    """Add links among all nodes by LowODA's rule, to the links that are there.

    All subscribers of the topics that fell apart are looked at, or of a newcomer's topics. An event
    costs O(their number and their links), and LowODA's scans of their pairs.

    Parameters
    ----------
    rho
        LowODA's ρ, 1 or more: the higher, the lower the maximum degree, with more links.
    """

    def __init__(self, *, rho: float = 3.0, seed: int = 0) -> None:
        check_rho(rho)
        self.rho = rho
        self.seed = seed

    def begin(self, overlay: DynamicOverlay) -> None:
        """Do nothing: what is needed is found out when it is."""

    def joined(self, overlay: DynamicOverlay, node: int) -> LinkChanges:
        """Link a newcomer so that it hangs on every topic."""
        return self._mend(overlay, node)

    def left(
        self, overlay: DynamicOverlay, node: int, neighbours: NDArray[np.int32]
    ) -> LinkChanges:
        """Bring together what fell apart."""
        return self._mend(overlay, node)

    def _mend(self, overlay: DynamicOverlay, node: int) -> LinkChanges:
        topics = overlay.interests.topics_of(node)
        nodes = overlay.members(topics)
        if not len(nodes):
            return LinkChanges(np.empty((0, 2), dtype=np.int32))
        shadows = overlay.shadows(nodes, topics)
        labels = overlay.labels(nodes, topics, shadows)
        owners = np.repeat(np.arange(len(nodes)), np.diff(shadows.node_offsets))
        found = labels[owners, shadows.node_topics]
        apart = _topics_apart(shadows.node_topics, found, len(topics))
        rows = apart[shadows.node_topics]
        if not rows.any():
            return LinkChanges(np.empty((0, 2), dtype=np.int32))
        # Only these topics can gain by a link; the others need not be looked at.
        wanted = Interests.from_ids(
            owners[rows],
            shadows.node_topics[rows],
            node_names=len(nodes),
            topic_names=len(topics),
        )
        merging = Merging(wanted, ties="lexicographic", seed=self.seed)
        named = found[rows].astype(np.int64) * len(topics) + shadows.node_topics[rows]
        merging.start_from(
            np.unique(named, return_inverse=True)[1].astype(np.int32), overlay.degrees[nodes]
        )
        if self.rho == 1:
            merge_greedily(merging)
        else:
            merge_low(merging, self.rho, maximum=int(overlay.degrees.max()))
        return LinkChanges(nodes[merging.ordered_links()])


def _topics_apart(
    topics: NDArray[np.int32], labels: NDArray[np.int32], count: int
) -> NDArray[np.bool_]:
    """Return for each topic whether its subscribers have different labels."""
    least = np.full(count, np.iinfo(np.int32).max, dtype=np.int32)
    most = np.full(count, -1, dtype=np.int32)
    np.minimum.at(least, topics, labels)
    np.maximum.at(most, topics, labels)
    apart: NDArray[np.bool_] = (most >= 0) & (least != most)
    return apart
