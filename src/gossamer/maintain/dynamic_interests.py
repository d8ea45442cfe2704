"""Interests that change in place: a node subscribes to a topic, or unsubscribes from one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.repair.blocks import Subscriptions
from gossamer.maintain.block_lists import BlockLists
from gossamer.model import Interests


class DynamicInterests:
    """Topics of nodes and subscribers of topics, by id.

    A change costs O(topics of the node + subscribers of the topic).

    Parameters
    ----------
    interests
        Interests at the start.
    """

    def __init__(self, interests: Interests) -> None:
        self.names = interests
        """Interests that have the names of nodes and topics, and may be out of date otherwise."""
        self._current: Interests | None = interests
        self._topics = BlockLists(interests.subscription_sizes, interests.node_topics)
        self._subscribers = BlockLists(interests.popularity, interests.topic_nodes)

    @property
    def subscriptions(self) -> Subscriptions:
        """Lists of topics and of subscribers, for kernels."""
        return Subscriptions(self._topics.blocks, self._subscribers.blocks)

    @property
    def current(self) -> Interests:
        """Current interests. O(subscriptions log subscriptions) after a change."""
        if self._current is None:
            counts = self._topics.blocks.counts
            self._current = Interests.from_ids(
                np.repeat(np.arange(len(counts)), counts),
                self._topics.values(),
                node_names=self.names.node_names,
                topic_names=self.names.topic_names,
            )
        return self._current

    def topics_of(self, node: int) -> NDArray[np.int32]:
        """Return the topics of a node, ascending; a copy."""
        return self._topics.of(node).copy()

    def subscribers_of(self, topic: int) -> NDArray[np.int32]:
        """Return the subscribers of a topic, present or not, ascending; a copy."""
        return self._subscribers.of(topic).copy()

    def has(self, node: int, topic: int) -> bool:
        """Whether a node subscribes to a topic."""
        own = self._topics.of(node)
        at = int(np.searchsorted(own, topic))
        return at < len(own) and int(own[at]) == topic

    def subscribe(self, node: int, topic: int) -> None:
        """Add a subscription that does not exist."""
        assert not self.has(node, topic), f"{node} subscribes to {topic} already"
        self._topics.insert(node, topic)
        self._subscribers.insert(topic, node)
        self._current = None

    def unsubscribe(self, node: int, topic: int) -> None:
        """Remove a subscription."""
        removed = self._topics.remove_sorted(node, topic)
        assert removed, f"{node} does not subscribe to {topic}"
        self._subscribers.remove_sorted(topic, node)
        self._current = None
