"""A live node: publications, subscriptions and requests."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Callable, Iterable, Mapping

from gossamer.errors import ParameterError
from gossamer.host import Host
from gossamer.live.base_node import BaseNode
from gossamer.live.errors import NotReadyError, NotRunningError
from gossamer.live.events.envelope import NO_HEADERS
from gossamer.live.events.parts import PART_BYTES
from gossamer.live.events.patterns import is_pattern
from gossamer.live.events.published_event import PublishedEvent
from gossamer.live.events.topics import check_size, check_subscribed, check_topic, check_topics
from gossamer.live.messaging.event_queue import (
    MAX_BYTES,
    MAX_EVENTS,
    EventQueue,
    KeyFunction,
    Policy,
)
from gossamer.live.messaging.readiness import wait_for_pattern, wait_for_subscribers
from gossamer.live.messaging.requests import Handler, Reply
from gossamer.live.messaging.subscription import Subscription
from gossamer.live.timeouts import check_timeout
from gossamer.protocols.contract import Publish, Unsubscribe


class Node(BaseNode):
    """A node that runs a protocol over TCP.

    Use it as an asynchronous context manager, or call :meth:`start` and :meth:`stop`. Call its
    methods in the thread of its event loop only, except for :meth:`publish_threadsafe`.

    Parameters
    ----------
    listen
        Address ``host:port`` at which peers reach the node; port 0 for any free port.
    join
        Addresses of running nodes; none for the first node. A host name may stand for several
        nodes. ``srv://…``, ``multicast://…`` and ``file://…`` are sources of addresses
        (:mod:`gossamer.live.discovery.sources`).
    topics
        Topics to subscribe to from the start. Their events wait for the first :meth:`subscribe` to
        the topic.
    on_event
        Function, plain or ``async``, called with each delivered event on any topic. Subscriptions
        receive their events too, but no event waits for a later :meth:`subscribe`. An exception is
        logged and counted in :attr:`status`, with no other effect.
    protocol
        Name of a protocol, optionally with options, as in ``spidercast:kg=2``; see
        :func:`gossamer.protocols.protocols`.
    seed
        Seed of the random number generator; by default a random one.
    limits
        Limits of the resources that peers can use.
    journal
        Whether to record events and effects for a replay (:attr:`journal`).
    tracer
        Recorder of the trace.
    advertise
        Host, or ``host:port``, at which peers reach the node, if this differs from ``listen``: in a
        container, behind address translation, or when the node listens at all addresses.
    **options
        Options of the protocol, as in ``kg=2``.

    Examples
    --------
    >>> import asyncio
    >>> async def talk() -> bytes:
    ...     async with Node() as ann, Node(join=[ann.address]) as bob:
    ...         async with ann.subscribe("tea") as events:
    ...             await bob.publish("tea", b"it is ready")
    ...             return (await anext(events)).payload
    >>> asyncio.run(talk())
    b'it is ready'
    """

    # -- publish -----------------------------------------------------------------------------------

    async def publish(
        self,
        topics: str | Iterable[str],
        payload: bytes,
        *,
        headers: Mapping[str, str] = NO_HEADERS,
    ) -> None:
        """Publish an event on one topic or several; the node need not subscribe to them.

        The call waits while a linked peer reads more slowly than the node publishes, or while a
        subscription with the policy *wait* holds a topic. The event reaches every connected
        subscriber, including this node if it subscribes. For the guarantees see
        :mod:`gossamer.protocols.components.trees` and, for topics that the node does not subscribe
        to, :mod:`gossamer.protocols.components.handover`. A large payload travels in parts.

        Raises
        ------
        ParameterError
            If no topic is given, a topic or header is malformed, or the payload is too large.
        NotRunningError
            If the node is not running, or stops while the event waits for room.
        """
        host = self._runtime.running("publish")
        if headers is NO_HEADERS:
            tags = self._builder.plain_tags(topics, payload)
            has_compared = self._patterns is not None and self._patterns.has_compared
            if tags is not None and has_compared and self._back_pressure.need_not_wait(tags):
                host.handle(Publish(tags, payload))
                self._retain(tags, payload, headers)
                return
        await self._publish(host, topics, self._builder.payload_of(payload), headers, 0)

    async def _publish(
        self,
        host: Host,
        topics: str | Iterable[str],
        content: bytes,
        headers: Mapping[str, str],
        request: int,
    ) -> None:
        tags = self._builder.tags_of(topics)
        assert self._patterns is not None
        if not self._patterns.has_compared:
            await self._patterns.wait_for_comparison()
            tags = self._builder.tags_of(topics)
        for one in self._builder.events(tags, content, headers, request):
            if not self._back_pressure.need_not_wait(tags):
                await self._back_pressure.wait(tags)
            host.handle(one)
        self._retain(tags, content, headers)

    def try_publish(
        self,
        topics: str | Iterable[str],
        payload: bytes,
        *,
        headers: Mapping[str, str] = NO_HEADERS,
    ) -> bool:
        """Publish an event if there is room for it; return whether it was published.

        Raises
        ------
        ParameterError
            As in :meth:`publish`, or if the payload is so large that it would travel in parts.
        """
        host = self._runtime.running("try_publish")
        tags = self._builder.tags_of(topics)
        content = self._builder.payload_of(payload)
        if len(content) > PART_BYTES:
            raise ParameterError(
                f"the payload has {len(content):,} bytes; expected {PART_BYTES:,} at most, or "
                "await node.publish(...)"
            )
        if not self._back_pressure.has_room(tags):
            return False
        for one in self._builder.events(tags, content, headers):
            host.handle(one)
        self._retain(tags, content, headers)
        return True

    def _retain(self, tags: tuple[str, ...], content: bytes, headers: Mapping[str, str]) -> None:
        """Keep an event as the newest of its topic, unless its delivery here has done so."""
        if tags[0] not in self._subscribed:
            me = self._runtime.address
            event = PublishedEvent(tags[:1], content, me, 0, (0,), (), tags[0], headers)
            self._subscriptions.last.note(event)

    def publish_threadsafe(
        self,
        topics: str | Iterable[str],
        payload: bytes,
        *,
        headers: Mapping[str, str] = NO_HEADERS,
        timeout: float | None = None,
    ) -> None:
        """Publish an event from another thread, which blocks until there is room.

        Raises
        ------
        TimeoutError
            If there is no room in time.
        ParameterError
            As in :meth:`publish`, or if the thread is that of the event loop, which must not block.
        """
        check_timeout(timeout)
        loop = self._runtime.loop
        if self._runtime.in_thread:
            raise ParameterError(
                "publish_threadsafe is called in the thread of the node's event loop; expected: "
                "await node.publish(...)"
            )
        publication = self.publish(topics, payload, headers=headers)
        try:
            if loop is None or loop.is_closed():
                raise NotRunningError
            done = asyncio.run_coroutine_threadsafe(publication, loop)
        except RuntimeError:
            raise NotRunningError("the event loop of the node has ended") from None
        finally:
            if loop is None or loop.is_closed():
                publication.close()
        try:
            done.result(timeout)
        except concurrent.futures.CancelledError:
            raise NotRunningError("the event loop of the node has ended") from None
        except TimeoutError:
            done.cancel()
            raise

    async def flush(self, timeout: float = 10.0) -> None:
        """Wait until all publications have reached a peer and all messages are written.

        Raises
        ------
        NotReadyError
            If no publication reaches a peer for two seconds, as when none subscribes to its topics,
            or if messages are not written in time.
        """
        check_timeout(timeout)
        runtime = self._runtime
        runtime.running("flush")
        try:
            async with asyncio.timeout(timeout):
                taken = await runtime.hand_over()
                while taken and runtime.network is not None and runtime.network.unwritten:
                    await asyncio.sleep(0.002)
        except TimeoutError:
            taken = False
        if runtime.network is None:
            raise NotRunningError("the node has stopped while it flushed")
        if not taken:
            raise NotReadyError(
                f"{runtime.unsent:,} publications have reached no peer, and "
                f"{runtime.network.unwritten:,} bytes are not written; expected none"
            )

    # -- subscribe ---------------------------------------------------------------------------------

    def subscribe(
        self,
        *topics: str,
        policy: Policy = "drop-oldest",
        key: KeyFunction | None = None,
        max_events: int = MAX_EVENTS,
        max_bytes: int = MAX_BYTES,
        echo: bool = True,
        group: str | None = None,
        last: bool = False,
    ) -> Subscription:
        """Subscribe to topics and patterns; return one stream of their events.

        An event on several of the topics appears in the stream once. For a topic in the node's
        ``topics``, the first subscription begins with the events that have arrived since the start.

        Parameters
        ----------
        topics
            Topics and patterns: ``orders.*`` matches one more level, ``orders.>`` one or more.
        policy
            Policy of a full stream: ``drop-oldest``; ``drop-newest``; ``wait``, which makes
            publishers wait while the stream is half full; or ``coalesce``, which keeps the latest
            event of each key.
        key
            Function that returns the key of an event, for ``coalesce``; by default its topic.
        max_events, max_bytes
            Maximum number of waiting events, and maximum size of their payloads in bytes. With
            ``coalesce``, allow at least one event for each key. With ``wait``, events on their way
            to a full stream are kept beyond the limits, up to four times ``max_bytes``.
        echo
            Whether the stream includes the node's own events.
        group
            Name of a queue group, one member of which handles each event
            (:mod:`gossamer.live.messaging.groups`).
        last
            Whether the stream begins with the newest event of each topic, if this node or a peer
            still has it (:mod:`gossamer.live.messaging.last_values`).

        Examples
        --------
        >>> import asyncio
        >>> async def watch() -> list[str]:
        ...     async with Node() as node, node.subscribe("orders.*") as events:
        ...         await node.publish("orders.new", b"three teapots")
        ...         await node.publish("orders.paid", b"three teapots")
        ...         return [(await anext(events)).topic for _ in range(2)]
        >>> asyncio.run(watch())
        ['orders.new', 'orders.paid']
        """
        if not topics:
            raise ParameterError("subscribed to nothing; expected one topic or several")
        listed = check_topics(topics, "topics")
        for topic in listed:
            check_subscribed(topic)
        queue = EventQueue(policy, key, max_events, max_bytes)
        self._runtime.running("subscribe")
        check_size({*self.topics, *listed})
        if group is not None and last:
            raise ParameterError("a subscription has group and last; expected one of them at most")
        return self._subscriptions.open(listed, queue, echo=echo, group=group, last=last)

    def unsubscribe(self, topic: str) -> None:
        """Unsubscribe from a topic; streams without another topic end."""
        check_topic(topic)
        host = self._runtime.running("unsubscribe")
        self._unclaimed.claim([topic])
        self._subscriptions.remove_topic(topic)
        self._subscribed.discard(topic)
        host.handle(Unsubscribe(topic))

    # -- request and respond -----------------------------------------------------------------------

    async def request(
        self,
        topic: str,
        payload: bytes,
        *,
        headers: Mapping[str, str] = NO_HEADERS,
        timeout: float | None = 5.0,
    ) -> Reply:
        """Publish a request, and return the first answer.

        Parameters
        ----------
        topic, payload, headers
            Topic, content and headers of the request.
        timeout
            Seconds to wait for the answer; None for no limit.

        Raises
        ------
        NoRespondersError
            If no responder has accepted the request in time.
        RequestTimeoutError
            If a responder has accepted the request but not answered in time.
        RequestError
            If the responder has failed.
        """
        check_timeout(timeout)
        host = self._runtime.running("request")
        content = self._builder.payload_of(payload)

        async def publish(number: int) -> None:
            await self._publish(host, topic, content, headers, number)

        return await self._requests.request(topic, publish, timeout)

    def respond(self, *topics: str, group: str | None = None) -> Callable[[Handler], Handler]:
        """Return a decorator for a function that answers the requests on topics and patterns.

        The function, plain or ``async``, receives the event and returns the answer: bytes, a
        :class:`Reply` with headers, or None for an empty answer. An exception becomes a
        :class:`RequestError` at the requester. With a queue group, one member answers; otherwise
        all responders do, and the first answer counts. A responder handles up to 64 requests at the
        same time. It ends with :meth:`unsubscribe`.

        Examples
        --------
        >>> import asyncio
        >>> async def ask() -> bytes:
        ...     async with Node() as shop, Node(join=[shop.address]) as stock:
        ...         @stock.respond("stock.check")
        ...         async def check(event):
        ...             return b"7 " + event.payload
        ...         return (await shop.request("stock.check", b"teapots")).payload
        >>> asyncio.run(ask())
        b'7 teapots'
        """
        subscription = self.subscribe(*topics, policy="drop-newest", group=group)

        def serve(handler: Handler) -> Handler:
            self._requests.serve(subscription, handler)
            return handler

        return serve

    async def ready(
        self, topic: str, *, subscribers: int | None = None, timeout: float = 10.0
    ) -> None:
        """Wait until events on a topic reach its subscribers.

        A topic is ready when ``subscribers`` other nodes, by default one, are known to subscribe to
        it and, if this node subscribes too, a link leads to one of them. A pattern of this node is
        ready when the known peers have confirmed it: the matching events that they publish from
        then on arrive.

        Raises
        ------
        NotReadyError
            If the topic is not ready within ``timeout`` seconds.
        """
        check_timeout(timeout)
        check_topic(topic)
        if is_pattern(topic):
            assert self._patterns is not None
            self._runtime.running("ready")
            if topic not in self.topics:
                raise ParameterError(
                    f"the node does not subscribe to {topic!r}; expected that it does"
                )
            await wait_for_pattern(self._runtime, self._patterns, topic, timeout)
            if not subscribers:
                return
        count = 1 if subscribers is None else subscribers
        await wait_for_subscribers(self._runtime, self._builder, topic, count, timeout)
