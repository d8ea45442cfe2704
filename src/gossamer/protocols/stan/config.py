"""Options of StaN."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gossamer.options import setting
from gossamer.protocols.components.config import (
    MAX_SECONDS,
    HeartbeatConfig,
    TreeConfig,
    seconds,
)
from gossamer.protocols.stan.messages import MAX_HOPS
from gossamer.time import microseconds


@dataclass(frozen=True, kw_only=True)
class StaNConfig(HeartbeatConfig, TreeConfig):
    """Keep a random overlay for each topic, and swap links so that topics share them."""

    slack: int = setting(2, "Neighbours of a view beyond ⌈ln n⌉ for n subscribers (ours).", 0, 64)
    walk_hops: int = setting(5, "Nodes that a walk visits (ours).", 1, MAX_HOPS)
    collect: Literal["views", "visited"] = setting(
        "views", "Nodes that a walk collects: those visited, or their views too (ours)."
    )
    swap: Literal["pair", "move", "none"] = setting(
        "pair", "Swap of a pair of links, of one end of a link, or none (paper)."
    )
    refill: int = setting(
        5, "Size of a view below which a walk refills it; 0 for never (ours).", 0, 64
    )
    period_seconds: float = seconds(1.0, "Seconds between rounds of walks (ours).")
    timeout_seconds: float = seconds(
        0.5, "Seconds after which a walk or a swap of six messages counts as lost (ours)."
    )
    fill_seconds: float = setting(
        1.0, "Seconds before the first walk, in which views fill (ours).", 0, MAX_SECONDS
    )
    idle_rounds: int = setting(
        8, "Maximum number of rounds between walks on an unchanged topic (paper: 1).", 1, 3600
    )

    @property
    def period(self) -> int:
        """Microseconds between rounds."""
        return microseconds(self.period_seconds)

    @property
    def timeout(self) -> int:
        """Microseconds that a walk or a swap may take."""
        return microseconds(self.timeout_seconds)

    @property
    def tries(self) -> int:
        """Attempts at a walk, with the swap that it leads to, in a round."""
        return max(1, self.period // self.timeout)
