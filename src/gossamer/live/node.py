"""A live node: a machine on a real clock and real sockets, in the caller's event loop."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any

from gossamer.errors import ParameterError
from gossamer.host import Codec, Host, Journal, Tracer, stream_of
from gossamer.host.journal import JournalHeader
from gossamer.live.addresses import split_address
from gossamer.live.clock import LoopClock
from gossamer.live.network import LOG, Network, NetworkCounts, NetworkLimits
from gossamer.live.subscription import PublishedEvent, Subscription
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
    Subscribe,
    Topic,
    Topics,
    Unsubscribe,
)


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
    """

    address: str
    topics: Topics
    links: tuple[Peer, ...]
    known: int
    counts: NetworkCounts


class Node:
    """A node that runs a protocol over TCP.

    Use it as an asynchronous context, or call :meth:`start` and :meth:`stop`.

    Parameters
    ----------
    listen
        Address ``host:port``, port 0 for any; peers reach the node at this host.
    join
        Addresses of running nodes; none for the first node.
    topics
        Topics that it subscribes to.
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
        Host name for peers, if the node listens at all addresses.

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
        topics: Iterable[Topic] = (),
        protocol: str = "spidercast",
        options: Mapping[str, Any] | None = None,
        seed: int | None = None,
        limits: NetworkLimits | None = None,
        journal: bool = False,
        tracer: Tracer | None = None,
        advertise: str | None = None,
    ) -> None:
        for what, given in (("join", join), ("topics", topics)):
            if isinstance(given, str | bytes):
                raise ParameterError(f"{what} is {given!r}; expected a list, as in [{given!r}]")
        host, _ = split_address(listen)
        if host in ("0.0.0.0", "::") and advertise is None:
            raise ParameterError(
                f"peers cannot reach {listen}; give the host name with advertise, or listen at one "
                "address"
            )
        self._listen = listen
        self._advertise = advertise
        self._join = tuple(dict.fromkeys(join))
        for address in self._join:
            split_address(address)
        self._topics = tuple(sorted(dict.fromkeys(topics), key=order_of))
        for topic in self._topics:
            check_topic(topic)
        self._protocol, chosen = resolve_protocol(protocol, options)
        self._config = self._protocol.configure(chosen)
        self.seed = secrets.randbits(64) if seed is None else seed
        self._limits = limits
        self._codec = Codec(self._protocol.messages)
        self.journal = Journal(self._codec) if journal else None
        self._tracer = tracer
        self._host: Host | None = None
        self._network: Network | None = None
        self._address = ""
        self._subscriptions: list[Subscription] = []
        self._unreached: dict[Peer, None] = {}
        self.on_change: Callable[[], None] | None = None
        """Called after a link was made or ended, if set."""
        self.on_event: Callable[[PublishedEvent], None] | None = None
        """Called with each delivered publication on any topic, if set."""

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
            limits=self._limits,
        )
        self._network = network
        await network.listen(self._listen, self._advertise)
        self._address = network.me
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
        clock = LoopClock(asyncio.get_running_loop())
        self._host = Host(
            network.me, machine, clock, _ReportingWire(network, self), tracer=self._tracer,
            journal=self.journal, deliver=self._deliver,
        )  # fmt: skip
        self._host.start()

    async def stop(self) -> None:
        """Leave gracefully and close all connections; no effect if the node has stopped."""
        if self._host is not None and not self._host.closed:
            self._host.leave()
        for subscription in list(self._subscriptions):
            subscription.close()
        if self._network is not None:
            await self._network.close()
            self._network = None

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
    def status(self) -> NodeStatus:
        """Present status."""
        assert self._network is not None
        assert self._host is not None
        view = getattr(self._host.machine, "view", None)
        return NodeStatus(
            address=self.address,
            topics=self.topics,
            links=self.links,
            known=len(view) if isinstance(view, Sized) else 0,
            counts=self._network.counts.copy(),
        )

    def subscribe(self, *topics: Topic) -> Subscription:
        """Subscribe to topics; return one stream of their publications.

        A publication on several of the topics is in the stream once.

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
        for topic in topics:
            check_topic(topic)
        host = self._running()
        subscription = Subscription(tuple(dict.fromkeys(topics)), self._subscriptions.remove)
        self._subscriptions.append(subscription)
        for topic in subscription.topics:
            host.handle(Subscribe(topic))
        return subscription

    def unsubscribe(self, topic: Topic) -> None:
        """Unsubscribe from a topic; the streams that have no other topic end."""
        host = self._running()
        for subscription in list(self._subscriptions):
            subscription.remove(topic)
        host.handle(Unsubscribe(topic))

    def publish(self, topics: Topic | Iterable[Topic], payload: bytes) -> None:
        """Publish on one topic or several; the node need not subscribe to them.

        The publication reaches every connected subscriber, also this node if it subscribes; for
        the guarantees see :mod:`gossamer.protocols.components.dissemination` and, of topics that
        the node does not subscribe to, :mod:`gossamer.protocols.components.handover`.

        Raises
        ------
        ParameterError
            If there is no topic, a topic is malformed, or the payload is too large.
        """
        host = self._running()
        tags = tuple([topics] if isinstance(topics, int | str) else dict.fromkeys(topics))
        if not tags:
            raise ParameterError("published on no topic; expected one or more")
        for topic in tags:
            check_topic(topic)
        if len(tags) > MAX_TAGS:
            raise ParameterError(f"published on {len(tags)} topics; expected {MAX_TAGS} at most")
        if not isinstance(payload, bytes | bytearray | memoryview):
            raise ParameterError(f"the payload is of type {type(payload).__name__}; expected bytes")
        if len(payload) > MAX_PAYLOAD:
            raise ParameterError(
                f"the payload has {len(payload):,} bytes; expected {MAX_PAYLOAD:,} at most"
            )
        host.handle(Publish(tags, bytes(payload)))

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
        self._running().handle(InstallLinks(listed, epoch))

    def _running(self) -> Host:
        if self._host is None or self._host.closed:
            raise ParameterError("the node is not running; start it first")
        return self._host

    def _deliver(self, effect: Deliver) -> None:
        event = PublishedEvent(
            effect.topics,
            effect.payload,
            effect.publisher,
            effect.hops,
            effect.numbers,
            effect.missing,
        )
        if self.on_event is not None:
            self.on_event(event)
        for subscription in self._subscriptions:
            if any(topic in effect.topics for topic in subscription.topics):
                subscription.put(event)

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

    def link(self, peer: Peer) -> None:
        self._network.link(peer)
        if self._node.on_change is not None:
            self._node.on_change()

    def unlink(self, peer: Peer) -> None:
        self._network.unlink(peer)
        if self._node.on_change is not None:
            self._node.on_change()


def _repair_links(request: RepairRequest) -> list[tuple[int, int]]:
    """Apply the repair rule, which is imported when a machine first needs it."""
    from gossamer.maintain.repair import repair_links

    return repair_links(request)


def check_topic(topic: Topic) -> None:
    """Raise ParameterError for a malformed topic."""
    if isinstance(topic, bool) or not isinstance(topic, int | str):
        raise ParameterError(f"a topic is {topic!r}; expected a string or a whole number")
    if isinstance(topic, str) and not 0 < len(topic) <= 255:
        raise ParameterError(f"a topic has {len(topic)} characters; expected 1 to 255")
    if isinstance(topic, int) and not -(1 << 63) <= topic < 1 << 63:
        raise ParameterError(f"a topic is {topic}; expected a whole number of 64 bits")
