"""The messages of StaN. A topic is identified by its token, which hides its name.

``JoinRequest`` to ``TopicDisconnect`` add and remove neighbours on a topic. ``Walk`` and
``Collected`` find other subscribers. ``SwapOffer`` to ``SwapRefused`` carry out a swap.
``DigestHeartbeat`` to ``LinkStateReply`` keep both ends of a link consistent.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from gossamer.protocols.components.kmv_sketch import MinHashes
from gossamer.protocols.contract import Message, Peer

MAX_HOPS = 64
MAX_SEEN = 256

Token = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
Number = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
TokenDigest = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
Tokens = Annotated[tuple[Token, ...], msgspec.Meta(max_length=65_536)]
Peers = Annotated[tuple[Peer, ...], msgspec.Meta(max_length=MAX_SEEN)]


class JoinRequest(Message, frozen=True, tag="join"):
    """Request to be a neighbour on a topic, with the present view."""

    topic: Token
    view: Peers = ()
    hashes: MinHashes = ()


class JoinAccept(Message, frozen=True, tag="joined"):
    """Acceptance, possibly with a neighbour that the receiver replaces and adopts."""

    topic: Token
    given: Peer | None = None
    hashes: MinHashes = ()


class LinkRedirect(Message, frozen=True, tag="instead"):
    """The sender replaces another neighbour of the receiver on a topic."""

    topic: Token
    of: Peer


class TopicDisconnect(Message, frozen=True, tag="part"):
    """The sender is not a neighbour on these topics (any more)."""

    topics: Tokens


class Walk(Message, frozen=True, tag="walk"):
    """A walk through a topic's overlay: origin, remaining hops and collected nodes."""

    topic: Token
    origin: Peer
    left: Annotated[int, msgspec.Meta(ge=0, le=MAX_HOPS)]
    seen: Peers


class Collected(Message, frozen=True, tag="collected"):
    """Nodes that a walk has collected."""

    topic: Token
    seen: Peers
    hashes: MinHashes = ()


class SwapOffer(Message, frozen=True, tag="offer"):
    """Offer of a swap: the sender would give up a neighbour for the receiver."""

    topic: Token
    number: Number
    given_up: Peer


class SwapAccept(Message, frozen=True, tag="turn"):
    """The receiver would replace the sender by the given-up neighbour of the offering node."""

    topic: Token
    number: Number
    offering: Peer
    given_up: Peer


class SwapCommit(Message, frozen=True, tag="cross"):
    """The receiver would replace the offering node by the sender."""

    topic: Token
    number: Number
    offering: Peer


class SwapDone(Message, frozen=True, tag="done"):
    """The swap is carried out at the sender."""

    topic: Token
    number: Number
    offering: Peer


class SwapRefused(Message, frozen=True, tag="refused"):
    """The swap is cancelled."""

    topic: Token
    number: Number
    offering: Peer


class DigestHeartbeat(Message, frozen=True, tag="beat"):
    """Sign of life, and the exclusive or of the tokens of common topics."""

    digest: TokenDigest


class LinkStateRequest(Message, frozen=True, tag="ask"):
    """Request for the common topics, since the digests differ."""

    digest: TokenDigest


class LinkStateReply(Message, frozen=True, tag="account"):
    """Common topics, which replace those with the given digest."""

    topics: Tokens
    instead_of: TokenDigest


MESSAGES = (
    JoinRequest, JoinAccept, LinkRedirect, TopicDisconnect, Walk, Collected, SwapOffer, SwapAccept,
    SwapCommit, SwapDone, SwapRefused, DigestHeartbeat, LinkStateRequest, LinkStateReply,
)  # fmt: skip
BACKGROUND_MESSAGES = (Walk, Collected, DigestHeartbeat)
