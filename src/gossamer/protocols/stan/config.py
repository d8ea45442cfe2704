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
    overhear: bool = setting(
        True, "Whether a node uses the walks that it forwards too (supplement, C.4)."
    )
    swap: Literal["pair", "move", "none"] = setting(
        "pair", "Swap of a pair of links, of one end of a link, or none (paper)."
    )
    refill: int = setting(
        5, "Size of a view below which a walk refills it; 0 for never (ours).", 0, 64
    )
    retries: int = setting(
        3, "Rounds in which a request without an answer is sent again (ours).", 0, 64
    )
    period_seconds: float = seconds(1.0, "Seconds between rounds of walks (ours).")
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
