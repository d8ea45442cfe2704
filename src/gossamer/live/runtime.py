"""The runtime of a node: its machine on a real clock and network, from start to stop.

The layers above publish and subscribe by events of the machine, and receive its deliveries. They
also exchange messages of their own with peers (:mod:`~gossamer.live.events.messages`), which the
machine does not see.
"""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from gossamer.errors import ParameterError
from gossamer.host import Codec, Host, Journal, Tracer, stream_of
from gossamer.host.journal import JournalHeader
from gossamer.host.loop_clock import LoopClock
from gossamer.live.callbacks import Callbacks
from gossamer.live.errors import NotRunningError
from gossamer.live.events.messages import MESSAGES
from gossamer.live.handover_counts import HandoverCounts, RecentView
from gossamer.live.log import LOG
from gossamer.live.repair_rule import compile_repair_rule, repair_links
from gossamer.live.transport.limits import NetworkCounts, NetworkLimits
from gossamer.live.transport.network import Network
from gossamer.protocols.components.membership import ShuffleReply
from gossamer.protocols.contract import (
    Deliver,
    NodeContext,
    Peer,
    PeerDown,
    PublishingMachine,
    Topic,
    Topics,
)
from gossamer.time import SECOND

SECONDS_TO_HAND_OVER = 2.0
"""Time for which a stopping node waits until a peer receives another publication."""

MIN_HANDOVERS_TO_CHECK = 128
"""Number of unacknowledged handovers above which the node checks which ones have subscribers."""
SHUFFLES_TO_REMEMBER, TIME_TO_REMEMBER = 3, 5 * SECOND
"""Periods of shuffles, and time beyond them, for which the view that the last one left counts."""

PeerHandler = Callable[[Peer, Any], None]


@dataclass(frozen=True)
class RuntimeSettings:
    """Addresses, protocol and recorders of a node; see :class:`~gossamer.live.Node`."""

    listen: str
    advertise: str | None
    join: tuple[str, ...]
    topics: Topics
    protocol: Any
    config: Any
    seed: int
    limits: NetworkLimits | None
    tracer: Tracer | None
    journal: bool


