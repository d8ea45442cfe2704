"""Options that protocols share. A protocol's ``config.py`` combines them with its own.

An option is a field of a frozen dataclass: a default, one sentence that ends with *paper* or
*ours* for the source of the default, and the range of a number. The registry reads the fields, so
the command line, ``simulate(..., options=...)`` and live nodes have the same names. Durations are
in seconds and have names that end in ``_seconds``.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from gossamer.errors import ParameterError
from gossamer.options import options_of_fields, setting
from gossamer.protocols.components.dissemination import FloodMode, TreeMode
from gossamer.protocols.components.failure_detector import DetectorName
from gossamer.protocols.components.history import HistoryLimits
from gossamer.protocols.components.ordering import Order, Ordering
from gossamer.time import microseconds

MIN_SECONDS, MAX_SECONDS = 0.001, 86_400


def seconds(default: float, meaning: str) -> Any:
    """Return a field for a duration in seconds."""
    return setting(default, meaning, MIN_SECONDS, MAX_SECONDS)


@dataclass(frozen=True, kw_only=True)
class ProtocolConfig:
    """Options of a protocol, checked when they are made."""

    def __post_init__(self) -> None:
        """Check each option, then what they say together."""
        kind = type(self)
        options = options_of_fields(kind.__name__, kind)
        options.check({one.name: getattr(self, one.name) for one in fields(self)})
        self.check_together()

    def check_together(self) -> None:
        """Raise if options that are valid one by one do not fit together."""


@dataclass(frozen=True, kw_only=True)
class GossipConfig(ProtocolConfig):
    """Gossip membership; without effect where a node has an oracle."""

    view_size: int = setting(200, "Descriptors in a gossip view (ours).", 1, 1_000_000)
    shuffle_length: int = setting(20, "Descriptors in a shuffle message (ours).", 1, 1_000_000)
    shuffle_seconds: float = seconds(1.0, "Seconds between shuffles (ours).")


@dataclass(frozen=True, kw_only=True)
class HeartbeatConfig(GossipConfig):
    """Gossip membership and heartbeats."""

    heartbeat_seconds: float = seconds(1.0, "Seconds between heartbeats (ours).")
    missed_heartbeats: int = setting(
        4, "Missing heartbeats after which a neighbour is suspected (ours).", 1, 1_000_000
    )

    @property
    def heartbeat(self) -> int:
        """Microseconds between heartbeats."""
        return microseconds(self.heartbeat_seconds)


@dataclass(frozen=True, kw_only=True)
class DetectorConfig(HeartbeatConfig):
    """Gossip membership, heartbeats and a choice of failure detectors."""

    detector: DetectorName = setting(
        "missed", "Failure detector: missed heartbeats, or accrual of suspicion (ours)."
    )


@dataclass(frozen=True, kw_only=True)
class FloodConfig(ProtocolConfig):
    """Floods of publications along links."""

    flood: FloodMode = setting(
        "crosspost", "Copies of a publication: one a link, or one a topic of a link (StaN, A)."
    )


@dataclass(frozen=True, kw_only=True)
class TreeConfig(ProtocolConfig):
    """Forwarding of publications along trees, or as floods along all links."""

    flood: TreeMode = setting(
        "tree",
        "Copies of a publication: one a node along trees (ours), one a link, or one a topic of a "
        "link (StaN, A).",
    )
    history_seconds: float = seconds(
        60.0, "Longest interruption whose publications are repaired along trees (ours)."
    )
    history_bytes: int = setting(
        64 << 20,
        "Maximum size in memory of the publications stored for repair (ours).",
        1 << 16,
        1 << 40,
    )

    order: Order = setting(
        "none",
        "Order of deliveries along trees: as they arrive, or as each publisher publishes on each "
        "topic (ours).",
    )
    order_seconds: float = seconds(
        5.0, "Seconds for which a delivery waits for earlier ones, if order is publisher (ours)."
    )

    def check_together(self) -> None:
        """Require trees for an order."""
        super().check_together()
        if self.order != "none" and self.flood != "tree":
            raise ParameterError(
                f"order is {self.order} with flood {self.flood}; expected flood tree"
            )

    @property
    def history(self) -> HistoryLimits:
        """Limits of the history."""
        return HistoryLimits(self.history_seconds, self.history_bytes)

    @property
    def ordering(self) -> Ordering | None:
        """Component that orders deliveries, a new one; None if they are not ordered."""
        return Ordering(microseconds(self.order_seconds)) if self.order != "none" else None


@dataclass(frozen=True, kw_only=True)
class RoundConfig(ProtocolConfig):
    """Peer sampling and rounds, as Vitis, RVR and OPT have them."""

    period_seconds: float = seconds(1.0, "Seconds between rounds (ours).")
    missed_heartbeats: int = setting(
        5, "Silent rounds after which a neighbour is given up (ours).", 1, 1000
    )
    view_size: int = setting(
        20, "Descriptors in a peer-sampling view, without an oracle (paper).", 1, 255
    )
    shuffle_seconds: float = seconds(1.0, "Seconds between exchanges of views (ours).")

    @property
    def period(self) -> int:
        """Microseconds between rounds."""
        return microseconds(self.period_seconds)

    @property
    def stale(self) -> int:
        """Age in microseconds from which descriptors are rejected."""
        return self.period * self.missed_heartbeats
