"""The messages of Vitis, all of them of its parts: profiles, gossip, paths, and publications."""

from __future__ import annotations

from gossamer.protocols.components.neighbour_table import TABLE_MESSAGES, TABLE_UPKEEP
from gossamer.protocols.components.relays import Prune, Relay

__all__ = ["MESSAGES", "UPKEEP"]

MESSAGES = (*TABLE_MESSAGES, Relay, Prune)
UPKEEP = (*TABLE_UPKEEP, Relay)
