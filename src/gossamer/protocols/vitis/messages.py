"""The messages of Vitis, all of them of its parts: profiles, gossip, paths, and publications."""

from __future__ import annotations

from gossamer.protocols.parts.relays import Prune, Relay
from gossamer.protocols.parts.table import TABLE_MESSAGES, TABLE_UPKEEP

__all__ = ["MESSAGES", "UPKEEP"]

MESSAGES = (*TABLE_MESSAGES, Relay, Prune)
UPKEEP = (*TABLE_UPKEEP, Relay)
