"""What a node knows of a neighbour, from its profiles and heartbeats."""

from __future__ import annotations

from gossamer.protocols.components.profiles import Heartbeat, Profile, Proposal, Rates
from gossamer.protocols.contract import Topic, Topics

__all__ = ["Neighbour"]


class Neighbour:
    """What is known of a linked peer: its latest profile, and when it came."""

    __slots__ = ("linked", "proposals", "rates", "said", "state", "topics", "version", "wanted")

    def __init__(self) -> None:
        self.linked = False
        self.topics: Topics = ()
        self.wanted: frozenset[Topic] = frozenset()
        self.rates: Rates = ()
        self.proposals: dict[Topic, Proposal] = {}
        self.state = -1
        self.version = -1
        self.said = 0

    def take(self, message: Profile | Heartbeat, now: int) -> bool:
        """Take in what it says; return whether it wants something else than before."""
        self.version, self.said = message.version, now
        if isinstance(message, Heartbeat):
            return False
        self.state = message.state
        changed = message.topics != self.topics
        if changed:
            self.topics = message.topics
            self.wanted = frozenset(message.topics)
        self.rates = message.rates if len(message.rates) == len(message.topics) else ()
        self.proposals = (
            dict(zip(message.topics, message.proposals, strict=True))
            if len(message.proposals) == len(message.topics)
            else {}
        )
        return changed
