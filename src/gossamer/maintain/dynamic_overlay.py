"""The state of an overlay under churn: presence, links, and components of topics."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import InputError
from gossamer.kernels.relation import relation_of
from gossamer.kernels.repair.adjacency import (
    Adjacency,
    add_neighbour,
    fill_neighbours,
    gather_neighbours,
    links_among,
    remove_neighbour,
)
from gossamer.kernels.repair.backups import label_topics
from gossamer.kernels.repair.shadows import Shadows
from gossamer.maintain.repair import shadows_of
from gossamer.model import Interests, Overlay
from gossamer.model.csr import offsets_of

SPARE = 4
"""Free places in a new block of neighbours."""


class DynamicOverlay:
    """Present nodes and their links, by id, with changes in place.

    Adding or removing a link costs O(degree), amortised; memory is O(subscriptions + links).

    Parameters
    ----------
    interests
        Topics of every node that may ever be present.
    present
        Presence of each node.
    overlay
        Links between present nodes.
    """

    def __init__(self, interests: Interests, present: NDArray[np.bool_], overlay: Overlay) -> None:
        self.interests = interests
        self.relation = relation_of(interests)
        self.present = present.copy()
        self.link_count = overlay.link_count
        if overlay.node_count != interests.node_count:
            raise InputError(
                f"the overlay has {overlay.node_count:,} nodes; expected {interests.node_count:,}, "
                "as many as the interests"
            )
        wrong = ~present[overlay.links].all(axis=1)
        if wrong.any():
            one, other = overlay.links[int(np.flatnonzero(wrong)[0])].tolist()
            names = interests.node_names
            raise InputError(
                f"{int(wrong.sum()):,} links have an absent end, as {names[one]!r} to "
                f"{names[other]!r}; expected links between present nodes"
            )
        capacities = overlay.degrees.astype(np.int32) + SPARE
        starts = offsets_of(capacities)
        self._end = int(starts[-1])
        self.adjacency = Adjacency(
            starts=starts[:-1].copy(),
            counts=np.zeros(len(capacities), dtype=np.int32),
            capacities=capacities,
            pool=np.empty(2 * self._end, dtype=np.int32),
        )
        fill_neighbours(overlay.links, self.adjacency)
        self._where = np.full(len(capacities), -1, dtype=np.int32)
        self._queue = np.empty(max(len(capacities), 1), dtype=np.int32)

    # -- reading -------------------------------------------------------------------------

    @property
    def degrees(self) -> NDArray[np.int32]:
        """Degree of each node; 0 for absent nodes."""
        return self.adjacency.counts

    def neighbours_of(self, node: int) -> NDArray[np.int32]:
        """Return the neighbours of a node, ascending."""
        start = self.adjacency.starts[node]
        return np.sort(self.adjacency.pool[start : start + self.adjacency.counts[node]])

    def links(self) -> NDArray[np.int32]:
        """Return all links, the lower id first, sorted."""
        counts = self.adjacency.counts
        sources = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
        first = offsets_of(counts)[:-1]
        places = np.arange(len(sources)) + np.repeat(self.adjacency.starts - first, counts)
        targets = self.adjacency.pool[places].astype(np.int64)
        width = max(len(counts), 1)
        keys = np.sort((sources * width + targets)[sources < targets])
        return np.stack((keys // width, keys % width), axis=1).astype(np.int32)

    def overlay(self) -> Overlay:
        """Return the current overlay, over all ids."""
        return Overlay.from_links(self.interests.node_count, self.links())

    def present_interests(self) -> Interests:
        """Return the interests in which absent nodes have no topics; ids stay the same."""
        rows = self.present[self.interests.node_column]
        return Interests.from_ids(
            self.interests.node_column[rows],
            self.interests.node_topics[rows],
            node_names=self.interests.node_names,
            topic_names=self.interests.topic_names,
        )

    def present_subset(self) -> tuple[NDArray[np.int32], Interests]:
        """Return the ids of the present nodes, and the interests of these nodes alone."""
        ids = np.flatnonzero(self.present).astype(np.int32)
        rows = self.present[self.interests.node_column]
        return ids, Interests.from_ids(
            np.searchsorted(ids, self.interests.node_column[rows]),
            self.interests.node_topics[rows],
            node_names=self.interests.node_names[ids],
            topic_names=self.interests.topic_names,
        )

    def subscribers(self, topics: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the present subscribers of at least one of the topics, ascending."""
        lists = [self.interests.subscribers_of(topic) for topic in topics.tolist()]
        found = np.unique(np.concatenate(lists)) if lists else np.empty(0, dtype=np.int32)
        present: NDArray[np.int32] = found[self.present[found]]
        return present

    def shadows(self, nodes: NDArray[np.int32], topics: NDArray[np.int32]) -> Shadows:
        """Return the subscriptions of nodes to topics, both ascending. O(the subscriptions)."""
        offsets = self.interests.node_offsets
        sizes = (offsets[nodes + 1] - offsets[nodes]).astype(np.int64)
        first = offsets_of(sizes)[:-1]
        places = np.arange(int(sizes.sum())) + np.repeat(offsets[nodes] - first, sizes)
        subscribed = self.interests.node_topics[places]
        found = np.minimum(np.searchsorted(topics, subscribed), max(len(topics) - 1, 0))
        rows = (
            topics[found] == subscribed
            if len(topics)
            else np.zeros(len(subscribed), dtype=np.bool_)
        )
        owners = np.repeat(np.arange(len(nodes)), sizes)
        return shadows_of(owners[rows], found[rows].astype(np.int64), len(nodes), len(topics))

    def labels(
        self, nodes: NDArray[np.int32], topics: NDArray[np.int32], shadows: Shadows
    ) -> NDArray[np.int32]:
        """Label the component of each node on each topic, in the whole overlay."""
        labels = np.empty((len(nodes), len(topics)), dtype=np.int32)
        label_topics(
            topics, nodes, shadows, self.relation, self.present,
            self.adjacency, self._where, self._queue, labels,
        )  # fmt: skip
        return labels

    def neighbourhood(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return all neighbours of the nodes, ascending."""
        found = np.empty(int(self.degrees[nodes].sum()), dtype=np.int32)
        gather_neighbours(nodes, self.adjacency, found)
        return np.unique(found)

    def links_among(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the links among the nodes, as positions, the lower one first."""
        links = np.empty((int(self.degrees[nodes].sum()), 2), dtype=np.int32)
        return links[: links_among(nodes, self.adjacency, self._where, links)]

    # -- changes -------------------------------------------------------------------------

    def link(self, one: int, other: int) -> None:
        """Add a link between two nodes that are not linked."""
        start, count = self.adjacency.starts[one], self.adjacency.counts[one]
        linked = (self.adjacency.pool[start : start + count] == other).any()
        assert not linked, f"{one} is already linked to {other}"
        for node, peer in ((one, other), (other, one)):
            if self.adjacency.counts[node] == self.adjacency.capacities[node]:
                self._grow(node)
            add_neighbour(node, peer, self.adjacency)
        self.link_count += 1

    def unlink(self, one: int, other: int) -> None:
        """Remove the link between two nodes."""
        for node, peer in ((one, other), (other, one)):
            removed = remove_neighbour(node, peer, self.adjacency)
            assert removed, f"{node} is not linked to {peer}"
        self.link_count -= 1

    def add_node(self, node: int) -> None:
        """Mark a node as present; it has no links."""
        self.present[node] = True

    def remove_node(self, node: int) -> NDArray[np.int32]:
        """Remove the links of a node and mark it as absent; return its neighbours, ascending."""
        neighbours = self.neighbours_of(node)
        for other in neighbours.tolist():
            self.unlink(node, other)
        self.present[node] = False
        return neighbours

    def _grow(self, node: int) -> None:
        """Move the neighbours of a node to a larger block at the end of the pool."""
        capacity = 2 * int(self.adjacency.capacities[node]) + SPARE
        if self._end + capacity > len(self.adjacency.pool):
            self._pack(capacity)
        adjacency = self.adjacency
        start, count = adjacency.starts[node], adjacency.counts[node]
        adjacency.pool[self._end : self._end + count] = adjacency.pool[start : start + count]
        adjacency.starts[node] = self._end
        adjacency.capacities[node] = capacity
        self._end += capacity

    def _pack(self, more: int) -> None:
        """Move all blocks to a new pool without gaps, of twice their size and ``more``."""
        old = self.adjacency
        starts = offsets_of(old.capacities)[:-1]
        self._end = int(old.capacities.sum(dtype=np.int64))
        pool = np.empty(2 * (self._end + more), dtype=np.int32)
        places = np.arange(int(old.counts.sum(dtype=np.int64)))
        within = places - np.repeat(offsets_of(old.counts)[:-1], old.counts)
        pool[np.repeat(starts, old.counts) + within] = old.pool[
            np.repeat(old.starts, old.counts) + within
        ]
        self.adjacency = Adjacency(starts, old.counts, old.capacities, pool)
