"""What every node knows in ElastO: the circle, its predecessors' neighbours, and their backups.

Where machines would take minutes for each event of thousands, this has all nodes' local views in
one place, and gossip goes round by round. The circle and the neighbours of predecessors are taken
to be known as they are: between two events there is time to tell them (§4.1), and machines do that
at once. What a node has to choose backups from is what it heard by gossip: its own view, that of
whom it exchanges views with, and a few others by the peer sampling underneath (§4.3), which draws
uniformly here.
"""

from __future__ import annotations

import bisect

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.maintain.backups import Cover, Method, check_coverage
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.protocols.components.identifiers import identifier_of_node
from gossamer.random_stream import Stream, stream_of

__all__ = ["LocalViews"]

NOBODY = np.empty(0, dtype=np.int32)
MAX_CONCURRENT = 16


class LocalViews:
    """Local views of all who are there (Algorithms 3 and 6).

    Parameters
    ----------
    overlay
        The overlay.
    coverage
        λ: how often backups cover each topic of a predecessor.
    concurrent
        The paper's L: how many successors and predecessors a node knows.
    method
        How backups are chosen.
    sampled
        How many others the peer sampling gives with each exchange, and when a node begins.
    seed
        Settles random choices.
    """

    def __init__(
        self,
        overlay: DynamicOverlay,
        *,
        coverage: int,
        concurrent: int,
        method: Method,
        sampled: int = 20,
        seed: int,
    ) -> None:
        check_coverage(coverage)
        if not 1 <= concurrent <= MAX_CONCURRENT:
            raise ParameterError(f"concurrent is {concurrent}; expected 1 to {MAX_CONCURRENT}")
        self.overlay = overlay
        self.coverage = coverage
        self.concurrent = concurrent
        self.sampled = sampled
        self.cover = Cover(method, seed=seed)
        self.exchanges = 0
        """How many times two nodes have exchanged views."""
        self._random: Stream = stream_of(seed, "local views")
        self._draws = np.random.default_rng(seed)
        count = overlay.interests.node_count
        self._identifiers = [identifier_of_node(node) for node in range(count)]
        self._known = np.zeros(count, dtype=np.bool_)
        here = np.flatnonzero(overlay.present).tolist()
        self._circle = sorted((self._identifiers[node], node) for node in here)
        self._backups: dict[int, dict[int, NDArray[np.int32]]] = {node: {} for node in here}
        for node in here:
            self._select(node, self._some())

    # -- the circle ----------------------------------------------------------------------

    def successors(self, node: int) -> list[int]:
        """Return the L nodes after a node's place on the circle, whether it is there or not."""
        at = bisect.bisect_right(self._circle, (self._identifiers[node], node))
        return self._along(node, range(at, at + self.concurrent))

    def predecessors(self, node: int) -> list[int]:
        """Return the L nodes before a node, the nearest first."""
        at = bisect.bisect_left(self._circle, (self._identifiers[node], node))
        return self._along(node, range(at - 1, at - 1 - self.concurrent, -1))

    def _along(self, node: int, places: range) -> list[int]:
        size = len(self._circle)
        found = dict.fromkeys(self._circle[place % size][1] for place in places) if size else {}
        found.pop(node, None)
        return list(found)

    def enter(self, node: int) -> None:
        """Put a node on the circle. O(nodes), as an array moves."""
        bisect.insort(self._circle, (self._identifiers[node], node))
        self._backups[node] = {}

    def vanish(self, node: int) -> None:
        """Take a node from the circle, with all that it knew."""
        at = bisect.bisect_left(self._circle, (self._identifiers[node], node))
        del self._circle[at]
        for backups in self._backups.pop(node).values():
            self.cover.release(backups)

    # -- what nodes know -----------------------------------------------------------------

    def view_of(self, node: int) -> NDArray[np.int32]:
        """Return a node's local view: the circle, predecessors' neighbours, backups; ascending."""
        near = [node, *self.successors(node), *self.predecessors(node)]
        neighbours = [self.overlay.neighbours_of(one) for one in self.predecessors(node)]
        backups = list(self._backups[node].values())
        whole = np.concatenate([np.array(near, dtype=np.int32), *neighbours, *backups])
        found = np.unique(whole)
        here: NDArray[np.int32] = found[self.overlay.present[found]]
        return here

    def backups_of(self, node: int) -> NDArray[np.int32]:
        """Return the backups for a node that its successor has now, those who are there."""
        coordinator = self.successors(node)[:1]
        if not coordinator:
            return NOBODY
        found = self._backups[coordinator[0]].get(node, NOBODY)
        here: NDArray[np.int32] = found[self.overlay.present[found]]
        return here

    def primaries(self) -> NDArray[np.int64]:
        """Return how many each node backs up, by its place in the ids."""
        return self.cover.primaries

    def gossip(self, share: float = 1.0) -> None:
        """Let a share of the nodes, chosen at random, exchange views with one that they know."""
        nodes = sorted(self._backups)
        wanted = round(share * len(nodes))
        for node in self._random.sample(nodes, wanted):
            others = self._others(node)
            if len(others):
                self.exchange(node, int(others[self._random.randbelow(len(others))]))

    def exchange(self, one: int, other: int) -> None:
        """Let two nodes exchange views, and choose anew from both (Algorithm 3, handleLvQS)."""
        buffer = np.union1d(self.view_of(one), self.view_of(other))
        self.exchanges += 1
        self._select(one, np.concatenate((buffer, self._some())))
        self._select(other, np.concatenate((buffer, self._some())))

    def prepare(self, node: int, *, most: int = 10_000) -> tuple[NDArray[np.int32], int]:
        """Return backups for a newcomer that cover all its topics, and the exchanges it took.

        Its successor asks one after the other whom it knows of, those first who were heard of
        last, until every topic is covered that anybody wants (Algorithm 4, prepareLV).
        """
        coordinator = self.successors(node)[:1]
        if not coordinator:
            return NOBODY, 0
        topics = self.overlay.interests.topics_of(node)
        lacking = {
            topic
            for topic in topics.tolist()
            if self.overlay.present[self.overlay.interests.subscribers_of(topic)].sum() > 1
        }
        known = (*self.view_of(coordinator[0]).tolist(), *self._some().tolist())
        buffer = dict.fromkeys(known)
        waiting, asked = [one for one in buffer if one != node], 0
        covered = self._wanted_by(waiting)
        while not lacking <= covered and waiting and asked < most:
            one = waiting.pop(self._random.randbelow(len(waiting)))
            asked += 1
            heard = (*self.view_of(one).tolist(), *self._some().tolist())
            fresh = list(dict.fromkeys(other for other in heard if other not in buffer))
            buffer.update(dict.fromkeys(fresh))
            waiting += fresh
            covered |= self._wanted_by(fresh)
        self.exchanges += asked
        factor = max(self.coverage, 1)
        return self._choose(node, np.array(list(buffer), dtype=np.int32), factor), asked

    def adopt(self, node: int, backups: NDArray[np.int32]) -> None:
        """Let a newcomer's successor keep its backups, and the newcomer begin by gossip."""
        coordinator = self.successors(node)[:1]
        if coordinator:
            kept = self._backups[coordinator[0]]
            self.cover.release(kept.get(node, NOBODY))  # of its last stay
            kept[node] = backups
            self.exchange(node, coordinator[0])

    def _wanted_by(self, nodes: list[int]) -> set[int]:
        interests = self.overlay.interests
        return {topic for node in nodes for topic in interests.topics_of(node).tolist()}

    def _others(self, node: int) -> NDArray[np.int32]:
        view = self.view_of(node)
        others: NDArray[np.int32] = view[view != node]
        return others

    def _some(self) -> NDArray[np.int32]:
        places = self._draws.integers(0, len(self._circle), self.sampled).tolist()
        return np.array([self._circle[place][1] for place in places], dtype=np.int32)

    def _select(self, node: int, buffer: NDArray[np.int32]) -> None:
        """Choose backups for each predecessor from what is known (Algorithm 6, selectLV)."""
        old = self._backups[node]
        for backups in old.values():
            self.cover.release(backups)
        self._backups[node] = {
            one: self._choose(one, buffer, self.coverage) for one in self.predecessors(node)
        }

    def _choose(self, node: int, buffer: NDArray[np.int32], factor: int) -> NDArray[np.int32]:
        buffer = buffer[self.overlay.present[buffer]]
        self._known[buffer] = True
        found = self.cover.choose(self.overlay, node, self._known, factor)
        self._known[buffer] = False
        return np.sort(found)
