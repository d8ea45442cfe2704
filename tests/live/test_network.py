"""The wire of a live node: queues, idle connections, bans, dials, unreachable peers."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from typing import Any

import msgspec
import pytest

from gossamer.errors import ParameterError
from gossamer.host import Codec, Stream
from gossamer.live import Node
from gossamer.live.discovery.addresses import split_address
from gossamer.live.transport import network
from gossamer.live.transport.connection import MAX_WAITING, Connection
from gossamer.live.transport.frames import VERSION, FrameReader, Handshake, frame_of
from gossamer.live.transport.limits import NetworkCounts, NetworkLimits
from gossamer.live.transport.network import Network, PeerState
from gossamer.protocols import find_protocol
from gossamer.protocols.components.membership import Descriptor, Shuffle, ShuffleReply
from gossamer.protocols.contract import Peer
from gossamer.protocols.spidercast.messages import TaskHeartbeat

CODEC = Codec(find_protocol("spidercast").messages)
UNREACHABLE = "127.0.0.1:9"


def numbered(number: int) -> TaskHeartbeat:
    return TaskHeartbeat((number, 0), (0, 0), 0, 0)


def handshake(peer: str, protocol: str = "spidercast") -> bytes:
    return frame_of(msgspec.msgpack.encode(Handshake(VERSION, protocol, peer)))


class Wire(Network):
    """A network that records received messages and unreachable peers."""

    def __init__(self, *, contacts: Sequence[str] = (), **limits: Any) -> None:
        self.got: list[tuple[Peer, int]] = []
        self.gone: list[Peer] = []
        self.faults: list[Exception | None] = []
        super().__init__(
            "spidercast",
            CODEC,
            receive=lambda peer, message: self.got.append((peer, message.degrees[0])),
            down=self.gone.append,
            random=Stream(1),
            contacts=contacts,
            limits=NetworkLimits(**{"pause": 0.005, "timeout": 2.0, **limits}),
        )

    async def __aenter__(self) -> Wire:
        await self.listen("127.0.0.1:0")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _ended(self, connection: Connection, fault: Exception | None) -> None:
        self.faults.append(fault)
        super()._ended(connection, fault)

    @property
    def open(self) -> int:
        return sum(connection.open for connection in self._all())


class Scripted:
    """A server that writes given bytes to its first, second, … connection, and reads frames.

    Without any, it writes its handshake.
    """

    def __init__(self, *contents: bytes) -> None:
        self.contents = contents
        self.address = ""
        self.accepted = 0
        self.frames: list[bytes] = []
        self.writers: list[asyncio.StreamWriter] = []
        self.stay = False

    async def __aenter__(self) -> Scripted:
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        for writer in self.writers:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
        self.server.close()
        await self.server.wait_closed()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        self.accepted += 1
        contents = self.contents or (handshake(self.address),)
        writer.write(contents[min(self.accepted, len(contents)) - 1])
        frames = FrameReader()
        with suppress(ConnectionError):
            while content := await reader.read(1000):
                frames.space()[: len(content)] = content
                self.frames += frames.filled(len(content))
        if not self.stay:
            writer.close()


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.002)


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


# -- start and stop ------------------------------------------------------------------------


def test_address_is_known_after_listening() -> None:
    async def test() -> None:
        one = Wire()
        assert one.me == ""
        assert await one.listen("127.0.0.1:0", advertise="localhost") == one.me
        host, port = split_address(one.me)
        assert host == "localhost"
        with pytest.raises(ParameterError, match=r"cannot listen at 127\.0\.0\.1:\d+ \([^\[]"):
            await Wire().listen(f"127.0.0.1:{port}")
        await one.close()
        assert one._sweeper is not None
        assert one._sweeper.done()

    run(test)


def test_connection_during_the_close_is_not_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    clients: list[asyncio.StreamWriter] = []

    async def test() -> None:
        one = Wire()
        host, port = split_address(await one.listen("127.0.0.1:0"))
        run_pending = network._run_pending

        async def connect() -> None:
            monkeypatch.setattr(network, "_run_pending", run_pending)
            clients.append((await asyncio.open_connection(host, port))[1])
            await run_pending()

        monkeypatch.setattr(network, "_run_pending", connect)
        await one.close()
        assert one.counts.refused == 0
        assert one._all() == []
        (writer,) = clients
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    run(test)


def test_defaults_are_those_of_the_documentation() -> None:
    assert NetworkLimits() == NetworkLimits(
        connections=4096, unlinked=4, dials=64, queue=256, attempts=4, timeout=5.0, pause=0.1,
        max_pause=5.0, idle=30.0, ban=30.0,
    )  # fmt: skip
    assert NetworkCounts() == NetworkCounts(0, {}, 0, 0, 0, 0, 0)


# -- what waits ----------------------------------------------------------------------------


def test_send_queue_drops_the_oldest_messages() -> None:
    async def test() -> None:
        async with Wire(queue=3) as one, Wire() as other:
            for number in range(5):
                one.send(other.me, numbered(number))
            assert (one.counts.dropped, one.counts.sent) == (2, 0)
            assert one.counts.by_kind == {"heartbeat": 5}
            await until(lambda: len(other.got) == 3)
            assert other.got == [(one.me, 2), (one.me, 3), (one.me, 4)]
            assert (one.counts.dropped, one.counts.sent) == (2, 3)
            assert other.counts.received == 3
            one.send(other.me, numbered(5))
            assert one.counts.sent == 4, "the connection takes it at once"
            await until(lambda: len(other.got) == 4)
            assert one.open == other.open == 1

    run(test)


def test_messages_to_invalid_peers_are_dropped() -> None:
    async def test() -> None:
        async with Wire() as one:
            for peer in (one.me, 7):
                one.send(peer, numbered(1))
            assert one.counts.dropped == 2
            assert one.counts.by_kind == {}
        one.send("127.0.0.1:1", numbered(1))
        assert one.counts.dropped == 3, "it is closed"

    run(test)


def test_dropped_message_of_a_full_connection_is_counted_once() -> None:
    async def test() -> None:
        async with Wire() as one, Scripted() as silent:
            one.send(silent.address, numbered(0))
            await until(lambda: one.counts.sent)
            (connection,) = one._all()
            connection._waiting_bytes = MAX_WAITING
            before = one.counts.dropped
            one.send(silent.address, numbered(1))
            assert one.counts.dropped == before + 1
            connection.fail(ConnectionResetError())
            await until(lambda: not one.open)
            assert one.counts.dropped == before + 1

    run(test)


def test_queue_for_a_full_connection_is_dropped() -> None:
    async def test() -> None:
        async with Wire() as one, Scripted() as silent:
            one.send(silent.address, numbered(0))
            await until(lambda: one.counts.sent)
            (connection,) = one._all()
            connection._waiting_bytes = MAX_WAITING
            before = one.counts.copy()
            state = one._peers[silent.address]
            state.queue.extend([b"x", b"y"])
            one._send_queue(state)
            assert (one.counts.dropped, one.counts.sent) == (before.dropped + 2, before.sent)
            assert not state.queue

    run(test)


def test_messages_of_one_iteration_are_one_write() -> None:
    async def test() -> None:
        async with Wire() as other, Wire() as one:
            one.send(other.me, numbered(0))
            await until(lambda: len(other.got) == 1)
            writes = one.counts.compounds
            for number in range(1, 21):
                one.send(other.me, numbered(number))
            await until(lambda: len(other.got) == 21)
            assert (one.counts.sent, one.counts.compounds) == (21, writes + 1)

    run(test)


def test_close_writes_queued_messages() -> None:
    async def test() -> None:
        async with Wire() as other:
            async with Wire() as one:
                one.send(other.me, numbered(0))
                await until(lambda: other.got)
                for number in (1, 2, 3):
                    one.send(other.me, numbered(number))
            await until(lambda: len(other.got) == 4)
            assert not one._all()
            assert one.faults == [None], "closed, not aborted"
            await until(lambda: not other.open)
            assert not other._peers, "a peer that is not linked is forgotten"

    run(test)


def test_close_ends_connections_that_do_not_drain(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with Scripted() as stalled:
            one = Wire()
            await one.listen("127.0.0.1:0")
            one.send(stalled.address, numbered(0))
            await until(lambda: stalled.frames[1:])
            (connection,) = one._all()
            monkeypatch.setattr(connection, "finish", lambda seconds: None)
            loop, passed = asyncio.get_running_loop(), 0.0
            sleep, time = asyncio.sleep, loop.time

            async def quick_sleep(seconds: float) -> None:
                nonlocal passed
                passed += 50 * seconds
                await sleep(0)

            monkeypatch.setattr(asyncio, "sleep", quick_sleep)
            monkeypatch.setattr(loop, "time", lambda: time() + passed)
            await one.close()
            monkeypatch.undo()
            assert 2.0 <= passed <= 3.0
            assert one._all() == []
            assert not connection.open

    run(test)


def test_connection_that_finishes_still_receives() -> None:
    """The peer answers what it has read before the end, and both lose nothing."""

    async def test() -> None:
        async with Wire() as one, Wire() as other:
            receive = other._receive

            def answer(peer: Peer, message: Any) -> None:
                receive(peer, message)
                other.send(peer, message)

            other._receive = answer
            one.send(other.me, numbered(0))
            await until(lambda: one.got)
            (connection,) = one._all()
            for number in range(1, 1000):
                one.send(other.me, numbered(number))
            connection.finish(5.0)
            assert not connection.open
            await until(lambda: len(one.got) == 1000)
            assert other.got == [(one.me, number) for number in range(1000)]
            assert one.got == [(other.me, number) for number in range(1000)]
            await until(lambda: not one._all() and not other._all())
            assert one.gone == other.gone == []

    run(test)


def test_connection_is_aborted_if_its_peer_does_not_end_it() -> None:
    async def test() -> None:
        async with Wire() as one, Scripted() as other:
            one.send(other.address, numbered(0))
            await until(lambda: one._all() and one._all()[0].handshaken)
            (connection,) = one._all()
            other.stay = True
            connection.finish(0.05)
            connection.finish(0.05)
            await until(lambda: not one._all())

    run(test)


def test_unlinked_connections_are_few() -> None:
    async def test() -> None:
        async with Wire(unlinked=2) as one, AsyncExitStack() as stack:
            others = [await stack.enter_async_context(Wire()) for _ in range(6)]
            one.link(others[0].me)
            for number, other in enumerate(others):
                one.send(other.me, numbered(number))
                await until(lambda other=other: other.got)  # type: ignore[misc]
            await until(lambda: one.open == 3 and len(one._all()) == 3)
            assert [bool(other._all()) for other in others] == [
                True,
                False,
                False,
                False,
                True,
                True,
            ]
            for other in others[1:]:
                one.link(other.me)
                one.send(other.me, numbered(7))
            await until(lambda: one.open == 6)
            for other in others:
                one.unlink(other.me)
            await until(lambda: len(one._all()) == 2)

    run(test)


def test_frames_are_limited_before_the_handshake() -> None:
    long = TaskHeartbeat((7, 0), (0, 0), 0, 0, tuple("x" * 200 for _ in range(50)))
    frame = frame_of(CODEC.encode(long))

    async def test() -> None:
        async with Wire() as one:
            host, port = split_address(one.me)
            _, writer = await asyncio.open_connection(host, port)
            writer.write(handshake("127.0.0.1:1") + frame)
            await until(lambda: one.got)
            assert one.got == [("127.0.0.1:1", 7)]
            writer.close()
            _, writer = await asyncio.open_connection(host, port)
            writer.write(frame)
            await until(lambda: one.counts.malformed)
            assert one.counts.received == 1
            writer.close()

    run(test)


@pytest.mark.parametrize(
    ("first", "says"),
    [
        (handshake("127.0.0.1:1", "vitis"), "the peer has version 2 of 'vitis'; expected version"),
        (handshake("nowhere"), "the peer is 'nowhere'; expected host:port"),
        (frame_of(b"hello"), "the first frame is no handshake"),
    ],
)
def test_connection_with_another_handshake_is_closed(
    first: bytes, says: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        async with Wire() as one:
            one._log._logged = -100.0
            host, port = split_address(one.me)
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(first)
            async with asyncio.timeout(10):
                with suppress(ConnectionError):
                    await reader.read()
            await until(lambda: not one._all())
            assert (one.counts.malformed, one._peers) == (1, {})
            assert f"closed the connection with an unknown peer: {says}" in caplog.text
            writer.close()

    run(test)


def test_send_queue_is_bounded_in_bytes() -> None:
    big = TaskHeartbeat((7, 0), (0, 0), 0, 0, tuple("x" * 200 for _ in range(4000)))

    async def test() -> None:
        async with Wire() as one:
            for _ in range(10):
                one.send(UNREACHABLE, big)
            assert sum(map(len, one._peers[UNREACHABLE].queue)) <= MAX_WAITING
            assert one.counts.dropped == 5

    run(test)


def test_connection_without_a_handshake_is_closed_after_a_time() -> None:
    async def test() -> None:
        async with Wire(timeout=0.05) as one:
            host, port = split_address(one.me)
            greeting, named = await asyncio.open_connection(host, port)
            named.write(handshake(UNREACHABLE))
            await until(lambda: UNREACHABLE in one._peers)
            silent, unnamed = await asyncio.open_connection(host, port)
            async with asyncio.timeout(10):
                with suppress(ConnectionError):
                    await silent.read()
            await until(lambda: one.counts.malformed == 1)
            assert one.open == 1
            assert not greeting.at_eof(), "the one with a handshake stays"
            for writer in (named, unnamed):
                writer.close()

    run(test)


# -- dials ---------------------------------------------------------------------------------


def test_concurrent_dials_are_limited() -> None:
    async def test() -> None:
        async with Wire(dials=2) as one, Wire() as a, Wire() as b, Wire() as c:
            for number, other in enumerate((a, b, c, c)):
                one.send(other.me, numbered(number))
            assert one.counts.dropped == 2, "those to the third"
            assert c.me not in one._peers
            await until(lambda: a.got and b.got and one._dials == 0)
            one.send(c.me, numbered(9))
            await until(lambda: c.got)
            assert c.got == [(one.me, 9)]
            assert one.gone == []

    run(test)


def test_connection_ends_after_its_peer_was_forgotten() -> None:
    async def test() -> None:
        errors: list[Any] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: errors.append(context))
        async with Wire(dials=1) as one, Wire() as other:
            one.send(other.me, numbered(0))
            await until(lambda: other.got and not one._dials)
            (connection,) = one._all()
            connection.finish(1.0)
            one.send(UNREACHABLE, numbered(1))
            one.send(other.me, numbered(2))
            assert other.me not in one._peers, "no other connection may be opened now"
            await until(lambda: not other.open)
            await until(lambda: one.gone == [UNREACHABLE])
            one.send(other.me, numbered(3))
            await until(lambda: len(other.got) == 2)
            assert other.got == [(one.me, 0), (one.me, 3)]
        assert errors == []

    run(test)


def test_peer_is_down_after_all_attempts_with_increasing_pauses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []
    opened: list[str] = []
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        await real(0)

    async def refuse(self: Network, peer: str, address: str) -> bool:
        opened.append(peer)
        raise OSError("refused")

    monkeypatch.setattr(Network, "_open", refuse)

    async def test() -> None:
        one = Wire(attempts=5, pause=1.0, max_pause=3.0, queue=2)
        await one.listen("127.0.0.1:0")
        monkeypatch.setattr("gossamer.live.transport.network.asyncio.sleep", sleep)
        for number in range(2):
            one.send(UNREACHABLE, numbered(number))
        assert one.gone == []
        for _ in range(60):
            await real(0)
        assert opened == [UNREACHABLE] * 5
        draws = Stream(1)
        expected = [pause * (0.5 + draws.random()) for pause in (1.0, 2.0, 3.0, 3.0)]
        assert [pause for pause in pauses if 0.5 <= pause <= 4.5][:4] == expected
        assert one.gone == [UNREACHABLE]
        assert one.counts.dropped == 2
        assert UNREACHABLE not in one._peers
        one.send(UNREACHABLE, numbered(2))
        for _ in range(60):
            await real(0)
        assert one.gone == [UNREACHABLE] * 2, "another message is another try"
        assert one._dials == 0
        monkeypatch.setattr("gossamer.live.transport.network.asyncio.sleep", real)
        await one.close()

    run(test)


def test_peer_with_an_impossible_host_name_is_down() -> None:
    async def test() -> None:
        async with Wire(attempts=1) as one:
            name = "x" * 100 + ":1"
            one.send(name, numbered(0))
            await until(lambda: one.gone == [name])
            assert one._dials == 0

    run(test)


def test_peer_with_a_malformed_address_is_down_soon() -> None:
    async def test() -> None:
        async with Wire() as one:
            one.send("nonsense", numbered(0))
            assert one.gone == []
            await asyncio.sleep(0)
            assert one.gone == ["nonsense"]
            assert (one.counts.dropped, one._peers, one._dials) == (1, {}, 0)

    run(test)


def test_queue_is_sent_over_an_incoming_connection() -> None:
    async def test() -> None:
        async with Wire(pause=0.05) as one:
            one.send(UNREACHABLE, numbered(3))
            host, port = split_address(one.me)
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(handshake(UNREACHABLE))
            expected = handshake(one.me) + frame_of(CODEC.encode(numbered(3)))
            async with asyncio.timeout(10):
                assert await reader.readexactly(len(expected)) == expected
            assert (one.counts.sent, one.gone) == (1, [])
            writer.close()

    run(test)


def test_broken_connection_is_reopened_only_to_linked_peers() -> None:
    async def test() -> None:
        async with Wire() as one, Scripted() as linked, Scripted() as other:
            one.link(linked.address)
            for peer in (linked, other):
                one.send(peer.address, numbered(0))
            await until(lambda: linked.frames[1:] and other.frames[1:])
            for peer in (linked, other):
                peer.writers[0].close()
            await until(lambda: linked.accepted == 2)
            await asyncio.sleep(0.02)
            assert other.accepted == 1
            assert list(one._peers) == [linked.address]
            one.unlink(linked.address)
            linked.writers[1].close()
            await until(lambda: not one._peers)
            assert linked.accepted == 2
            assert one.gone == []

    run(test)


def test_connection_that_breaks_before_its_dial_returns_is_reopened() -> None:
    """The loop reports the end of a connection before the task that opened it goes on."""

    async def test() -> None:
        async with Wire() as one, Scripted() as linked:
            one.link(linked.address)
            open_connection = one._open

            async def break_first(peer: str, address: str) -> bool:
                answered = await open_connection(peer, address)
                if one._open == break_first:
                    one._open = open_connection  # type: ignore[method-assign]
                    for connection in list(one._peers[peer].connections):
                        connection.fail(ConnectionResetError())
                    await until(lambda: not one._peers[peer].connections)
                return answered

            one._open = break_first  # type: ignore[method-assign]
            one.send(linked.address, numbered(0))
            await until(lambda: linked.accepted == 2)
            assert one.gone == []

    run(test)


def test_connections_beyond_the_limit_are_refused() -> None:
    async def test() -> None:
        async with Wire(connections=2) as one, Wire() as a, Wire() as b, Wire() as c:
            for other in (a, b):
                other.send(one.me, numbered(0))
            await until(lambda: len(one.got) == 2)
            assert one.counts.refused == 0
            c.send(one.me, numbered(0))
            await until(lambda: one.counts.refused)
            assert one.counts.refused == 1
            assert one.open == 2

    run(test)


# -- idle connections ----------------------------------------------------------------------


def test_idle_connection_is_closed_unless_linked() -> None:
    async def test() -> None:
        async with Wire(idle=0.06) as one, Wire() as kept, Wire() as other:
            one.link(kept.me)
            for peer in (kept, other):
                one.send(peer.me, numbered(0))
            await until(lambda: kept.got and other.got)
            assert one.open == 2
            before = kept._all()
            await until(lambda: not other.open)
            assert kept.open == 1
            assert kept._all() == before, "the first connection, not another one"
            assert list(one._peers) == [kept.me]
            one.unlink(kept.me)
            await until(lambda: not kept.open)
            assert one._peers == {}
            assert one.gone == []

    run(test)


def test_idle_connections_are_looked_for_every_third_of_the_idle_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        raise asyncio.CancelledError

    async def test() -> None:
        monkeypatch.setattr("gossamer.live.transport.network.asyncio.sleep", sleep)
        with suppress(asyncio.CancelledError):
            await Wire(idle=9.0)._sweep()
        monkeypatch.undo()

    run(test)
    assert waits == [3.0]


def test_active_connection_is_not_closed() -> None:
    async def test() -> None:
        async with Wire(idle=0.12) as one, Wire() as other, Wire() as third:
            for peer in (other, third):
                one.send(peer.me, numbered(0))
            await until(lambda: other.got and third.got)
            first = other._all()
            for number in range(20):
                one.send(other.me, numbered(number))  # written
                third.send(one.me, numbered(number))  # read
                await asyncio.sleep(0.015)
            assert other._all() == first
            assert third.open == 1
            assert one.counts.sent == 22

    run(test)


# -- bans ----------------------------------------------------------------------------------


def test_ban_expires() -> None:
    async def test() -> None:
        async with Wire(ban=0.1) as one, Scripted(frame_of(b"nonsense"), b"") as odd:
            odd.contents = (odd.contents[0], handshake(odd.address))
            one.send(odd.address, numbered(0))
            await until(lambda: one.gone)
            assert (one.gone, one.counts.malformed) == ([odd.address], 1)
            before = one.counts.dropped
            one.send(odd.address, numbered(1))
            assert one.counts.dropped == before + 1, "banned"
            assert odd.accepted == 1
            await asyncio.sleep(0.11)
            one.send(odd.address, numbered(2))
            await until(lambda: odd.frames[-1] == CODEC.encode(numbered(2)))
            assert odd.accepted == 2
            assert len(one._banned) == 0
            assert one.counts.malformed == 1

    run(test)


def test_queue_for_a_banned_peer_is_dropped() -> None:
    async def test() -> None:
        async with Wire() as one:
            state = one._peers[UNREACHABLE] = PeerState(queue=deque([b"x", b"y"]))
            one._banned.add(UNREACHABLE)
            one._check_connected(UNREACHABLE, state)
            assert (one.counts.dropped, one.gone, one._peers) == (2, [UNREACHABLE], {})

    run(test)


def test_bans_are_bounded() -> None:
    async def test() -> None:
        async with Wire(connections=3) as one:
            for number in range(1, 6):
                one._banned.add(f"127.0.0.1:{number}")
            assert list(one._banned) == [f"127.0.0.1:{number}" for number in (3, 4, 5)]

    run(test)


@pytest.mark.parametrize("linked", [True, False])
def test_address_of_another_node_is_down_and_nothing_is_sent_there(linked: bool) -> None:
    async def test() -> None:
        async with Wire(attempts=2) as one, Scripted(handshake("127.0.0.1:1")) as other:
            if linked:
                one.link(other.address)
            one.send(other.address, numbered(0))
            await until(lambda: one.gone)
            assert one.gone == [other.address]
            assert (one.counts.malformed, one.counts.dropped, other.accepted) == (0, 1, 2)
            assert not one._banned
            assert {frame[1:11] for frame in other.frames} == {b"\x02\xaaspiderca"}, (
                "handshakes only"
            )

    run(test)


# -- names ---------------------------------------------------------------------------------


def named(listening: Wire) -> str:
    """Return another name under which a wire on the loopback interface can be dialled."""
    return listening.me.replace("127.0.0.1", "localhost")


def test_contact_may_be_dialled_by_any_name() -> None:
    async def test() -> None:
        async with Wire() as other:
            contact = named(other)
            async with Wire(contacts=[contact]) as one:
                one.send(contact, numbered(0))
                await until(lambda: other.got)
                one.send(contact, numbered(1))
                one.send(other.me, numbered(2))
                other.send(one.me, numbered(3))
                await until(lambda: len(other.got) == 3 and one.got)
                assert sorted(other.got) == [(one.me, 0), (one.me, 1), (one.me, 2)]
                assert one.got == [(other.me, 3)]
                assert (one.open, one.gone, one.counts.malformed) == (1, [], 0)
                assert list(one._peers) == [other.me]

    run(test)


def test_peer_behind_address_translation_is_dialled_again_by_its_outer_name() -> None:
    """Its own name cannot be reached from here."""

    async def test() -> None:
        other = Wire()
        await other.listen("127.0.0.1:0", advertise="127.0.0.1:9")
        assert other._server is not None
        contact = f"127.0.0.1:{other._server.sockets[0].getsockname()[1]}"
        async with Wire(contacts=[contact]) as one:
            one.send(contact, numbered(0))
            await until(lambda: other.got)
            one.link("127.0.0.1:9")
            for connection in one._all():
                connection.fail(ConnectionResetError())
            await until(lambda: one.open == 0)
            one.send("127.0.0.1:9", numbered(1))
            await until(lambda: len(other.got) == 2)
            assert one.gone == []
        await other.close()

    run(test)


def test_contact_that_moved_is_dialled_again() -> None:
    async def test() -> None:
        async with (
            Scripted(handshake("127.0.0.1:1"), handshake("127.0.0.1:2")) as server,
            Wire() as one,
        ):
            one._contacts.dialled = {server.address}
            one.send(server.address, numbered(0))
            await until(lambda: "127.0.0.1:1" in one._peers)
            server.writers[0].close()
            await until(lambda: not one._peers)
            one.send(server.address, numbered(1))
            await until(lambda: "127.0.0.1:2" in one._peers)
            assert one._names == {server.address: "127.0.0.1:2"}

    run(test)


def test_node_that_dials_itself_is_not_linked() -> None:
    async def test() -> None:
        one = Wire(attempts=1)
        await one.listen("127.0.0.1:0")
        one._contacts.dialled = {named(one)}
        one.send(named(one), numbered(0))
        await until(lambda: one.gone)
        assert (one.gone, one.got, one.counts.malformed, one._all()) == ([named(one)], [], 0, [])
        await one.close()

    run(test)


# -- long messages -------------------------------------------------------------------------


def test_long_gossip_is_split() -> None:
    topics = tuple(f"{number:0200}" for number in range(1000))
    shuffle = Shuffle(tuple(Descriptor(f"127.0.0.1:{port}", topics, 1, 0) for port in range(1, 21)))

    async def test() -> None:
        async with Wire() as one, Wire() as other:
            got: list[Any] = []
            other._receive = lambda peer, message: got.append(message)
            one.send(other.me, shuffle)
            await until(lambda: sum(len(message.descriptors) for message in got) == 20)
            assert [type(message) for message in got] == [Shuffle, *[ShuffleReply] * (len(got) - 1)]
            assert tuple(one for message in got for one in message.descriptors) == (
                shuffle.descriptors
            )
            assert other.counts.malformed == one.counts.oversized == 0

    run(test)


def test_message_that_cannot_be_split_is_refused_by_the_sender(
    caplog: pytest.LogCaptureFixture,
) -> None:
    topics = tuple(f"{number:0200}" for number in range(6000))

    async def test() -> None:
        async with Wire() as one, Wire() as other:
            one._log._logged = -100.0
            one.send(other.me, Shuffle((Descriptor("127.0.0.1:1", topics, 1, 0),)))
            one.send(other.me, numbered(7))
            await until(lambda: other.got)
            assert other.got == [(one.me, 7)]
            assert (one.counts.oversized, other.counts.malformed) == (1, 0)
            assert "a message (shuffle) has 1,2" in caplog.text

    run(test)


def test_errors_are_logged_at_most_once_a_second(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        async with Wire() as one:
            one._log._logged = -100.0
            with caplog.at_level(logging.WARNING, "gossamer.live"):
                one._log.warning("first")
                one._log.warning("second")
                one._log.warning("third")
                one._log._logged -= 1.0
                one._log.warning("fourth")
                one._log._logged -= 1.0
                one._log.warning("fifth")
            assert caplog.messages == ["first", "fourth (and 2 similar ones)", "fifth"]

    run(test)


# -- the node's machine --------------------------------------------------------------------


def test_machine_is_notified_of_unreachable_peers() -> None:
    """Too many heartbeats may be missed for silence to end the link."""
    options: dict[str, Any] = {
        "loop_seconds": 0.02,
        "heartbeat_seconds": 0.05,
        "missed_heartbeats": 1000,
        "shuffle_seconds": 0.05,
    }

    async def test() -> None:
        limits = NetworkLimits(attempts=2, pause=0.01)
        async with Node(topics=["a"], **options, limits=limits) as one:
            other = Node(topics=["a"], join=[one.address], **options)
            await other.start()
            await until(lambda: one.links and other.links)
            assert other._runtime.network is not None
            await other._runtime.network.close()  # a crash: no goodbye is sent
            await until(lambda: not one.links)
            await other.stop()

    run(test)


def test_network_counts_are_copied() -> None:
    async def test() -> None:
        async with Wire() as one:
            one.counts.by_kind["x"] = 1
            copy = one.counts.copy()
            one.counts.by_kind["x"] = 2
            one.counts.sent = 9
            assert (copy.by_kind, copy.sent) == ({"x": 1}, 0)

    run(test)
