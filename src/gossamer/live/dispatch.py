"""Dispatch: each delivered event goes to the consumers of its topics, to each of them once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from gossamer.live.published_event import PublishedEvent
from gossamer.protocols.contract import Peer, Topic, Topics

MAX_RECENT = 4096


class Consumer(Protocol):
    """A subscription, or whatever else receives the events of some topics."""

    topics: Topics

    def put(self, event: PublishedEvent) -> None:
        """Receive an event."""
        ...


class Dispatch:
    """The consumers of a node, by topic.

    Parameters
    ----------
    subscribe, unsubscribe
        Called with a topic that has its first consumer, or no consumer any more.
    """

    def __init__(
        self, subscribe: Callable[[Topic], None], unsubscribe: Callable[[Topic], None]
    ) -> None:
        self._subscribe = subscribe
        self._unsubscribe = unsubscribe
        self._consumers: dict[Topic, list[Consumer]] = {}
        self._recent: dict[tuple[Peer, int], Topics] = {}
        """Topics on which the latest enveloped events came."""

    def add(self, consumer: Consumer) -> None:
        """Add a consumer, and subscribe to its topics."""
        for topic in consumer.topics:
            self._consumers.setdefault(topic, []).append(consumer)
        for topic in consumer.topics:
            self._subscribe(topic)

    def remove(self, consumer: Consumer, topics: Topics) -> None:
        """Remove a consumer from topics, and unsubscribe from those without another one."""
        for topic in topics:
            listed = self._consumers.get(topic, [])
            if consumer in listed:
                listed.remove(consumer)
                if not listed:
                    del self._consumers[topic]
                    self._unsubscribe(topic)

    def put(self, event: PublishedEvent) -> None:
        """Give an event to the consumers of its topics.

        An event that comes again on other topics, as one on very many patterns does, goes to those
        that have not received it.
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
        had = {id(one) for topic in earlier for one in self._consumers.get(topic, ())}
        found = {
            id(one): one
            for topic in event.topics
            for one in self._consumers.get(topic, ())
            if id(one) not in had
        }
        return list(found.values())
