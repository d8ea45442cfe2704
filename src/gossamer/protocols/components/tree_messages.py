"""Messages of trees: announcements of ranges, grafts, repairs and prunes."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gossamer.protocols.components.dissemination import Number, Publication
from gossamer.protocols.components.sequences import Span, Stream
from gossamer.protocols.contract import Message, Peer, Topic

MAX_RANGES = 256
MAX_PRUNED = 256

SomeTopics = Annotated[tuple[Topic, ...], msgspec.Meta(max_length=MAX_PRUNED)]


class Range(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """Numbers of publications, from first to last, of a publisher's incarnation on a topic."""

    publisher: Peer
    incarnation: Number
    topic: Topic
    first: Number
    last: Number

    @property
    def stream(self) -> Stream:
        """Stream of the publications."""
        return (self.publisher, self.incarnation, self.topic)

    @classmethod
    def of(cls, stream: Stream, span: Span) -> Range:
        """Return the range of a stream and a span."""
        return cls(*stream, *span)


Ranges = Annotated[tuple[Range, ...], msgspec.Meta(max_length=MAX_RANGES)]


class Announcement(Message, frozen=True, tag="announcement"):
    """Publications that the sender has ("I have").

    ``number`` is that of the announcement, 0 if it has no ranges; ``seen`` are the numbers of the
    receiver's announcements that have arrived.
    """

    number: Number
    seen: Annotated[tuple[Number, ...], msgspec.Meta(max_length=MAX_RANGES)]
    ranges: Ranges


class Graft(Message, frozen=True, tag="graft"):
    """Request that the link is eager on topics, and for publications."""

    topics: SomeTopics
    ranges: Ranges


class Repaired(Message, frozen=True, tag="repaired"):
    """A requested publication."""

    publication: Publication


class Pruned(Message, frozen=True, tag="pruned"):
    """Request that the link is lazy on topics."""

    topics: SomeTopics


MESSAGES = (Announcement, Graft, Repaired, Pruned)
