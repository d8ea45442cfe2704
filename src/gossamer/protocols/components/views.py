"""Views: other nodes and their interests, as far as a node knows them (SpiderCast §2.2).

Protocols query views through one interface. :class:`KnownPeers` is a dictionary. The simulator has
oracles that answer for all nodes from one shared index; tests compare them with this class.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from gossamer.protocols.components.identifiers import clockwise, identifier_of_node
from gossamer.protocols.contract import Peer, Topic, Topics
from gossamer.random_stream import Stream


class InterestView(Protocol):
    """Other nodes and their interests. A node is never in its own view."""

    @property
    def version(self) -> int:
        """Number that changes whenever an answer may change."""
        ...

    def __contains__(self, peer: Peer) -> bool:
        """Whether a peer is known."""
        ...

    def topics_of(self, peer: Peer) -> Topics | None:
        """Return the topics of a peer; None if it is unknown."""
        ...

    def most_covering(
        self, topics: Sequence[Topic], without: Collection[Peer], random: Stream | None
    ) -> Peer | None:
        """Return the peer with most of the topics; None if there is none.

        Ties are broken at random, without a stream towards the lowest identifier.
        """
        ...

    def any_covering(
        self, topics: Sequence[Topic], without: Collection[Peer], random: Stream
    ) -> Peer | None:
        """Return a random peer with at least one of the topics."""
        ...

    def any_peer(self, without: Collection[Peer], random: Stream) -> Peer | None:
        """Return a random peer."""
        ...

    def next_on(self, topic: Topic, me: Peer) -> Peer | None:
        """Return the next subscriber on the ring of a topic, ordered by name."""
        ...

    def count_on(self, topic: Topic) -> int:
        """Return the number of known subscribers of a topic."""
        ...

    def is_gone(self, peer: Peer) -> bool:
        """Whether a peer is certainly absent; an unknown peer may be present."""
        ...

    def around(self, place: int, count: int) -> tuple[Sequence[Peer], Sequence[Peer]]:
        """Return up to ``count`` peers before and after a place on the circle of identifiers.

        The nearest come first; a peer at the place itself is left out.
        """
        ...


def around_among(
    place: int, count: int, peers: Iterable[Peer]
) -> tuple[Sequence[Peer], Sequence[Peer]]:
    """Return the peers next before and after a place on the circle of identifiers."""
    placed = [
        (clockwise(place, identifier), peer)
        for peer in peers
        if (identifier := identifier_of_node(peer)) != place
    ]
    placed.sort(key=lambda one: one[0])
    ordered = [peer for _, peer in placed]
    return ordered[::-1][:count], ordered[:count]


def order_of(peer: Peer) -> tuple[bool, int | str]:
    """Return the sort key of a peer: numbers before names."""
    return (isinstance(peer, str), peer)


def next_after(me: Peer, others: Iterable[Peer]) -> Peer | None:
    """Return the next peer on a ring ordered by name; None if there is no other.

    Examples
    --------
    >>> next_after(5, [1, 9, 7]), next_after(9, [1, 7]), next_after(9, [9])
    (7, 1, None)
    """
    here = order_of(me)
    ordered = sorted((order_of(peer), peer) for peer in others if peer != me)
    for place, peer in ordered:
        if place > here:
            return peer
    return ordered[0][1] if ordered else None


class KnownPeers:
    """A view as a dictionary.

    Each query takes O(n) for n peers.
    """

    def __init__(self, known: Mapping[Peer, Topics] | None = None) -> None:
        self.known: dict[Peer, Topics] = dict(known or {})
        self.version = 0

    def __contains__(self, peer: Peer) -> bool:
        """Whether a peer is known."""
        return peer in self.known

    def __len__(self) -> int:
        return len(self.known)

    def put(self, peer: Peer, topics: Topics) -> None:
        """Set the topics of a peer."""
        if self.known.get(peer) != topics:
            self.known[peer] = topics
            self.version += 1

    def remove(self, peer: Peer) -> None:
        """Remove a peer."""
        if self.known.pop(peer, None) is not None:
            self.version += 1

    def topics_of(self, peer: Peer) -> Topics | None:
        """Return the topics of a peer; None if it is unknown."""
        return self.known.get(peer)

    def most_covering(
        self, topics: Sequence[Topic], without: Collection[Peer], random: Stream | None
    ) -> Peer | None:
        """Return the peer with most of the topics; None if there is none."""
        wanted = frozenset(topics)
        best, ties = 0, []
        for peer, theirs in self.known.items():
            if peer in without:
                continue
            gain = len(wanted.intersection(theirs))
            if gain > best:
                best, ties = gain, [peer]
            elif gain == best and gain:
                ties.append(peer)
        if not ties:
            return None
        return min(ties, key=order_of) if random is None else random.choice(ties)

    def any_covering(
        self, topics: Sequence[Topic], without: Collection[Peer], random: Stream
    ) -> Peer | None:
        """Return a random peer with at least one of the topics."""
        wanted = frozenset(topics)
        found = [
            peer
            for peer, theirs in self.known.items()
            if peer not in without and not wanted.isdisjoint(theirs)
        ]
        return random.choice(found) if found else None

    def any_peer(self, without: Collection[Peer], random: Stream) -> Peer | None:
        """Return a random peer."""
        found = [peer for peer in self.known if peer not in without]
        return random.choice(found) if found else None

    def next_on(self, topic: Topic, me: Peer) -> Peer | None:
        """Return the next subscriber on the ring of a topic, ordered by name."""
        return next_after(me, (peer for peer, theirs in self.known.items() if topic in theirs))

    def count_on(self, topic: Topic) -> int:
        """Return the number of known subscribers of a topic."""
        return sum(topic in theirs for theirs in self.known.values())

    def is_gone(self, peer: Peer) -> bool:
        """Whether a peer is certainly absent: never."""
        return False

    def around(self, place: int, count: int) -> tuple[Sequence[Peer], Sequence[Peer]]:
        """Return the peers next before and after a place on the circle of identifiers."""
        return around_among(place, count, self.known)
