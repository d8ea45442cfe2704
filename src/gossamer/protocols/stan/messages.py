"""The messages of StaN. A topic travels as its token, which tells nothing to who does not know it.

``Join`` to ``Part`` make and end neighbours on a topic; ``Walk`` and ``Collected`` find others on
it; ``Offer`` to ``Refused`` carry out a swap; ``Beat`` to ``Account`` keep both ends of a link of
one mind.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from gossamer.protocols.components.kmv_sketch import Least
from gossamer.protocols.contract import Message, Peer

__all__ = [
    "MESSAGES",
    "UPKEEP",
    "Account",
    "Ask",
    "Beat",
    "Collected",
    "Cross",
    "Done",
    "Instead",
    "Join",
    "Joined",
    "Offer",
    "Part",
    "Refused",
    "Token",
    "Turn",
    "Walk",
]

MAX_HOPS = 64
MAX_SEEN = 256

Token = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
Number = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
Digest = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
Tokens = Annotated[tuple[Token, ...], msgspec.Meta(max_length=65_536)]
Peers = Annotated[tuple[Peer, ...], msgspec.Meta(max_length=MAX_SEEN)]


class Join(Message, frozen=True, tag="join"):
    """Be my neighbour on this topic, beside those that I have."""

    topic: Token
    view: Peers = ()
    least: Least = ()


class Joined(Message, frozen=True, tag="joined"):
    """I am; and take this one of mine too, whose place you have with me."""

    topic: Token
    given: Peer | None = None
    least: Least = ()


class Instead(Message, frozen=True, tag="instead"):
    """I am your neighbour on this topic instead of this one."""

    topic: Token
    of: Peer


class Part(Message, frozen=True, tag="part"):
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
    least: Least = ()


class Offer(Message, frozen=True, tag="offer"):
    """Take me for one of your neighbours, and I give up this one of mine for you."""

    topic: Token
    number: Number
    given_up: Peer


class Turn(Message, frozen=True, tag="turn"):
    """Take the one that was given up for me: this is who offered."""

    topic: Token
    number: Number
    offering: Peer
    given_up: Peer


class Cross(Message, frozen=True, tag="cross"):
    """Take me for the one who offered."""

    topic: Token
    number: Number
    offering: Peer


class Done(Message, frozen=True, tag="done"):
    """My side of this swap is done; do yours."""

    topic: Token
    number: Number
    offering: Peer


class Refused(Message, frozen=True, tag="refused"):
    """No swap this time."""

    topic: Token
    number: Number
    offering: Peer


class Beat(Message, frozen=True, tag="beat"):
    """I am here; this is the exclusive or of the topics on which we are neighbours."""

    digest: Digest


class Ask(Message, frozen=True, tag="ask"):
    """We are not of one mind on which topics we are neighbours: tell me yours. Mine give this."""

    digest: Digest


class Account(Message, frozen=True, tag="account"):
    """On these topics we are neighbours, and on no other, instead of those that give this."""

    topics: Tokens
    instead_of: Digest


MESSAGES = (
    Join, Joined, Instead, Part, Walk, Collected, Offer, Turn, Cross, Done, Refused, Beat, Ask,
    Account,
)  # fmt: skip
UPKEEP = (Walk, Collected, Beat)
