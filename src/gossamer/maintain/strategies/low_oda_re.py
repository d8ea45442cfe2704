"""LowODA-Re: a new design at each event (ElastO, §7)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.design.low_oda import low_oda
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.events import LinkChanges
from gossamer.maintain.repair import check_rho
from gossamer.maintain.strategies.registry import strategy


@strategy(
    "low-oda-re", reference="as Chen, Vitenberg, Jacobsen compare ElastO with", resumable=True
)
class LowOdaRe:
    """Design a new overlay by LowODA, and remove the links that it does not have.

    An event costs as much as :func:`~gossamer.design.low_oda.low_oda`, and may change most links.

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
        """Replace the overlay by a new design."""
        return self._redesign(overlay)

    def left(
        self, overlay: DynamicOverlay, node: int, neighbours: NDArray[np.int32]
    ) -> LinkChanges:
        """Replace the overlay by a new design."""
        return self._redesign(overlay)

    def subscribed(self, overlay: DynamicOverlay, node: int, topic: int) -> LinkChanges:
        """Replace the overlay by a new design."""
        return self._redesign(overlay)

    def unsubscribed(
        self, overlay: DynamicOverlay, node: int, topic: int, neighbours: NDArray[np.int32]
    ) -> LinkChanges:
        """Replace the overlay by a new design."""
        return self._redesign(overlay)

    def _redesign(self, overlay: DynamicOverlay) -> LinkChanges:
        new = low_oda(overlay.present_interests(), rho=self.rho, seed=self.seed)
        return link_changes(overlay, new.links)


def link_changes(overlay: DynamicOverlay, links: NDArray[np.int32]) -> LinkChanges:
    """Return the changes from the current links to the given ones."""
    width = max(overlay.node_count, 1)
    old, new = (
        pairs[:, 0].astype(np.int64) * width + pairs[:, 1] for pairs in (overlay.links(), links)
    )
    added, removed = (
        np.stack((keys // width, keys % width), axis=1).astype(np.int32)
        for keys in (np.setdiff1d(new, old), np.setdiff1d(old, new))
    )
    return LinkChanges(added, removed)
