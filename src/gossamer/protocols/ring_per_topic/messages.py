"""The messages of a ring per topic."""

from __future__ import annotations

from gossamer.protocols.contract import Message, Peer, Topic, Topics


class FollowRequest(Message, frozen=True, tag="follow"):
    """Request to be the successor of the sender on a topic."""

    topic: Topic


class FollowAccept(Message, frozen=True, tag="followed"):
    """Acceptance: the receiver is the predecessor."""

    topic: Topic


class SuccessorHint(Message, frozen=True, tag="nearer"):
    """The sender is not the successor on a topic; another node may be nearer."""

    topic: Topic
    peer: Peer | None


class PredecessorLeft(Message, frozen=True, tag="parted"):
    """The sender is no longer the predecessor on a topic."""

    topic: Topic


class RingHeartbeat(Message, frozen=True, tag="beat"):
    """Sign of life, and the topics on which the receiver is the successor."""

    successor_on: Topics


MESSAGES = (FollowRequest, FollowAccept, SuccessorHint, PredecessorLeft, RingHeartbeat)
BACKGROUND_MESSAGES = (RingHeartbeat,)
