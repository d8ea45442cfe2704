"""The state of an overlay under churn: presence, interests, links, and components of topics."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import InputError
from gossamer.kernels.repair.backups import label_topics
from gossamer.kernels.repair.blocks import (
    Blocks,
    Scratch,
    Subscriptions,
    add_links,
    fill_neighbours,
    remove_links,
)
from gossamer.kernels.repair.shadows import Shadows, find_shadows
from gossamer.maintain.block_lists import BlockLists
from gossamer.maintain.dynamic_interests import DynamicInterests
from gossamer.model import Interests, Overlay
from gossamer.model.interests import Name


class DynamicOverlay:
    """Present nodes, their interests and links, by id, with changes in place.

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
        self._interests = DynamicInterests(interests)
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
        self._neighbours = BlockLists(overlay.degrees)
        fill_neighbours(overlay.links, self.adjacency)
        self.scratch = self._new_scratch()
        """Scratch arrays of kernels."""
        self._queue = np.empty(max(overlay.node_count, 1), dtype=np.int32)

    # -- reading -------------------------------------------------------------------------

    @property
    def interests(self) -> Interests:
        """Current interests. O(subscriptions log subscriptions) after a change."""
        return self._interests.current

    @property
    def names(self) -> Interests:
        """Interests that have the names of nodes and topics, and may be out of date otherwise."""
        return self._interests.names

    @property
    def node_count(self) -> int:
        """Number of nodes, present or not."""
        return len(self.present)

    @property
    def subscriptions(self) -> Subscriptions:
        """Topics and subscribers, for kernels."""
        return self._interests.subscriptions

    @property
    def adjacency(self) -> Blocks:
        """Neighbours, for kernels."""
        return self._neighbours.blocks

    def topics_of(self, node: int) -> NDArray[np.int32]:
        """Return the topics of a node, ascending."""
        return self._interests.topics_of(node)

    def subscribers_of(self, topic: int) -> NDArray[np.int32]:
        """Return the subscribers of a topic, present or not, ascending."""
        return self._interests.subscribers_of(topic)

    def is_subscribed(self, node: int, topic: int) -> bool:
        """Whether a node, present or not, subscribes to a topic."""
        return self._interests.has(node, topic)

    @property
    def degrees(self) -> NDArray[np.int32]:
        """Degree of each node; 0 for absent nodes."""
        return self.adjacency.counts

    def neighbours_of(self, node: int) -> NDArray[np.int32]:
        """Return the neighbours of a node, ascending."""
        return np.sort(self._neighbours.of(node))

    def links(self) -> NDArray[np.int32]:
        """Return all links, the lower id first, sorted."""
        counts = self.degrees
        sources = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
        targets = self._neighbours.values().astype(np.int64)
        width = max(len(counts), 1)
        keys = np.sort((sources * width + targets)[sources < targets])
        return np.stack((keys // width, keys % width), axis=1).astype(np.int32)

    def overlay(self) -> Overlay:
        """Return the current overlay, over all ids."""
        return Overlay.from_links(self.node_count, self.links())

    def present_interests(self) -> Interests:
        """Return the interests in which absent nodes have no topics; ids stay the same."""
        return present_interests(self.interests, self.present)

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
        lists = [self.subscribers_of(topic) for topic in topics.tolist()]
        found = np.unique(np.concatenate(lists)) if lists else np.empty(0, dtype=np.int32)
        present: NDArray[np.int32] = found[self.present[found]]
        return present

    def subscribers_among(self, nodes: NDArray[np.int32], topic: int) -> NDArray[np.int32]:
        """Return those of some nodes that subscribe to a topic, in the same order."""
        found: NDArray[np.int32] = nodes[np.isin(nodes, self.subscribers_of(topic))]
        return found

    def shadows(self, nodes: NDArray[np.int32], topics: NDArray[np.int32]) -> Shadows:
        """Return the subscriptions of nodes to topics, both ascending. O(the subscriptions)."""
        return find_shadows(nodes, topics, self.subscriptions.topics, self.scratch.topics)

    def labels(
        self, nodes: NDArray[np.int32], topics: NDArray[np.int32], shadows: Shadows
    ) -> NDArray[np.int32]:
        """Label the component of each node on each topic, in the whole overlay."""
        labels = np.empty((len(nodes), len(topics)), dtype=np.int32)
        label_topics(
            topics, nodes, shadows, self.subscriptions, self.present,
            self.adjacency, self.scratch.nodes, self._queue, labels,
        )  # fmt: skip
        return labels

    # -- changes -------------------------------------------------------------------------

    def link(self, one: int, other: int) -> None:
        """Add a link between two nodes that are not linked."""
        self.add_links(np.array([(one, other)], dtype=np.int32))

    def add_links(self, links: NDArray[np.int32]) -> None:
        """Add links between nodes that are not linked."""
        done = add_links(links, 0, self.adjacency)
        while done < len(links):
            assert done >= 0, f"{links[-1 - done].tolist()} are already linked"
            for node in links[done].tolist():
                self._neighbours.reserve(node, 1)
            done = add_links(links, done, self.adjacency)
        self.link_count += len(links)

    def unlink(self, one: int, other: int) -> None:
        """Remove the link between two nodes."""
        for node, peer in ((one, other), (other, one)):
            removed = self._neighbours.remove(node, peer)
            assert removed, f"{node} is not linked to {peer}"
        self.link_count -= 1

    def add_node(self, node: int) -> None:
        """Mark a node as present; it has no links."""
        self.present[node] = True

    def remove_node(self, node: int) -> NDArray[np.int32]:
        """Remove the links of a node and mark it as absent; return its neighbours, ascending."""
        neighbours = remove_links(node, self.adjacency)
        self.link_count -= len(neighbours)
        self.present[node] = False
        return neighbours

    def subscribe(self, node: int, topic: int) -> None:
        """Add a topic to those of a node, which may be absent."""
        self._interests.subscribe(node, topic)

    def unsubscribe(self, node: int, topic: int) -> None:
        """Remove a topic from those of a node, which may be absent; its links stay."""
        self._interests.unsubscribe(node, topic)

    def add_topics(self, names: list[Name]) -> None:
        """Add topics without subscribers; ids of topics change. O(subscriptions)."""
        self._interests = DynamicInterests(self.interests.with_topics(names))
        self.scratch = self._new_scratch()

    def _new_scratch(self) -> Scratch:
        counts = self.node_count, self.names.topic_count
        nodes, topics = (np.full(count, -1, dtype=np.int32) for count in counts)
        return Scratch(nodes, topics)


def present_interests(interests: Interests, present: NDArray[np.bool_]) -> Interests:
    """Return the interests in which absent nodes have no topics; ids stay the same."""
    rows = present[interests.node_column]
    return Interests.from_ids(
        interests.node_column[rows],
        interests.node_topics[rows],
        node_names=interests.node_names,
        topic_names=interests.topic_names,
    )
