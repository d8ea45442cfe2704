"""An overlay that changes: who is there, who is linked to whom, and who hangs together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.design._merge.engine import relation_of
from gossamer.errors import InputError
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

__all__ = ["DynamicOverlay"]

SPARE = 4
"""Room for more neighbours in a new block."""


class DynamicOverlay:
    """The state of an overlay under churn, by node id.

    Everybody who may ever be there has an id; ``present`` says who is. A link or its end costs
    O(degree), amortised; memory is O(subscriptions + links).

    Parameters
    ----------
    interests
        What everybody wants, those who are away included.
    present
        Who is there.
    overlay
        The links, among those who are there.
    """

    def __init__(self, interests: Interests, present: NDArray[np.bool_], overlay: Overlay) -> None:
        self.interests = interests
        self.relation = relation_of(interests)
        self.present = present.copy()
        if overlay.node_count != interests.node_count:
            raise InputError(
                f"the overlay has {overlay.node_count:,} nodes; expected {interests.node_count:,}, "
                "as many as there are interests of"
            )
        away = ~present[overlay.links].all(axis=1)
        if away.any():
            one, other = overlay.links[int(np.flatnonzero(away)[0])].tolist()
            names = interests.node_names
            raise InputError(
                f"{int(away.sum()):,} links have an end that is away, as {names[one]!r} to "
                f"{names[other]!r}; expected links among those who are there"
            )
        rooms = overlay.degrees.astype(np.int32) + SPARE
        starts = offsets_of(rooms)
        self._end = int(starts[-1])
        self.adjacency = Adjacency(
            starts=starts[:-1].copy(),
            counts=np.zeros(len(rooms), dtype=np.int32),
            rooms=rooms,
            pool=np.empty(2 * self._end, dtype=np.int32),
        )
        fill_neighbours(overlay.links, self.adjacency)
        self._where = np.full(len(rooms), -1, dtype=np.int32)
        self._queue = np.empty(max(len(rooms), 1), dtype=np.int32)

    # -- what there is -------------------------------------------------------------------

    @property
    def degrees(self) -> NDArray[np.int32]:
        """Each node's number of links; 0 for those who are away."""
        return self.adjacency.counts

    def neighbours_of(self, node: int) -> NDArray[np.int32]:
        """Return a node's neighbours, ascending."""
        start = self.adjacency.starts[node]
        return np.sort(self.adjacency.pool[start : start + self.adjacency.counts[node]])

    def links(self) -> NDArray[np.int32]:
        """Return every link, the lower id first, sorted."""
        counts = self.adjacency.counts
        sources = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
        first = offsets_of(counts)[:-1]
        places = np.arange(len(sources)) + np.repeat(self.adjacency.starts - first, counts)
        targets = self.adjacency.pool[places].astype(np.int64)
        width = max(len(counts), 1)
        keys = np.sort((sources * width + targets)[sources < targets])
        return np.stack((keys // width, keys % width), axis=1).astype(np.int32)

    def overlay(self) -> Overlay:
        """Return the overlay as it is now, over all ids."""
        return Overlay.from_links(self.interests.node_count, self.links())

    def interests_now(self) -> Interests:
        """Return what those who are there want; the others are nodes without a topic."""
        rows = self.present[self.interests.node_column]
        return Interests.from_ids(
            self.interests.node_column[rows],
            self.interests.node_topics[rows],
            node_names=self.interests.node_names,
            topic_names=self.interests.topic_names,
        )

    def interests_here(self) -> tuple[NDArray[np.int32], Interests]:
        """Return the ids of those who are there, and what they want, by place among them."""
        here = np.flatnonzero(self.present).astype(np.int32)
        rows = self.present[self.interests.node_column]
        return here, Interests.from_ids(
            np.searchsorted(here, self.interests.node_column[rows]),
            self.interests.node_topics[rows],
            node_names=self.interests.node_names[here],
            topic_names=self.interests.topic_names,
        )

    def members(self, topics: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return who is there and wants one of the topics, ascending."""
        lists = [self.interests.subscribers_of(topic) for topic in topics.tolist()]
        found = np.unique(np.concatenate(lists)) if lists else np.empty(0, dtype=np.int32)
        here: NDArray[np.int32] = found[self.present[found]]
        return here

    def shadows(self, nodes: NDArray[np.int32], topics: NDArray[np.int32]) -> Shadows:
        """Return what some nodes want of some topics; both ascending. O(their subscriptions)."""
        offsets = self.interests.node_offsets
        sizes = (offsets[nodes + 1] - offsets[nodes]).astype(np.int64)
        first = offsets_of(sizes)[:-1]
        places = np.arange(int(sizes.sum())) + np.repeat(offsets[nodes] - first, sizes)
        wanted = self.interests.node_topics[places]
        found = np.minimum(np.searchsorted(topics, wanted), max(len(topics) - 1, 0))
        rows = topics[found] == wanted if len(topics) else np.zeros(len(wanted), dtype=np.bool_)
        owners = np.repeat(np.arange(len(nodes)), sizes)
        return shadows_of(owners[rows], found[rows].astype(np.int64), len(nodes), len(topics))

    def labels(
        self, nodes: NDArray[np.int32], topics: NDArray[np.int32], shadows: Shadows
    ) -> NDArray[np.int32]:
        """Label the components of the whole overlay that some nodes are in, topic by topic."""
        labels = np.empty((len(nodes), len(topics)), dtype=np.int32)
        label_topics(
            topics, nodes, shadows, self.relation, self.present,
            self.adjacency, self._where, self._queue, labels,
        )  # fmt: skip
        return labels

    def neighbourhood(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return who is a neighbour of one of the nodes, ascending."""
        found = np.empty(int(self.degrees[nodes].sum()), dtype=np.int32)
        gather_neighbours(nodes, self.adjacency, found)
        return np.unique(found)

    def links_among(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the links among some nodes, by place, the lower place first."""
        links = np.empty((int(self.degrees[nodes].sum()), 2), dtype=np.int32)
        return links[: links_among(nodes, self.adjacency, self._where, links)]

    # -- changing it ---------------------------------------------------------------------

    def link(self, one: int, other: int) -> None:
        """Link two nodes that are not linked."""
        for node, peer in ((one, other), (other, one)):
            if self.adjacency.counts[node] == self.adjacency.rooms[node]:
                self._grow(node)
            add_neighbour(node, peer, self.adjacency)

    def unlink(self, one: int, other: int) -> None:
        """End the link of two nodes."""
        for node, peer in ((one, other), (other, one)):
            there = remove_neighbour(node, peer, self.adjacency)
            assert there, f"{node} is not linked to {peer}"

    def come(self, node: int) -> None:
        """Let a node be there, without links."""
        self.present[node] = True

    def go(self, node: int) -> NDArray[np.int32]:
        """Let a node be away; return who were its neighbours, ascending."""
        neighbours = self.neighbours_of(node)
        for other in neighbours.tolist():
            self.unlink(node, other)
        self.present[node] = False
        return neighbours

    def _grow(self, node: int) -> None:
        """Move a node's list to a block of twice the size, at the end of the pool."""
        adjacency = self.adjacency
        room = 2 * int(adjacency.rooms[node]) + SPARE
        if self._end + room > len(adjacency.pool):
            self._pack(room)
            adjacency = self.adjacency
        start, count = adjacency.starts[node], adjacency.counts[node]
        adjacency.pool[self._end : self._end + count] = adjacency.pool[start : start + count]
        adjacency.starts[node] = self._end
        adjacency.rooms[node] = room
        self._end += room

    def _pack(self, more: int) -> None:
        """Put all blocks side by side in a new pool, with as much room again."""
        old = self.adjacency
        starts = offsets_of(old.rooms)[:-1]
        self._end = int(old.rooms.sum(dtype=np.int64))
        pool = np.empty(2 * (self._end + more), dtype=np.int32)
        places = np.arange(int(old.counts.sum(dtype=np.int64)))
        first = offsets_of(old.counts)[:-1]
        within = places - np.repeat(first, old.counts)
        pool[np.repeat(starts, old.counts) + within] = old.pool[
            np.repeat(old.starts, old.counts) + within
        ]
        self.adjacency = Adjacency(starts, old.counts, old.rooms, pool)
