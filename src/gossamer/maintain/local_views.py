"""Local views of all nodes in ElastO: the circle, neighbours of predecessors, and their backups.

Machines would take minutes per event of thousands of nodes; this module holds all local views in
one place, and gossip proceeds in rounds. The circle and the neighbours of predecessors are always
up to date, as machines report them at once and there is time between two events (§4.1). A node
chooses backups from what gossip brought it: its own view, the view of its partner, and a few others
from the peer sampling service underneath (§4.3), which draws uniformly here.
"""

from __future__ import annotations

import bisect

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.kernels.repair.local_views import count_lacking, cover, distinct_present
from gossamer.maintain.backups import NO_NODES, BackupSelection, Method, check_coverage
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.protocols.components.identifiers import identifier_of_node
from gossamer.random_stream import Stream, stream_of

MAX_CONCURRENT = 16
MAX_QUESTIONS = 10_000


class LocalViews:
    """Local views of all present nodes (Algorithms 3 and 6).

    Parameters
    ----------
    overlay
        State of the overlay.
    coverage
        Number of backups per topic of a predecessor: λ.
    concurrent
        Number of successors and of predecessors that a node knows: the paper's L.
    method
        Method of choosing backups.
    sampled
        Number of nodes from the peer sampling service, for each exchange and for a new view.
    seed
        Seed of the random number generator.
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
        self.selection = BackupSelection(method, seed=seed)
        self.exchanges = 0
        """Number of exchanges of views so far."""
        self._random: Stream = stream_of(seed, "local views")
        self._draws = np.random.default_rng(seed)
        count = overlay.node_count
        self._identifiers = [identifier_of_node(node) for node in range(count)]
        self._known = np.zeros(count, dtype=np.bool_)
        present = np.flatnonzero(overlay.present).tolist()
        self._circle = sorted((self._identifiers[node], node) for node in present)
        self._backups: dict[int, dict[int, NDArray[np.int32]]] = {node: {} for node in present}
        for node in present:
            self._select(node, self._sample())

    # -- the circle ----------------------------------------------------------------------

    def successors(self, node: int) -> list[int]:
        """Return the L nodes after the position of a node on the circle; it may be absent."""
        at = bisect.bisect_right(self._circle, (self._identifiers[node], node))
        return self._along(node, range(at, at + self.concurrent))

    def predecessors(self, node: int) -> list[int]:
        """Return the L nodes before a node on the circle, the nearest first."""
        at = bisect.bisect_left(self._circle, (self._identifiers[node], node))
        return self._along(node, range(at - 1, at - 1 - self.concurrent, -1))

    def _along(self, node: int, places: range) -> list[int]:
        size = len(self._circle)
        found = dict.fromkeys(self._circle[place % size][1] for place in places) if size else {}
        found.pop(node, None)
        return list(found)

    def enter(self, node: int) -> None:
        """Insert a node into the circle. O(nodes)."""
        bisect.insort(self._circle, (self._identifiers[node], node))
        self._backups[node] = {}

    def vanish(self, node: int) -> None:
        """Remove a node and its view from the circle."""
        at = bisect.bisect_left(self._circle, (self._identifiers[node], node))
        del self._circle[at]
        for backups in self._backups.pop(node).values():
            self.selection.release(backups)

    # -- views ---------------------------------------------------------------------------

    def view_of(self, node: int) -> NDArray[np.int32]:
        """Return the view: circle, neighbours of predecessors and their backups, ascending."""
        predecessors = self.predecessors(node)
        near = np.array([node, *self.successors(node), *predecessors], dtype=np.int32)
        neighbours = [self.overlay.linked_to(one) for one in predecessors]
        whole = np.concatenate((near, *neighbours, *self._backups[node].values()))
        return distinct_present(whole, self.overlay.present)

    def backups_of(self, node: int) -> NDArray[np.int32]:
        """Return the present backups of a node that its successor has chosen."""
        coordinator = self.successors(node)[:1]
        if not coordinator:
            return NO_NODES
        found = self._backups[coordinator[0]].get(node, NO_NODES)
        present: NDArray[np.int32] = found[self.overlay.present[found]]
        return present

    def primaries(self) -> NDArray[np.int64]:
        """Return the number of primaries of each node, by id."""
        return self.selection.primaries

    def gossip(self, share: float = 1.0) -> None:
        """Make a random share of the nodes exchange views, each with a node in its view."""
        nodes = sorted(self._backups)
        for node in self._random.sample(nodes, round(share * len(nodes))):
            others = self._others(node)
            if len(others):
                self.exchange(node, int(others[self._random.randbelow(len(others))]))

    def exchange(self, one: int, other: int) -> None:
        """Exchange the views of two nodes; both choose backups again (Algorithm 3, handleLvQS)."""
        buffer = np.concatenate((self.view_of(one), self.view_of(other)))
        self.exchanges += 1
        self._select(one, np.concatenate((buffer, self._sample())))
        self._select(other, np.concatenate((buffer, self._sample())))

    def prepare(self, node: int, topics: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
        """Return backups that cover new topics of a node, and the number of questions.

        All topics are new for a joining node. Its successor asks random nodes that it knows of for
        their views, one by one, until every new topic is covered λ times, or by all its other
        present subscribers (Algorithm 4, prepareLV, and the coverage factor of §6).
        """
        coordinator = self.successors(node)[:1]
        if not coordinator:
            return NO_NODES, 0
        factor, present = max(self.coverage, 1), self.overlay.present
        subscriptions = self.overlay.subscriptions
        lacking = count_lacking(topics, subscriptions.subscribers, present, factor)
        known = (*self.view_of(coordinator[0]).tolist(), *self._sample().tolist())
        buffer = dict.fromkeys(known)
        fresh = waiting = [one for one in buffer if one != node]
        asked = 0
        while True:
            nodes = np.array(fresh, dtype=np.int32)
            if not cover(nodes, topics, subscriptions.topics, present, lacking):
                break
            if not waiting or asked >= MAX_QUESTIONS:
                break
            one = waiting.pop(self._random.randbelow(len(waiting)))
            asked += 1
            answer = (*self.view_of(one).tolist(), *self._sample().tolist())
            fresh = list(dict.fromkeys(other for other in answer if other not in buffer))
            buffer.update(dict.fromkeys(fresh))
            waiting += fresh
        self.exchanges += asked
        whole = np.array(list(buffer), dtype=np.int32)
        return self._choose(node, whole, factor, topics), asked

    def adopt(self, node: int, backups: NDArray[np.int32]) -> None:
        """Store the backups of a joining node at its successor; the two exchange views."""
        coordinator = self.successors(node)[:1]
        if coordinator:
            kept = self._backups[coordinator[0]]
            self.selection.release(kept.get(node, NO_NODES))  # from an earlier session
            kept[node] = backups
            self.exchange(node, coordinator[0])

    def add_backups(self, node: int, backups: NDArray[np.int32]) -> None:
        """Store further backups of a node at its successor."""
        coordinator = self.successors(node)[:1]
        if coordinator:
            kept = self._backups[coordinator[0]]
            old = kept.get(node, NO_NODES)
            self.selection.release(np.intersect1d(old, backups))  # counted twice
            kept[node] = np.union1d(old, backups).astype(np.int32)

    def _others(self, node: int) -> NDArray[np.int32]:
        view = self.view_of(node)
        others: NDArray[np.int32] = view[view != node]
        return others

    def _sample(self) -> NDArray[np.int32]:
        places = self._draws.integers(0, len(self._circle), self.sampled).tolist()
        return np.array([self._circle[place][1] for place in places], dtype=np.int32)

    def _select(self, node: int, buffer: NDArray[np.int32]) -> None:
        """Choose backups of each predecessor among the known nodes (Algorithm 6, selectLV)."""
        old = self._backups[node]
        for backups in old.values():
            self.selection.release(backups)
        self._backups[node] = {
            one: self._choose(one, buffer, self.coverage) for one in self.predecessors(node)
        }

    def _choose(
        self,
        node: int,
        buffer: NDArray[np.int32],
        factor: int,
        topics: NDArray[np.int32] | None = None,
    ) -> NDArray[np.int32]:
        buffer = buffer[self.overlay.present[buffer]]
        self._known[buffer] = True
        found = self.selection.choose(self.overlay, node, self._known, factor, topics=topics)
        self._known[buffer] = False
        return np.sort(found)
