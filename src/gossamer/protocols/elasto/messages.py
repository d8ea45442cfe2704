"""The messages of ElastO (Algorithm 2), and what the paper leaves to the reader.

RepairQ/S, AddneiQ/S, NeighbQ/S and LvQ/S are the paper's. Heartbeats, profiles and which-state
are its "standard failure detector", with which the two ends of a link come to be of one mind; a
goodbye is a departure that was planned; *enlist* tells a node for how many it is a backup. Roots,
probe, found and hint find parts of a topic that hang not together, which the paper excludes.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from gossamer.protocols.contract import Message, Peer, Topics

__all__ = [
    "MAX_HOPS",
    "MAX_NODES",
    "MESSAGES",
    "UPKEEP",
    "AddneiQ",
    "AddneiS",
    "Churn",
    "Enlist",
    "Found",
    "Goodbye",
    "Heartbeat",
    "Hint",
    "LvQ",
    "LvS",
    "NeighbQ",
    "NeighbS",
    "Node",
    "Part",
    "Probe",
    "Profile",
    "RepairQ",
    "RepairS",
    "Roots",
    "WhichState",
]

MAX_NODES = 1024
MAX_PEERS = 65_536
MAX_HOPS = 32

Number = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 31)]
Peers = Annotated[tuple[Peer, ...], msgspec.Meta(max_length=MAX_PEERS)]
Numbers = Annotated[tuple[Number, ...], msgspec.Meta(max_length=MAX_PEERS)]


class Node(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """NODE of Algorithm 1: who, what they want, and whom they are linked to.

    ``life`` is when the node began, ``version`` another and higher number whenever topics or
    neighbours have changed; both by its own clock. ``primaries`` is for how many it is a backup,
    ``age`` how many milliseconds ago it said so.
    """

    peer: Peer
    life: Number
    version: Number
    topics: Topics
    neighbours: Peers = ()
    primaries: Count = 0
    age: Annotated[int, msgspec.Meta(ge=0, le=1 << 40)] = 0


Nodes = Annotated[tuple[Node, ...], msgspec.Meta(max_length=MAX_NODES)]


class Churn(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """CHURNEVT of Algorithm 1: who joined or left, and on which topics.

    ``stamp`` tells events of one node apart: its life, or the version by which it wants other
    topics.
    """

    joins: bool
    peer: Peer
    stamp: Number
    topics: Topics


class RepairQ(Message, frozen=True, tag="repair-q"):
    """Repair what this churn event broke; ``told`` are who must hang together again."""

    churn: Churn
    source: Node
    told: Nodes
    hops: Annotated[int, msgspec.Meta(ge=0, le=MAX_HOPS)]


class RepairS(Message, frozen=True, tag="repair-s"):
    """That event was dealt with, and you were thought of."""

    joins: bool
    peer: Peer
    stamp: Number


class AddneiQ(Message, frozen=True, tag="addnei-q"):
    """Take this one for a neighbour."""

    repair: Number
    newnei: Node
    epoch: Number


class AddneiS(Message, frozen=True, tag="addnei-s"):
    """I have taken this one for a neighbour, or have no topic for that; I am like this now.

    Or not ``done``: I have offered it, and hear nothing from there.
    """

    repair: Number
    newnei: Peer
    done: bool
    node: Node


class NeighbQ(Message, frozen=True, tag="neighb-q"):
    """Say who this node's neighbours are."""

    peer: Peer


class NeighbS(Message, frozen=True, tag="neighb-s"):
    """The neighbours of a node, by its own word or by what it told me."""

    node: Node
    neighbours: Nodes


class LvQ(Message, frozen=True, tag="lv-q"):
    """Some of my local view; send me some of yours. You are a backup for so many of it."""

    node: Node
    enlisted: Count
    view: Nodes


class LvS(Message, frozen=True, tag="lv-s"):
    """Some of my local view, in return."""

    node: Node
    view: Nodes


class Enlist(Message, frozen=True, tag="enlist"):
    """You are a backup for so many of my predecessors."""

    primaries: Count


class Heartbeat(Message, frozen=True, tag="heartbeat"):
    """I am here, and what I said with this version still holds; whether we are linked."""

    version: Number
    linked: bool
    epoch: Number


class Profile(Message, frozen=True, tag="profile"):
    """I am here, and this is what I am like; whether we are linked."""

    node: Node
    linked: bool
    epoch: Number


class WhichState(Message, frozen=True, tag="which-state"):
    """I do not know that version of yours; send me your profile."""


class Part(Message, frozen=True, tag="part"):
    """We are not linked, or not any more."""

    epoch: Number


class Goodbye(Message, frozen=True, tag="goodbye"):
    """I leave; these are my neighbours."""

    node: Node
    neighbours: Nodes


class Roots(Message, frozen=True, tag="roots"):
    """On these topics I hang together with these nodes, by their signs of life of that number."""

    topics: Topics
    roots: Peers
    numbers: Numbers


class Probe(Message, frozen=True, tag="probe"):
    """Say whether you hang together with others than these nodes, as I do, on these topics."""

    node: Node
    topics: Topics
    roots: Peers


class Found(Message, frozen=True, tag="found"):
    """On these topics I hang together with others than you."""

    node: Node
    topics: Topics
    roots: Peers


class Hint(Message, frozen=True, tag="hint"):
    """You are the root of my part of these topics; this one seems to be in another part."""

    peer: Peer
    topics: Topics


MESSAGES = (
    RepairQ, RepairS, AddneiQ, AddneiS, NeighbQ, NeighbS, LvQ, LvS, Enlist, Heartbeat, Profile,
    WhichState, Part, Goodbye, Roots, Probe, Found, Hint,
)  # fmt: skip
UPKEEP = (NeighbQ, NeighbS, LvQ, LvS, Enlist, Heartbeat, Profile, WhichState, Roots, Probe)
