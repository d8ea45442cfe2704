"""Messages between live nodes that are not part of their protocol.

A node may send them to any peer whose address it knows, linked or not. The machine does not see
them.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from gossamer.live.events.envelope import Number, TopicName
from gossamer.protocols.contract import MAX_CHARACTERS, Message

MAX_CONTENT = 512 << 10
MAX_LISTED = 64
MAX_PATTERNS = 1024
"""Maximum number of patterns of one node."""
MAX_LISTS = 256

Content = Annotated[bytes, msgspec.Meta(max_length=MAX_CONTENT)]
TopicNames = Annotated[tuple[TopicName, ...], msgspec.Meta(max_length=MAX_LISTED)]
PeerName = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_CHARACTERS)]


class RequestReceipt(Message, frozen=True, tag="live-receipt"):
    """Notice that a responder has accepted a request and will answer."""

    request: Number


class RequestAnswer(Message, frozen=True, tag="live-answer"):
    """Answer to a request: an envelope or a part of one. Its payload is the error if ``failed``."""

    request: Number
    failed: bool
    content: Content


class Hold(Message, frozen=True, tag="live-hold"):
    """Request of a slow subscription to publish nothing on topics for a time; 0 releases them."""

    subscription: Number
    topics: TopicNames
    milliseconds: Annotated[int, msgspec.Meta(ge=0, le=10_000)]


class PatternList(
    msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False
):
    """Patterns that a node subscribes to; a later list of the node has a higher version."""

    node: PeerName
    version: Number
    patterns: Annotated[tuple[TopicName, ...], msgspec.Meta(max_length=MAX_PATTERNS)]


class PatternUpdate(Message, frozen=True, tag="live-pattern-update"):
    """Pattern lists for the receiver, and whether it must confirm that of the sender."""

    lists: Annotated[tuple[PatternList, ...], msgspec.Meta(max_length=MAX_LISTS)]
    confirm: bool = False

    def halves(self) -> tuple[Message, ...]:
        """Return two updates."""
        half = len(self.lists) // 2
        if not half:
            return ()
        first, rest = self.lists[:half], self.lists[half:]
        return (PatternUpdate(first, self.confirm), PatternUpdate(rest, self.confirm))


class PatternDigest(Message, frozen=True, tag="live-pattern-digest"):
    """Digest of the sender's pattern lists; the receiver sends its lists if they differ."""

    digest: Annotated[bytes, msgspec.Meta(max_length=16)]
    confirmed: Number = 0
    """Version of the receiver's list that the sender confirms; 0 in a comparison."""
    answer: bool = False
    """Whether this is the answer to a digest, which ends the comparison."""
    first: bool = False
    """Whether the sender is new, and expects an answer even if the digests are equal."""


class LastQuery(Message, frozen=True, tag="live-last-query"):
    """Request for the newest event of each of some topics and patterns."""

    query: Number
    topics: TopicNames


class LastEvent(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """The newest event of a topic: publisher, number on a topic or pattern, and content."""

    topic: TopicName
    numbered_on: TopicName
    publisher: PeerName
    sequence: Number
    content: Content


class LastReply(Message, frozen=True, tag="live-last-reply"):
    """The newest events that the sender has of the requested topics."""

    query: Number
    events: Annotated[tuple[LastEvent, ...], msgspec.Meta(max_length=4096)]

    def halves(self) -> tuple[Message, ...]:
        """Return two replies."""
        half = len(self.events) // 2
        if not half:
            return ()
        return (
            LastReply(self.query, self.events[:half]),
            LastReply(self.query, self.events[half:]),
        )


MESSAGES = (RequestReceipt, RequestAnswer, Hold, PatternUpdate, PatternDigest, LastQuery, LastReply)
