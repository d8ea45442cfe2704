"""Dispatch: pass each delivered event once to every consumer of its topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from gossamer.live.events.published_event import PublishedEvent
from gossamer.protocols.contract import Peer, Topic, Topics

MAX_RECENT = 4096


class Consumer(Protocol):
    """A receiver of the events of some topics, such as a subscription."""

    topics: Topics

    def put(self, event: PublishedEvent) -> None:
        """Receive an event."""
        ...


class Dispatch:
    """The consumers of a node, by topic.

    Parameters
    ----------
    subscribe, unsubscribe
        Functions called with a topic when its first consumer is added, and when its last one is
        removed.
    """

    def __init__(
        self, subscribe: Callable[[Topic], None], unsubscribe: Callable[[Topic], None]
    ) -> None:
        self._subscribe = subscribe
        self._unsubscribe = unsubscribe
        self._consumers: dict[Topic, list[Consumer]] = {}
        self._recent: dict[tuple[Peer, int], Topics] = {}
        """Topics on which the latest numbered events arrived, by publisher and number."""

    def add(self, consumer: Consumer) -> None:
        """Add a consumer, and subscribe to its topics."""
        for topic in consumer.topics:
            self._consumers.setdefault(topic, []).append(consumer)
        for topic in consumer.topics:
            self._subscribe(topic)

    def remove(self, consumer: Consumer, topics: Topics) -> None:
        """Remove a consumer from topics, and unsubscribe from those that have no other consumer."""
        for topic in topics:
            listed = self._consumers.get(topic, [])
            if consumer in listed:
                listed.remove(consumer)
                if not listed:
                    del self._consumers[topic]
                    self._unsubscribe(topic)

    def put(self, event: PublishedEvent) -> None:
        """Pass an event to the consumers of its topics.

        An event that matches very many patterns arrives several times, on different topics. Each
        further copy goes only to the consumers that have not received the event.
        """
        topics = event.topics
        if len(topics) == 1 and not event.number:
            consumers = self._consumers.get(topics[0])
            if consumers is not None:
                for consumer in consumers:
                    consumer.put(event)
            return
        for consumer in self._new_consumers(event):
            consumer.put(event)

    def _new_consumers(self, event: PublishedEvent) -> list[Consumer]:
        earlier: Topics = ()
        if event.number:
            key = (event.publisher, event.number)
            earlier = self._recent.pop(key, ())
            self._recent[key] = (*earlier, *event.topics)
            if len(self._recent) > MAX_RECENT:
                del self._recent[next(iter(self._recent))]
        reached = {id(one) for topic in earlier for one in self._consumers.get(topic, ())}
        found = {
            id(one): one
            for topic in event.topics
            for one in self._consumers.get(topic, ())
            if id(one) not in reached
        }
        return list(found.values())
