"""Profiles: what nodes say of themselves, and what others pass on of it (Vitis, §III).

A *profile* goes to neighbours every round and serves as a heartbeat (Algorithms 6 and 7): topics,
proposed gateways, and the sender's view of the link. A neighbour that already has the current
profile receives a *heartbeat* with the number of that state; a neighbour that does not know the
state requests it. The cost of a round without changes is thus independent of the number of topics.

A *descriptor* is the part of a profile that other nodes pass on, with its age. Descriptors of
departed nodes grow old and are rejected.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from gossamer.protocols.components.friends import MAX_RATE, MIN_RATE
from gossamer.protocols.contract import Message, Peer, Topics

__all__ = [
    "MAX_DESCRIPTORS",
    "GatewayProposal",
    "Leaving",
    "Profile",
    "RatedDescriptor",
    "RatedDescriptors",
    "Rates",
    "StateHeartbeat",
    "StateRequest",
    "TableDisconnect",
    "TableRefused",
]

MAX_DESCRIPTORS = 256
MAX_HOPS = 64
MAX_LISTED = 65_536

Version = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
Rate = Annotated[int, msgspec.Meta(ge=MIN_RATE, le=MAX_RATE)]
Rates = Annotated[tuple[Rate, ...], msgspec.Meta(max_length=MAX_LISTED)]
"""Of the topics beside it, in their order; none if all are alike."""


class GatewayProposal(
    msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False
):
    """A gateway for a topic, who told of it, and how far it is (Algorithm 5, line 3)."""

    gateway: Peer
    parent: Peer
    hops: Annotated[int, msgspec.Meta(ge=0, le=MAX_HOPS)]


GatewayProposals = Annotated[tuple[GatewayProposal, ...], msgspec.Meta(max_length=MAX_LISTED)]


class RatedDescriptor(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Who, what they want at which rates, their clock when they said so, and its age in ms."""

    peer: Peer
    topics: Topics
    rates: Rates
    version: Version
    age: Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]


RatedDescriptors = Annotated[tuple[RatedDescriptor, ...], msgspec.Meta(max_length=MAX_DESCRIPTORS)]


class Profile(Message, frozen=True, tag="profile"):
    """I am here, and this is what I want.

    ``proposals`` are of the topics, in their order, or none; ``state`` is a number for all of that,
    another whenever any of it changes. ``version`` is the sender's clock. ``mine``: you are in my
    table, or I ask you for that; ``ring``: as my neighbour on the ring. ``yours``: I am in your
    table, as far as I know.
    """

    topics: Topics
    rates: Rates
    proposals: GatewayProposals
    state: Version
    version: Version
    mine: bool
    ring: bool
    yours: bool


class StateHeartbeat(Message, frozen=True, tag="heartbeat"):
    """I am here, and what I said with this state still holds."""

    state: Version
    version: Version
    mine: bool
    ring: bool
    yours: bool


class StateRequest(Message, frozen=True, tag="which-state"):
    """I do not know what that state stands for; send me your profile."""


class TableDisconnect(Message, frozen=True, tag="part"):
    """You are not in my table, or not any more."""


class TableRefused(Message, frozen=True, tag="refused"):
    """I am in as many tables as I can bear; take somebody else for a while."""


class Leaving(Message, frozen=True, tag="goodbye"):
    """I leave."""
