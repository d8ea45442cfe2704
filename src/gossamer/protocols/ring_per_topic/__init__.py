"""A ring for each topic (SpiderCast §3.9.2): two links a topic, shared by topics where possible."""

from gossamer.protocols.components.composed_machine import COMPONENT_MESSAGES
from gossamer.protocols.registry import register_protocol
from gossamer.protocols.ring_per_topic.config import RingPerTopicConfig
from gossamer.protocols.ring_per_topic.machine import RingPerTopic
from gossamer.protocols.ring_per_topic.messages import BACKGROUND_MESSAGES, MESSAGES

__all__ = ["RingPerTopic", "RingPerTopicConfig"]


register_protocol(
    "ring-per-topic",
    RingPerTopic,
    RingPerTopicConfig,
    reference="Chockler et al.: SpiderCast, DEBS 2007, §3.9.2, after Voulgaris et al., IPTPS 2006",
    messages=(*MESSAGES, *COMPONENT_MESSAGES),
    background=(*BACKGROUND_MESSAGES, *COMPONENT_MESSAGES),
    views_by_topic=True,
)
