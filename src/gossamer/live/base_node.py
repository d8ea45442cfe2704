"""Start, stop and state of a node, which connects its machine with the layers of messaging."""

from __future__ import annotations

import inspect
import secrets
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Self

from gossamer.column_names import similar_name
from gossamer.errors import ParameterError
from gossamer.extras import require
from gossamer.host import Journal, Tracer
from gossamer.live.discovery.addresses import advertised_address, split_address
from gossamer.live.discovery.sources import source_of
from gossamer.live.events.event_decoder import EventDecoder
from gossamer.live.events.messages import (
    Hold,
    LastQuery,
    LastReply,
    PatternDigest,
    PatternUpdate,
    RequestAnswer,
    RequestReceipt,
)
from gossamer.live.events.patterns import is_pattern
from gossamer.live.events.published_event import PublishedEvent
from gossamer.live.events.topics import RESERVED, check_size, check_subscribed, check_topics
from gossamer.live.messaging.back_pressure import BackPressure
from gossamer.live.messaging.dispatch import Dispatch
from gossamer.live.messaging.open_subscriptions import OpenSubscriptions
from gossamer.live.messaging.pattern_lists import PatternLists
from gossamer.live.messaging.publication_builder import PublicationBuilder
from gossamer.live.messaging.requests import Requests
from gossamer.live.messaging.unclaimed_events import UnclaimedEvents
from gossamer.live.node_events import LinkDown, LinkUp, NodeEvent, NodeEvents, PeerUnreachable
from gossamer.live.node_status import NodeStatus
from gossamer.live.protocol_choice import choose_protocol
from gossamer.live.runtime import Runtime, RuntimeSettings
from gossamer.live.transport.limits import NetworkLimits
from gossamer.protocols import find_protocol
from gossamer.protocols.components.views import order_of
from gossamer.protocols.contract import (
    Deliver,
    InstallLinks,
    NodeContext,
    Peer,
    Subscribe,
    Topic,
    Topics,
    Unsubscribe,
)


