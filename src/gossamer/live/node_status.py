"""Status of a node."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.live.transport.limits import NetworkCounts
from gossamer.protocols.contract import Peer, Topics


@dataclass(frozen=True)
class NodeStatus:
    """Status of a node.

    Attributes
    ----------
    address
        Address, which is also its identifier.
    topics
        Topics that it subscribes to.
    links
        Linked peers.
    known
        Number of nodes known by gossip.
    counts
        Counts of messages and errors.
    callback_errors
        Number of callbacks and responders of the application that raised an exception.
    incomplete
        Number of large payloads of which not all parts arrived.
    unreadable
        Number of envelopes that are malformed or of another version.
    """

    address: str
    topics: Topics
    links: tuple[Peer, ...]
    known: int
    counts: NetworkCounts
    callback_errors: int = 0
    incomplete: int = 0
    unreadable: int = 0
