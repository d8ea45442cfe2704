"""Live nodes: the protocols' machines on a real clock and real sockets.

Nothing of a protocol is here: only a clock, a wire, and what starts and stops a node.
"""

from gossamer.live.node import Node, NodeStatus
from gossamer.live.subscription import PublishedEvent, Subscription

__all__ = ["Node", "NodeStatus", "PublishedEvent", "Subscription"]
