"""Frames, handshakes and limits: malformed input affects only its sender."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import FrameError, MessageError, ParameterError
from gossamer.host import Codec, Stream
from gossamer.live import Node
from gossamer.live.discovery.addresses import join_address, split_address
from gossamer.live.transport.frames import MAX_FRAME, VERSION, FrameReader, Handshake, frame_of
from gossamer.live.transport.limits import NetworkLimits
from gossamer.live.transport.network import Network
from gossamer.protocols import find_protocol
from gossamer.protocols.spidercast.messages import InterestRequest, Redirect, TaskHeartbeat


@given(st.lists(st.binary(max_size=300)), st.lists(st.integers(1, 200), min_size=1))
def test_frames_are_reassembled_from_any_chunks(frames: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(map(frame_of, frames))
    reader, found, place, turn = FrameReader(), [], 0, 0
    while place < len(stream):
        space = reader.space()
        size = min(cuts[turn % len(cuts)], len(space), len(stream) - place)
        space[:size] = stream[place : place + size]
        found += list(reader.filled(size))
        place, turn = place + size, turn + 1
    assert found == frames


def test_frame_larger_than_the_first_buffer() -> None:
    big = bytes(range(256)) * 1000
    stream = frame_of(b"a") + frame_of(big) + frame_of(b"z")
    reader, found, place = FrameReader(), [], 0
    while place < len(stream):
        space = reader.space()
        size = min(len(space), len(stream) - place)
        assert size
        space[:size] = stream[place : place + size]
        found += list(reader.filled(size))
        place += size
    assert found == [b"a", big, b"z"]


def test_oversized_frame_is_rejected_by_its_header() -> None:
    reader = FrameReader()
    reader.space()[:4] = (MAX_FRAME + 1).to_bytes(4, "big")
    with pytest.raises(FrameError, match=r"1,048,577 bytes; expected at most 1,048,576"):
        list(reader.filled(4))


CODEC = Codec(find_protocol("spidercast").messages)


def test_messages_survive_encoding() -> None:
    for message in (
        TaskHeartbeat((3, 0), (4, 0), 1, 77, ("a", "b")), Redirect(1, None), Redirect(0, "h:1"),
    ):  # fmt: skip
        assert CODEC.decode(CODEC.encode(message)) == message
    assert len(CODEC.encode(TaskHeartbeat((9, 0), (9, 0), 1, 5))) < 25


@given(st.binary(max_size=60))
def test_arbitrary_bytes_are_decoded_or_rejected(content: bytes) -> None:
    try:
        message = CODEC.decode(content)
    except MessageError:
        return
    assert type(message) in find_protocol("spidercast").messages


@pytest.mark.parametrize(
    "content",
    [
        ["connect", 7, 1, 1, [], 0],
        ["connect", 0, -1, 1, [], 0],
        ["connect", 0, 1, 1, ["x" * 300], 0],
        ["connect", 0, 1, 1, [], 0, "more"],
        ["heartbeat", [1, 2, 3], [1, 2], 0, 0],
        ["unheard-of"],
        {"type": "connect"},
        7,
    ],
)
def test_messages_out_of_bounds_are_rejected(content: object) -> None:
    with pytest.raises(MessageError):
        CODEC.decode(msgspec.msgpack.encode(content))


@pytest.mark.parametrize("text", ["", "x", "x:", ":1", "x:y", "x:70000", "::1:5", "a:-1", "[]:4"])
def test_malformed_addresses_are_rejected(text: str) -> None:
    with pytest.raises(ParameterError, match="expected host:port"):
        split_address(text)


def test_addresses_are_split_and_joined() -> None:
    for text in ("127.0.0.1:7000", "[::1]:7", "host.example:65535"):
        assert join_address(*split_address(text)) == text


def handshake(
    protocol: str = "spidercast", version: int = VERSION, peer: str = "127.0.0.1:1"
) -> bytes:
    return frame_of(msgspec.msgpack.encode(Handshake(version, protocol, peer)))


@pytest.mark.parametrize(
    "content",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        frame_of(b""),
        frame_of(msgspec.msgpack.encode(["x"])),
        handshake(protocol="vitis"),
        handshake(version=99),
        handshake(peer="nowhere"),
        handshake() + frame_of(b"\xc1"),
        handshake() + frame_of(msgspec.msgpack.encode(["connect", 9, 9, 9, [], 0])),
        handshake() + (MAX_FRAME + 1).to_bytes(4, "big"),
    ],
)
def test_malformed_bytes_close_only_their_connection(content: bytes) -> None:
    async def run() -> None:
        quick: dict[str, Any] = {
            "loop_seconds": 0.02,
            "heartbeat_seconds": 0.1,
            "shuffle_seconds": 0.05,
        }
        async with (
            Node(topics=["a"], **quick) as one,
            Node(topics=["a"], join=[one.address], **quick) as other,
        ):
            while other.address not in one.links:
                await asyncio.sleep(0.01)
            host, port = split_address(one.address)
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(content)
            with suppress(ConnectionError):
                async with asyncio.timeout(5):
                    while await reader.read(1000):
                        pass
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
            assert one.status.counts.malformed == 1
            before = one.status.counts.received
            await asyncio.sleep(0.3)
            assert one.status.counts.received > before
            assert one.links == (other.address,)

    asyncio.run(run())


def test_silent_connection_times_out() -> None:
    async def run() -> None:
        async with Node(topics=["a"], limits=NetworkLimits(timeout=0.1, connections=2)) as node:
            host, port = split_address(node.address)
            opened = [await asyncio.open_connection(host, port) for _ in range(3)]
            for reader, writer in opened:
                async with asyncio.timeout(5):
                    try:
                        greeting = await reader.read()  # up to the end of the connection
                    except ConnectionError:
                        greeting = b""
                assert greeting in (b"", handshake(peer=node.address))
                writer.close()
            assert node.status.counts.refused == 1
            assert node.status.counts.malformed == 2

    asyncio.run(run())


def test_absent_peer_is_reported_as_down() -> None:
    async def run() -> None:
        gone: list[object] = []
        network = Network(
            "spidercast", CODEC, receive=lambda *_: None, down=gone.append, random=Stream(1),
            limits=NetworkLimits(attempts=2, pause=0.01, queue=3),
        )  # fmt: skip
        await network.listen("127.0.0.1:0")
        for peer in ("127.0.0.1:9", "nonsense", 5):
            for _ in range(5):
                network.send(peer, InterestRequest())
        assert gone == [], "never while a machine may be at work"
        await asyncio.sleep(0.3)
        assert set(gone) == {"127.0.0.1:9", "nonsense"}
        assert network.counts.sent == 0
        assert network.counts.dropped >= 10
        await network.close()

    asyncio.run(run())


def test_broken_connection_is_restored() -> None:
    async def run() -> None:
        got: list[tuple[object, object]] = []

        def make() -> Network:
            return Network(
                "spidercast", CODEC, receive=lambda *one: got.append(one), down=lambda peer: None,
                random=Stream(1), limits=NetworkLimits(pause=0.01),
            )  # fmt: skip

        one, other = make(), make()
        await one.listen("127.0.0.1:0")
        await other.listen("127.0.0.1:0")
        one.link(other.me)
        one.send(other.me, InterestRequest())
        await asyncio.sleep(0.1)
        for connection in one._all():
            connection.fail(ConnectionResetError())
        await asyncio.sleep(0.2)
        assert any(connection.open for connection in one._all()), "a link is kept up"
        one.send(other.me, InterestRequest())
        await asyncio.sleep(0.1)
        assert got == [(one.me, InterestRequest())] * 2
        await one.close()
        await other.close()
        await one.close()

    asyncio.run(run())


def test_a_slow_reader_does_not_fill_the_memory() -> None:
    async def run() -> None:
        enough = asyncio.Event()

        async def stall(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await enough.wait()
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

        server = await asyncio.start_server(stall, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        network = Network(
            "spidercast", CODEC, receive=lambda *_: None, down=lambda _: None, random=Stream(1)
        )
        await network.listen("127.0.0.1:0")
        big = TaskHeartbeat((0, 0), (0, 0), 0, 0, tuple("x" * 200 for _ in range(500)))
        for _ in range(200):
            network.send(f"127.0.0.1:{port}", big)
            await asyncio.sleep(0)
        assert network.counts.dropped > 0 or network._all()[0].dropped > 0
        waiting = sum(connection._waiting_bytes for connection in network._all())
        assert waiting <= 4 << 20
        await network.close()
        enough.set()
        server.close()
        await asyncio.sleep(0.05)

    asyncio.run(run())


def test_listening_at_a_used_address_fails() -> None:
    async def run() -> None:
        async with Node() as node:
            with pytest.raises(ParameterError, match="cannot listen at 127"):
                await Node(node.address).start()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"listen": "here"}, "expected host:port"),
        ({"join": ["here"]}, "expected host:port"),
        ({"topics": [""]}, "0 characters"),
        ({"topics": "tea"}, "expected a list, as in"),
        ({"join": "127.0.0.1:1"}, "expected a list, as in"),
        ({"listen": "0.0.0.0:0"}, "peers cannot reach 0.0.0.0:0"),
        ({"topics": [1.5]}, "a topic is 1.5; expected a string$"),
        ({"topics": [5]}, "a topic is 5; expected a string, as in '5'"),
        ({"topics": [b"x"]}, "a topic is b'x'; expected a string$"),
        ({"topics": None}, "topics is None; expected a list"),
        ({"topics": [f"{n:0250}" for n in range(5000)]}, "5,000 topics of 1,265,000 bytes"),
        ({"listen": 7000}, "listen is 7000; expected host:port"),
        ({"join": None}, "join is None; expected a list"),
        ({"join": [("127.0.0.1", 1)]}, "an address to join is \\('127.0.0.1', 1\\); expected host"),
        ({"advertise": "a:b"}, "advertise is 'a:b'; expected host:port"),
        ({"advertise": "a:0"}, "expected a port that peers can reach"),
        ({"rho": 1}, "no option 'rho'"),
        ({"topic": ["a"]}, "Node has no parameter 'topic'; did you mean 'topics'"),
        ({"protocol": "tarot"}, "no protocol is named"),
    ],
)
def test_invalid_node_arguments_are_rejected(more: dict[str, object], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        Node(**more)  # type: ignore[arg-type]


def test_nodes_of_different_protocols_ban_each_other() -> None:
    async def run() -> None:
        async with (
            Node(topics=["a"]) as one,
            Node(topics=["a"], protocol="random", join=[one.address]) as other,
        ):
            await asyncio.sleep(1.0)
            assert not one.links
            assert not other.links
            assert one.status.counts.malformed <= 3
            assert other.status.counts.malformed <= 3

    asyncio.run(run())


def test_advertised_host_name() -> None:
    async def run() -> None:
        async with (
            Node("0.0.0.0:0", advertise="127.0.0.1", topics=["a"]) as one,
            Node(topics=["a"], join=[one.address]) as other,
        ):
            assert one.address.startswith("127.0.0.1:")
            while not other.links:
                await asyncio.sleep(0.01)
            before = other.status
            await asyncio.sleep(1.2)
            assert other.status.counts != before.counts

    asyncio.run(run())


def test_node_before_start_and_after_stop() -> None:
    node = Node(topics=["a"])
    with pytest.raises(ParameterError, match="before it has started"):
        _ = node.address

    async def run() -> None:
        await node.start()
        with pytest.raises(ParameterError, match="starts only once"):
            await node.start()
        await node.stop()
        await node.stop()

    asyncio.run(run())
