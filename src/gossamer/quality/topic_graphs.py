"""Topic graphs: the graph that an overlay induces on the subscribers of each topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.kernels.measure import topic_graphs as kernels
from gossamer.kernels.relation import relation_of
from gossamer.model import Interests, Overlay
from gossamer.model.csr import offsets_of
from gossamer.model.interests import freeze
from gossamer.model.overlay import check_fit
from gossamer.results import Ids, Result, Table


@dataclass(frozen=True, eq=False, slots=True)
class TopicGraph:
    """The subscribers of one topic, numbered from 0, and the links among them.

    Attributes
    ----------
    offsets, neighbours
        Compressed neighbour lists, both directions; ``neighbours`` starts at ``offsets[0]``.
    """

    offsets: NDArray[np.int64]
    neighbours: NDArray[np.int32]

    @classmethod
    def from_links(cls, subscriber_count: int, links: ArrayLike) -> TopicGraph:
        """Build from pairs of subscribers, given by their indices among the topic's subscribers.

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


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class TopicGraphs(Result):
    """The graphs of all topics, in the order of topics.

    Attributes
    ----------
    topic_offsets
        Topic t has the slots ``topic_offsets[t] : topic_offsets[t + 1]``.
    offsets, neighbours
        Compressed neighbour lists of all slots; a neighbour is an index among the topic's
        subscribers.
    """

    BRIEF: ClassVar = ("topics", "links_of_topics")

    topic_offsets: NDArray[np.int64]
    offsets: NDArray[np.int64]
    neighbours: NDArray[np.int32]

    def summary(self) -> dict[str, Any]:
        """Return the numbers of topics and links by name."""
        links = len(self.neighbours) // 2
        return {"topics": len(self.topic_offsets) - 1, "links_of_topics": links}

    def _tables(self) -> Mapping[str, Table]:
        def topics() -> dict[str, Any]:
            return {
                "topic": Ids("topic", np.arange(len(self.topic_offsets) - 1)),
                "subscribers": np.diff(self.topic_offsets),
                "links": np.diff(self.offsets[self.topic_offsets]) // 2,
            }

        return {"topics": topics}

    @classmethod
    def of(cls, interests: Interests, overlay: Overlay) -> TopicGraphs:
        """Induce the graph of every topic.

        Costs O(subscriptions + Σ over links of both ends' subscriptions) time, and memory for the
        subscriptions and for twice the topics shared over all links.
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
        """Build from columns of topic, node, and neighbour of the node on the topic, in any order.

        Arcs that both ends have are kept, once; topics without subscription of both ends are left
        out. O(n log n) for n arcs.
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
        """Return the links as rows (topic, node, greater node).

        Shape (n, 3), rows ascending, over the same interests. O(subscriptions + arcs).
        """
        owners = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        topics = np.repeat(np.arange(self.topic_count), np.diff(self.topic_offsets))[owners]
        others = self.topic_offsets[topics] + self.neighbours
        rows = np.stack((topics, interests.topic_nodes[owners], interests.topic_nodes[others]), 1)
        rows = rows[owners < others].astype(np.int64)
        return rows[np.lexsort(rows.T[::-1])]

    def components(self) -> NDArray[np.int64]:
        """Return the number of components of each topic. O(subscriptions + arcs)."""
        return kernels.count_graph_components(self.topic_offsets, self.offsets, self.neighbours)

    def components_of_two(self) -> NDArray[np.int64]:
        """Return the number of components with two subscribers of each topic. O(subscriptions)."""
        degrees = np.diff(self.offsets)
        alone = np.flatnonzero(degrees == 1)
        topics = np.repeat(np.arange(self.topic_count), np.diff(self.topic_offsets))[alone]
        others = self.topic_offsets[topics] + self.neighbours[self.offsets[alone]]
        found = np.bincount(topics[degrees[others] == 1], minlength=self.topic_count)
        return found.astype(np.int64) // 2

    def graph_of(self, topic: int) -> TopicGraph:
        """Return the graph of one topic (views, not copies)."""
        begin, end = self.topic_offsets[topic], self.topic_offsets[topic + 1]
        offsets = self.offsets[begin : end + 1]
        return TopicGraph(offsets, self.neighbours[offsets[0] : offsets[-1]])


def _slots(
    interests: Interests, nodes: NDArray[np.int64], topics: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the slot of each (node, topic), -1 if the node does not subscribe."""
    width = max(interests.topic_count, 1)
    keys = interests.node_column.astype(np.int64) * width + interests.node_topics
    if not len(keys):
        return np.full(len(nodes), -1, dtype=np.int64)
    wanted = nodes * width + topics
    found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[found] == wanted, interests.slots[found], -1).astype(np.int64)
