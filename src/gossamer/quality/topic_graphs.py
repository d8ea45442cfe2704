"""The graph that an overlay induces on each topic's subscribers: what a topic's measures read.

Building them lives here, for all topics of an overlay at once and for one topic
alone; what is measured on them does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.kernels import topic_graphs as kernels
from gossamer.model import Interests, Overlay, OverlayError
from gossamer.model.interests import frozen

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
        degrees = kernels.slot_degrees(
            interests.node_offsets, interests.node_topics, interests.slots, overlay.links
        )
        offsets = frozen(np.concatenate(([0], np.cumsum(degrees))).astype(np.int64))
        neighbours = kernels.fill_topic_graphs(
            interests.node_offsets,
            interests.node_topics,
            interests.slots,
            interests.topic_offsets,
            overlay.links,
            offsets,
        )
        return cls(interests.topic_offsets, offsets, frozen(neighbours))

    @property
    def topic_count(self) -> int:
        """Number of topics, those without subscribers included."""
        return len(self.topic_offsets) - 1

    def graph_of(self, topic: int) -> TopicGraph:
        """Return one topic's graph (views, not copies)."""
        begin, end = self.topic_offsets[topic], self.topic_offsets[topic + 1]
        offsets = self.offsets[begin : end + 1]
        return TopicGraph(offsets, self.neighbours[offsets[0] : offsets[-1]])
