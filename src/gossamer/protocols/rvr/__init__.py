"""RVR: rendezvous routing on a ring with small-world links, whatever the interests (Vitis, §IV).

The structured system that Vitis is compared with, like Scribe or Bayeux: one tree a topic, along
the lookups of all its subscribers. The machine is that of Vitis with small-world links in place
of friends, and every subscriber is its own gateway.
"""

from dataclasses import dataclass

from gossamer.protocols.registry import register_protocol
from gossamer.protocols.vitis import REFERENCE, RingConfig, Vitis
from gossamer.protocols.vitis.messages import BACKGROUND_MESSAGES, MESSAGES

__all__ = ["RvrConfig"]


@dataclass(frozen=True, kw_only=True)
class RvrConfig(RingConfig):
    """Send publications along a tree of lookups for each topic, on a small world."""

    @property
    def far_links(self) -> int:
        """Number of small-world links in a table: all but the two on the ring."""
        return self.table_size - 2


register_protocol(
    "rvr",
    Vitis,
    RvrConfig,
    reference=f"As compared in {REFERENCE}, §IV; like Scribe (Castro et al., JSAC 2002)",
    messages=MESSAGES,
    background=BACKGROUND_MESSAGES,
    topic_connected=False,
    delivers=True,
)
