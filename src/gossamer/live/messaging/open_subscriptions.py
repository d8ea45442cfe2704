"""Open subscriptions of a node, and the consumers that pass events to their streams."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from gossamer.live.events.messages import Hold, LastQuery, LastReply
from gossamer.live.events.published_event import PublishedEvent
from gossamer.live.messaging.dispatch import Consumer, Dispatch
from gossamer.live.messaging.event_queue import EventQueue
from gossamer.live.messaging.groups import GroupMember
from gossamer.live.messaging.holds import ReceivedHolds, SentHolds
from gossamer.live.messaging.last_values import MAX_ASKED, LastValueConsumer, LastValues
from gossamer.live.messaging.subscription import Subscription
from gossamer.live.messaging.unclaimed_events import UnclaimedEvents
from gossamer.live.runtime import Runtime
from gossamer.protocols.contract import Peer, Publish, Topic, Topics


@dataclass
class FunctionConsumer:
    """A consumer that calls a function with each event."""

    topics: Topics
    put: Callable[[PublishedEvent], None]


class OpenSubscriptions:
    """The open subscriptions of a node.

    Parameters
    ----------
    runtime
        Runtime of the node.
    dispatch
        Dispatch to the consumers of the node.
    unclaimed
        Events on topics without a subscription.
    holds
        Holds on the node's own publications.
    """

    def __init__(
        self, runtime: Runtime, dispatch: Dispatch, unclaimed: UnclaimedEvents, holds: ReceivedHolds
    ) -> None:
        self.last = LastValues()
        self._runtime = runtime
        self._dispatch = dispatch
        self._unclaimed = unclaimed
        self._holds = holds
        self._consumers: dict[Subscription, list[Consumer]] = {}
        self._members = itertools.count(1)

    def open(
        self, topics: Topics, queue: EventQueue, *, echo: bool, group: str | None, last: bool
    ) -> Subscription:
        """Open a subscription."""
        sent_holds = SentHolds(self._hold) if queue.policy == "wait" else None
        subscription = Subscription(topics, self.close, queue, sent_holds)
        put: Callable[[PublishedEvent], None] = subscription.put
        if not echo:
            put = self._without_own(put)
        consumers: list[Consumer]
        if group is not None:
            members = [self._member(str(topic), group, put) for topic in topics]
            subscription.on_handled = lambda event: _note_handled(members, event)
            consumers = [*members]
        elif last:
            known = self.last.matching(map(str, topics))
            consumers = [LastValueConsumer(topics, put, known, self._ask)]
        elif echo:
            consumers = [subscription]
        else:
            consumers = [FunctionConsumer(topics, put)]
        events, missed = self._unclaimed.claim(topics)
        subscription.note_missed(missed)
        for event in events:
            for consumer in consumers:
                if any(topic in consumer.topics for topic in event.topics):
                    consumer.put(event)
        self._consumers[subscription] = consumers
        for consumer in consumers:
            self._dispatch.add(consumer)
        return subscription

    def close(self, subscription: Subscription) -> None:
        """Remove a closed subscription."""
        for consumer in self._consumers.pop(subscription, []):
            if isinstance(consumer, GroupMember | LastValueConsumer):
                consumer.close()
            self._dispatch.remove(consumer, consumer.topics)

    def remove_topic(self, topic: Topic) -> None:
        """Remove a topic from all subscriptions."""
        for subscription, consumers in list(self._consumers.items()):
            if topic not in subscription.topics:
                continue
            for consumer in list(consumers):
                if isinstance(consumer, GroupMember):
                    if consumer.topics[0] == topic:
                        consumer.close()
                        consumers.remove(consumer)
                        self._dispatch.remove(consumer, consumer.topics)
                else:
                    self._dispatch.remove(consumer, (topic,))
                    if consumer is not subscription:
                        consumer.topics = tuple(one for one in consumer.topics if one != topic)
            subscription.remove(topic)

    def leave_groups(self) -> None:
        """Leave all groups: the other members handle what this node has not."""
        for consumers in self._consumers.values():
            for consumer in consumers:
                if isinstance(consumer, GroupMember):
                    consumer.close()

    def close_all(self) -> None:
        """Close all subscriptions: the node stops."""
        for subscription in list(self._consumers):
            subscription.close()

    # -- events of peers -----------------------------------------------------------------------

    def on_unreachable(self, peer: Peer) -> None:
        """Remove the members of an unreachable peer from the groups of this node."""
        for consumers in self._consumers.values():
            for consumer in consumers:
                if isinstance(consumer, GroupMember):
                    consumer.note_unreachable(peer)

    def on_last_query(self, peer: Peer, message: LastQuery) -> None:
        """Answer with the newest events that this node has."""
        self._runtime.send(peer, self.last.reply_to(message))

    def on_last_reply(self, peer: Peer, message: LastReply) -> None:
        """Pass the newest events of a peer to the subscription that asked for them."""
        for consumers in list(self._consumers.values()):
            for consumer in consumers:
                if isinstance(consumer, LastValueConsumer):
                    consumer.on_reply(peer, message)

    # -- helpers -------------------------------------------------------------------------------

    def _member(self, topic: str, group: str, put: Callable[[PublishedEvent], None]) -> GroupMember:
        return GroupMember(
            topic, group, f"{self._runtime.address}#{next(self._members)}",
            hand_over=put, publish=self._publish, has_others=self._has_others,
        )  # fmt: skip

    def _publish(self, topic: str, content: bytes) -> None:
        host = self._runtime.host
        if host is not None and not host.closed:
            host.handle(Publish((topic,), content))

    def _has_others(self, channel: str) -> bool | None:
        if self._runtime.known:
            return bool(self._runtime.subscribers_of((channel,)))
        return None if self._runtime.settings.join else False

    def _ask(self, query: LastQuery) -> int | None:
        """Ask the linked peers and a few subscribers for their newest events."""
        linked, _, known = self._runtime.peers()
        found = dict.fromkeys((*linked, *self._runtime.subscribers_of(query.topics), *known))
        asked = list(found)[:MAX_ASKED]
        for peer in asked:
            self._runtime.send(peer, query)
        return len(asked) if asked or not self._runtime.settings.join else None

    def _without_own(
        self, put: Callable[[PublishedEvent], None]
    ) -> Callable[[PublishedEvent], None]:
        me = self._runtime.address

        def put_others(event: PublishedEvent) -> None:
            if event.publisher != me:
                put(event)

        return put_others

    def _hold(self, peer: Peer, message: Hold) -> None:
        if peer == self._runtime.address:
            self._holds.on_hold(peer, message)
        else:
            self._runtime.send(peer, message)


def _note_handled(members: list[GroupMember], event: PublishedEvent) -> None:
    for member in members:
        if member.topics[0] in event.topics:
            member.note_handled(event)
