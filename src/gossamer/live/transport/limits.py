"""Limits of the resources that peers can use, and counts of messages and errors."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class NetworkLimits:
    """Limits of the resources that peers can use.

    Attributes
    ----------
    connections
        Maximum number of connections; further ones are closed.
    unlinked
        Maximum number of open connections to peers without a link; beyond that, the least recently
        used one is closed.
    dials
        Maximum number of connections being opened.
    queue
        Maximum number of messages to a peer that wait for a connection.
    queue_bytes
        Maximum size of the messages to a peer that wait for it to read, and of those that wait for
        a connection. Further ones are dropped. ``Node.publish`` waits at a quarter of it.
    attempts
        Attempts to connect before a peer is reported as down.
    timeout
        Seconds to open a connection, to wait for its first frame, and for its end.
    pause, max_pause
        Seconds before the second attempt, doubled for each further one, and their maximum.
    idle
        Seconds after which an unused connection to an unlinked peer is closed.
    ban
        Seconds for which a peer with a malformed frame is ignored.
    payload_bytes
        Maximum size of a payload, published or received.
    assembly_bytes
        Maximum size of the parts of large payloads of which others have not arrived.
    assembly_seconds
        Seconds without a further part after which a large payload is given up.
    """

    connections: int = 4096
    unlinked: int = 4
    dials: int = 64
    queue: int = 256
    queue_bytes: int = 4 << 20
    attempts: int = 4
    timeout: float = 5.0
    pause: float = 0.1
    max_pause: float = 5.0
    idle: float = 30.0
    ban: float = 30.0
    payload_bytes: int = 64 << 20
    assembly_bytes: int = 128 << 20
    assembly_seconds: float = 60.0


@dataclass
class NetworkCounts:
    """Counts of messages and errors on a wire.

    Attributes
    ----------
    sent
        Messages written to a connection.
    by_kind
        Messages to send, by type.
    received
        Received messages.
    dropped
        Messages that were not sent because a queue was full, or the peer unreachable or banned.
    oversized
        Messages that were not sent because they exceed a frame and cannot be split.
    malformed
        Connections closed because of a malformed frame.
    refused
        Connections closed because there were too many.
    compounds
        Writes to connections, each of all frames of an iteration of the event loop.
    """

    sent: int = 0
    by_kind: dict[str, int] = field(default_factory=dict)
    received: int = 0
    dropped: int = 0
    oversized: int = 0
    malformed: int = 0
    refused: int = 0
    compounds: int = 0

    def copy(self) -> NetworkCounts:
        """Return a copy of the counts."""
        return replace(self, by_kind=dict(self.by_kind))
