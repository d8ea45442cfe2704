"""An event as the application receives it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from gossamer.live.envelope import NO_HEADERS
from gossamer.protocols.contract import Gap, Peer, Topics


class PublishedEvent(msgspec.Struct, frozen=True):
    """A delivered publication.

    Attributes
    ----------
    topics
        Those of its topics, and of the patterns that it matches, that the node subscribes to.
    payload
        Content.
    publisher
        Identifier of the publisher.
    hops
        Number of links that it travelled over.
    numbers
        Its number on each of ``topics``: a publisher counts from 1 on each. A large payload, which
        travels in parts, takes a number for each part.
    missing
        Ranges of the publisher's earlier publications on these topics that have not arrived (yet).
    topic
        Topic that it was published on; if several, the first one that the node subscribes to.
    headers
        Headers.
    number
        Number of its envelope at the publisher; 0 if it has none.
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
