"""The wire of a live node: TCP connections to peers, opened on demand.

A connection is opened for the first message to a peer, kept while the peer is linked, and closed
when it is idle. A broken connection is opened again with increasing pauses; if that fails, the peer
is reported as down. Only :meth:`Network._open` and :meth:`Network.listen` open streams; TLS would
go there.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import msgspec

from gossamer.errors import FrameError, GossamerError, MessageError, ParameterError
from gossamer.host import Codec, Stream
from gossamer.live.addresses import join_address, split_address
from gossamer.live.connection import Connection
from gossamer.live.frames import VERSION, Handshake
from gossamer.protocols.contract import Peer

LOG = logging.getLogger("gossamer.live")
HANDSHAKES: msgspec.msgpack.Decoder[Handshake] = msgspec.msgpack.Decoder(Handshake)


@dataclass(frozen=True)
class NetworkLimits:
    """Limits of the resources that peers can use.

    Attributes
    ----------
    connections
        Maximum number of connections; further ones are closed.
    dials
        Maximum number of connections being opened.
    queue
        Maximum number of messages to a peer that wait for a connection.
    attempts
        Attempts to connect before a peer is reported as down.
    timeout
        Seconds to open a connection, and to wait for its first frame.
    pause, max_pause
        Seconds before the second attempt, doubled for each further one, and their maximum.
    idle
        Seconds after which an unused connection to an unlinked peer is closed.
    """

    connections: int = 4096
    dials: int = 64
    queue: int = 256
    attempts: int = 4
    timeout: float = 5.0
    pause: float = 0.1
    max_pause: float = 5.0
    idle: float = 30.0


@dataclass
class NetworkCounts:
    """Counts of messages and errors on a wire.

    ``by_kind`` counts messages to send by type, ``sent`` those written to a connection, and
    ``compounds`` the writes, each of all frames of an iteration of the event loop.
    """

    sent: int = 0
    by_kind: dict[str, int] = field(default_factory=dict)
    received: int = 0
    dropped: int = 0
    malformed: int = 0
    refused: int = 0
    compounds: int = 0

    def copy(self) -> NetworkCounts:
        """Return a copy of the counts."""
        return replace(self, by_kind=dict(self.by_kind))


@dataclass
class PeerState:
    """Connections and waiting messages of a peer."""

    connections: list[Connection] = field(default_factory=list)
    queue: deque[bytes] = field(default_factory=deque)
    dialling: asyncio.Task[None] | None = None


class Network:
    """A node's wire (:class:`gossamer.host.Wire`).

    Parameters
    ----------
    protocol
        Name of the protocol; peers with another one are refused.
    codec
        Codec of its messages.
    receive
        Called with the sender and each message.
    down
        Called with a peer that is unreachable.
    random
        Random stream of pauses between attempts.
    limits
        Limits of resources.
    """

    def __init__(
        self,
        protocol: str,
        codec: Codec,
        *,
        receive: Callable[[Peer, Any], None],
        down: Callable[[Peer], None],
        random: Stream,
        limits: NetworkLimits | None = None,
    ) -> None:
        self.me = ""
        self.counts = NetworkCounts()
        self.limits = limits or NetworkLimits()
        self._protocol = protocol
        self._codec = codec
        self._receive = receive
        self._down = down
        self._random = random
        self._peers: dict[str, PeerState] = {}
        self._linked: dict[str, None] = {}
        self._unnamed: dict[Connection, None] = {}
        self._server: asyncio.Server | None = None
        self._sweeper: asyncio.Task[None] | None = None
        self._dials = 0
        self._banned: dict[str, float] = {}
        """Times until which peers with malformed frames are banned."""
        self._logged = 0.0
        self._unlogged = 0
        self._closed = False

    # -- start and stop -------------------------------------------------------------------

    async def listen(self, address: str, advertise: str | None = None) -> str:
        """Listen at an address, port 0 for any; return the address of the node.

        ``advertise`` is the host name for peers, if it differs.
        """
        host, port = split_address(address)
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(self._accepted, host, port, backlog=1024)
        except OSError as fault:
            why = fault.strerror or str(fault)
            raise ParameterError(f"cannot listen at {address} ({why})") from None
        bound = self._server.sockets[0].getsockname()
        self.me = join_address(advertise or host, bound[1])
        self._sweeper = loop.create_task(self._sweep())
        return self.me

    async def close(self) -> None:
        """Write send buffers, for at most a second, and close all connections."""
        self._closed = True
        await self._stop_listening()
        tasks = [state.dialling for state in self._peers.values() if state.dialling is not None]
        tasks += [self._sweeper] if self._sweeper is not None else []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await _run_pending()  # connections being accepted are then among these
        for connection in self._all():
            connection.close()
        loop = asyncio.get_running_loop()
        end = loop.time() + 1.0
        while self._all() and loop.time() < end:
            await asyncio.sleep(0.01)
        for connection in self._all():
            connection.fail(GossamerError("the node has ended"))
        await _run_pending()

    async def _stop_listening(self) -> None:
        """Stop listening, after connections being accepted have become known.

        A server that is closed while it accepts a connection would leave its socket open (asyncio
        of Python 3.11).
        """
        if self._server is None:
            return
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError):  # loops without readers, as on Windows
            for listening in self._server.sockets:
                loop.remove_reader(listening.fileno())
            await _run_pending()
        self._server.close()

    def _all(self) -> list[Connection]:
        named = [one for state in self._peers.values() for one in state.connections]
        return [*self._unnamed, *named]

    # -- the wire ------------------------------------------------------------------------

    def send(self, peer: Peer, message: Any) -> None:
        """Send a message, over a new connection if there is none."""
        if self._closed or not isinstance(peer, str) or peer == self.me or self._is_banned(peer):
            self.counts.dropped += 1
            return
        content = self._codec.encode(message)
        kind = message.__struct_config__.tag
        self.counts.by_kind[kind] = self.counts.by_kind.get(kind, 0) + 1
        state = self._peers.setdefault(peer, PeerState())
        connection = next((one for one in state.connections if one.open), None)
        if connection is not None:
            if connection.send(content):
                self.counts.sent += 1
            else:
                self.counts.dropped += 1
            return
        if len(state.queue) >= self.limits.queue:
            state.queue.popleft()
            self.counts.dropped += 1
        state.queue.append(content)
        self._dial(peer, state)

    def link(self, peer: Peer) -> None:
        """Keep the connection to a peer."""
        self._linked[str(peer)] = None

    def unlink(self, peer: Peer) -> None:
        """Close the connection to a peer when it is idle."""
        self._linked.pop(str(peer), None)

    # -- opening -------------------------------------------------------------------------

    def _dial(self, peer: str, state: PeerState) -> None:
        if state.dialling is not None or self._closed:
            return
        try:
            split_address(peer)
        except ParameterError:
            self._give_up(peer)
            return
        if self._dials >= self.limits.dials:
            self.counts.dropped += len(state.queue)
            self._peers.pop(peer, None)
            return
        self._dials += 1
        state.dialling = asyncio.get_running_loop().create_task(self._keep_dialling(peer, state))
        state.dialling.add_done_callback(partial(self._dialled, peer, state))

    def _dialled(self, peer: str, state: PeerState, _: asyncio.Task[None]) -> None:
        state.dialling = None
        self._dials -= 1
        if self._peers.get(peer) is state:
            self._check_connected(peer, state)  # a new connection may have broken already

    async def _keep_dialling(self, peer: str, state: PeerState) -> None:
        pause = self.limits.pause
        for attempt in range(self.limits.attempts):
            if attempt:
                await asyncio.sleep(pause * (0.5 + self._random.random()))
                pause = min(2 * pause, self.limits.max_pause)
            if any(one.open for one in state.connections):
                self._send_queue(state)  # the peer connected first
                return
            try:
                async with asyncio.timeout(self.limits.timeout):
                    await self._open(peer)
            except (OSError, TimeoutError):
                continue
            return
        self._give_up(peer)

    async def _open(self, peer: str) -> None:
        """Open a stream to a peer; TLS would go here."""
        host, port = split_address(peer)
        loop = asyncio.get_running_loop()
        await loop.create_connection(partial(self._connection, peer), host, port)

    def _give_up(self, peer: str) -> None:
        state = self._peers.pop(peer, None)
        if state is not None:
            self.counts.dropped += len(state.queue)
        if not self._closed:
            # Later, since the machine may be handling an event.
            asyncio.get_running_loop().call_soon(self._down, peer)

    def _connection(self, peer: str | None) -> Connection:
        return Connection(partial(self._made, peer), self._framed, self._ended, self._wrote)

    def _wrote(self) -> None:
        self.counts.compounds += 1

    def _accepted(self) -> Connection:
        return self._connection(None)

    def _made(self, peer: str | None, connection: Connection) -> None:
        if self._closed or len(self._all()) >= self.limits.connections:
            self.counts.refused += 1
            connection.fail(GossamerError("too many connections"))
            return
        handshake = Handshake(VERSION, self._protocol, self.me)
        connection.send(msgspec.msgpack.encode(handshake))
        if peer is None:
            self._unnamed[connection] = None
            loop = asyncio.get_running_loop()
            loop.call_later(self.limits.timeout, self._expect_handshake, connection)
        else:
            connection.peer = peer
            state = self._peers.setdefault(peer, PeerState())
            state.connections.append(connection)
            self._send_queue(state)

    def _expect_handshake(self, connection: Connection) -> None:
        if connection.open and not connection.handshaken:
            connection.fail(FrameError("no first frame came"))

    def _send_queue(self, state: PeerState) -> None:
        connection = next(one for one in state.connections if one.open)
        while state.queue:
            if connection.send(state.queue.popleft()):
                self.counts.sent += 1
            else:
                self.counts.dropped += 1

    # -- frames --------------------------------------------------------------------------

    def _framed(self, connection: Connection, content: bytes) -> None:
        if not connection.handshaken:
            self._handshake(connection, content)
            return
        message = self._codec.decode(content)
        self.counts.received += 1
        assert connection.peer is not None
        self._receive(connection.peer, message)

    def _handshake(self, connection: Connection, content: bytes) -> None:
        try:
            handshake = HANDSHAKES.decode(content)
        except (msgspec.MsgspecError, UnicodeDecodeError) as fault:
            raise FrameError(f"the first frame is no handshake: {fault}") from None
        if handshake.version != VERSION or handshake.protocol != self._protocol:
            raise FrameError(
                f"the peer has version {handshake.version} of {handshake.protocol!r}; expected "
                f"version {VERSION} of {self._protocol!r}"
            )
        connection.handshaken = True
        connection.allow_long_frames()
        if connection.peer is None:
            with suppress(ParameterError):
                split_address(handshake.peer)
                self._unnamed.pop(connection, None)
                connection.peer = handshake.peer
                self._peers.setdefault(handshake.peer, PeerState()).connections.append(connection)
                return
            raise FrameError(f"the peer is {handshake.peer!r}; expected host:port")
        if connection.peer != handshake.peer:
            raise FrameError(f"the peer is {handshake.peer!r}; expected {connection.peer!r}")

    def _ended(self, connection: Connection, fault: Exception | None) -> None:
        self._unnamed.pop(connection, None)
        name = connection.peer or "an unknown peer"
        if isinstance(fault, MessageError):
            self.counts.malformed += 1
            self._log(f"{self.me}: closed the connection with {name}: {fault}")
            if connection.peer is not None:
                self._ban(connection.peer)
        peer = connection.peer
        state = self._peers.get(peer) if peer is not None else None
        if peer is None or state is None:
            return
        if connection in state.connections:
            state.connections.remove(connection)
        self._check_connected(peer, state)

    def _check_connected(self, peer: str, state: PeerState) -> None:
        """Dial a peer without connections again if it is needed; otherwise forget it."""
        if state.connections or state.dialling is not None or self._closed:
            return
        if self._is_banned(peer):
            self.counts.dropped += len(state.queue)
            del self._peers[peer]
            self._down(peer)
        elif peer in self._linked or state.queue:
            self._dial(peer, state)
        else:
            del self._peers[peer]

    def _ban(self, peer: str) -> None:
        """Ban a peer for some time."""
        if len(self._banned) >= self.limits.connections:
            del self._banned[next(iter(self._banned))]
        self._banned[peer] = asyncio.get_running_loop().time() + self.limits.idle

    def _is_banned(self, peer: str) -> bool:
        until = self._banned.get(peer) if self._banned else None
        if until is None:
            return False
        if asyncio.get_running_loop().time() < until:
            return True
        del self._banned[peer]
        return False

    def _log(self, text: str) -> None:
        """Log a line, at most one a second."""
        now = asyncio.get_running_loop().time()
        if now - self._logged < 1.0:
            self._unlogged += 1
            return
        more = f" (and {self._unlogged} similar ones)" if self._unlogged else ""
        LOG.warning("%s%s", text, more)
        self._logged, self._unlogged = now, 0

    async def _sweep(self) -> None:
        """Close idle connections periodically."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(self.limits.idle / 3)
            limit = loop.time() - self.limits.idle
            for peer, state in list(self._peers.items()):
                if peer not in self._linked:
                    for connection in state.connections:
                        if connection.last_used < limit:
                            connection.close()


async def _run_pending() -> None:
    """Let the event loop run pending callbacks: connections open and close in several steps."""
    for _ in range(5):
        await asyncio.sleep(0)
