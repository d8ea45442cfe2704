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

MAX_DESCRIPTORS = 256
MAX_HOPS = 64
MAX_LISTED = 65_536

Version = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
Rate = Annotated[int, msgspec.Meta(ge=MIN_RATE, le=MAX_RATE)]
Rates = Annotated[tuple[Rate, ...], msgspec.Meta(max_length=MAX_LISTED)]
"""Rates of the topics beside them, in their order; empty if all are equal."""


class GatewayProposal(
    msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False
):
    """Gateway for a topic, the neighbour that proposed it, and hops to it (Algorithm 5, line 3)."""

    gateway: Peer
    parent: Peer
    hops: Annotated[int, msgspec.Meta(ge=0, le=MAX_HOPS)]


GatewayProposals = Annotated[tuple[GatewayProposal, ...], msgspec.Meta(max_length=MAX_LISTED)]


class RatedDescriptor(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Peer, its topics and their rates, its clock at that time, and the age in milliseconds."""

    peer: Peer
    topics: Topics
    rates: Rates
    version: Version
    age: Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]


RatedDescriptors = Annotated[tuple[RatedDescriptor, ...], msgspec.Meta(max_length=MAX_DESCRIPTORS)]


class Profile(Message, frozen=True, tag="profile"):
    """State of a node, and its side of the link to the receiver.

    ``proposals`` belong to the topics, in their order, or are empty. ``state`` numbers these values
    and changes with them; ``version`` is the sender's clock. ``mine``: the receiver is in the
    sender's table, or is asked to be; ``ring``: as its ring neighbour. ``yours``: the sender is in
    the receiver's table, as far as it knows.
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
    """Sign of life; the profile with this state is still valid."""

    state: Version
    version: Version
    mine: bool
    ring: bool
    yours: bool


class StateRequest(Message, frozen=True, tag="which-state"):
    """Request for the profile of an unknown state."""


class TableDisconnect(Message, frozen=True, tag="part"):
    """The receiver is not in the sender's table (any more)."""


class TableRefused(Message, frozen=True, tag="refused"):
    """The sender is in the maximum number of tables."""


class Leaving(Message, frozen=True, tag="goodbye"):
    """The sender leaves."""
