"""Options of ElastO."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.options import setting
from gossamer.protocols.components.config import (
    DetectorConfig,
    TreeConfig,
    seconds,
)
from gossamer.protocols.elasto.local_view import BackupsName
from gossamer.time import microseconds


@dataclass(frozen=True, kw_only=True)
class ElastOConfig(DetectorConfig, TreeConfig):
    """Link by a design algorithm, and repair the overlay locally after each join or leave."""

    coverage: int = setting(5, "λ: backups that cover each topic of a node (paper).", 0, 1000)
    concurrent: int = setting(
        3,
        "L: concurrent joins or leaves, and so successors and predecessors of a node (ours).",
        1,
        64,
    )
    backups: BackupsName = setting(
        "primal-dual", "Choice of backups: primal-dual method or greedy cover (paper)."
    )
    reach: int = setting(
        1,
        "Hops around the shadows in which a coordinator asks for links before it adds any (ours; "
        "paper: 0).",
        0,
        1,
    )
    exchange_seconds: float = seconds(2.0, "Seconds between exchanges of local views (ours).")

    @property
    def exchange_period(self) -> int:
        """Microseconds between exchanges of local views."""
        return microseconds(self.exchange_seconds)
