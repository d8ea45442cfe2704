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

__all__ = [
    "BACKGROUND_MESSAGES",
    "MESSAGES",
    "Connect",
    "ConnectOk",
    "Disconnect",
    "DisconnectOk",
    "InterestReply",
    "InterestRequest",
    "LeaveLink",
    "Redirect",
    "TaskHeartbeat",
]

Task = Annotated[int, msgspec.Meta(ge=0, le=1)]
"""0 is the greedy task, 1 the random one."""
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 31)]
Version = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]


class Connect(Message, frozen=True, tag="connect"):
    """Be my neighbour (Figure 2, line 20)."""

    task: Task
    degree: Count
    target: Count
    topics: Topics
    version: Version


class ConnectOk(Message, frozen=True, tag="connect-ok"):
    """You are (Figure 4, line 33)."""

    task: Task
    degree: Count
    target: Count
    topics: Topics
    version: Version


class Redirect(Message, frozen=True, tag="redirect"):
    """I have no room; try this one (Figure 4, line 9). It may name nobody."""

    task: Task
    peer: Peer | None


class Disconnect(Message, frozen=True, tag="disconnect"):
    """May we part? (Figure 2, line 27)."""

    task: Task


class DisconnectOk(Message, frozen=True, tag="disconnect-ok"):
    """We may, and I have (Figure 4, line 25)."""

    task: Task


class LeaveLink(Message, frozen=True, tag="leave"):
    """I am not your neighbour (any more) (Figure 4, lines 18 and 19)."""

    task: Task


class TaskHeartbeat(Message, frozen=True, tag="heartbeat"):
    """I am here; this is my state in each task, and the tasks in which you are my neighbour.

    ``topics`` is there for some time after they changed.
    """

    degrees: tuple[Count, Count]
    targets: tuple[Count, Count]
    within: Annotated[int, msgspec.Meta(ge=0, le=3)]
    version: Version
    topics: Topics | None = None


class InterestRequest(Message, frozen=True, tag="question"):
    """What do you want? Your heartbeat has a version that I do not know."""


class InterestReply(Message, frozen=True, tag="answer"):
    """What I want."""

    version: Version
    topics: Topics


MESSAGES = (
    Connect, ConnectOk, Redirect, Disconnect, DisconnectOk, LeaveLink, TaskHeartbeat,
    InterestRequest, InterestReply,
)  # fmt: skip
BACKGROUND_MESSAGES = (TaskHeartbeat,)
