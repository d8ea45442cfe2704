"""Vitis: friends by interest on a ring with small-world links, and relay paths between clusters."""

from gossamer.protocols.registry import register_protocol
from gossamer.protocols.vitis.config import RingConfig, VitisConfig
from gossamer.protocols.vitis.machine import Vitis
from gossamer.protocols.vitis.messages import BACKGROUND_MESSAGES, MESSAGES

__all__ = ["RingConfig", "Vitis", "VitisConfig"]

REFERENCE = "Rahimian, Girdzijauskas, Payberah, Haridi: Vitis, IPDPS 2011"

register_protocol(
    "vitis",
    Vitis,
    VitisConfig,
    reference=REFERENCE,
    messages=MESSAGES,
    background=BACKGROUND_MESSAGES,
    topic_connected=False,
    delivers=True,
)
