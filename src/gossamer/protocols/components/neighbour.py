"""State of a neighbour, from its profiles and heartbeats."""

from __future__ import annotations

from gossamer.protocols.components.profiles import GatewayProposal, Profile, Rates, StateHeartbeat
from gossamer.protocols.contract import Topic, Topics


class TableNeighbour:
    """State of a linked peer: its latest profile, and the time of its arrival."""

    __slots__ = ("linked", "proposals", "rates", "said", "state", "topics", "version", "wanted")

    def __init__(self) -> None:
        self.linked = False
        self.topics: Topics = ()
        self.wanted: frozenset[Topic] = frozenset()
        self.rates: Rates = ()
        self.proposals: dict[Topic, GatewayProposal] = {}
        self.state = -1
        self.version = -1
        self.said = 0

    def take(self, message: Profile | StateHeartbeat, now: int) -> bool:
        """Update the state from a message; return whether the topics changed."""
        self.version, self.said = message.version, now
        if isinstance(message, StateHeartbeat):
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
