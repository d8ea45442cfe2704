"""The messages of a ring per topic."""

from __future__ import annotations

from gossamer.protocols.contract import Message, Peer, Topic, Topics

__all__ = ["MESSAGES", "UPKEEP", "Beat", "Follow", "Followed", "Nearer", "Parted"]


class Follow(Message, frozen=True, tag="follow"):
    """You are my successor on this topic, as far as I know."""

    topic: Topic


class Followed(Message, frozen=True, tag="followed"):
    """I am, and you are my predecessor."""

    topic: Topic


class Nearer(Message, frozen=True, tag="nearer"):
    """I am not your successor on this topic; this one is nearer to you. It may name nobody."""

    topic: Topic
    peer: Peer | None


class Parted(Message, frozen=True, tag="parted"):
    """I am not your predecessor on this topic any more."""

    topic: Topic


class Beat(Message, frozen=True, tag="beat"):
    """I am here, and these are the topics on which you are my successor."""

    successor_on: Topics


MESSAGES = (Follow, Followed, Nearer, Parted, Beat)
UPKEEP = (Beat,)
