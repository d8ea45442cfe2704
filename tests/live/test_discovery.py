"""Discovery: names of several nodes, SRV records, a multicast group, and a file."""

from __future__ import annotations

import asyncio
import socket
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gossamer.errors import MissingPackageError, ParameterError
from gossamer.live import Node, PeerUnreachable
from gossamer.live.discovery.multicast import MAGIC, MAX_HEARD, Announced, MulticastSource
from gossamer.live.discovery.sources import FileSource, source_of
from tests.live.nodes import QUICK, run, until


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("10.0.0.5", "expected host:port"),
        ("http://a:1", "an address to join is 'http://a:1'; expected host:port, srv://NAME, file"),
        ("file://", "expected host:port, srv://NAME"),
        ("multicast://10.0.0.5:7000", "a multicast group is 10.0.0.5:7000; expected one of 224"),
        ("multicast://all:7000", "a multicast group is all:7000"),
        ("multicast://239.1.2.3", "a multicast group is '239.1.2.3'; expected host:port"),
        (5, "an address to join is 5; expected host:port"),
    ],
)
def test_malformed_sources_are_rejected(address: Any, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        Node(join=[address])


def test_addresses_are_no_sources() -> None:
    assert source_of("10.0.0.5:7000") is None
    assert source_of("[::1]:7000") is None


def test_name_stands_for_all_its_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """As that of a headless service: one address is the node's own, and one does not answer."""

    async def test() -> None:
        async with Node(topics=["a"], **QUICK) as one:
            own = socket.socket()
            own.bind(("127.0.0.1", 0))
            ports = [int(one.address.rpartition(":")[2]), own.getsockname()[1], 9]
            own.close()

            async def lookup(host: str, port: int, **more: Any) -> Any:
                assert (host, port) == ("nodes", 7000)
                place = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
                return [(*place, ("127.0.0.1", found)) for found in ports]

            loop = asyncio.get_running_loop()
            getaddrinfo = loop.getaddrinfo

            async def chosen(host: Any, port: Any, **more: Any) -> Any:
                known = host == "nodes"
                return await (lookup if known else getaddrinfo)(host, port, **more)

            monkeypatch.setattr(loop, "getaddrinfo", chosen)
            listen = f"127.0.0.1:{ports[1]}"
            async with Node(listen, topics=["a"], join=["nodes:7000"], **QUICK) as two:
                await until(lambda: two.links == (one.address,) and one.links == (two.address,))
                assert two._runtime.network is not None
                two._runtime.network.send("nodes:7000", _message(two))
                await asyncio.sleep(0.1)
                assert two.links == (one.address,)

    run(test)


def _message(node: Node) -> Any:
    from gossamer.protocols.components.membership import Descriptor, Shuffle

    return Shuffle((Descriptor(node.address, (), 1, 0),))


def test_name_that_leads_nowhere_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        join = ["nowhere.invalid:7000"]
        async with Node(join=join, **QUICK) as node, node.events() as events:
            assert await anext(events) == PeerUnreachable(join[0])
            assert await anext(events) == PeerUnreachable(join[0])

    run(test)
    assert [one.message for one in caplog.records if "leads to no node" in one.message][1:] == []


def test_nodes_find_each_other_by_a_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    peers = tmp_path / "peers.txt"

    async def test() -> None:
        join = [f"file://{peers}"]
        async with Node(topics=["a"], join=join, **QUICK) as one:
            peers.write_text(f"# the nodes\n\n{one.address}  # ann\nnonsense\n")
            async with Node(topics=["a"], join=join, **QUICK) as two:
                await until(lambda: one.links and two.links)

    run(test)
    assert caplog.text.count("nonsense") >= 1


def test_file_is_read_again(tmp_path: Path) -> None:
    peers = tmp_path / "peers.txt"

    async def test() -> None:
        source = FileSource(peers)
        with pytest.raises(OSError, match="No such file"):
            await source.addresses()
        for text, found in (
            ("", []),
            ("a:1\n", ["a:1"]),
            ("b:2 # new\n[::1]:3", ["b:2", "[::1]:3"]),
        ):
            peers.write_text(text)
            assert await source.addresses() == found

    run(test)


def _multicast_works() -> bool:
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))
            one.sendto(b"", ("239.77.1.3", 7499))
    except OSError:
        return False
    return True


@pytest.mark.skipif(not _multicast_works(), reason="no multicast on the loopback interface")
def test_nodes_find_each_other_by_multicast() -> None:
    async def test() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        join = [f"multicast://239.77.1.3:{port}"]
        nodes = [Node(topics=["a"], join=join, **QUICK) for _ in range(3)]
        await asyncio.gather(*(node.start() for node in nodes))
        try:
            await until(lambda: all(node.status.known == 2 and node.links for node in nodes))
        finally:
            for node in nodes:
                await node.stop()

    run(test)


def test_announcements_are_checked_and_bounded() -> None:
    async def test() -> None:
        source = MulticastSource("239.77.1.3", 7400)
        source._protocol, source._me = "stan", "h:1"

        def hear(magic: str, protocol: str, address: str) -> None:
            content = msgspec.msgpack.encode(Announced(magic, protocol, address))
            source.datagram_received(content, None)

        source.datagram_received(b"nonsense", None)
        for magic, protocol, address in (
            ("other", "stan", "h:2"), (MAGIC, "vitis", "h:2"), (MAGIC, "stan", "h"),
            (MAGIC, "stan", "h:1"),
        ):  # fmt: skip
            hear(magic, protocol, address)
        assert await source.addresses() == []
        for port in range(2, MAX_HEARD + 5):
            hear(MAGIC, "stan", f"h:{port}")
        found = await source.addresses()
        assert len(found) == MAX_HEARD
        assert "h:2" not in found
        source.close()

    run(test)


def _resolver(monkeypatch: pytest.MonkeyPatch, found: Sequence[tuple[str, int]] | None) -> None:
    """Put a package dns with the given records in place of dnspython."""
    package, resolver, exception = (types.ModuleType(one) for one in ("dns", "a", "e"))

    class DNSException(Exception):  # noqa: N818 (its name in dnspython)
        pass

    async def resolve(name: str, kind: str) -> list[Any]:
        assert (name, kind) == ("_gossamer._tcp.shop.internal", "SRV")
        if found is None:
            raise DNSException("no answer")
        return [types.SimpleNamespace(target=target, port=port) for target, port in found]

    resolver.resolve = resolve  # type: ignore[attr-defined]
    exception.DNSException = DNSException  # type: ignore[attr-defined]
    for name, module in (
        ("dns", package), ("dns.asyncresolver", resolver), ("dns.exception", exception),
    ):  # fmt: skip
        monkeypatch.setitem(sys.modules, name, module)


def test_service_records_have_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        _resolver(monkeypatch, [("10.0.0.5.", 7000), ("billing.shop.internal.", 7001)])
        source = source_of("srv://_gossamer._tcp.shop.internal")
        assert source is not None
        assert await source.addresses() == ["10.0.0.5:7000", "billing.shop.internal:7001"]
        _resolver(monkeypatch, None)
        source = source_of("srv://_gossamer._tcp.shop.internal")
        assert source is not None
        with pytest.raises(OSError, match=r"has no SRV records \(no answer\)"):
            await source.addresses()

    run(test)


def test_service_records_need_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dns", None)
    with pytest.raises(MissingPackageError, match=r"install it with: pip install dnspython"):
        Node(join=["srv://_gossamer._tcp.shop.internal"])
