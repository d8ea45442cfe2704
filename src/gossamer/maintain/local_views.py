"""Local views of all nodes in ElastO: the circle, neighbours of predecessors, and their backups.

With thousands of nodes, machines would take minutes per event. Instead, this module holds the local
views of all nodes, and gossip proceeds in rounds. The circle and the neighbours of predecessors are
always up to date, because machines report them at once and there is time between two events (§4.1).
A node chooses backups among the nodes that gossip has brought: its own view, that of its partner,
and a few nodes from the peer sampling service (§4.3), which are drawn uniformly here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.kernels.random import random_sample
from gossamer.kernels.repair.candidates import choose_for_newcomer
from gossamer.kernels.repair.circle import (
    insert_on_circle,
    predecessors,
    remove_from_circle,
    successors,
)
from gossamer.kernels.repair.local_views import (
    Knowledge,
    add_to_set,
    adopt_newcomer,
    backups_of,
    exchange_views,
    partner_of,
    release_backups,
    sample_of_circle,
    select_backups,
    view_of,
)
from gossamer.maintain.backups import NO_NODES, BackupSelection, Method, check_coverage
from gossamer.maintain.block_lists import BlockLists
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.protocols.components.identifiers import identifier_of_node
from gossamer.random_stream import stream_of

MAX_CONCURRENT = 16


class LocalViews:
    """Local views of all present nodes (Algorithms 3 and 6).

    Parameters
    ----------
    overlay
        State of the overlay.
    coverage
        Number of backups for each topic of a predecessor (λ).
    concurrent
        Number of successors, and of predecessors, that a node knows (L).
    method
        Method of choosing backups.
    sampled
        Number of nodes that the peer sampling service draws for an exchange or a new view.
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
        count = overlay.node_count
        self.selection = BackupSelection(method, seed=seed, count=count)
        self.exchanges = 0
        """Number of exchanges of views so far."""
        self._greedy = method == "greedy"
        self._stream = np.array([stream_of(seed, "local views").state], dtype=np.uint64)
        self._draws = np.random.default_rng(seed)
        self._identifiers = np.fromiter(
            (identifier_of_node(node) for node in range(count)), dtype=np.uint64, count=count
        )
        self._marks = np.zeros(count, dtype=np.bool_)
        present = np.flatnonzero(overlay.present)
        self._size = len(present)
        self._places = np.zeros(count, dtype=np.int32)
        by_identifier = np.argsort(self._identifiers[present], kind="stable")
        self._places[: self._size] = present[by_identifier]
        self._backups = BlockLists(np.zeros(count, dtype=np.int32))
        for node in present.tolist():
            heard = sample_of_circle(self._circle, self.sampled, self._draws)
            self._backups.assign(node, self._select(node, heard))

    # -- the circle ----------------------------------------------------------------------

    @property
    def _circle(self) -> NDArray[np.int32]:
        return self._places[: self._size]

    def successors(self, node: int) -> list[int]:
        """Return the L nodes that follow a present or absent node on the circle."""
        found = successors(node, self._identifiers, self._circle, self.concurrent)
        return [int(one) for one in found]

    def predecessors(self, node: int) -> list[int]:
        """Return the L nodes before a node on the circle, the nearest first."""
        found = predecessors(node, self._identifiers, self._circle, self.concurrent)
        return [int(one) for one in found]

    def coordinator(self, node: int) -> int:
        """Return the node that follows a present or absent node on the circle; -1 without one."""
        found = successors(node, self._identifiers, self._circle, 1)
        return int(found[0]) if len(found) else -1

    def enter(self, node: int) -> None:
        """Insert a node into the circle. O(nodes)."""
        self._size += 1
        insert_on_circle(node, self._identifiers, self._circle)

    def vanish(self, node: int) -> None:
        """Remove a node and its view from the circle."""
        remove_from_circle(node, self._identifiers, self._circle)
        self._size -= 1
        release_backups(self._backups.of(node), self.selection.primaries)
        self._backups.assign(node, NO_NODES)

    # -- views ---------------------------------------------------------------------------

    def view_of(self, node: int) -> NDArray[np.int32]:
        """Return the view: circle, neighbours of predecessors and their backups, ascending."""
        return view_of(node, self._knowledge())

    def backups_of(self, node: int) -> NDArray[np.int32]:
        """Return the present backups of a node that its successor has chosen, ascending."""
        return backups_of(node, self._knowledge())

    def backups_at(self, node: int) -> dict[int, list[int]]:
        """Return the backups that a node has chosen, by predecessor; some may be absent."""
        values, found, at = self._backups.of(node).tolist(), {}, 0
        while at < len(values):
            after = at + 2 + values[at + 1]
            found[values[at]] = values[at + 2 : after]
            at = after
        return found

    def primaries(self) -> NDArray[np.int64]:
        """Return the size of each node's primary set, by id."""
        return self.selection.primaries

    def gossip(self, share: float = 1.0) -> None:
        """Make a random share of the nodes exchange views, each with a node in its view."""
        count = round(share * self._size)
        if not count:
            return
        present = np.flatnonzero(self.overlay.present)
        for node in random_sample(present, count, self._stream).tolist():
            other = partner_of(node, self._knowledge(), self._stream)
            if other >= 0:
                self.exchange(node, other)

    def exchange(self, one: int, other: int) -> None:
        """Exchange the views of two nodes; both choose backups again (Algorithm 3, handleLvQS)."""
        self.exchanges += 1
        first, second = exchange_views(
            one, other, self._knowledge(), self.sampled, self.coverage, self._greedy,
            self.selection.primaries, self.selection.sequence, self._draws,
        )  # fmt: skip
        self._backups.assign(one, first)
        self._backups.assign(other, second)

    def prepare(self, node: int, topics: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
        """Return backups that cover new topics of a node, and the number of requests.

        All topics of a joining node are new. Its successor requests the views of random nodes that
        it has found, one by one, until every new topic is covered λ times, or by all other present
        subscribers of the topic (Algorithm 4, prepareLV, and the coverage factor of §6).
        """
        backups, asked = choose_for_newcomer(
            node, topics, max(self.coverage, 1), self.overlay.subscriptions.subscribers,
            self._knowledge(), self.sampled, self._greedy, self.selection.primaries,
            self.selection.sequence, self._marks, self._stream, self._draws,
        )  # fmt: skip
        self.exchanges += asked
        return backups, asked

    def adopt(self, node: int, backups: NDArray[np.int32]) -> None:
        """Store the backups of a joining node at its successor; the two exchange views."""
        coordinator = self.coordinator(node)
        if coordinator < 0:
            return
        self.exchanges += 1
        first, second = adopt_newcomer(
            node, coordinator, backups, self._knowledge(), self.sampled, self.coverage,
            self._greedy, self.selection.primaries, self.selection.sequence, self._draws,
        )  # fmt: skip
        self._backups.assign(node, first)
        self._backups.assign(coordinator, second)

    def add_backups(self, node: int, backups: NDArray[np.int32]) -> None:
        """Store further backups of a node at its successor."""
        coordinator = self.coordinator(node)
        if coordinator >= 0:
            sets = add_to_set(
                node, coordinator, backups, self._knowledge(), self.selection.primaries
            )
            self._backups.assign(coordinator, sets)

    def _select(self, node: int, heard: NDArray[np.int32]) -> NDArray[np.int32]:
        return select_backups(
            node, heard, self._knowledge(), self.coverage, self._greedy,
            self.selection.primaries, self.selection.sequence,
        )  # fmt: skip

    def _knowledge(self) -> Knowledge:
        return Knowledge(
            self._identifiers,
            self._circle,
            self.overlay.adjacency,
            self.overlay.subscriptions.topics,
            self._backups.blocks,
            self.overlay.present,
            self.concurrent,
            self.overlay.scratch.topics,
        )
