"""The messages of Vitis and its components: profiles, gossip, relay paths and publications."""

from __future__ import annotations

from gossamer.protocols.components.neighbour_table import TABLE_BACKGROUND, TABLE_MESSAGES
from gossamer.protocols.components.relays import Prune, Relay

MESSAGES = (*TABLE_MESSAGES, Relay, Prune)
BACKGROUND_MESSAGES = (*TABLE_BACKGROUND, Relay)
