"""The wire of a live node: TCP connections to peers, opened on demand.

A connection is opened for the first message to a peer and kept while the peer is linked. Of the
other connections, only a few stay open: the most recently used. A broken connection is opened again
after increasing pauses; if that fails, the peer is reported as down. Only :meth:`Network._open` and
:meth:`Network.listen` open streams; TLS would go there.

A contact, an address to join, may be a source of addresses
(:mod:`~gossamer.live.discovery.sources`), or any name under which a node can be dialled. The node
answers with its own name, and messages to either name reach it. All other addresses must be the
names of their nodes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec

from gossamer.errors import FrameError, GossamerError, MessageError, ParameterError
from gossamer.host import Codec, Stream
from gossamer.live.discovery.addresses import advertised_address, join_address, split_address
from gossamer.live.discovery.contacts import Contacts
from gossamer.live.log import RateLimitedLog
from gossamer.live.transport.bans import Bans
from gossamer.live.transport.connection import Connection
from gossamer.live.transport.frames import MAX_FRAME, VERSION, Handshake
from gossamer.live.transport.limits import NetworkCounts, NetworkLimits
from gossamer.protocols.contract import Peer

HANDSHAKES: msgspec.msgpack.Decoder[Handshake] = msgspec.msgpack.Decoder(Handshake)


@dataclass
class PeerState:
    """Connections of a peer, the newest first, and messages that wait for one."""

    connections: list[Connection] = field(default_factory=list)
    queue: deque[bytes] = field(default_factory=deque)
    waiting_bytes: int = 0
    dialling: asyncio.Task[None] | None = None


class Network:
    """A node's wire (:class:`gossamer.host.Wire`).

    Parameters
    ----------
    protocol
        Name of the protocol; peers of other protocols are refused.
    codec
        Codec of the messages.
    receive
        Function called with the sender and each message.
    down
        Function called with a peer that is unreachable.
    random
        Random stream for the pauses between attempts.
    contacts
        Addresses and sources to join, whose nodes may have other names.
    limits
        Limits of the resources that peers can use.
    """

    def __init__(
        self,
        protocol: str,
        codec: Codec,
        *,
        receive: Callable[[Peer, Any], None],
        down: Callable[[Peer], None],
        random: Stream,
        contacts: Iterable[str] = (),
        limits: NetworkLimits | None = None,
    ) -> None:
        self.me = ""
        self.counts = NetworkCounts()
        self.limits = limits or NetworkLimits()
        self.congested: dict[Connection, None] = {}
        """Connections whose send buffer is more than a quarter full."""
        self.on_room: Callable[[], object] = lambda: None
        """Called when a connection becomes congested or is congested no longer."""
        self._protocol = protocol
        self._codec = codec
        self._receive = receive
        self._down = down
        self._random = random
        self._contacts = Contacts(contacts, self.send, down, random)
        self._names: dict[str, str] = {}
        """Name of the node that each contact led to."""
        self._peers: dict[str, PeerState] = {}
        self._linked: dict[str, None] = {}
        self._unnamed: dict[Connection, None] = {}
        """Connections without a handshake of the peer."""
        self._server: asyncio.Server | None = None
        self._sweeper: asyncio.Task[None] | None = None
        self._dials = 0
        self._banned = Bans(self.limits.ban, self.limits.connections)
        """Peers with malformed frames."""
        self._log = RateLimitedLog()
        self._closed = False

    # -- start and stop -------------------------------------------------------------------

    async def listen(self, address: str, advertise: str | None = None) -> str:
        """Listen at an address, port 0 for any; return the address of the node.

        ``advertise`` is the host or address for peers, if it differs.
        """
        host, port = split_address(address, "listen")
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(self._accepted, host, port, backlog=1024)
        except OSError as fault:
            why = fault.strerror or str(fault)
            raise ParameterError(f"cannot listen at {address} ({why})") from None
        bound: int = self._server.sockets[0].getsockname()[1]
        self.me = advertised_address(advertise, bound) if advertise else join_address(host, bound)
        self._sweeper = loop.create_task(self._sweep())
        try:
            await self._contacts.start(self.me, self._protocol)
        except BaseException:
            await self.close()
            raise
        return self.me

    async def close(self) -> None:
        """Write the send queues, and close each connection when its peer has read them.

        After ``limits.timeout`` the remaining connections are aborted.
        """
        self._closed = True
        await self._contacts.close()
        await self._stop_listening()
        tasks = [state.dialling for state in self._peers.values() if state.dialling is not None]
        tasks += [self._sweeper] if self._sweeper is not None else []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await _run_pending()  # connections being accepted are then among these
        for connection in self._all():
            connection.finish(self.limits.timeout)
        loop = asyncio.get_running_loop()
        end = loop.time() + self.limits.timeout
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
        if not isinstance(peer, str):
            self.counts.dropped += 1
            return
        if peer in self._contacts.sources:
            self._contacts.send(peer, message)
            return
        name = self._names.get(peer)
        if name is not None and name in self._peers:
            peer = name
        if self._closed or peer == self.me or (self._banned.until and peer in self._banned):
            self.counts.dropped += 1
            return
        kind = message.__struct_config__.tag
        self.counts.by_kind[kind] = self.counts.by_kind.get(kind, 0) + 1
        content = self._codec.encode(message)
        if len(content) <= MAX_FRAME:
            self._send(peer, content)
            return
        for part in self._frames_of(message):
            self._send(peer, part)

    def _frames_of(self, message: Any) -> Iterator[bytes]:
        """Yield a message as contents of frames: in parts, if it is too long."""
        content = self._codec.encode(message)
        if len(content) <= MAX_FRAME:
            yield content
            return
        parts = message.halves()
        if not parts:
            self.counts.oversized += 1
            kind = message.__struct_config__.tag
            self._log.warning(
                f"{self.me}: a message ({kind}) has {len(content):,} bytes; expected at most "
                f"{MAX_FRAME:,}: it was not sent"
            )
        for part in parts:
            yield from self._frames_of(part)

    def _send(self, peer: str, content: bytes) -> None:
        state = self._peers.setdefault(peer, PeerState())
        connection = next((one for one in state.connections if one.open), None)
        if connection is not None:
            self._send_over(connection, content)
            return
        state.queue.append(content)
        state.waiting_bytes += len(content)
        while len(state.queue) > self.limits.queue or state.waiting_bytes > self.limits.queue_bytes:
            state.waiting_bytes -= len(state.queue.popleft())
            self.counts.dropped += 1
        self._dial(peer, state)

    def _send_over(self, connection: Connection, content: bytes) -> None:
        if connection.send(content):
            self.counts.sent += 1
        else:
            self.counts.dropped += 1
            self._log.warning(
                f"{self.me}: {connection.peer} reads too slowly; messages are dropped"
            )

    def link(self, peer: Peer) -> None:
        """Keep the connection to a peer."""
        self._linked[str(peer)] = None

    def unlink(self, peer: Peer) -> None:
        """Close the connection to a peer when others are needed or it is idle."""
        self._linked.pop(str(peer), None)
        asyncio.get_running_loop().call_soon(self._close_spare)

    @property
    def waiting(self) -> bool:
        """Whether messages to linked peers wait for a connection."""
        return any(state.queue for peer, state in self._peers.items() if peer in self._linked)

    @property
    def unwritten(self) -> int:
        """Number of bytes to linked peers that wait to be written."""
        return sum(
            state.waiting_bytes + sum(one.unwritten for one in state.connections)
            for peer, state in self._peers.items()
            if peer in self._linked
        )

    def linked(self) -> list[Peer]:
        """Return the linked peers."""
        return list(self._linked)

    def connected(self) -> list[str]:
        """Return the peers with an open connection."""
        return [
            peer
            for peer, state in self._peers.items()
            if any(connection.open for connection in state.connections)
        ]

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
        names = [peer, *(contact for contact, name in self._names.items() if name == peer)]
        for attempt in range(self.limits.attempts):
            if attempt:
                await asyncio.sleep(pause * (0.5 + self._random.random()))
                pause = min(2 * pause, self.limits.max_pause)
            if any(one.open for one in state.connections):
                self._send_queue(state)  # the peer connected first
                return
            with suppress(OSError, TimeoutError, UnicodeError):  # no host has such a name
                async with asyncio.timeout(self.limits.timeout):
                    if await self._open(peer, names[attempt % len(names)]):
                        return
            if peer in self._banned or self._contacts.is_own(peer):
                break
        self._give_up(peer)

    async def _open(self, peer: str, address: str) -> bool:
        """Open a stream to a peer at an address; return whether the peer answered."""
        host, port = split_address(address)
        loop = asyncio.get_running_loop()
        # TLS would go here.
        _, connection = await loop.create_connection(partial(self._connection, peer), host, port)
        try:
            await asyncio.wait([connection.named])
        finally:
            if not connection.handshaken:
                connection.fail(TimeoutError("the peer did not answer"))
        return connection.handshaken

    def _give_up(self, peer: str) -> None:
        state = self._peers.pop(peer, None)
        if state is not None:
            self.counts.dropped += len(state.queue)
        down = self._contacts.note_down(peer)
        if not self._closed and down is not None:
            # Later, since the machine may be handling an event.
            asyncio.get_running_loop().call_soon(self._down, down)

    def _connection(self, wanted: str | None) -> Connection:
        made = Connection(
            self._made, self._framed, self._ended, self._wrote, self._congestion,
            self.limits.queue_bytes,
        )  # fmt: skip
        made.wanted = wanted
        return made

    def _wrote(self) -> None:
        self.counts.compounds += 1

    def _congestion(self, connection: Connection, congested: bool) -> None:
        if congested:
            self.congested[connection] = None
        else:
            self.congested.pop(connection, None)
        self.on_room()

    def _accepted(self) -> Connection:
        return self._connection(None)

    def _made(self, connection: Connection) -> None:
        if self._closed or len(self._all()) >= self.limits.connections:
            self.counts.refused += 1
            connection.fail(GossamerError("too many connections"))
            return
        handshake = Handshake(VERSION, self._protocol, self.me)
        connection.send(msgspec.msgpack.encode(handshake))
        self._unnamed[connection] = None
        if connection.wanted is None:
            loop = asyncio.get_running_loop()
            loop.call_later(self.limits.timeout, self._expect_handshake, connection)

    def _expect_handshake(self, connection: Connection) -> None:
        if connection.open and not connection.handshaken:
            connection.fail(FrameError("no first frame came"))

    def _send_queue(self, state: PeerState) -> None:
        connection = next((one for one in state.connections if one.open), None)
        while state.queue and connection is not None:
            self._send_over(connection, state.queue.popleft())
        state.waiting_bytes = sum(map(len, state.queue))

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
        if handshake.peer == self.me:
            self._contacts.note_own(connection.wanted or self.me)
            raise ConnectionError("the address is that of the node itself")
        wanted = connection.wanted
        if wanted is None:
            try:
                split_address(handshake.peer)
            except ParameterError as fault:
                raise FrameError(f"the peer is {handshake.peer!r}; expected host:port") from fault
        elif wanted != handshake.peer:
            if wanted not in self._contacts.dialled:
                raise ConnectionError(f"the peer is {handshake.peer}; expected {wanted}")
            self._names[wanted] = handshake.peer
        self._name(connection, handshake.peer)

    def _name(self, connection: Connection, peer: str) -> None:
        """Use a connection for a peer, and send what waits for it."""
        connection.allow_long_frames()
        connection.peer = peer
        connection.named.set_result(peer)
        if connection.wanted is not None:
            self._contacts.note_reached(connection.wanted)
        self._unnamed.pop(connection, None)
        state = self._peers.setdefault(peer, PeerState())
        state.connections.insert(0, connection)
        if connection.wanted is not None and connection.wanted != peer:
            state.queue += self._peers.pop(connection.wanted, PeerState()).queue
        self._send_queue(state)
        self._close_spare()

    def _close_spare(self) -> None:
        """Close the least recently used connections that belong to no link, beyond a few."""
        spare = [
            one
            for peer, state in self._peers.items()
            for one in state.connections[peer in self._linked :]
            if one.open
        ]
        spare.sort(key=lambda one: one.last_used)
        for connection in spare[: -self.limits.unlinked or None]:
            connection.finish(self.limits.timeout)

    def _ended(self, connection: Connection, fault: Exception | None) -> None:
        self._unnamed.pop(connection, None)
        peer = connection.peer or connection.wanted
        if isinstance(fault, MessageError):
            self.counts.malformed += 1
            name = peer or "an unknown peer"
            self._log.warning(f"{self.me}: closed the connection with {name}: {fault}")
            if peer is not None:
                self._banned.add(peer)
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
        if peer in self._banned:
            self.counts.dropped += len(state.queue)
            del self._peers[peer]
            self._down(peer)
        elif peer in self._linked or state.queue:
            self._dial(peer, state)
        else:
            del self._peers[peer]

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
                            connection.finish(self.limits.timeout)


async def _run_pending() -> None:
    """Let the event loop run pending callbacks: connections open and close in several steps."""
    for _ in range(5):
        await asyncio.sleep(0)
