"""Traffic overhead: how much of what nodes get is of no interest to them (Vitis §IV).

The paper calls it the proportion of relay traffic that nodes experience and says no more, so there
are three: of first receptions, since an event is pulled once; of all receptions, duplicates
included; and the mean over nodes of each one's own share of first receptions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["RelayTraffic"]


@dataclass(frozen=True, eq=False)
class RelayTraffic:
    """What each node got, of what it wants and of what it does not.

    Attributes
    ----------
    wanted, unwanted
        First receptions of events.
    all_wanted, all_unwanted
        All receptions: events that came again are counted again.
    """

    wanted: NDArray[np.float64]
    unwanted: NDArray[np.float64]
    all_wanted: NDArray[np.float64]
    all_unwanted: NDArray[np.float64]

    @property
    def overhead(self) -> float:
        """The share of first receptions that is unwanted; 0 where nothing was got."""
        return _share(float(self.unwanted.sum()), float(self.wanted.sum()))

    @property
    def overhead_with_duplicates(self) -> float:
        """The share of all receptions that is unwanted."""
        return _share(float(self.all_unwanted.sum()), float(self.all_wanted.sum()))

    @property
    def by_node(self) -> NDArray[np.float64]:
        """The unwanted share of each node that got anything."""
        got = self.wanted + self.unwanted
        some = got > 0
        return np.asarray(self.unwanted[some] / got[some])

    @property
    def mean_over_nodes(self) -> float:
        """The mean of the nodes' shares; 0 where nobody got anything."""
        shares = self.by_node
        return float(shares.mean()) if len(shares) else 0.0


def _share(part: float, rest: float) -> float:
    return part / (part + rest) if part + rest > 0 else 0.0
