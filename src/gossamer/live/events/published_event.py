"""An event as the application receives it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from gossamer.live.events.envelope import NO_HEADERS
from gossamer.protocols.contract import Gap, Peer, Topics


class PublishedEvent(msgspec.Struct, frozen=True):
    """A delivered publication.

    Attributes
    ----------
    topics
        Topics of the event, and patterns that match them, to which the node subscribes.
    payload
        Content of the event.
    publisher
        Identifier of the publisher.
    hops
        Number of links on the path of the event.
    numbers
        Number of the event on each of ``topics``: a publisher counts from 1 on each topic. A large
        payload, which travels in parts, uses one number for each part.
    missing
        Ranges of the publisher's earlier publications on these topics that have not arrived.
    topic
        Topic of the event; of several, the first one that the node subscribes to.
    headers
        Headers of the event.
    number
        Number of the event's envelope; 0 if it has none.
    request
        Whether the publisher waits for an answer; see :meth:`Node.respond`.
    """

    topics: Topics
    payload: bytes
    publisher: Peer
    hops: int
    numbers: tuple[int, ...]
    missing: tuple[Gap, ...]
    topic: str = ""
    headers: Mapping[str, str] = NO_HEADERS
    number: int = 0
    request: bool = False

    @property
    def sequence(self) -> int:
        """Number of the publication on the first of its topics."""
        return self.numbers[0]
