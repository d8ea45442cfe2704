"""The messages of ElastO (Algorithm 2), and what the paper leaves to the reader.

RepairQ/S, AddneiQ/S, NeighbQ/S and LvQ/S are the paper's. VersionHeartbeat, NodeProfile and
StateRequest are its "standard failure detector", and make the two ends of a link agree; LeavingNode
announces a graceful leave; BackupRequest counts the nodes that the receiver is a backup for. Roots,
Probe, ProbeReply and Hint find disconnected components of a topic, which the paper excludes.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from gossamer.protocols.components.profiles import StateRequest
from gossamer.protocols.contract import Message, Peer, Topics

__all__ = [
    "BACKGROUND_MESSAGES",
    "MAX_HOPS",
    "MAX_NODES",
    "MESSAGES",
    "AddneiQ",
    "AddneiS",
    "BackupRequest",
    "ChurnNotice",
    "Hint",
    "LeavingNode",
    "LinkDisconnect",
    "LvQ",
    "LvS",
    "NeighbQ",
    "NeighbS",
    "NodeDescriptor",
    "NodeProfile",
    "Probe",
    "ProbeReply",
    "RepairQ",
    "RepairS",
    "Roots",
    "StateRequest",
    "VersionHeartbeat",
]

MAX_NODES = 1024
MAX_PEERS = 65_536
MAX_HOPS = 32

Number = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 31)]
Peers = Annotated[tuple[Peer, ...], msgspec.Meta(max_length=MAX_PEERS)]
Numbers = Annotated[tuple[Number, ...], msgspec.Meta(max_length=MAX_PEERS)]


class NodeDescriptor(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """NODE of Algorithm 1: peer, topics and neighbours.

    ``incarnation`` is the time of the node's start; ``version`` increases whenever its topics or
    neighbours change; both by its own clock. ``primaries`` counts the nodes that it is a backup
    for; ``age`` is the age of the descriptor in milliseconds.
    """

    peer: Peer
    incarnation: Number
    version: Number
    topics: Topics
    neighbours: Peers = ()
    primaries: Count = 0
    age: Annotated[int, msgspec.Meta(ge=0, le=1 << 40)] = 0


NodeDescriptors = Annotated[tuple[NodeDescriptor, ...], msgspec.Meta(max_length=MAX_NODES)]


class ChurnNotice(
    msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False
):
    """CHURNEVT of Algorithm 1: the node that joined or left, and its topics.

    ``stamp`` distinguishes events of one node: its incarnation, or the version that changed its
    topics.
    """

    joins: bool
    peer: Peer
    stamp: Number
    topics: Topics


class RepairQ(Message, frozen=True, tag="repair-q"):
    """Request to repair the overlay after a churn event; ``affected`` are nodes to reconnect."""

    churn: ChurnNotice
    source: NodeDescriptor
    affected: NodeDescriptors
    hops: Annotated[int, msgspec.Meta(ge=0, le=MAX_HOPS)]


class RepairS(Message, frozen=True, tag="repair-s"):
    """The churn event was repaired, with the receiver."""

    joins: bool
    peer: Peer
    stamp: Number


class AddneiQ(Message, frozen=True, tag="addnei-q"):
    """Request to link to a node."""

    repair: Number
    newnei: NodeDescriptor
    epoch: Number


class AddneiS(Message, frozen=True, tag="addnei-s"):
    """Answer to a request to link, with the sender's descriptor.

    ``done`` is False if the link was offered and the node has not answered.
    """

    repair: Number
    newnei: Peer
    done: bool
    node: NodeDescriptor


class NeighbQ(Message, frozen=True, tag="neighb-q"):
    """Query of a node's neighbours."""

    peer: Peer


class NeighbS(Message, frozen=True, tag="neighb-s"):
    """Neighbours of a node, from the node itself or from a successor of it."""

    node: NodeDescriptor
    neighbours: NodeDescriptors


class LvQ(Message, frozen=True, tag="lv-q"):
    """Part of a local view, and the number of its nodes that the receiver is a backup for."""

    node: NodeDescriptor
    backup_count: Count
    view: NodeDescriptors


class LvS(Message, frozen=True, tag="lv-s"):
    """Part of a local view, in return."""

    node: NodeDescriptor
    view: NodeDescriptors


class BackupRequest(Message, frozen=True, tag="enlist"):
    """Number of the sender's predecessors that the receiver is a backup for."""

    primaries: Count


class VersionHeartbeat(Message, frozen=True, tag="heartbeat"):
    """Sign of life, version of the descriptor, and whether the two are linked."""

    version: Number
    linked: bool
    epoch: Number


class NodeProfile(Message, frozen=True, tag="profile"):
    """Sign of life with the descriptor, and whether the two are linked."""

    node: NodeDescriptor
    linked: bool
    epoch: Number


class LinkDisconnect(Message, frozen=True, tag="part"):
    """The two are not linked (any more)."""

    epoch: Number


class LeavingNode(Message, frozen=True, tag="goodbye"):
    """The sender leaves; these are its neighbours."""

    node: NodeDescriptor
    neighbours: NodeDescriptors


class Roots(Message, frozen=True, tag="roots"):
    """Roots of the sender's components on topics, with the latest numbers of the roots."""

    topics: Topics
    roots: Peers
    numbers: Numbers


class Probe(Message, frozen=True, tag="probe"):
    """Roots of the sender's components, and a query of the receiver's different ones."""

    node: NodeDescriptor
    topics: Topics
    roots: Peers


class ProbeReply(Message, frozen=True, tag="found"):
    """Topics on which the sender has other roots than the receiver."""

    node: NodeDescriptor
    topics: Topics
    roots: Peers


class Hint(Message, frozen=True, tag="hint"):
    """Hint to a root of topics: a node that seems to be in another component."""

    peer: Peer
    topics: Topics


MESSAGES = (
    RepairQ, RepairS, AddneiQ, AddneiS, NeighbQ, NeighbS, LvQ, LvS, BackupRequest,
    VersionHeartbeat, NodeProfile, StateRequest, LinkDisconnect, LeavingNode, Roots, Probe,
    ProbeReply, Hint,
)  # fmt: skip
BACKGROUND_MESSAGES = (
    NeighbQ,
    NeighbS,
    LvQ,
    LvS,
    BackupRequest,
    VersionHeartbeat,
    NodeProfile,
    StateRequest,
    Roots,
    Probe,
)