class Runtime:
    """A machine on a real clock and network.

    Parameters
    ----------
    settings
        Settings of the node.
    deliver
        Function called with each delivery.
    on_link
        Function called with a peer, and whether it is linked, when that changes.
    on_unreachable
        Function called with a peer that cannot be reached.
    """

    def __init__(
        self,
        settings: RuntimeSettings,
        deliver: Callable[[Deliver], None],
        on_link: Callable[[Peer, bool], None],
        on_unreachable: Callable[[Peer], None],
    ) -> None:
        self.settings = settings
        self.handlers: dict[type, PeerHandler] = {ShuffleReply: self._shuffled}
        """Handlers of the messages that are not for the machine alone, by type."""
        self.codec = Codec((*settings.protocol.messages, *MESSAGES))
        self.journal = Journal(self.codec) if settings.journal else None
        self.host: Host | None = None
        self.network: Network | None = None
        self.callbacks: Callbacks | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self._clock: LoopClock | None = None
        self._deliver = deliver
        self._on_link = on_link
        self._on_unreachable = on_unreachable
        self._thread = 0
        self._address = ""
        self._recent = RecentView()
        self._unreached: dict[Peer, None] = {}
        self._counts = NetworkCounts()

    # -- start and stop ----------------------------------------------------------------------------

    async def listen(self) -> Network:
        """Listen at the address, before the machine starts."""
        settings = self.settings
        network = self.network = Network(
            settings.protocol.name,
            self.codec,
            receive=self._receive,
            down=self._peer_down,
            random=stream_of(settings.seed, "network"),
            contacts=settings.join,
            limits=settings.limits,
        )
        if settings.protocol.uses_repair_rule:
            await asyncio.to_thread(compile_repair_rule)
        self._address = await network.listen(settings.listen, settings.advertise)
        self.loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self.callbacks = Callbacks(network.me)
        self._clock = LoopClock(self.loop)
        return network

    async def begin(self) -> None:
        """Start the machine."""
        settings, network = self.settings, self.network
        assert network is not None
        assert self._clock is not None
        try:
            machine = settings.protocol.build(self.context, settings.config)
        except BaseException:
            await network.close()
            raise
        if self.journal is not None:
            self.journal.start(
                JournalHeader(
                    protocol=settings.protocol.name,
                    options=asdict(settings.config),
                    seed=settings.seed,
                    node=network.me,
                    topics=settings.topics,
                    contacts=settings.join,
                )
            )
        self.host = Host(
            network.me, machine, self._clock, _ReportingWire(network, self._on_link),
            tracer=settings.tracer, journal=self.journal, deliver=self._deliver,
        )  # fmt: skip
        self.host.start()

    async def stop(self) -> None:
        """Leave gracefully; no effect if the node has stopped.

        Wait first for peers to receive earlier publications, while at least one more arrives every
        two seconds, and a second for callbacks to end. Then write the send queues, and give peers
        some seconds to read them.
        """
        if self.host is not None and not self.host.closed:
            await self.hand_over()
            if self.callbacks is not None:
                await self.callbacks.finish(1.0)
            self.host.leave()
        network, self.network = self.network, None
        if network is not None:
            self._counts = network.counts
            await network.close()

    def check_stop(self) -> None:
        """Raise unless the node has stopped, or this is the thread of its event loop."""
        if self.host is not None and not self.host.closed:
            self.check_thread("stop")

    async def hand_over(self) -> bool:
        """Wait until peers have received all publications of this node; return whether they have.

        Give up if no peer is known, or no publication reaches a peer for two seconds.
        """
        host, network, loop = self.host, self.network, asyncio.get_running_loop()
        assert host is not None
        assert network is not None
        best, end = math.inf, 0.0
        while not host.closed:
            unsent = self.unsent
            if not (network.waiting or (unsent and (self.settings.join or self._recently_known))):
                return True
            if unsent < best:
                best, end = unsent, loop.time() + SECONDS_TO_HAND_OVER
            if loop.time() >= end:
                return False
            await asyncio.sleep(0.01)
        return False

    @property
    def context(self) -> NodeContext:
        """Context of the machine: an equal one with a fresh random stream at each access."""
        settings = self.settings
        return NodeContext(
            me=self.address,
            topics=settings.topics,
            random=stream_of(settings.seed, "node", self.address),
            contacts=settings.join,
            repair_rule=repair_links,
        )

    # -- state -------------------------------------------------------------------------------------

    @property
    def address(self) -> str:
        """Address of the node; empty before its start."""
        return self._address

    @property
    def links(self) -> tuple[Peer, ...]:
        """Linked peers, in the order of linking."""
        return () if self.host is None else tuple(self.host.machine.linked())

    @property
    def topics(self) -> Topics:
        """Topics of the machine."""
        return self.settings.topics if self.host is None else self.host.machine.topics

    @property
    def known(self) -> dict[Peer, Topics]:
        """Topic names of each known peer, as gossip carries them."""
        view = None if self.host is None else getattr(self.host.machine, "view", None)
        known: dict[Peer, Topics] = getattr(view, "known", {})
        return known

    @property
    def _recently_known(self) -> Mapping[Peer, Topics]:
        """Peers known by gossip, with the one that has not answered the present shuffle."""
        return self._recent.with_left(self.known, self.now())

    @property
    def unsent(self) -> int:
        """Number of publications that no peer has received yet.

        A publication that only subscribers of patterns have received is not counted, although the
        machine continues to look for subscribers of its topic.
        """
        machine: Any = None if self.host is None else self.host.machine
        if not isinstance(machine, PublishingMachine):
            return 0
        unsent = machine.unsent()
        if not unsent:
            return 0
        return unsent - HandoverCounts(machine, self._recently_known).without_known_subscriber

    def unacknowledged_handovers(self) -> int:
        """Return the number of handovers from the oldest one that waits for a known subscriber."""
        handovers = None if self.host is None else getattr(self.host.machine, "handovers", None)
        if self.host is None or handovers is None or handovers.waiting <= MIN_HANDOVERS_TO_CHECK:
            return 0
        return HandoverCounts(self.host.machine, self._recently_known).since_oldest_wanted

    @property
    def counts(self) -> NetworkCounts:
        """Counts of messages and errors; after the stop, the final counts."""
        return self._counts if self.network is None else self.network.counts

    def now(self) -> int:
        """Return the time in microseconds."""
        assert self._clock is not None
        return self._clock.now()

    def peers(self) -> tuple[list[Peer], list[Peer], list[Peer]]:
        """Return the linked, the connected and the known peers."""
        network = self.network
        if network is None:
            return [], [], []
        return network.linked(), list(network.connected()), list(self.known)

    def subscribers_of(self, topics: Iterable[Topic]) -> set[Peer]:
        """Return the known peers that subscribe to at least one of the topics."""
        if self.host is None:
            return set()
        machine: Any = self.host.machine
        listed = tuple(topics)
        near = {peer for topic in listed for peer in machine.neighbours_on(topic)}
        names = getattr(machine, "names_for_gossip", tuple)(listed)
        wanted = frozenset(names)
        return near | {peer for peer, theirs in self.known.items() if not wanted.isdisjoint(theirs)}

    # -- calls of the layers above -----------------------------------------------------------------

    def running(self, method: str) -> Host:
        """Return the host; raise unless the node is running, and this is the thread of its loop."""
        if self.host is None or self.host.closed:
            raise NotRunningError
        self.check_thread(method)
        return self.host

    @property
    def in_thread(self) -> bool:
        """Whether this is the thread of the node's event loop."""
        return threading.get_ident() == self._thread

    def check_thread(self, method: str) -> None:
        """Raise unless this is the thread of the node's event loop."""
        if not self.in_thread:
            raise ParameterError(
                f"{method} is called from another thread than that of the node's event loop; "
                "expected the same: loop.call_soon_threadsafe(...) calls it there"
            )

    def send(self, peer: Peer, message: Any) -> None:
        """Send a message of a layer above to a peer, without a guarantee of delivery."""
        if self.network is not None:
            self.network.send(peer, message)

    def _receive(self, peer: Peer, message: Any) -> None:
        handler = self.handlers.get(type(message))
        if handler is not None:
            handler(peer, message)
        elif self.host is not None:
            self.host.receive(peer, message)

    def _shuffled(self, peer: Peer, message: Any) -> None:
        """Remember the view that a shuffle has left."""
        if self.host is not None:
            self.host.receive(peer, message)
            period = getattr(getattr(self.host.machine, "view", None), "period", 0)
            time_to_remember = SHUFFLES_TO_REMEMBER * period + TIME_TO_REMEMBER
            self._recent.keep(self.known, self.now() + time_to_remember)

    def _peer_down(self, peer: Peer) -> None:
        if self.host is None:
            return
        if peer in self.settings.join and not self.links and peer not in self._unreached:
            self._unreached[peer] = None
            LOG.warning("%s: could not reach %s; still trying", self.address, peer)
        self.host.handle(PeerDown(peer))
        self._on_unreachable(peer)


class _ReportingWire:
    """The wire of a node, which reports changed links."""

    def __init__(self, network: Network, on_link: Callable[[Peer, bool], None]) -> None:
        self._network = network
        self._on_link = on_link
        self.send = network.send

    def flush(self) -> None:
        """Do nothing: a connection writes once in an iteration of the event loop."""

    def link(self, peer: Peer) -> None:
        self._network.link(peer)
        self._on_link(peer, True)

    def unlink(self, peer: Peer) -> None:
        self._network.unlink(peer)
        self._on_link(peer, False)
