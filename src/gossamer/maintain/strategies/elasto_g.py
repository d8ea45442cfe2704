"""ElastO-G: repair among shadows, with full knowledge of the overlay (ElastO, §5 and §7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.maintain.backups import Backups, Method
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.events import LinkChanges
from gossamer.maintain.repair import check_rho, repair_shadows
from gossamer.maintain.strategies.registry import strategy


@strategy("elasto-g", reference="Chen, Vitenberg, Jacobsen: ElastO")
class ElastoG:
    """Add links among the backups and former neighbours of the node that joined or left.

    The shadows are the former neighbours and the backups of a node that left, or a node that
    joined and its backups. Components are those of the whole overlay; links are added among the
    shadows alone, by LowODA's rule, no more than the components that they merge. A change of
    interests is a join or a leave on one topic: the shadows are the node, or its former neighbours
    on the topic, and those of its backups that subscribe to it.

    An event costs O(subscribers of the node's topics and their links) for the components, and the
    cost of :func:`gossamer.kernels.repair.shadows.add_repair_links` for the links.

    Parameters
    ----------
    coverage
        Number of backups of a node that subscribe to each of its topics, where there are as many:
        λ.
    backups
        Choice of the backups: ``primal-dual``, for a random topic the subscriber with the fewest
        primaries, or ``greedy``, the node that covers most of the lacking topics.
    rho
        LowODA's ρ, 1 or more: the higher, the lower the maximum degree, with more links.
    whole_maximum
        Whether LowODA's rule uses the maximum degree of the whole overlay, as in the paper. The
        maximum of the shadows keeps degrees lower (``gossamer reproduce elasto``).
    """

    def __init__(
        self,
        *,
        coverage: int = 5,
        backups: Method = "primal-dual",
        rho: float = 3.0,
        whole_maximum: bool = False,
        seed: int = 0,
    ) -> None:
        check_rho(rho)
        self.rho = rho
        self.whole_maximum = whole_maximum
        self.backups = Backups(backups, coverage, seed=seed)

    def begin(self, overlay: DynamicOverlay) -> None:
        """Do nothing: backups are chosen when they are needed."""

    def joined(self, overlay: DynamicOverlay, node: int) -> LinkChanges:
        """Link the node to backups, so that it is connected on every topic."""
        nodes = np.append(self.backups.of(overlay, node, at_least=1), np.int32(node))
        return self._repair(overlay, overlay.topics_of(node), np.sort(nodes))

    def left(
        self, overlay: DynamicOverlay, node: int, neighbours: NDArray[np.int32]
    ) -> LinkChanges:
        """Connect the former neighbours of the node again, also through its backups."""
        nodes = np.union1d(self.backups.of(overlay, node), neighbours)
        self.backups.forget(node)
        return self._repair(overlay, overlay.topics_of(node), nodes.astype(np.int32))

    def subscribed(self, overlay: DynamicOverlay, node: int, topic: int) -> LinkChanges:
        """Link the node to backups on the topic, unless it has a neighbour there."""
        backups = self.backups.on_topic(overlay, node, topic, at_least=1)
        nodes = np.sort(np.append(backups, np.int32(node)))
        return self._repair(overlay, np.array([topic], dtype=np.int32), nodes)

    def unsubscribed(
        self, overlay: DynamicOverlay, node: int, topic: int, neighbours: NDArray[np.int32]
    ) -> LinkChanges:
        """Connect the former neighbours on the topic again, also through backups."""
        nodes = np.union1d(self.backups.on_topic(overlay, node, topic), neighbours)
        return self._repair(overlay, np.array([topic], dtype=np.int32), nodes.astype(np.int32))

    def _repair(
        self, overlay: DynamicOverlay, topics: NDArray[np.int32], nodes: NDArray[np.int32]
    ) -> LinkChanges:
        shadows = overlay.shadows(nodes, topics)
        links = repair_shadows(
            shadows,
            overlay.labels(nodes, topics, shadows),
            np.ones(len(nodes), dtype=np.bool_),
            overlay.degrees[nodes],
            rho=self.rho,
            maximum=int(overlay.degrees.max()) if self.whole_maximum else None,
        )
        return LinkChanges(nodes[links])

    def renumber(self, places: NDArray[np.int64], count: int) -> None:
        """Replace each id by the new one, ``places[id]`` of ``count``."""
        self.backups.renumber(places, count)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the memory that later choices depend on, as arrays."""
        return self.backups.state()

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore a :meth:`state`."""
        self.backups.restore(state)
