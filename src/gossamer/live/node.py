"""A live node: publications, subscriptions and requests."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Callable, Iterable, Mapping

from gossamer.errors import ParameterError
from gossamer.host import Host
from gossamer.live.base_node import BaseNode
from gossamer.live.envelope import NO_HEADERS
from gossamer.live.errors import NotReadyError, NotRunningError
from gossamer.live.event_queue import MAX_BYTES, MAX_EVENTS, EventQueue, KeyFunction, Policy
from gossamer.live.parts import PART_BYTES
from gossamer.live.patterns import is_pattern
from gossamer.live.published_event import PublishedEvent
from gossamer.live.readiness import wait_for_pattern, wait_for_subscribers
from gossamer.live.requests import Handler, Reply
from gossamer.live.subscription import Subscription
from gossamer.live.timeouts import check_timeout
from gossamer.live.topics import check_size, check_subscribed, check_topic, check_topics
from gossamer.protocols.contract import Publish, Unsubscribe


class Node(BaseNode):
    """A node that runs a protocol over TCP.

    Use it as an asynchronous context, or call :meth:`start` and :meth:`stop`. Except for
    :meth:`publish_threadsafe`, use it in the thread of its event loop only.

    Parameters
    ----------
    listen
        Address ``host:port``, port 0 for any; peers reach the node at this host.
    join
        Addresses of running nodes; none for the first node. Any name under which a node can be
        dialled will do, also one of several nodes, and sources of addresses: ``srv://…``,
        ``multicast://…`` and ``file://…`` (:mod:`gossamer.live.discovery`).
    topics
        Topics that it subscribes to from the start. Their events wait for the first
        :meth:`subscribe` to the topic.
    on_event
        Called with each delivered event, on any topic, in place of waiting for :meth:`subscribe`;
        subscriptions get theirs all the same. It may be ``async def``. An exception is logged and
        counted in :attr:`status`, and has no other effect.
    protocol
        Name of a protocol, with options or without, as in ``spidercast:kg=2``; see
        :func:`gossamer.protocols.protocols`.
    seed
        Seed of the random number generator; random if not given.
    limits
        Limits of the resources that peers can use.
    journal
        Whether events and effects are recorded for a replay (:attr:`journal`).
    tracer
        Recorder of the trace.
    advertise
        Host, or ``host:port``, at which peers reach the node, if it is not where it listens: in a
        container, behind address translation, or at all addresses.
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

        It waits for room: as long as a linked peer reads more slowly than the node publishes, or
        a subscription with the policy *wait* holds a topic. The event reaches every connected
        subscriber, also this node if it subscribes; for the guarantees see
        :mod:`gossamer.protocols.components.trees` and, of topics that the node does not subscribe
        to, :mod:`gossamer.protocols.components.handover`. A large payload travels in parts.

        Raises
        ------
        ParameterError
            If there is no topic, a topic or header is malformed, or the payload is too large.
        NotRunningError
            If the node is not running, or stops while the event waits for room.
        """
        host = self._runtime.running("publish")
        if headers is NO_HEADERS:
            tags = self._publisher.plain_tags(topics, payload)
            compared = self._patterns is not None and self._patterns.compared
            if tags is not None and compared and self._room.passes(tags):
                host.handle(Publish(tags, payload))
                self._retain(tags, payload, headers)
                return
        await self._publish(host, topics, self._publisher.payload_of(payload), headers, 0)

    async def _publish(
        self,
        host: Host,
        topics: str | Iterable[str],
        content: bytes,
        headers: Mapping[str, str],
        request: int,
    ) -> None:
        tags = self._publisher.tags_of(topics)
        assert self._patterns is not None
        if not self._patterns.compared:
            await self._patterns.wait_for_comparison()
            tags = self._publisher.tags_of(topics)
        for one in self._publisher.events(tags, content, headers, request):
            if not self._room.passes(tags):
                await self._room.wait(tags)
            host.handle(one)
        self._retain(tags, content, headers)

    def try_publish(
        self,
        topics: str | Iterable[str],
        payload: bytes,
        *,
        headers: Mapping[str, str] = NO_HEADERS,
    ) -> bool:
        """Publish an event if there is room for it; return whether there was.

        Raises
        ------
        ParameterError
            As :meth:`publish`; and if the payload is so large that it travels in parts.
        """
        host = self._runtime.running("try_publish")
        tags = self._publisher.tags_of(topics)
        content = self._publisher.payload_of(payload)
        if len(content) > PART_BYTES:
            raise ParameterError(
                f"the payload has {len(content):,} bytes; expected {PART_BYTES:,} at most, or "
                "await node.publish(...)"
            )
        if not self._room.free(tags):
            return False
        for one in self._publisher.events(tags, content, headers):
            host.handle(one)
        self._retain(tags, content, headers)
        return True

    def _retain(self, tags: tuple[str, ...], content: bytes, headers: Mapping[str, str]) -> None:
        """Keep an event as the newest of its topic; subscribers have kept it when it arrived."""
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
        """Publish an event from another thread, which waits for room.

        Raises
        ------
        TimeoutError
            If there is no room in time.
        ParameterError
            As :meth:`publish`; and in the thread of the event loop, which must not wait.
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
        """Wait until peers have taken what this node has published, and it is written to them.

        Raises
        ------
        NotReadyError
            If no peer takes a publication for two seconds, as when none subscribes to its topics,
            or data is not written in time.
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

        An event on several of the topics is in the stream once. The first subscription to a topic
        of the node's ``topics`` begins with what has arrived since the start.

        Parameters
        ----------
        topics
            Topics, and patterns: ``orders.*`` matches one more level, ``orders.>`` one or more.
        policy
            What happens when the stream is full: ``drop-oldest``, ``drop-newest``, ``wait``
            (publishers wait from when half of its room is filled), or ``coalesce``, which keeps the
            latest event of each key.
        key
            Function that returns the key of an event, for ``coalesce``; its topic if not given.
        max_events, max_bytes
            Room of the stream: events, and bytes of their payloads. With ``coalesce``, room for as
            many events as there are keys. With ``wait``, what is on its way to a full stream is
            kept beyond its room, up to four times ``max_bytes``, and dropped only then.
        echo
            Whether the stream has the node's own events.
        group
            Name of a queue group: of its members, one handles each event
            (:mod:`gossamer.live.groups`).
        last
            Whether the stream begins with the newest event of each topic, if another node still has
            it (:mod:`gossamer.live.last_values`).

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
        """Unsubscribe from a topic; the streams that have no other topic end."""
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
            As of :meth:`publish`.
        timeout
            Seconds to wait; None waits without an end.

        Raises
        ------
        NoRespondersError
            If no node has taken it in time.
        RequestTimeoutError
            If a node has taken it, and not answered in time.
        RequestError
            If the responder has failed.
        """
        check_timeout(timeout)
        host = self._runtime.running("request")
        content = self._publisher.payload_of(payload)

        async def publish(number: int) -> None:
            await self._publish(host, topic, content, headers, number)

        return await self._requests.request(topic, publish, timeout)

    def respond(self, *topics: str, group: str | None = None) -> Callable[[Handler], Handler]:
        """Answer the requests on topics and patterns by a function: a decorator.

        The function, plain or ``async``, gets the event and returns the answer: bytes, a
        :class:`Reply` with headers, or None. An exception becomes a :class:`RequestError` at the
        requester. With a group, one of its members answers; otherwise all responders do, and the
        first answer counts. A node answers 64 requests at the same time. :meth:`unsubscribe` ends
        it.

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
        """Wait until events on a topic have their way.

        A topic is ready when other nodes are known to subscribe to it, one if ``subscribers`` is
        not given, and, if this node does too, a link leads to one of them. A pattern of this node
        is ready when the peers that it knows have confirmed it: what they publish from then on
        arrives.

        Raises
        ------
        NotReadyError
            If the time is over before.
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
        await wait_for_subscribers(self._runtime, self._publisher, topic, count, timeout)
