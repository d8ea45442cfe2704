"""Protocol of a live node, with the defaults that differ from those of a simulation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gossamer.protocols.registry import ProtocolEntry, resolve_protocol

LIVE_DEFAULTS: Mapping[str, Mapping[str, Any]] = {"spidercast": {"kr": 1}}
"""Defaults of live nodes, by protocol.

Services often run as groups of replicas, which all subscribe to the same topics. Greedy coverage
alone links each replica to those of its own group, so that two groups on a topic stay disconnected.
One random neighbour for each topic connects them.
"""


def choose_protocol(
    protocol: str, options: Mapping[str, Any]
) -> tuple[ProtocolEntry, dict[str, Any]]:
    """Return the protocol of a name such as ``spidercast:kg=2``, and its options."""
    found, chosen = resolve_protocol(protocol, options)
    return found, {**LIVE_DEFAULTS.get(found.name, {}), **chosen}
