"""Live nodes: the machines of protocols on a real clock and TCP, and messaging for applications.

The layers, from below:

- :mod:`~gossamer.live.discovery` finds the first nodes to join;
- :mod:`~gossamer.live.transport` carries messages over TCP;
- :mod:`~gossamer.live.events` defines what travels: events, envelopes, patterns and messages;
- :mod:`~gossamer.live.runtime` runs the machine of a node;
- :mod:`~gossamer.live.messaging` has subscriptions, patterns, requests, queue groups and
  back-pressure;
- :mod:`~gossamer.live.node` is the interface for applications.

No code here belongs to a particular protocol.
"""

from gossamer.live.errors import (
    NoRespondersError,
    NotReadyError,
    NotRunningError,
    RequestError,
    RequestTimeoutError,
)
from gossamer.live.events.published_event import PublishedEvent
from gossamer.live.messaging.requests import Reply
from gossamer.live.messaging.subscription import Subscription
from gossamer.live.node import Node
from gossamer.live.node_events import LinkDown, LinkUp, NodeEvent, PeerUnreachable
from gossamer.live.node_status import NodeStatus
from gossamer.live.transport.limits import NetworkLimits

__all__ = [
    "LinkDown",
    "LinkUp",
    "NetworkLimits",
    "NoRespondersError",
    "Node",
    "NodeEvent",
    "NodeStatus",
    "NotReadyError",
    "NotRunningError",
    "PeerUnreachable",
    "PublishedEvent",
    "Reply",
    "RequestError",
    "RequestTimeoutError",
    "Subscription",
]
