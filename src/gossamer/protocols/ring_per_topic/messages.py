"""The messages of a ring per topic."""

from __future__ import annotations

from gossamer.protocols.contract import Message, Peer, Topic, Topics

__all__ = [
    "BACKGROUND_MESSAGES",
    "MESSAGES",
    "FollowAccept",
    "FollowRequest",
    "PredecessorLeft",
    "RingHeartbeat",
    "SuccessorHint",
]


class FollowRequest(Message, frozen=True, tag="follow"):
    """You are my successor on this topic, as far as I know."""

    topic: Topic


class FollowAccept(Message, frozen=True, tag="followed"):
    """I am, and you are my predecessor."""

    topic: Topic


class SuccessorHint(Message, frozen=True, tag="nearer"):
    """I am not your successor on this topic; this one is nearer to you. It may name nobody."""

    topic: Topic
    peer: Peer | None


class PredecessorLeft(Message, frozen=True, tag="parted"):
    """I am not your predecessor on this topic any more."""

    topic: Topic


class RingHeartbeat(Message, frozen=True, tag="beat"):
    """I am here, and these are the topics on which you are my successor."""

    successor_on: Topics


MESSAGES = (FollowRequest, FollowAccept, SuccessorHint, PredecessorLeft, RingHeartbeat)
BACKGROUND_MESSAGES = (RingHeartbeat,)