class BaseNode:
    """Start, stop and state of a :class:`~gossamer.live.Node`, which adds messaging."""

    def __init__(
        self,
        listen: str = "127.0.0.1:0",
        *,
        join: Iterable[str] = (),
        topics: Iterable[str] = (),
        on_event: Callable[[PublishedEvent], object] | None = None,
        protocol: str = "spidercast",
        seed: int | None = None,
        limits: NetworkLimits | None = None,
        journal: bool = False,
        tracer: Tracer | None = None,
        advertise: str | None = None,
        **options: Any,
    ) -> None:
        host, _ = split_address(listen, "listen")
        if advertise is not None:
            advertised_address(advertise, 1)
        elif host in ("0.0.0.0", "::"):
            raise ParameterError(
                f"peers cannot reach {listen}; give the host name with advertise, or listen at one "
                "address"
            )
        if isinstance(join, str | bytes) or not isinstance(join, Iterable):
            raise ParameterError(f"join is {join!r}; expected a list, as in ['127.0.0.1:7000']")
        contacts = tuple(dict.fromkeys(join))
        for address in contacts:
            source_of(address)
        listed: Topics = tuple(sorted(check_topics(topics, "topics"), key=order_of))
        for topic in listed:
            check_subscribed(str(topic))
        check_size(listed)
        _check_parameters(protocol, options)
        found, chosen = choose_protocol(protocol, options)
        if found.uses_repair_rule:
            require("numba", purpose=f"the protocol {found.name}")
        self.seed = secrets.randbits(64) if seed is None else seed
        limits = limits or NetworkLimits()
        self._runtime = Runtime(
            RuntimeSettings(
                listen=listen, advertise=advertise, join=contacts, topics=listed, protocol=found,
                config=found.configure(chosen), seed=self.seed, limits=limits, tracer=tracer,
                journal=journal,
            ),
            self._deliver, self._on_link, self._on_unreachable,
        )  # fmt: skip
        self._builder = PublicationBuilder(limits.payload_bytes)
        self._decoder = EventDecoder(limits)
        self._dispatch = Dispatch(self._begin_topic, self._end_topic)
        self._unclaimed = UnclaimedEvents(listed)
        self._subscribed = set(listed)
        self._watchers: dict[NodeEvents, None] = {}
        self._back_pressure = BackPressure(self._runtime.unacknowledged_handovers)
        self._requests = Requests(
            self._runtime, self._builder, self._back_pressure, self._decoder.decode
        )
        self._subscriptions = OpenSubscriptions(
            self._runtime, self._dispatch, self._unclaimed, self._back_pressure.holds
        )
        self._patterns: PatternLists | None = None
        self.on_event = on_event
        self.on_change: Callable[[], object] | None = None
        """Function called after a link was added or removed, if set."""

    # -- start and stop ----------------------------------------------------------------------------

    async def start(self) -> None:
        """Listen, and start the protocol."""
        if self._runtime.network is not None or self._runtime.host is not None:
            raise ParameterError("a node starts only once; create another one")
        runtime = self._runtime
        network = await runtime.listen()
        self._back_pressure.watch(network)
        patterns = self._patterns = self._builder.patterns = PatternLists(
            network.me, runtime.send, runtime.peers, runtime.now, runtime.settings.join
        )
        runtime.handlers |= {
            Hold: self._back_pressure.holds.on_hold,
            PatternUpdate: patterns.on_update,
            PatternDigest: patterns.on_digest,
            RequestReceipt: self._requests.on_receipt,
            RequestAnswer: self._requests.on_answer,
            LastQuery: self._subscriptions.on_last_query,
            LastReply: self._subscriptions.on_last_reply,
        }
        try:
            await runtime.begin()
        except BaseException:
            patterns.close()
            raise
        self._announce_patterns()
        patterns.compare_with_contacts()

    async def stop(self) -> None:
        """Leave gracefully; no effect if the node has stopped.

        Publications that wait for room, and requests, end with a
        :class:`~gossamer.live.errors.NotRunningError`. The node waits until peers have received its
        earlier publications, while at least one more arrives every two seconds, and gives callbacks
        a second to end. Then it writes its send queues, and peers have five seconds
        (``NetworkLimits.timeout``) to read them.
        """
        self._runtime.check_stop()
        self._back_pressure.close()
        self._requests.close()
        self._subscriptions.leave_groups()
        if self._patterns is not None:
            self._patterns.close()
        await self._runtime.stop()
        self._subscriptions.close_all()
        for watcher in list(self._watchers):
            watcher.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    # -- state -------------------------------------------------------------------------------------

    @property
    def journal(self) -> Journal | None:
        """Record of events and effects, if ``journal`` was set."""
        return self._runtime.journal

    @property
    def context(self) -> NodeContext:
        """Context of the machine: an equal one with a fresh random stream at each access."""
        return self._runtime.context

    @property
    def address(self) -> str:
        """Address of the node, which is also its identifier; known after the start."""
        if not self._runtime.address:
            raise ParameterError("the node has no address before it has started")
        return self._runtime.address

    @property
    def links(self) -> tuple[Peer, ...]:
        """Linked peers, in the order of linking."""
        return self._runtime.links

    @property
    def topics(self) -> Topics:
        """Topics and patterns that the node subscribes to."""
        return tuple(one for one in self._runtime.topics if not _is_reserved(one))

    @property
    def status(self) -> NodeStatus:
        """Current status; after the stop, with the final counts."""
        runtime = self._runtime
        errors = 0 if runtime.callbacks is None else runtime.callbacks.errors
        return NodeStatus(
            address=self.address,
            topics=self.topics,
            links=self.links,
            known=len(runtime.known),
            counts=runtime.counts.copy(),
            callback_errors=errors + self._requests.errors,
            incomplete=self._decoder.incomplete,
            unreadable=self._decoder.unreadable,
        )

    def events(self) -> NodeEvents:
        """Return a stream of changes of links and of unreachable peers, from now on.

        Examples
        --------
        >>> import asyncio
        >>> from gossamer.live import LinkUp, Node
        >>> async def watch() -> bool:
        ...     async with Node(topics=["tea"]) as ann, ann.events() as events:
        ...         async with Node(topics=["tea"], join=[ann.address]) as bob:
        ...             return await anext(events) == LinkUp(bob.address)
        >>> asyncio.run(watch())
        True
        """
        self._runtime.running("events")
        watcher = NodeEvents(lambda one: self._watchers.pop(one, None))
        self._watchers[watcher] = None
        return watcher

    def install_links(self, neighbours: Iterable[tuple[Peer, Iterable[Topic]]], epoch: int) -> None:
        """Replace all links by those of a design.

        The peers must receive the same links.

        Parameters
        ----------
        neighbours
            Peers to link, each with its topics.
        epoch
            Number of the design, which increases from one design to the next.

        Raises
        ------
        ParameterError
            If the protocol chooses its links itself.
        """
        self._runtime.settings.protocol.require_installed_links()
        listed = tuple((peer, tuple(sorted(topics, key=order_of))) for peer, topics in neighbours)
        self._runtime.running("install_links").handle(InstallLinks(listed, epoch))

    # -- calls of the layers -----------------------------------------------------------------------

    def _begin_topic(self, topic: Topic) -> None:
        self._runtime.running("subscribe").handle(Subscribe(topic))
        self._subscribed.add(topic)
        if is_pattern(str(topic)):
            self._announce_patterns()

    def _end_topic(self, topic: Topic) -> None:
        self._subscribed.discard(topic)
        host = self._runtime.host
        if host is not None and not host.closed:
            host.handle(Unsubscribe(topic))
            if is_pattern(str(topic)):
                self._announce_patterns()

    def _announce_patterns(self) -> None:
        if self._patterns is not None:
            own = {str(topic) for topic in self._runtime.topics if is_pattern(str(topic))}
            if own or self._patterns.own:
                self._patterns.set_own(own)

    def _deliver(self, effect: Deliver) -> None:
        event = self._decoder.event_of(effect)
        if event is None:
            return
        if not event.topic.startswith(RESERVED):
            if self.on_event is not None and self._runtime.callbacks is not None:
                self._runtime.callbacks.call_soon(self.on_event, event)
            else:
                self._unclaimed.put(event)
            self._subscriptions.last.note(event)
        self._dispatch.put(event)

    def _on_link(self, peer: Peer, linked: bool) -> None:
        if self.on_change is not None and self._runtime.callbacks is not None:
            self._runtime.callbacks.call_soon(self.on_change)
        if linked and self._patterns is not None:
            self._patterns.on_link(peer)
        self._notify(LinkUp(peer) if linked else LinkDown(peer))

    def _on_unreachable(self, peer: Peer) -> None:
        if self._patterns is not None:
            self._patterns.on_unreachable(peer)
        self._subscriptions.on_unreachable(peer)
        self._notify(PeerUnreachable(peer))

    def _notify(self, event: NodeEvent) -> None:
        for watcher in self._watchers:
            watcher.put(event)


def _check_parameters(protocol: Any, options: Iterable[str]) -> None:
    """Raise ParameterError for an unknown option whose name resembles a parameter of the node."""
    parameters = list(inspect.signature(BaseNode).parameters)
    if not isinstance(protocol, str):
        return
    entry = find_protocol(protocol.partition(":")[0])
    known = [option.keyword for option in entry.options.listed]
    for name in options:
        similar = None if name in known else similar_name(name, [*parameters, *known])
        if similar in parameters:
            raise ParameterError(f"Node has no parameter {name!r}; did you mean {similar!r}?")


def _is_reserved(topic: Topic) -> bool:
    return isinstance(topic, str) and topic.startswith(RESERVED)
