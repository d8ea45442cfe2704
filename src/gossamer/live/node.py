"""A live node: a machine on a real clock and real sockets, in the caller's event loop."""

from __future__ import annotations

import asyncio
import math
import secrets
import threading
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any

from gossamer.errors import ParameterError
from gossamer.extras import require
from gossamer.host import Codec, Host, Journal, Tracer, stream_of
from gossamer.host.journal import JournalHeader
from gossamer.live.addresses import advertised_address, split_address
from gossamer.live.callbacks import Callbacks
from gossamer.live.clock import LoopClock
from gossamer.live.limits import NetworkCounts, NetworkLimits
from gossamer.live.network import LOG, Network
from gossamer.live.subscription import PublishedEvent, Subscription, Unclaimed
from gossamer.live.topics import check_size, check_topic, check_topics
from gossamer.model.repair import RepairRequest
from gossamer.protocols import resolve_protocol
from gossamer.protocols.components.dissemination import MAX_PAYLOAD, MAX_TAGS
from gossamer.protocols.components.views import order_of
from gossamer.protocols.contract import (
    Deliver,
    InstallLinks,
    NodeContext,
    Peer,
    PeerDown,
    Publish,
    PublishingMachine,
    Subscribe,
    Topic,
    Topics,
    Unsubscribe,
)

SECONDS_TO_HAND_OVER = 2.0
"""Time for which a node that stops looks for a peer for its next publication."""


@dataclass(frozen=True)
class NodeStatus:
    """Status of a node.

    Attributes
    ----------
    address
        Address, which is also its identifier.
    topics
        Topics that it subscribes to.
    links
        Linked peers.
    known
        Number of nodes known by gossip.
    counts
        Counts of messages and errors.
    callback_errors
        Number of callbacks of the application that raised an exception.
    """

    address: str
    topics: Topics
    links: tuple[Peer, ...]
    known: int
    counts: NetworkCounts
    callback_errors: int = 0


