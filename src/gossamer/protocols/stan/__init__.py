"""StaN: a gossip overlay for each topic, all of them moving towards the same links."""

from gossamer.protocols.components.composed_machine import COMPONENT_MESSAGES
from gossamer.protocols.registry import register_protocol
from gossamer.protocols.stan.config import StaNConfig
from gossamer.protocols.stan.machine import StaN
from gossamer.protocols.stan.messages import BACKGROUND_MESSAGES, MESSAGES

__all__ = ["StaN", "StaNConfig"]

register_protocol(
    "stan",
    StaN,
    StaNConfig,
    reference="Matos, Felber, Oliveira, Pereira, Rivière: StaN, and its supplement",
    messages=(*MESSAGES, *COMPONENT_MESSAGES),
    background=(*BACKGROUND_MESSAGES, *COMPONENT_MESSAGES),
    views_by_topic=True,
)
