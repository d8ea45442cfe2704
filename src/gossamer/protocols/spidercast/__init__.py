"""SpiderCast (Chockler et al., DEBS 2007): greedy and random coverage of a node's topics."""

from gossamer.protocols.components.composed_machine import COMPONENT_MESSAGES
from gossamer.protocols.registry import register_protocol
from gossamer.protocols.spidercast.config import SpiderCastConfig, TaskConfig
from gossamer.protocols.spidercast.machine import SpiderCast
from gossamer.protocols.spidercast.messages import BACKGROUND_MESSAGES, MESSAGES

__all__ = ["SpiderCast", "SpiderCastConfig", "TaskConfig"]

REFERENCE = "Chockler, Melamed, Tock, Vitenberg: SpiderCast, DEBS 2007"
ALL_MESSAGES = (*MESSAGES, *COMPONENT_MESSAGES)
ALL_BACKGROUND = (*BACKGROUND_MESSAGES, *COMPONENT_MESSAGES)

register_protocol(
    "spidercast",
    SpiderCast,
    SpiderCastConfig,
    reference=REFERENCE,
    messages=ALL_MESSAGES,
    background=ALL_BACKGROUND,
)
