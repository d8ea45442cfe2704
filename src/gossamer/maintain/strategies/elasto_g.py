"""ElastO-G: repair among shadows, by whoever knows the whole overlay (Chen et al., §5 and §7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.maintain.backups import Backups, Method
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.repair import check_rho, repair_shadows
from gossamer.maintain.strategies.registry import LinkChanges, strategy

__all__ = ["ElastoG"]


@strategy("elasto-g", reference="Chen, Vitenberg, Jacobsen: ElastO")
class ElastoG:
    """Add links among the neighbours and backups of who left, or the backups of who came.

    The shadows are the leaver's neighbours and its backups, or the newcomer and its backups. What
    hangs together is known exactly, from the whole overlay; links are added among the shadows
    alone, by LowODA's rule. So as many components are merged as there are, and no more.

    An event costs O(subscribers of the node's topics and their links) to see what hangs together,
    and then as :func:`gossamer.kernels.repair.shadows.mend_links` for the shadows.

    Parameters
    ----------
    coverage
        How many of a node's backups want each of its topics, where so many do: λ.
    backups
        How they are chosen: ``primal-dual``, for a random topic who backs up the fewest, or
        ``greedy``, who covers most of what is lacking.
    rho
        LowODA's ρ, 1 or more: the higher, the lower the maximum degree, with more links.
    whole_maximum
        Whether the maximum degree that LowODA's rule minds is that of the whole overlay, as
        printed, or of the shadows, which keeps degrees lower (``gossamer reproduce elasto``).
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
        """Do nothing: what is needed is found out when it is."""

    def joined(self, overlay: DynamicOverlay, node: int) -> LinkChanges:
        """Link a newcomer to some of its backups, so that it hangs on every topic."""
        nodes = np.append(self.backups.of(overlay, node, least=1), np.int32(node))
        return self._mend(overlay, node, np.sort(nodes))

    def left(
        self, overlay: DynamicOverlay, node: int, neighbours: NDArray[np.int32]
    ) -> LinkChanges:
        """Bring the neighbours of who left together again, also through its backups."""
        nodes = np.union1d(self.backups.of(overlay, node), neighbours)
        self.backups.forget(node)
        return self._mend(overlay, node, nodes.astype(np.int32))

    def _mend(self, overlay: DynamicOverlay, node: int, nodes: NDArray[np.int32]) -> LinkChanges:
        topics = overlay.interests.topics_of(node)
        shadows = overlay.shadows(nodes, topics)
        labels = overlay.labels(nodes, topics, shadows)
        links = repair_shadows(
            shadows,
            labels,
            np.ones(len(nodes), dtype=np.bool_),
            overlay.degrees[nodes],
            rho=self.rho,
            maximum=int(overlay.degrees.max()) if self.whole_maximum else None,
        )
        return LinkChanges(nodes[links])

    def renumber(self, places: NDArray[np.int64], count: int) -> None:
        """Go by new ids."""
        self.backups.renumber(places, count)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what later choices depend on, besides the overlay: arrays, to be kept."""
        return self.backups.state()

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a :meth:`state`."""
        self.backups.restore(state)
