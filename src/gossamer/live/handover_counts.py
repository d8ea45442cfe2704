"""Counts of the publications that a node has handed over and that lack acknowledgements.

A machine keeps publications on topics that it does not subscribe to until a subscriber of each
topic has acknowledged them. A publication that matches patterns carries these as topics too. After
subscribers of the patterns have acknowledged it, its own topic may have no subscriber at all. The
node does not report such a publication as unsent, since it may wait for an acknowledgement forever.

A shuffle takes a peer out of the view until the peer answers. A node that knows a single subscriber
knows none in that moment, and would publish more than its machine keeps. Therefore the node
remembers the view that the last shuffle has left.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gossamer.live.events.patterns import is_pattern
from gossamer.protocols.contract import Peer, Topics


class RecentView:
    """The peers that the last shuffle has left in the view of a node."""

    def __init__(self) -> None:
        self._left: dict[Peer, Topics] = {}
        self._until = 0

    def keep(self, known: Mapping[Peer, Topics], until: int) -> None:
        """Remember the known peers until a time in microseconds."""
        self._left, self._until = dict(known), until

    def with_left(self, known: Mapping[Peer, Topics], now: int) -> Mapping[Peer, Topics]:
        """Return known peers with those that are remembered."""
        return {**self._left, **known} if now < self._until else known


class HandoverCounts:
    """The handovers of a machine that wait for an acknowledgement.

    Parameters
    ----------
    machine
        Machine of a node.
    known
        Topic names of each peer that gossip knows, or knew a moment ago.
    """

    def __init__(self, machine: Any, known: Mapping[Peer, Topics]) -> None:
        handovers = getattr(machine, "handovers", None)
        self._waiting = [] if handovers is None else list(handovers._waiting.values())
        self._names = getattr(machine, "names_for_gossip", tuple)
        self._known = {topic for topics in known.values() for topic in topics}

    @property
    def without_known_subscriber(self) -> int:
        """Number of publications with patterns that wait for no known subscriber."""
        return sum(
            any(is_pattern(str(topic)) for topic in one.publication.topics)
            and not self._is_wanted(one)
            for one in self._waiting
        )

    @property
    def since_oldest_wanted(self) -> int:
        """Number of publications from the oldest one that waits for a known subscriber."""
        for place, one in enumerate(self._waiting):
            if self._is_wanted(one):
                return len(self._waiting) - place
        return 0

    def _is_wanted(self, one: Any) -> bool:
        """Whether a handover waits for a subscriber of a pattern, or a known subscriber."""
        left = tuple(one.topics)
        wanted = any(is_pattern(str(topic)) for topic in left)
        return wanted or not self._known.isdisjoint(self._names(left))
