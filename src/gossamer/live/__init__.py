"""Live nodes: machines of protocols on a real clock and TCP, and what applications do with them.

The package has the clock, the wire, and the start and stop of nodes, and no code of a protocol. Its
layers, from below: :mod:`~gossamer.live.connection` and :mod:`~gossamer.live.network` carry
messages, :mod:`~gossamer.live.runtime` runs the machine, :mod:`~gossamer.live.base_node` joins the
layers, and :mod:`~gossamer.live.node` is the interface of the application.
"""

from gossamer.live.errors import (
    NoRespondersError,
    NotReadyError,
    NotRunningError,
    RequestError,
    RequestTimeoutError,
)
from gossamer.live.limits import NetworkLimits
from gossamer.live.node import Node
from gossamer.live.node_events import LinkDown, LinkUp, NodeEvent, PeerUnreachable
from gossamer.live.node_status import NodeStatus
from gossamer.live.published_event import PublishedEvent
from gossamer.live.requests import Reply
from gossamer.live.subscription import Subscription

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
