"""Options of OPT."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.options import setting
from gossamer.protocols.components.config import FloodConfig, RoundConfig

MAX_LINKS = 4096
"""Maximum number of links of a node where ``bound`` is 0."""


@dataclass(frozen=True, kw_only=True)
class OptConfig(RoundConfig, FloodConfig):
    """Cover each topic by some neighbours with few links, and flood among subscribers."""

    cover: int = setting(3, "Neighbours that each topic should have (ours).", 1, 64)
    bound: int = setting(
        0, "Maximum number of links of a node; 0 for no bound (paper).", 0, MAX_LINKS
    )

    @property
    def max_links(self) -> int:
        """Maximum number of links of a node."""
        return self.bound or MAX_LINKS
