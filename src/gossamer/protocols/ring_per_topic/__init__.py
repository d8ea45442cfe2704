"""A ring for each topic (SpiderCast §3.9.2): two links a topic, duplicates merged."""

from __future__ import annotations

from gossamer.errors import ParameterError
from gossamer.protocols.components.composed_machine import COMPONENT_MESSAGES
from gossamer.protocols.components.failure_detector import MissedHeartbeats
from gossamer.protocols.components.membership import make_membership
from gossamer.protocols.contract import NodeContext
from gossamer.protocols.registry import protocol
from gossamer.protocols.ring_per_topic.machine import RingPerTopic
from gossamer.protocols.ring_per_topic.messages import BACKGROUND_MESSAGES, MESSAGES
from gossamer.time import SECOND

__all__ = ["RingPerTopic", "ring_per_topic"]


@protocol(
    "ring-per-topic",
    reference="Chockler et al.: SpiderCast, DEBS 2007, §3.9.2, after Voulgaris et al., IPTPS 2006",
    messages=(*MESSAGES, *COMPONENT_MESSAGES),
    background=(*BACKGROUND_MESSAGES, *COMPONENT_MESSAGES),
    views_by_topic=True,
)
def ring_per_topic(
    context: NodeContext,
    *,
    heartbeat: float = 1.0,
    missed: int = 4,
    view_size: int = 200,
    exchanged: int = 20,
    shuffle: float = 1.0,
) -> RingPerTopic:
    """Links to the next and the previous subscriber of each topic, by name.

    Parameters
    ----------
    context
        Who and where the node is.
    heartbeat, missed
        Seconds between heartbeats, and how many in a row must be missing.
    view_size, exchanged, shuffle
        Of the gossip membership, where there is no oracle.
    """
    if not 0.001 <= heartbeat <= 86_400:
        raise ParameterError(f"heartbeat is {heartbeat} seconds; expected 0.001 to 86400")
    interval = round(heartbeat * SECOND)
    membership = make_membership(context, view_size=view_size, exchanged=exchanged, shuffle=shuffle)
    return RingPerTopic(context, interval, MissedHeartbeats(interval, missed), membership)
