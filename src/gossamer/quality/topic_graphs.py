"""The graph that an overlay induces on each topic's subscribers: what a topic's measures read.

Building them lives here, for all topics of an overlay at once and for one topic
alone; what is measured on them does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import OverlayError
from gossamer.kernels.measure import topic_graphs as kernels
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests, Overlay
from gossamer.model.csr import offsets_of
from gossamer.model.interests import freeze

__all__ = ["TopicGraph", "TopicGraphs", "check_fit"]


def check_fit(interests: Interests, overlay: Overlay) -> None:
    """Raise :class:`OverlayError` unless the overlay is over the nodes of the interests."""
    if overlay.node_count != interests.node_count:
        raise OverlayError(
            f"the overlay has {overlay.node_count} nodes, the interests have "
            f"{interests.node_count}; expected the same nodes in both"
        )


@dataclass(frozen=True, eq=False, slots=True)
class TopicGraph:
    """One topic's subscribers, numbered from 0, and the links among them.

    Attributes
    ----------
    offsets, neighbours
        Compressed neighbour lists, both directions; ``neighbours`` begins at ``offsets[0]``.
    """

    offsets: NDArray[np.int64]
    neighbours: NDArray[np.int32]

    @classmethod
    def from_links(cls, subscriber_count: int, links: ArrayLike) -> TopicGraph:
        """Build from pairs of subscribers, given by their places among the topic's subscribers.

        Examples
        --------
        >>> TopicGraph.from_links(3, [(0, 2)]).subscriber_count
        3
        """
        return cls(*Overlay.from_links(subscriber_count, links).adjacency)

    @property
    def subscriber_count(self) -> int:
        """Number of subscribers of the topic."""
        return len(self.offsets) - 1


@dataclass(frozen=True, eq=False, slots=True)
class TopicGraphs:
    """The graphs of all topics, one after the other in the topics' order.

    Attributes
    ----------
    topic_offsets
        Topic t's subscribers stand at ``topic_offsets[t] : topic_offsets[t + 1]``.
    offsets, neighbours
        Compressed neighbour lists of all subscriptions; a neighbour is its place
        among the topic's subscribers.
    """

    topic_offsets: NDArray[np.int64]
    offsets: NDArray[np.int64]
    neighbours: NDArray[np.int32]

    @classmethod
    def of(cls, interests: Interests, overlay: Overlay) -> TopicGraphs:
        """Induce every topic's graph.

        Costs O(subscriptions + Σ over links of both ends' subscriptions) time, and
        memory for the subscriptions and for twice the topics shared over all links.
        """
        check_fit(interests, overlay)
        relation = relation_of(interests)
        offsets = freeze(offsets_of(kernels.slot_degrees(relation, overlay.links)))
        neighbours = kernels.fill_topic_graphs(relation, overlay.links, offsets)
        return cls(interests.topic_offsets, offsets, freeze(neighbours))

    @classmethod
    def from_arcs(
        cls, interests: Interests, topics: ArrayLike, sources: ArrayLike, targets: ArrayLike
    ) -> TopicGraphs:
        """Build from views: on this topic, this node has that neighbour; ids, in any order.

        What both ends say is kept, once; a topic that one of them does not want is left out.
        O(n log n) for n arcs.
        """
        on = np.asarray(topics, dtype=np.int64).ravel()
        slots = _slots(interests, np.asarray(sources, dtype=np.int64).ravel(), on)
        ends = _slots(interests, np.asarray(targets, dtype=np.int64).ravel(), on)
        inside = (slots >= 0) & (ends >= 0) & (slots != ends)
        count = max(interests.subscription_count, 1)
        said = np.unique(slots[inside] * count + ends[inside])
        agreed = said[np.isin(said, said % count * count + said // count)]
        owners, others = np.divmod(agreed, count)
        offsets = np.searchsorted(owners, np.arange(interests.subscription_count + 1))
        first = interests.topic_offsets[interests.node_topics[interests.places[others]]]
        return cls(
            interests.topic_offsets,
            freeze(offsets.astype(np.int64)),
            freeze((others - first).astype(np.int32)),
        )

    @property
    def topic_count(self) -> int:
        """Number of topics, those without subscribers included."""
        return len(self.topic_offsets) - 1

    def links(self, interests: Interests) -> NDArray[np.int64]:
        """Return who are neighbours on which topic, each pair once: (topic, node, greater node).

        Shape (n, 3), rows ascending, over the same interests. O(subscriptions + arcs).
        """
        owners = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        topics = np.repeat(np.arange(self.topic_count), np.diff(self.topic_offsets))[owners]
        others = self.topic_offsets[topics] + self.neighbours
        rows = np.stack((topics, interests.topic_nodes[owners], interests.topic_nodes[others]), 1)
        rows = rows[owners < others].astype(np.int64)
        return rows[np.lexsort(rows.T[::-1])]

    def components(self) -> NDArray[np.int64]:
        """Return how many components each topic has. O(subscriptions + arcs)."""
        return kernels.count_graph_components(self.topic_offsets, self.offsets, self.neighbours)

    def components_of_two(self) -> NDArray[np.int64]:
        """Return how many components of each topic have two subscribers. O(subscriptions)."""
        degrees = np.diff(self.offsets)
        alone = np.flatnonzero(degrees == 1)
        topics = np.repeat(np.arange(self.topic_count), np.diff(self.topic_offsets))[alone]
        others = self.topic_offsets[topics] + self.neighbours[self.offsets[alone]]
        found = np.bincount(topics[degrees[others] == 1], minlength=self.topic_count)
        return found.astype(np.int64) // 2

    def graph_of(self, topic: int) -> TopicGraph:
        """Return one topic's graph (views, not copies)."""
        begin, end = self.topic_offsets[topic], self.topic_offsets[topic + 1]
        offsets = self.offsets[begin : end + 1]
        return TopicGraph(offsets, self.neighbours[offsets[0] : offsets[-1]])


def _slots(
    interests: Interests, nodes: NDArray[np.int64], topics: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the slot of each (node, topic), -1 where the node does not want the topic."""
    width = max(interests.topic_count, 1)
    keys = interests.node_column.astype(np.int64) * width + interests.node_topics
    if not len(keys):
        return np.full(len(nodes), -1, dtype=np.int64)
    wanted = nodes * width + topics
    found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[found] == wanted, interests.slots[found], -1).astype(np.int64)
