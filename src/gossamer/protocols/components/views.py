"""A view: other nodes and their interests, as far as a node knows them (SpiderCast §2.2).

Protocols ask a view a few questions; who answers is another matter. :class:`KnownPeers` answers
from a dictionary, plainly. The simulator has oracles that answer the same questions for all
nodes from one shared index, and the tests hold them to this one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from gossamer.protocols.components.identifiers import clockwise, identifier_of_node
from gossamer.protocols.contract import Peer, Randomness, Topic, Topics

__all__ = ["InterestView", "KnownPeers", "around_among", "next_after", "order_of"]


class InterestView(Protocol):
    """Other nodes and their interests. A node is never in its own view."""

    @property
    def version(self) -> int:
        """A number that is another one whenever an answer may be."""
        ...

    def __contains__(self, peer: Peer) -> bool:
        """Whether it knows a peer."""
        ...

    def topics_of(self, peer: Peer) -> Topics | None:
        """Return what a peer wants, None if it is not known."""
        ...

    def most_covering(
        self, topics: Sequence[Topic], without: Collection[Peer], random: Randomness
    ) -> Peer | None:
        """Return who wants most of the topics, ties broken uniformly; None if nobody wants any."""
        ...

    def any_covering(
        self, topics: Sequence[Topic], without: Collection[Peer], random: Randomness
    ) -> Peer | None:
        """Return somebody who wants at least one of the topics, all equally likely."""
        ...

    def anybody(self, without: Collection[Peer], random: Randomness) -> Peer | None:
        """Return any node, all equally likely."""
        ...

    def next_on(self, topic: Topic, me: Peer) -> Peer | None:
        """Return who follows on the ring of the topic's subscribers, ordered by name."""
        ...

    def count_on(self, topic: Topic) -> int:
        """Return how many others want a topic, as far as it can tell."""
        ...

    def is_gone(self, peer: Peer) -> bool:
        """Whether it is certain that a peer is not there; not to know a peer is no certainty."""
        ...

    def around(self, place: int, count: int) -> tuple[Sequence[Peer], Sequence[Peer]]:
        """Return who is next before and after a place on the circle of identifiers.

        So many of both, or as many as there are, the nearest first; not who is at the place.
        """
        ...


def around_among(
    place: int, count: int, peers: Iterable[Peer]
) -> tuple[Sequence[Peer], Sequence[Peer]]:
    """Return those of some peers who are next before and after a place on the circle."""
    there = [
        (clockwise(place, identifier), peer)
        for peer in peers
        if (identifier := identifier_of_node(peer)) != place
    ]
    there.sort(key=lambda one: one[0])
    ordered = [peer for _, peer in there]
    return ordered[::-1][:count], ordered[:count]


def order_of(peer: Peer) -> tuple[bool, int | str]:
    """Return what to sort peers by: numbers before names."""
    return (isinstance(peer, str), peer)


def next_after(me: Peer, others: Iterable[Peer]) -> Peer | None:
    """Return who comes next on a ring ordered by name; None if there is nobody else.

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
    """A view that is a dictionary.

    Each answer looks at every peer: O(n) for n of them.
    """

    def __init__(self, known: Mapping[Peer, Topics] | None = None) -> None:
        self.known: dict[Peer, Topics] = dict(known or {})
        self.version = 0

    def __contains__(self, peer: Peer) -> bool:
        """Whether it knows a peer."""
        return peer in self.known

    def __len__(self) -> int:
        return len(self.known)

    def put(self, peer: Peer, topics: Topics) -> None:
        """Learn what a peer wants."""
        if self.known.get(peer) != topics:
            self.known[peer] = topics
            self.version += 1

    def remove(self, peer: Peer) -> None:
        """Forget a peer."""
        if self.known.pop(peer, None) is not None:
            self.version += 1

    def topics_of(self, peer: Peer) -> Topics | None:
        """Return what a peer wants, None if it is not known."""
        return self.known.get(peer)

    def most_covering(
        self, topics: Sequence[Topic], without: Collection[Peer], random: Randomness
    ) -> Peer | None:
        """Return who wants most of the topics, ties broken uniformly; None if nobody wants any."""
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
        return random.choice(ties) if ties else None

    def any_covering(
        self, topics: Sequence[Topic], without: Collection[Peer], random: Randomness
    ) -> Peer | None:
        """Return somebody who wants at least one of the topics, all equally likely."""
        wanted = frozenset(topics)
        found = [
            peer
            for peer, theirs in self.known.items()
            if peer not in without and not wanted.isdisjoint(theirs)
        ]
        return random.choice(found) if found else None

    def anybody(self, without: Collection[Peer], random: Randomness) -> Peer | None:
        """Return any node, all equally likely."""
        found = [peer for peer in self.known if peer not in without]
        return random.choice(found) if found else None

    def next_on(self, topic: Topic, me: Peer) -> Peer | None:
        """Return who follows on the ring of the topic's subscribers, ordered by name."""
        return next_after(me, (peer for peer, theirs in self.known.items() if topic in theirs))

    def count_on(self, topic: Topic) -> int:
        """Return how many of the known want a topic."""
        return sum(topic in theirs for theirs in self.known.values())

    def is_gone(self, peer: Peer) -> bool:
        """Whether it is certain that a peer is not there: never."""
        return False

    def around(self, place: int, count: int) -> tuple[Sequence[Peer], Sequence[Peer]]:
        """Return who is next before and after a place on the circle of identifiers."""
        return around_among(place, count, self.known)
