"""A neighbour maintenance task: the data structure of Figure 1, kept for one set of neighbours.

It has one of two aims: K-coverage of the node's topics (SpiderCast), or a quota of links regardless
of coverage (the similarity and random overlays of §3.9.1, "SpiderCast's code … with the exception
of replacing the functions for choosing neighbors"). A task sends no messages.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from copy import copy
from typing import Literal

from gossamer.protocols.components.views import InterestView
from gossamer.protocols.contract import Peer, Topic, Topics
from gossamer.protocols.spidercast.policy import cover_lost, max_neighbours, uncovered_topics
from gossamer.random_stream import Stream

Ties = Literal["random", "first"]


class TaskNeighbour:
    """State of a neighbour: ⟨id, degree, target, interest⟩ (Figure 1)."""

    __slots__ = ("asked", "degree", "shared", "target", "topics")

    def __init__(self, degree: int, target: int, topics: Topics, shared: tuple[Topic, ...]) -> None:
        self.degree = degree
        self.target = target
        self.topics = topics
        self.shared = shared
        self.asked = False
        """Whether it was asked to disconnect."""

    def update(self, degree: int, target: int) -> bool:
        """Set degree and target; return whether they changed."""
        if degree == self.degree and target == self.target:
            return False
        self.degree, self.target = degree, target
        return True


class CoverageAim:
    """Coverage of every topic of the node by K neighbours (§2.1).

    Among peers that cover equally many topics, a greedy aim chooses at random, or the first.
    """

    def __init__(self, k: int, *, greedy: bool, ties: Ties = "random") -> None:
        self.k = k
        self.greedy = greedy
        self.ties = ties
        self.most = 0
        self.missing = 0
        self._covers: dict[Topic, int] = {}

    @property
    def enabled(self) -> bool:
        """Whether the task is run: "as long as K > 0" (§2.3.1)."""
        return self.k > 0

    @property
    def topics(self) -> Topics:
        """Topics of the node."""
        return tuple(self._covers)

    def is_under_covered(self, subscribers: Callable[[Topic], int]) -> bool:
        """Whether a topic has fewer than K neighbours and fewer than its other subscribers."""
        return any(
            count < self.k and count < subscribers(topic) - 1
            for topic, count in self._covers.items()
        )

    def set_topics(self, topics: Topics) -> None:
        """Reset the aim for these topics, without neighbours."""
        self._covers = dict.fromkeys(topics, 0)
        self.set_k(self.k)

    def set_k(self, k: int) -> None:
        """Change K."""
        self.k = k
        self.most = max_neighbours(k, len(self._covers))
        self.missing = sum(count < k for count in self._covers.values())

    def shared_with(self, topics: Topics) -> tuple[Topic, ...]:
        """Return the common topics."""
        covers = self._covers
        return tuple([topic for topic in topics if topic in covers])

    def add(self, shared: tuple[Topic, ...]) -> None:
        """Add a neighbour."""
        covers, k = self._covers, self.k
        for topic in shared:
            covers[topic] += 1
            if covers[topic] == k:
                self.missing -= 1

    def remove(self, shared: tuple[Topic, ...]) -> None:
        """Remove a neighbour."""
        covers, k = self._covers, self.k
        for topic in shared:
            if covers[topic] == k:
                self.missing += 1
            covers[topic] -= 1

    def lost_without(self, shared: tuple[Topic, ...]) -> int:
        """Return how many more topics would be uncovered without a neighbour."""
        return cover_lost(shared, self._covers, self.k)

    def choose(self, view: InterestView, without: Collection[Peer], random: Stream) -> Peer | None:
        """Return the next peer to connect to (Figure 5)."""
        wanted = uncovered_topics(list(self._covers), self._covers, self.k)
        if self.greedy:
            return view.most_covering(wanted, without, None if self.ties == "first" else random)
        return view.any_covering(wanted, without, random)


class LinkQuota:
    """A quota of links, to the most similar or to random peers (§3.9.1).

    ``L^max`` is the quota, so links beyond it are disconnected.
    """

    def __init__(self, links: int, *, alike: bool) -> None:
        self.most = links
        self.alike = alike
        self._count = 0
        self.topics: Topics = ()

    @property
    def enabled(self) -> bool:
        """Whether the task is run."""
        return self.most > 0

    @property
    def missing(self) -> int:
        """Number of missing links."""
        return max(0, self.most - self._count)

    def is_under_covered(self, subscribers: Callable[[Topic], int]) -> bool:
        """Return False: a quota is regardless of coverage."""
        return False

    def set_topics(self, topics: Topics) -> None:
        """Reset the aim for these topics, without neighbours."""
        self.topics = topics
        self._count = 0

    def shared_with(self, topics: Topics) -> tuple[Topic, ...]:
        """Return no topics: all neighbours count equally."""
        return ()

    def add(self, shared: tuple[Topic, ...]) -> None:
        """Add a neighbour."""
        self._count += 1

    def remove(self, shared: tuple[Topic, ...]) -> None:
        """Remove a neighbour."""
        self._count -= 1

    def lost_without(self, shared: tuple[Topic, ...]) -> int:
        """Return 1 if a link would be missing without a neighbour, 0 if the quota is exceeded."""
        return int(self._count <= self.most)

    def choose(self, view: InterestView, without: Collection[Peer], random: Stream) -> Peer | None:
        """Return the next peer to connect to: the most similar, or a random one."""
        alike = view.most_covering(self.topics, without, random) if self.alike else None
        return alike if alike is not None else view.any_peer(without, random)


Aim = CoverageAim | LinkQuota
"""Aim of a task, over the task's own set of neighbours."""


