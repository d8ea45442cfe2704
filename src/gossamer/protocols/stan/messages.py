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

__all__ = [
    "BACKGROUND_MESSAGES",
    "MESSAGES",
    "Collected",
    "DigestHeartbeat",
    "JoinAccept",
    "JoinRequest",
    "LinkRedirect",
    "LinkStateReply",
    "LinkStateRequest",
    "SwapAccept",
    "SwapCommit",
    "SwapDone",
    "SwapOffer",
    "SwapRefused",
    "Token",
    "TopicDisconnect",
    "Walk",
]

MAX_HOPS = 64
MAX_SEEN = 256

Token = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
Number = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
TokenDigest = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
Tokens = Annotated[tuple[Token, ...], msgspec.Meta(max_length=65_536)]
Peers = Annotated[tuple[Peer, ...], msgspec.Meta(max_length=MAX_SEEN)]


class JoinRequest(Message, frozen=True, tag="join"):
    """Be my neighbour on this topic, beside those that I have."""

    topic: Token
    view: Peers = ()
    least: MinHashes = ()


class JoinAccept(Message, frozen=True, tag="joined"):
    """I am; and take this one of mine too, whose place you have with me."""

    topic: Token
    given: Peer | None = None
    least: MinHashes = ()


class LinkRedirect(Message, frozen=True, tag="instead"):
    """I am your neighbour on this topic instead of this one."""

    topic: Token
    of: Peer


class TopicDisconnect(Message, frozen=True, tag="part"):
    """I am not your neighbour on these topics, or not any more."""

    topics: Tokens


class Walk(Message, frozen=True, tag="walk"):
    """A walk through a topic's overlay: who began it, how far it goes, whom it has met."""

    topic: Token
    origin: Peer
    left: Annotated[int, msgspec.Meta(ge=0, le=MAX_HOPS)]
    seen: Peers


class Collected(Message, frozen=True, tag="collected"):
    """Whom your walk has met."""

    topic: Token
    seen: Peers
    least: MinHashes = ()


class SwapOffer(Message, frozen=True, tag="offer"):
    """Take me for one of your neighbours, and I give up this one of mine for you."""

    topic: Token
    number: Number
    given_up: Peer


class SwapAccept(Message, frozen=True, tag="turn"):
    """Take the one that was given up for me: this is who offered."""

    topic: Token
    number: Number
    offering: Peer
    given_up: Peer


class SwapCommit(Message, frozen=True, tag="cross"):
    """Take me for the one who offered."""

    topic: Token
    number: Number
    offering: Peer


class SwapDone(Message, frozen=True, tag="done"):
    """My side of this swap is done; do yours."""

    topic: Token
    number: Number
    offering: Peer


class SwapRefused(Message, frozen=True, tag="refused"):
    """No swap this time."""

    topic: Token
    number: Number
    offering: Peer


class DigestHeartbeat(Message, frozen=True, tag="beat"):
    """I am here; this is the exclusive or of the topics on which we are neighbours."""

    digest: TokenDigest


class LinkStateRequest(Message, frozen=True, tag="ask"):
    """We are not of one mind on which topics we are neighbours: tell me yours. Mine give this."""

    digest: TokenDigest


class LinkStateReply(Message, frozen=True, tag="account"):
    """On these topics we are neighbours, and on no other, instead of those that give this."""

    topics: Tokens
    instead_of: TokenDigest


MESSAGES = (
    JoinRequest, JoinAccept, LinkRedirect, TopicDisconnect, Walk, Collected, SwapOffer, SwapAccept,
    SwapCommit, SwapDone, SwapRefused, DigestHeartbeat, LinkStateRequest, LinkStateReply,
)  # fmt: skip
BACKGROUND_MESSAGES = (Walk, Collected, DigestHeartbeat)
