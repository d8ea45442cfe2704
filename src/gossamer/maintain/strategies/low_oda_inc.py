"""LowODA-Inc: LowODA's rule continues from the current links (ElastO, §7)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.maintain.components import merge_components
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.events import LinkChanges
from gossamer.maintain.repair import check_rho
from gossamer.maintain.strategies.registry import strategy


@strategy(
    "low-oda-inc", reference="as Chen, Vitenberg, Jacobsen compare ElastO with", resumable=True
)
class LowOdaInc:
    """Add links among all nodes by LowODA's rule, to the current links.

    All subscribers of the topics that the event disconnected may get links. An event costs
    O(their number and their links), and LowODA's scans of their pairs.

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
        """Do nothing: the overlay is all that is needed."""

    def joined(self, overlay: DynamicOverlay, node: int) -> LinkChanges:
        """Link the node, so that it is connected on every topic."""
        return self._repair(overlay, overlay.topics_of(node))

    def left(
        self, overlay: DynamicOverlay, node: int, neighbours: NDArray[np.int32]
    ) -> LinkChanges:
        """Connect the topics that are disconnected."""
        return self._repair(overlay, overlay.topics_of(node))

    def subscribed(self, overlay: DynamicOverlay, node: int, topic: int) -> LinkChanges:
        """Link the node, so that it is connected on the topic."""
        return self._repair(overlay, np.array([topic], dtype=np.int32))

    def unsubscribed(
        self, overlay: DynamicOverlay, node: int, topic: int, neighbours: NDArray[np.int32]
    ) -> LinkChanges:
        """Connect the other subscribers of the topic."""
        return self._repair(overlay, np.array([topic], dtype=np.int32))

    def _repair(self, overlay: DynamicOverlay, topics: NDArray[np.int32]) -> LinkChanges:
        nodes = overlay.subscribers(topics)
        shadows = overlay.shadows(nodes, topics)
        labels = overlay.labels(nodes, topics, shadows)
        owners = np.repeat(np.arange(len(nodes)), np.diff(shadows.node_offsets))
        found = labels[owners, shadows.node_topics]
        # Only disconnected topics can gain by a link.
        rows = _disconnected(shadows.node_topics, found, len(topics))[shadows.node_topics]
        links = merge_components(
            overlay, nodes, owners[rows], shadows.node_topics[rows].astype(np.int64), found[rows],
            rho=self.rho, seed=self.seed,
        )  # fmt: skip
        return LinkChanges(links)


def _disconnected(
    topics: NDArray[np.int32], labels: NDArray[np.int32], count: int
) -> NDArray[np.bool_]:
    """Return whether the subscribers of each topic have different labels."""
    lowest = np.full(count, np.iinfo(np.int32).max, dtype=np.int32)
    highest = np.full(count, -1, dtype=np.int32)
    np.minimum.at(lowest, topics, labels)
    np.maximum.at(highest, topics, labels)
    disconnected: NDArray[np.bool_] = (highest >= 0) & (lowest != highest)
    return disconnected
