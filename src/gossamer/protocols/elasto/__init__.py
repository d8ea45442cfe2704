"""ElastO (Chen, Vitenberg, Jacobsen 2013): a designed overlay, repaired by shadows under churn."""

from gossamer.protocols.components.composed_machine import COMPONENT_MESSAGES
from gossamer.protocols.elasto.config import ElastOConfig
from gossamer.protocols.elasto.machine import ElastO
from gossamer.protocols.elasto.messages import BACKGROUND_MESSAGES, MESSAGES
from gossamer.protocols.registry import register_protocol

__all__ = ["ElastO", "ElastOConfig"]

register_protocol(
    "elasto",
    ElastO,
    ElastOConfig,
    reference="Chen, Vitenberg, Jacobsen: ElastO, 2013",
    messages=(*MESSAGES, *COMPONENT_MESSAGES),
    background=(*BACKGROUND_MESSAGES, *COMPONENT_MESSAGES),
    installs_links=True,
    uses_repair_rule=True,
)
