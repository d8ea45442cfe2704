"""Drawn changes of interests: a node subscribes to a topic, or unsubscribes from one.

They preserve the popularity of topics, approximately, and the number of topics of each node, within
one: a new topic is drawn in proportion to its popularity, and one to give up uniformly among the
topics of the node. A node with as many topics as at the start does either, with equal probability,
and other nodes what leads back. Each draw depends on the seed and its number only.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.model import Interests
from gossamer.model.churn import SUBSCRIBE, UNSUBSCRIBE

ATTEMPTS = 16
"""Draws of a new topic before those that the node has are ruled out first."""


class InterestChanges:
    """Draws changes of interests one after the other, and remembers them.

    Parameters
    ----------
    interests
        Interests at the start. The popularity of topics is that at the start throughout, so that
        it does not drift.
    units
        Function that returns the random numbers in [0, 1) of a draw: one whether to subscribe,
        then ``ATTEMPTS`` + 1 for the topic.
    """

    def __init__(self, interests: Interests, units: Callable[[int], NDArray[np.float64]]) -> None:
        if interests.topic_count < 2 or not interests.subscription_count:
            raise ParameterError(
                f"interests of {interests.topic_count} topics cannot change; expected 2 topics or "
                "more, with subscriptions"
            )
        self._interests = interests
        self._units = units
        self._topics: dict[int, set[int]] = {}
        self._sums = np.cumsum(interests.popularity)
        self._popular = int(np.count_nonzero(interests.popularity))

    def draw(self, number: int, node: int) -> tuple[int, int]:
        """Return the kind of a change of a node, and its topic; ``number`` is that of the draw.

        A node with one topic at the start subscribes first, one with all topics unsubscribes.
        """
        at_start = self._interests.topics_of(node)
        topics = self._topics.get(node)
        if topics is None:
            topics = self._topics[node] = set(at_start.tolist())
        coin, *units = self._units(number).tolist()
        gives_up = len(topics) > len(at_start)
        if len(topics) == len(at_start):
            gives_up = len(topics) >= self._popular or (coin < 0.5 and len(topics) > 1)
        if gives_up:
            topic = sorted(topics)[int(units[0] * len(topics))]
            topics.remove(topic)
            return UNSUBSCRIBE, topic
        topic = self._new_topic(topics, units)
        topics.add(topic)
        return SUBSCRIBE, topic

    def _new_topic(self, topics: set[int], units: list[float]) -> int:
        """Draw a topic that is not one of these, in proportion to popularity. O(log topics)."""
        for unit in units[:-1]:
            topic = int(np.searchsorted(self._sums, unit * self._sums[-1], side="right"))
            if topic not in topics:
                return topic
        weights = self._interests.popularity.copy()  # the node has nearly all popular topics
        weights[list(topics)] = 0
        sums = np.cumsum(weights)
        return int(np.searchsorted(sums, units[-1] * sums[-1], side="right"))
