"""LowODA-Re: everything is built anew at each event (Chen et al., ElastO §7)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.design.low_oda import low_oda
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.repair import check_rho
from gossamer.maintain.strategies.registry import LinkChanges, strategy

__all__ = ["LowOdaRe", "differences"]


@strategy("low-oda-re", reference="as Chen, Vitenberg, Jacobsen compare ElastO with")
class LowOdaRe:
    """Build a new overlay by LowODA, and end what links it does not have.

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
        """Do nothing: what is needed is found out when it is."""

    def joined(self, overlay: DynamicOverlay, node: int) -> LinkChanges:
        """Build anew."""
        return self._anew(overlay)

    def left(
        self, overlay: DynamicOverlay, node: int, neighbours: NDArray[np.int32]
    ) -> LinkChanges:
        """Build anew."""
        return self._anew(overlay)

    def _anew(self, overlay: DynamicOverlay) -> LinkChanges:
        new = low_oda(overlay.interests_now(), rho=self.rho, seed=self.seed)
        return differences(overlay, new.links)


def differences(overlay: DynamicOverlay, links: NDArray[np.int32]) -> LinkChanges:
    """Return what makes the links that are there those that are given."""
    width = max(overlay.interests.node_count, 1)
    old, new = (
        pairs[:, 0].astype(np.int64) * width + pairs[:, 1] for pairs in (overlay.links(), links)
    )
    added, ended = (
        np.stack((keys // width, keys % width), axis=1).astype(np.int32)
        for keys in (np.setdiff1d(new, old), np.setdiff1d(old, new))
    )
    return LinkChanges(added, ended)
