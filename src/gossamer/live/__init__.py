"""Live nodes: machines of protocols on a real clock and TCP.

The package has the clock, the wire, and the start and stop of nodes, and no code of a protocol.
"""

from gossamer.live.node import Node, NodeStatus
from gossamer.live.subscription import PublishedEvent, Subscription

__all__ = ["Node", "NodeStatus", "PublishedEvent", "Subscription"]