class Task:
    """One set of neighbours, its aim, and the variables of Figure 1.

    Attributes
    ----------
    aim
        Aim of the task, and L^max (``aim.most``).
    margin
        Neighbours accepted beyond L^max.
    neighbours
        States by peer, in the order of addition.
    target
        L, "the (adaptive) target number of neighbors".
    redirects
        ``connect_cand_from_redirect``, oldest first.
    requests
        Peers in quarantine: those that a CONNECT was sent to, with its time, oldest first.
    pending
        Peers of these that have not answered.
    """

    __slots__ = (
        "aim",
        "margin",
        "neighbours",
        "number",
        "pending",
        "redirects",
        "requests",
        "target",
    )

    def __init__(self, number: int, aim: Aim, margin: int) -> None:
        self.number = number
        self.aim = aim
        self.margin = margin
        self.neighbours: dict[Peer, TaskNeighbour] = {}
        self.redirects: dict[Peer, None] = {}
        self.requests: dict[Peer, int] = {}
        self.pending: dict[Peer, None] = {}
        self.target = 0

    def check_invariants(self) -> None:
        """Raise AssertionError if the counts are not those of the neighbours."""
        assert self.pending.keys() <= self.requests.keys()
        recounted = copy(self.aim)
        recounted.set_topics(self.aim.topics)
        for neighbour in self.neighbours.values():
            assert neighbour.shared == recounted.shared_with(neighbour.topics)
            recounted.add(neighbour.shared)
        assert recounted.missing == self.aim.missing, "coverage was counted wrongly"

    def set_topics(self, topics: Topics) -> None:
        """Reset the aim for another interest; the neighbours stay."""
        self.aim.set_topics(topics)
        self.target = self.aim.most
        for neighbour in self.neighbours.values():
            neighbour.shared = self.aim.shared_with(neighbour.topics)
            self.aim.add(neighbour.shared)

    def add(self, peer: Peer, degree: int, target: int, topics: Topics) -> None:
        """Add a neighbour, or update the state of a present one."""
        known = self.neighbours.get(peer)
        if known is not None:
            known.update(degree, target)
            self.update_topics(peer, topics)
            return
        shared = self.aim.shared_with(topics)
        self.neighbours[peer] = TaskNeighbour(degree, target, topics, shared)
        self.aim.add(shared)
        self.redirects.pop(peer, None)

    def remove(self, peer: Peer) -> bool:
        """Remove a neighbour; return whether it was one."""
        gone = self.neighbours.pop(peer, None)
        if gone is None:
            return False
        self.aim.remove(gone.shared)
        return True

    def release(self, before: int) -> bool:
        """End the quarantine of peers asked before a time; return whether there were any."""
        gone = []
        for peer, asked in self.requests.items():
            if asked >= before:
                break
            gone.append(peer)
        for peer in gone:
            del self.requests[peer]
            self.pending.pop(peer, None)
        return bool(gone)

    def request(self, peer: Peer, now: int) -> None:
        """Record a CONNECT to a peer."""
        self.requests.pop(peer, None)
        self.requests[peer] = now
        self.pending[peer] = None

    def answered(self, peer: Peer) -> bool:
        """Record the answer of a peer; return whether it was expected."""
        if peer not in self.pending:
            return False
        del self.pending[peer]
        return True

    def next_peer(self, view: InterestView, me: Peer, random: Stream) -> Peer | None:
        """Return the next peer to connect to: from a redirect, else by the aim."""
        while self.redirects:
            peer = next(iter(self.redirects))
            del self.redirects[peer]
            if peer not in self.neighbours and peer not in self.requests:
                return peer
        without = {me, *self.neighbours, *self.requests}
        return self.aim.choose(view, without, random)

    def update_topics(self, peer: Peer, topics: Topics) -> bool:
        """Set the topics of a neighbour; return whether they changed."""
        neighbour = self.neighbours[peer]
        if topics == neighbour.topics:
            return False
        self.aim.remove(neighbour.shared)
        neighbour.topics = topics
        neighbour.shared = self.aim.shared_with(topics)
        self.aim.add(neighbour.shared)
        neighbour.asked = False
        return True
