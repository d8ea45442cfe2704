"""Options of ElastO."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.protocols.components.config import (
    MAX_SECONDS,
    MIN_SECONDS,
    DetectorConfig,
    FloodConfig,
)
from gossamer.protocols.elasto.local_view import BackupsName
from gossamer.registry import setting
from gossamer.time import microseconds

__all__ = ["ElastOConfig"]


@dataclass(frozen=True, kw_only=True)
class ElastOConfig(DetectorConfig, FloodConfig):
    """Link by a design algorithm, and repair the overlay locally after each join or leave."""

    coverage: int = setting(
        5, "λ: backups that cover each topic of a node (paper).", low=0, high=1000
    )
    concurrent: int = setting(
        3,
        "L: concurrent joins or leaves, and so successors and predecessors of a node (ours).",
        low=1,
        high=64,
    )
    backups: BackupsName = setting(
        "primal-dual",
        "Choice of backups: primal-dual method or greedy cover (paper).",
    )
    reach: int = setting(
        1,
        "Hops around the shadows in which a coordinator asks for links before it adds any (ours; "
        "paper: 0).",
        low=0,
        high=1,
    )
    exchange_seconds: float = setting(
        2.0, "Seconds between exchanges of local views (ours).", low=MIN_SECONDS, high=MAX_SECONDS
    )

    @property
    def exchange_period(self) -> int:
        """Microseconds between exchanges of local views."""
        return microseconds(self.exchange_seconds)
