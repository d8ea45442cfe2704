"""MemberServ (§4.3, §6): the identifier circle, and backups of predecessors.

A node knows other nodes by descriptors with times. The nearest known nodes in both directions are
its successors and predecessors. For each predecessor it keeps the neighbours, and backups that
cover the topics. Backups are chosen for a new predecessor and replaced when they are lost; they are
not exchanged for better ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Literal

import msgspec

from gossamer.protocols.components.identifiers import clockwise, identifier_of_node
from gossamer.protocols.contract import Peer, Topic, Topics
from gossamer.protocols.elasto.messages import NodeDescriptor
from gossamer.protocols.elasto.policy import (
    backups_greedy,
    backups_primal_dual,
    missing_coverage,
    nearest,
)
from gossamer.random_stream import Stream

BackupsName = Literal["primal-dual", "greedy"]
MAX_GONE = 512
MAX_OTHERS = 64
"""Maximum number of descriptors without a role."""

Candidates = Callable[[dict[Topic, int], Collection[Peer]], Mapping[Peer, Topics]]
"""Function of missing coverage and known peers that returns candidates with their topics."""


class LocalView:
    """Local view of a node (``v.L`` of Algorithm 3).

    Parameters
    ----------
    me, random
        Identifier and random stream of the node.
    concurrent
        L: number of successors and of predecessors.
    coverage, backups
        λ, and the method to choose backups.
    max_age
        Maximum age of a descriptor, in microseconds.
    """

    def __init__(
        self,
        me: Peer,
        random: Stream,
        *,
        concurrent: int,
        coverage: int,
        backups: BackupsName,
        max_age: int,
    ) -> None:
        self.me = me
        self.known: dict[Peer, NodeDescriptor] = {}
        self.said: dict[Peer, int] = {}
        self.met: dict[Peer, None] = {}
        """Known peers that have sent a message themselves."""
        self.succ: list[Peer] = []
        self.pred: list[Peer] = []
        self.pneighb: dict[Peer, tuple[NodeDescriptor, ...]] = {}
        """Neighbours of predecessors, also of some recent ones."""
        self.pversions: dict[Peer, int] = {}
        """Versions of these predecessors."""
        self.backups: dict[Peer, dict[Peer, None]] = {}
        self.gone: dict[Peer, int] = {}
        """Times before which descriptors of failed peers are rejected."""
        self.neighbours_gone: dict[Peer, tuple[Peer, ...]] = {}
        """Neighbours of recently failed peers."""
        self.left: dict[Peer, int] = {}
        """Last versions of peers that left."""
        self.stale = True
        """Whether backups have to be checked."""
        self._random = random
        self._concurrent = concurrent
        self._coverage = coverage
        self._method = backups
        self._max_age = max_age
        self._here = identifier_of_node(me)

    def check_invariants(self) -> None:
        """Raise AssertionError if the state contradicts itself."""
        assert self.known.keys() == self.said.keys()
        assert self.met.keys() <= self.known.keys()
        assert self.me not in self.known
        assert (self.pred, self.succ) == nearest(self.me, self.known, self._concurrent)

    # -- descriptors -----------------------------------------------------------------------

    def take(self, node: NodeDescriptor, now: int) -> bool:
        """Merge a descriptor; return whether it is new."""
        peer = node.peer
        if peer == self.me:
            return False
        said = now - node.age * 1000
        if said <= self.gone.get(peer, -1) or said < now - self._max_age:
            return False
        if node.version <= self.left.get(peer, -1):
            return False
        known = self.known.get(peer)
        if known is None:
            self.known[peer] = node
            self.said[peer] = said
            self._consider(peer)
            return True
        if node.version > known.version:
            if node.topics != known.topics and (peer in self.backups or self._is_backup(peer)):
                self.stale = True
            self.known[peer] = node
            self.said[peer] = max(said, self.said[peer])
            return True
        if node.version == known.version and said > self.said[peer]:
            self.said[peer] = said
            self.known[peer] = node
        return False

    def hear(self, peer: Peer, version: int, now: int) -> bool:
        """Note a sign of life; return whether that version of the peer is known."""
        known = self.known.get(peer)
        if known is None or known.version != version:
            return False
        self.said[peer] = now
        self.met[peer] = None
        return True

    def heard_since(self, peer: Peer, incarnation: int, since: int) -> bool:
        """Whether an incarnation that has sent messages has a descriptor from after a time."""
        known = self.known.get(peer)
        if known is None or known.incarnation != incarnation or peer not in self.met:
            return False
        return self.said[peer] > since

    def meet(self, node: NodeDescriptor, now: int) -> bool:
        """Merge a descriptor from the node itself."""
        news = self.take(node, now)
        if node.peer in self.known:
            self.met[node.peer] = None
        return news

    def drop(self, peer: Peer, now: int) -> None:
        """Remove a failed peer, and reject its earlier descriptors."""
        self.neighbours_gone[peer] = self.known[peer].neighbours if peer in self.known else ()
        if len(self.neighbours_gone) > MAX_OTHERS:
            del self.neighbours_gone[next(iter(self.neighbours_gone))]
        self.gone.pop(peer, None)
        self.gone[peer] = now
        _shorten(self.gone, MAX_GONE)
        self._remove(peer)

    def record_leave(self, node: NodeDescriptor) -> None:
        """Remove a peer that left gracefully."""
        self.left.pop(node.peer, None)
        self.left[node.peer] = node.version
        _shorten(self.left, MAX_GONE)
        self._remove(node.peer)

    def _remove(self, peer: Peer) -> None:
        if self.known.pop(peer, None) is None:
            return
        del self.said[peer]
        self.met.pop(peer, None)
        if self._is_backup(peer):
            self.stale = True
        if peer in self.succ or peer in self.pred:
            self.succ, self.pred = [], []
            for other in self.known:
                self._consider(other)
            self.stale = True

    def _is_backup(self, peer: Peer) -> bool:
        return any(peer in chosen for chosen in self.backups.values())

    def describe(self, peer: Peer, now: int) -> NodeDescriptor:
        """Return the descriptor of a peer, with its age."""
        age = max(0, now - self.said[peer]) // 1000
        return msgspec.structs.replace(self.known[peer], age=age)

    def note_neighbours(
        self, node: NodeDescriptor, neighbours: tuple[NodeDescriptor, ...], now: int
    ) -> None:
        """Store the neighbours of a predecessor (Algorithm 6, line 11)."""
        if node.peer in self.pred and node.version >= self.pversions.get(node.peer, -1):
            self.pneighb.pop(node.peer, None)
            self.pneighb[node.peer] = neighbours
            self.pversions[node.peer] = node.version
            for one in neighbours:
                self.take(one, now)

    def neighbours_of(self, peer: Peer) -> tuple[Peer, ...]:
        """Return the neighbours of a peer, also of a recently failed one."""
        known = self.known.get(peer)
        if known is not None:
            return known.neighbours
        return self.neighbours_gone.get(peer, ())

    # -- the circle (Algorithm 6, lines 1-3) --------------------------------------------------

    def _consider(self, peer: Peer) -> None:
        place = identifier_of_node(peer)
        self._put(self.succ, peer, clockwise(self._here, place), upward=True)
        self._put(self.pred, peer, clockwise(place, self._here), upward=False)

    def _put(self, ring: list[Peer], peer: Peer, distance: int, *, upward: bool) -> None:
        if len(ring) >= self._concurrent and self._distance(ring[-1], upward) <= distance:
            return
        if peer in ring:
            return
        at = len(ring)
        while at and self._distance(ring[at - 1], upward) > distance:
            at -= 1
        ring.insert(at, peer)
        del ring[self._concurrent :]
        self.stale = True

    def _distance(self, peer: Peer, upward: bool) -> int:
        place = identifier_of_node(peer)
        return clockwise(self._here, place) if upward else clockwise(place, self._here)

    def wants_in_ring(self, peer: Peer) -> bool:
        """Whether an unknown peer would be among the nearest."""
        if peer == self.me or peer in self.known:
            return False
        for ring, upward in ((self.succ, True), (self.pred, False)):
            if len(ring) < self._concurrent:
                return True
            if self._distance(peer, upward) < self._distance(ring[-1], upward):
                return True
        return False

    def ring_peers(self) -> dict[Peer, None]:
        """Return successors and predecessors."""
        return dict.fromkeys((*self.succ, *self.pred))

    # -- backups (Algorithm 6, line 4) ----------------------------------------------------------

    def choose_backups(
        self,
        churned: Peer,
        topics: Topics,
        kept: Iterable[Peer],
        more: Candidates,
        gone: Callable[[Peer], bool],
    ) -> dict[Peer, None]:
        """Return backups for a node: present ones of ``kept``, and others as needed."""
        wanted = frozenset(topics)
        chosen: dict[Peer, None] = {}
        for peer in kept:
            node = self.known.get(peer)
            if node is None or peer == churned or gone(peer):
                continue
            if not wanted.isdisjoint(node.topics):
                chosen[peer] = None
        missing = missing_coverage(
            dict.fromkeys(topics, self._coverage), (self.known[peer].topics for peer in chosen)
        )
        if not missing:
            return chosen
        found: dict[Peer, Topics] = {
            peer: node.topics
            for peer, node in self.known.items()
            if peer not in chosen and peer != churned and not gone(peer)
        }
        for peer, theirs in more(
            missing_coverage(missing, found.values()), (*found, *chosen)
        ).items():
            if peer not in chosen and peer != churned and peer != self.me:
                found.setdefault(peer, theirs)
        if self._method == "greedy":
            picked = backups_greedy(missing, found)
        else:
            weights = {peer: node.primaries for peer, node in self.known.items()}
            picked = backups_primal_dual(missing, found, weights, self._random)
        for peer in picked:
            if peer not in self.known:
                self.known[peer] = NodeDescriptor(peer, 0, 0, found[peer])
                self.said[peer] = 0
                self._consider(peer)
            chosen[peer] = None
        return chosen

    def select(self, more: Candidates, gone: Callable[[Peer], bool]) -> dict[Peer, int]:
        """Choose backups for each predecessor; return the peers whose number of roles changed.

        Algorithm 6, lines 1 and 4.
        """
        before = self._served()
        self.stale = False
        kept = self.backups
        chosen = {
            peer: self.choose_backups(peer, self.known[peer].topics, kept.get(peer, ()), more, gone)
            for peer in list(self.pred)
        }
        self.backups = chosen
        after = self._served()
        return {
            peer: after.get(peer, 0)
            for peer in (*after, *before)
            if after.get(peer, 0) != before.get(peer, 0)
        }

    def _served(self) -> dict[Peer, int]:
        counts: dict[Peer, int] = {}
        for chosen in self.backups.values():
            for peer in chosen:
                counts[peer] = counts.get(peer, 0) + 1
        return counts

    def backup_count(self, peer: Peer) -> int:
        """Return the number of predecessors that a peer is a backup for."""
        return sum(peer in chosen for chosen in self.backups.values())

    # -- members -----------------------------------------------------------------------------

    def members(self) -> dict[Peer, None]:
        """Return the members of the view: circle, neighbours of predecessors, and backups."""
        found = self.ring_peers()
        for chosen in self.backups.values():
            found.update(chosen)
        for peer in self.pred:
            found.update((node.peer, None) for node in self.pneighb.get(peer, ()))
        return {peer: None for peer in found if peer in self.known}

    def tidy(self, linked: Collection[Peer], now: int) -> None:
        """Drop old descriptors, and the oldest ones without a role."""
        limit = now - self._max_age
        for peer in [one for one, said in self.said.items() if 0 < said < limit]:
            if peer not in linked:
                self._remove(peer)
        used = self.members()
        spare = [peer for peer in self.known if peer not in used and peer not in linked]
        if len(spare) > MAX_OTHERS:
            spare.sort(key=self.said.__getitem__)
            for peer in spare[: len(spare) - MAX_OTHERS]:
                del self.known[peer], self.said[peer]
                self.met.pop(peer, None)
        if len(self.pneighb) > 4 * self._concurrent:
            for peer in [one for one in self.pneighb if one not in self.pred]:
                if len(self.pneighb) > 2 * self._concurrent:
                    del self.pneighb[peer], self.pversions[peer]


def _shorten(listed: dict[Peer, int], most: int) -> None:
    while len(listed) > most:
        del listed[next(iter(listed))]
