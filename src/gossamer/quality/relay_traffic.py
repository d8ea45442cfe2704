"""Traffic overhead: the share of received traffic without interest to the receiver (Vitis §IV).

The paper calls it the proportion of relay traffic that nodes experience. There are three readings:
of first receptions, since an event is pulled once; of all receptions, duplicates included; and the
mean over nodes of each node's share of first receptions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class RelayTraffic:
    """Wanted and unwanted traffic of each node.

    Attributes
    ----------
    wanted, unwanted
        First receptions of events.
    all_wanted, all_unwanted
        All receptions, duplicates included.
    """

    wanted: NDArray[np.float64]
    unwanted: NDArray[np.float64]
    all_wanted: NDArray[np.float64]
    all_unwanted: NDArray[np.float64]

    @property
    def overhead(self) -> float:
        """Unwanted share of first receptions; 0 without traffic."""
        return _share(float(self.unwanted.sum()), float(self.wanted.sum()))

    @property
    def overhead_with_duplicates(self) -> float:
        """Unwanted share of all receptions."""
        return _share(float(self.all_unwanted.sum()), float(self.all_wanted.sum()))

    @property
    def by_node(self) -> NDArray[np.float64]:
        """Unwanted share of each node with traffic."""
        got = self.wanted + self.unwanted
        some = got > 0
        return np.asarray(self.unwanted[some] / got[some])

    @property
    def mean_over_nodes(self) -> float:
        """Mean of the shares of nodes; 0 without traffic."""
        shares = self.by_node
        return float(shares.mean()) if len(shares) else 0.0


def _share(part: float, rest: float) -> float:
    return part / (part + rest) if part + rest > 0 else 0.0
