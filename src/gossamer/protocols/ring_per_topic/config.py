"""Options of the ring per topic."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.protocols.components.config import HeartbeatConfig, TreeConfig


@dataclass(frozen=True, kw_only=True)
class RingPerTopicConfig(HeartbeatConfig, TreeConfig):
    """Link to the next and the previous subscriber of each topic, by name."""
