"""Profiles: what nodes say of themselves, and what others pass on of it (Vitis, §III).

A *profile* goes to neighbours every round and is a heartbeat too (Algorithms 6 and 7): what the
node wants, whom it proposes as gateways, and how it sees the link that the message goes over. To
whom has had it all it is a *heartbeat* alone, which names the state that it stands for, as long as
nothing has changed; who does not have that state asks for it. At rest a round so costs the same
whatever the number of topics.

A *card* is what others pass on of it, with the time that has gone by since the node said so: a
card of somebody who is not there any more grows old, and nobody takes it.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from gossamer.protocols.components.friends import MAX_RATE, MIN_RATE
from gossamer.protocols.contract import Message, Peer, Topics

__all__ = [
    "MAX_CARDS",
    "Card",
    "Cards",
    "Goodbye",
    "Heartbeat",
    "Part",
    "Profile",
    "Proposal",
    "Rates",
    "Refused",
    "WhichState",
]

MAX_CARDS = 256
MAX_HOPS = 64
MAX_LISTED = 65_536

Version = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
Rate = Annotated[int, msgspec.Meta(ge=MIN_RATE, le=MAX_RATE)]
Rates = Annotated[tuple[Rate, ...], msgspec.Meta(max_length=MAX_LISTED)]
"""Of the topics beside it, in their order; none if all are alike."""


class Proposal(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A gateway for a topic, who told of it, and how far it is (Algorithm 5, line 3)."""

    gateway: Peer
    parent: Peer
    hops: Annotated[int, msgspec.Meta(ge=0, le=MAX_HOPS)]


Proposals = Annotated[tuple[Proposal, ...], msgspec.Meta(max_length=MAX_LISTED)]


class Card(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Who, what they want at which rates, their clock when they said so, and its age in ms."""

    peer: Peer
    topics: Topics
    rates: Rates
    version: Version
    age: Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]


Cards = Annotated[tuple[Card, ...], msgspec.Meta(max_length=MAX_CARDS)]


class Profile(Message, frozen=True, tag="profile"):
    """I am here, and this is what I want.

    ``proposals`` are of the topics, in their order, or none; ``state`` is a number for all of that,
    another whenever any of it changes. ``version`` is the sender's clock. ``mine``: you are in my
    table, or I ask you for that; ``ring``: as my neighbour on the ring. ``yours``: I am in your
    table, as far as I know.
    """

    topics: Topics
    rates: Rates
    proposals: Proposals
    state: Version
    version: Version
    mine: bool
    ring: bool
    yours: bool


class Heartbeat(Message, frozen=True, tag="heartbeat"):
    """I am here, and what I said with this state still holds."""

    state: Version
    version: Version
    mine: bool
    ring: bool
    yours: bool


class WhichState(Message, frozen=True, tag="which-state"):
    """I do not know what that state stands for; send me your profile."""


class Part(Message, frozen=True, tag="part"):
    """You are not in my table, or not any more."""


class Refused(Message, frozen=True, tag="refused"):
    """I am in as many tables as I can bear; take somebody else for a while."""


class Goodbye(Message, frozen=True, tag="goodbye"):
    """I leave."""