class Node:
    """A node that runs a protocol over TCP.

    Use it as an asynchronous context, or call :meth:`start` and :meth:`stop`. Except for
    :meth:`publish`, use it in the thread of its event loop only.

    Parameters
    ----------
    listen
        Address ``host:port``, port 0 for any; peers reach the node at this host.
    join
        Addresses of running nodes; none for the first node. Any name under which a node can be
        dialled will do.
    topics
        Topics that it subscribes to from the start. Their publications wait for the first
        :meth:`subscribe` to the topic.
    on_event
        Called with each delivered publication, on any topic, in place of waiting for
        :meth:`subscribe`; subscriptions get theirs all the same. It may be ``async def``. An
        exception is logged and counted in :attr:`status`, and has no other effect.
    protocol, options
        Protocol and its options; see :func:`gossamer.protocols.protocols`.
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

    Examples
    --------
    >>> import asyncio
    >>> async def meet() -> bool:
    ...     async with Node(topics=["tea"]) as ann, Node(topics=["tea"], join=[ann.address]) as bob:
    ...         while ann.address not in bob.links:
    ...             await asyncio.sleep(0.01)
    ...         return True
    >>> asyncio.run(meet())
    True
    """

    def __init__(
        self,
        listen: str = "127.0.0.1:0",
        *,
        join: Iterable[str] = (),
        topics: Iterable[str] = (),
        on_event: Callable[[PublishedEvent], object] | None = None,
        protocol: str = "spidercast",
        options: Mapping[str, Any] | None = None,
        seed: int | None = None,
        limits: NetworkLimits | None = None,
        journal: bool = False,
        tracer: Tracer | None = None,
        advertise: str | None = None,
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
        self._listen = listen
        self._advertise = advertise
        self._join = tuple(dict.fromkeys(join))
        for address in self._join:
            split_address(address, "an address to join")
        self._topics: Topics = tuple(sorted(check_topics(topics, "topics"), key=order_of))
        check_size(self._topics)
        self._protocol, chosen = resolve_protocol(protocol, options)
        if self._protocol.uses_repair_rule:
            require("numba", purpose=f"the protocol {self._protocol.name}")
        self._config = self._protocol.configure(chosen)
        self.seed = secrets.randbits(64) if seed is None else seed
        self._limits = limits
        self._codec = Codec(self._protocol.messages)
        self.journal = Journal(self._codec) if journal else None
        self._tracer = tracer
        self._host: Host | None = None
        self._network: Network | None = None
        self._address = ""
        self._thread = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._callbacks: Callbacks | None = None
        self._subscriptions: list[Subscription] = []
        self._unclaimed = Unclaimed(self._topics)
        self._unreached: dict[Peer, None] = {}
        self._counts = NetworkCounts()
        self.on_event = on_event
        self.on_change: Callable[[], object] | None = None
        """Called after a link was made or ended, if set."""

    # -- start and stop ----------------------------------------------------------------------------

    async def start(self) -> None:
        """Listen, and start the protocol."""
        if self._host is not None:
            raise ParameterError("a node starts only once; create another one")
        network = Network(
            self._protocol.name,
            self._codec,
            receive=self._receive,
            down=self._peer_down,
            random=stream_of(self.seed, "network"),
            contacts=self._join,
            limits=self._limits,
        )
        self._network = network
        await network.listen(self._listen, self._advertise)
        self._address = network.me
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._callbacks = Callbacks(network.me)
        try:
            machine = self._protocol.build(self.context, self._config)
        except BaseException:
            await network.close()
            raise
        if self.journal is not None:
            self.journal.start(
                JournalHeader(
                    protocol=self._protocol.name,
                    options=asdict(self._config),
                    seed=self.seed,
                    node=network.me,
                    topics=self._topics,
                    contacts=self._join,
                )
            )
        clock = LoopClock(self._loop)
        self._host = Host(
            network.me, machine, clock, _ReportingWire(network, self), tracer=self._tracer,
            journal=self.journal, deliver=self._deliver,
        )  # fmt: skip
        self._host.start()

    async def stop(self) -> None:
        """Leave gracefully, with nothing left behind; no effect if the node has stopped.

        Publications that have reached no peer are handed over, as long as one more is every two
        seconds. Callbacks have a second to end. Then what waits is written, and peers have five
        seconds (``NetworkLimits.timeout``) to read it.
        """
        if self._host is not None and not self._host.closed:
            self._check_thread("stop")
            await self._hand_over()
            if self._callbacks is not None:
                await self._callbacks.finish(1.0)
            self._host.leave()
        for subscription in list(self._subscriptions):
            subscription.close()
        network, self._network = self._network, None
        if network is not None:
            self._counts = network.counts
            await network.close()

    async def _hand_over(self) -> None:
        """Wait until peers have what this node has published, or no peer is known."""
        host, network = self._host, self._network
        assert host is not None
        assert network is not None
        assert self._loop is not None
        machine = host.machine
        best, end = math.inf, 0.0
        while not host.closed:
            unsent = machine.unsent() if isinstance(machine, PublishingMachine) else 0
            if not (network.waiting or (unsent and (self._join or self._known))):
                return
            if unsent < best:
                best, end = unsent, self._loop.time() + SECONDS_TO_HAND_OVER
            if self._loop.time() >= end:
                return
            await asyncio.sleep(0.01)

    async def __aenter__(self) -> Node:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    @property
    def context(self) -> NodeContext:
        """Context of the machine: an equal one with a fresh random stream at each access."""
        return NodeContext(
            me=self.address,
            topics=self._topics,
            random=stream_of(self.seed, "node", self.address),
            contacts=self._join,
            repair_rule=_repair_links,
        )

    # -- state --------------------------------------------------------------------

    @property
    def address(self) -> str:
        """Address, which is also the identifier; known after the start."""
        if not self._address:
            raise ParameterError("the node has no address before it has started")
        return self._address

    @property
    def links(self) -> tuple[Peer, ...]:
        """Linked peers, in the order of linking."""
        return () if self._host is None else tuple(self._host.machine.linked())

    @property
    def topics(self) -> Topics:
        """Topics that the node subscribes to."""
        return self._topics if self._host is None else self._host.machine.topics

    @property
    def _known(self) -> int:
        view = None if self._host is None else getattr(self._host.machine, "view", None)
        return len(view) if isinstance(view, Sized) else 0

    @property
    def status(self) -> NodeStatus:
        """Present status; after the end of the node, its last counts."""
        network = self._network
        return NodeStatus(
            address=self.address,
            topics=self.topics,
            links=self.links,
            known=self._known,
            counts=(self._counts if network is None else network.counts).copy(),
            callback_errors=0 if self._callbacks is None else self._callbacks.errors,
        )

    def subscribe(self, *topics: str) -> Subscription:
        """Subscribe to topics; return one stream of their publications.

        A publication on several of the topics is in the stream once. The first subscription to a
        topic of the node's ``topics`` begins with what has arrived since the start.

        Examples
        --------
        >>> import asyncio
        >>> async def talk() -> bytes:
        ...     async with Node() as ann, Node(topics=["tea"]) as bob:
        ...         events = bob.subscribe("tea")
        ...         bob.publish("tea", b"it is ready")
        ...         return (await anext(events)).payload
        >>> asyncio.run(talk())
        b'it is ready'
        """
        if not topics:
            raise ParameterError("subscribed to nothing; expected one topic or several")
        host = self._running("subscribe")
        subscription = Subscription(check_topics(topics, "topics"), self._closed)
        check_size({*self.topics, *topics})
        self._subscriptions.append(subscription)
        subscription.take(self._unclaimed)
        for topic in subscription.topics:
            host.handle(Subscribe(topic))
        return subscription

    def unsubscribe(self, topic: str) -> None:
        """Unsubscribe from a topic; the streams that have no other topic end."""
        check_topic(topic)
        host = self._running("unsubscribe")
        self._unclaimed.claim([topic])
        for subscription in list(self._subscriptions):
            subscription.remove(topic)
        host.handle(Unsubscribe(topic))

    def _closed(self, subscription: Subscription) -> None:
        """Unsubscribe from the topics of a closed subscription that no other one has."""
        self._subscriptions.remove(subscription)
        if self._host is None or self._host.closed:
            return
        for topic in subscription.topics:
            if not any(topic in other.topics for other in self._subscriptions):
                self._host.handle(Unsubscribe(topic))

    def publish(self, topics: str | Iterable[str], payload: bytes) -> None:
        """Publish on one topic or several; the node need not subscribe to them.

        The publication reaches every connected subscriber, also this node if it subscribes; for
        the guarantees see :mod:`gossamer.protocols.components.dissemination` and, of topics that
        the node does not subscribe to, :mod:`gossamer.protocols.components.handover`.

        Any thread may call it. From a thread other than that of the event loop, the publication
        follows as soon as the loop runs, in the order of the calls.

        Raises
        ------
        ParameterError
            If there is no topic, a topic is malformed, or the payload is too large.
        """
        tags = check_topics([topics] if isinstance(topics, str) else topics, "topics")
        if not tags:
            raise ParameterError("published on no topic; expected one or more")
        if len(tags) > MAX_TAGS:
            raise ParameterError(f"published on {len(tags)} topics; expected {MAX_TAGS} at most")
        if not isinstance(payload, bytes | bytearray | memoryview):
            raise ParameterError(f"the payload is of type {type(payload).__name__}; expected bytes")
        content = bytes(payload)
        if len(content) > MAX_PAYLOAD:
            raise ParameterError(
                f"the payload has {len(content):,} bytes; expected {MAX_PAYLOAD:,} at most"
            )
        if threading.get_ident() == self._thread:
            self._running("publish").handle(Publish(tags, content))
            return
        if self._loop is None or self._host is None or self._host.closed:
            raise ParameterError("the node is not running; start it first")
        try:
            self._loop.call_soon_threadsafe(self._host.handle, Publish(tags, content))
        except RuntimeError:
            raise ParameterError("the event loop of the node has ended") from None

    def install_links(self, neighbours: Iterable[tuple[Peer, Iterable[Topic]]], epoch: int) -> None:
        """Replace all links by those of a design, each with the topics of the peer.

        The peers must receive the same links; ``epoch`` increases from one design to the next.

        Raises
        ------
        ParameterError
            If the protocol makes all its links itself.
        """
        self._protocol.require_installed_links()
        listed = tuple((peer, tuple(sorted(topics, key=order_of))) for peer, topics in neighbours)
        self._running("install_links").handle(InstallLinks(listed, epoch))

    def _running(self, method: str) -> Host:
        if self._host is None or self._host.closed:
            raise ParameterError("the node is not running; start it first")
        self._check_thread(method)
        return self._host

    def _check_thread(self, method: str) -> None:
        if threading.get_ident() != self._thread:
            raise ParameterError(
                f"{method} is called from another thread than that of the node's event loop; "
                "expected the same: loop.call_soon_threadsafe(...) calls it there"
            )

    def _deliver(self, effect: Deliver) -> None:
        event = PublishedEvent(
            effect.topics,
            effect.payload,
            effect.publisher,
            effect.hops,
            effect.numbers,
            effect.missing,
        )
        if self.on_event is not None and self._callbacks is not None:
            self._callbacks.call_soon(self.on_event, event)
        else:
            self._unclaimed.put(event)
        for subscription in self._subscriptions:
            if any(topic in effect.topics for topic in subscription.topics):
                subscription.put(event)

    def _changed(self) -> None:
        if self.on_change is not None and self._callbacks is not None:
            self._callbacks.call_soon(self.on_change)

    def _receive(self, peer: Peer, message: Any) -> None:
        if self._host is not None:
            self._host.receive(peer, message)

    def _peer_down(self, peer: Peer) -> None:
        if self._host is None:
            return
        if peer in self._join and not self.links and peer not in self._unreached:
            self._unreached[peer] = None
            LOG.warning("%s: could not reach %s; still trying", self.address, peer)
        self._host.handle(PeerDown(peer))


class _ReportingWire:
    """The wire of a node, which reports changed links."""

    def __init__(self, network: Network, node: Node) -> None:
        self._network = network
        self._node = node
        self.send = network.send

    def flush(self) -> None:
        """Do nothing: a connection writes once in an iteration of the event loop."""

    def link(self, peer: Peer) -> None:
        self._network.link(peer)
        self._node._changed()

    def unlink(self, peer: Peer) -> None:
        self._network.unlink(peer)
        self._node._changed()


def _repair_links(request: RepairRequest) -> list[tuple[int, int]]:
    """Apply the repair rule, which is imported when a machine first needs it."""
    from gossamer.maintain.repair import repair_links

    return repair_links(request)
