"""The messages of StaN. A topic is identified by its token, which hides its name.

``JoinRequest`` to ``TopicDisconnect`` add and remove neighbours on a topic. ``Walk`` and
``Collected`` find other subscribers. ``SwapRequest`` and ``SwapReply`` swap links of two nodes.
``LinkClaim`` to ``OwnedTopics`` keep both ends of a link consistent. A request that is sent again
has the number of the first, and gets the same answer.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from gossamer.protocols.components.kmv_sketch import MinHashes
from gossamer.protocols.contract import Message, Peer

MAX_HOPS = 64
MAX_PEERS = 512

Token = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
Number = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
TokenDigest = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
Tokens = Annotated[tuple[Token, ...], msgspec.Meta(max_length=65_536)]
Peers = Annotated[tuple[Peer, ...], msgspec.Meta(max_length=MAX_PEERS)]
Seen = Annotated[tuple[tuple[Peer, Peers, Peers], ...], msgspec.Meta(max_length=MAX_HOPS + 1)]
"""Nodes, each with the peers to which it owns a link, and with its other neighbours."""


class JoinRequest(Message, frozen=True, tag="join"):
    """Request to be a neighbour on a topic, with the present view."""

    topic: Token
    number: Number
    view: Peers = ()
    hashes: MinHashes = ()


class JoinAccept(Message, frozen=True, tag="joined"):
    """Acceptance, possibly with a link that the receiver takes over from the sender."""

    topic: Token
    number: Number
    given: Peer | None = None
    hashes: MinHashes = ()


class TopicDisconnect(Message, frozen=True, tag="part"):
    """The sender is not a neighbour on these topics (any more)."""

    topics: Tokens


class Walk(Message, frozen=True, tag="walk"):
    """A walk through a topic's overlay: origin, remaining hops and collected nodes.

    Each collected node comes with its links.
    """

    topic: Token
    origin: Peer
    left: Annotated[int, msgspec.Meta(ge=0, le=MAX_HOPS)]
    seen: Seen


class Collected(Message, frozen=True, tag="collected"):
    """Nodes that a walk has collected."""

    topic: Token
    seen: Seen
    hashes: MinHashes = ()


class SwapRequest(Message, frozen=True, tag="swap"):
    """Offer of links that the sender owns, each for one that the receiver owns."""

    topic: Token
    number: Number
    offered: Peers
    wanted: Peers


class SwapReply(Message, frozen=True, tag="swapped"):
    """The offered links that the sender has taken, for those that were wanted."""

    topic: Token
    number: Number
    taken: Peers


class LinkClaim(Message, frozen=True, tag="claim"):
    """The sender owns a link to the receiver, possibly in place of another neighbour's."""

    topic: Token
    instead_of: Peer | None = None


class LinkAck(Message, frozen=True, tag="ack"):
    """The sender knows the link that the receiver owns."""

    topic: Token


class LinkUnknown(Message, frozen=True, tag="unknown"):
    """The sender knows no link to the receiver on a topic."""

    topic: Token


class DigestHeartbeat(Message, frozen=True, tag="beat"):
    """Sign of life, and two digests of common topics: of links the sender owns, and of others."""

    owned: TokenDigest
    held: TokenDigest


class OwnedTopics(Message, frozen=True, tag="state"):
    """Topics on which the sender owns a link to the receiver; ``answer`` for a state received."""

    owned: Tokens
    answer: bool = False


MESSAGES = (
    JoinRequest, JoinAccept, TopicDisconnect, Walk, Collected, SwapRequest, SwapReply, LinkClaim,
    LinkAck, LinkUnknown, DigestHeartbeat, OwnedTopics,
)  # fmt: skip
BACKGROUND_MESSAGES = (Walk, Collected, DigestHeartbeat)
