"""How long things take in SpiderCast. The paper gives no times, so all of them are ours."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Times"]


@dataclass(frozen=True)
class Times:
    """How long things take, in microseconds.

    Attributes
    ----------
    loop
        ``connect_timeout``: between two rounds of a loop; more than a round trip.
    heartbeat
        Between heartbeats.
    quarantine
        For how long a node that was asked is not asked again.
    """

    loop: int
    heartbeat: int
    quarantine: int
