"""The messages of SpiderCast (Figure 4), and three that the paper leaves to the reader.

``task`` says which of the two neighbour maintenance tasks speaks, since each has its own set
of neighbours (§2.3). ``TaskHeartbeat`` is the "standard failure detection mechanism" that also
carries degree and target. ``InterestRequest`` and ``InterestReply`` transfer an interest whose
version a heartbeat announced, to a peer that missed the change.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from gossamer.protocols.contract import Message, Peer, Topics

Task = Annotated[int, msgspec.Meta(ge=0, le=1)]
"""Number of a task: 0 for greedy, 1 for random."""
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 31)]
Version = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]


class Connect(Message, frozen=True, tag="connect"):
    """Request to be a neighbour (Figure 2, line 20)."""

    task: Task
    degree: Count
    target: Count
    topics: Topics
    version: Version


class ConnectOk(Message, frozen=True, tag="connect-ok"):
    """Acceptance of a request (Figure 4, line 33)."""

    task: Task
    degree: Count
    target: Count
    topics: Topics
    version: Version


class Redirect(Message, frozen=True, tag="redirect"):
    """Rejection of a request, possibly with another peer to ask (Figure 4, line 9)."""

    task: Task
    peer: Peer | None


class Disconnect(Message, frozen=True, tag="disconnect"):
    """Request to disconnect (Figure 2, line 27)."""

    task: Task


class DisconnectOk(Message, frozen=True, tag="disconnect-ok"):
    """Acceptance of a disconnect, already carried out (Figure 4, line 25)."""

    task: Task


class LeaveLink(Message, frozen=True, tag="leave"):
    """The sender is not a neighbour (any more) (Figure 4, lines 18 and 19)."""

    task: Task


class TaskHeartbeat(Message, frozen=True, tag="heartbeat"):
    """Sign of life, state in each task, and the tasks in which the receiver is a neighbour.

    ``topics`` are included for some heartbeats after a change.
    """

    degrees: tuple[Count, Count]
    targets: tuple[Count, Count]
    within: Annotated[int, msgspec.Meta(ge=0, le=3)]
    version: Version
    topics: Topics | None = None


class InterestRequest(Message, frozen=True, tag="question"):
    """Request for the topics of an unknown version."""


class InterestReply(Message, frozen=True, tag="answer"):
    """Topics of the sender."""

    version: Version
    topics: Topics


MESSAGES = (
    Connect, ConnectOk, Redirect, Disconnect, DisconnectOk, LeaveLink, TaskHeartbeat,
    InterestRequest, InterestReply,
)  # fmt: skip
BACKGROUND_MESSAGES = (TaskHeartbeat,)
