"""Live nodes: replay of their journals, subscriptions, and a cluster that survives kill -9."""

from __future__ import annotations

import asyncio
import gc
import socket
import threading
import time
from contextlib import suppress
from typing import Any

import msgspec
import pytest

from gossamer.cli.live_overlay import measure
from gossamer.errors import ParameterError, TableError
from gossamer.host.codec import Codec
from gossamer.host.journal import Journal, read_journal, replay
from gossamer.kernels.repair.shadows import connect_shadows, label_shadows
from gossamer.live import NetworkLimits, Node
from gossamer.live.addresses import split_address
from gossamer.live.cluster import LinkAssignment, LocalCluster
from gossamer.maintain.repair import repair_links
from gossamer.model.repair import RepairRequest
from gossamer.protocols import find_protocol, protocols
from gossamer.protocols.contract import Effect, Event, InstallLinks, Machine
from gossamer.workloads import generate_interests
from tests.conformance.worlds import live_options, quick_options


@pytest.mark.parametrize("protocol", sorted(protocols()))
def test_replay_of_a_journal_repeats_all_effects(protocol: str) -> None:
    """The journal of a live node, given to a fresh machine with an equal context."""
    answered: list[tuple[int, list[Effect]]] = []

    async def run() -> Node:
        options = live_options(protocol)
        watched = Node(topics=["a", "b"], protocol=protocol, journal=True, seed=7, **options)
        await watched.start()
        machine = watched._runtime.host.machine if watched._runtime.host else None
        assert machine is not None
        _watch(machine, answered)
        others = [
            Node(topics=topics, protocol=protocol, join=[watched.address], seed=k, **options)
            for k, topics in enumerate((["a"], ["b", "c"], ["a", "c"]))
        ]
        for other in others:
            await other.start()
        await asyncio.sleep(0.25)
        watched.subscribe("c")
        await others[0].stop()
        await asyncio.sleep(0.3)
        for node in (watched, *others[1:]):
            await node.stop()
        return watched

    node = asyncio.run(run())
    assert node.journal is not None
    header, entries = read_journal(node.journal.content)
    assert len(entries) > 30
    assert (header.node, header.topics, header.seed) == (node.address, ("a", "b"), 7)
    # The machine was watched from after its first event on.
    assert [(one.time, one.effects) for one in entries[1:]] == answered
    again = replay(node.journal.content, repair_rule=repair_links)
    assert again.equal
    assert again.entries == entries
    other = Journal(Codec(find_protocol(protocol).messages))
    other.start(msgspec.structs.replace(header, seed=8))
    for one in entries:
        other.record_event(one.time, one.event)
        other.record_effects(one.effects or [])
    found = replay(other.content).difference
    assert found is not None, "another random stream"
    assert found.effects != found.entry.effects == entries[found.place].effects
    with pytest.raises(TableError, match="breaks off"):
        read_journal(node.journal.content[:-1])


def _watch(machine: Machine, answered: list[tuple[int, list[Effect]]]) -> None:
    handle = machine.handle

    def noted(event: Event, now: int) -> list[Effect]:
        effects = handle(event, now)
        answered.append((now, effects))
        return effects

    machine.handle = noted  # type: ignore[method-assign]


def test_cluster_reconnects_after_a_third_of_processes_is_killed() -> None:
    interests = generate_interests("rss", nodes=12, topics=8, subscriptions=4, seed=2)
    lists = [interests.topics_of(node).tolist() for node in range(12)]
    options: dict[str, Any] = {
        "loop_seconds": 0.05,
        "heartbeat_seconds": 0.3,
        "quarantine_seconds": 1.0,
        "shuffle_seconds": 0.2,
    }

    async def connected(cluster: LocalCluster, nodes: int, within: float) -> None:
        end = time.monotonic() + within
        while time.monotonic() < end:
            found = measure(cluster)
            whole = found.nodes == nodes and found.topics_connected == found.topics
            if whole and not _dangling(cluster):
                return
            await asyncio.sleep(0.1)
        pytest.fail(f"after {within} s: {measure(cluster)}")

    async def run() -> None:
        async with LocalCluster(lists, **options) as cluster:
            await connected(cluster, 12, 60)
            for member in cluster.members[1::3]:
                cluster.kill(member)
            await connected(cluster, 8, 60)
            processes = [member.process for member in cluster.members]
        assert all(process is not None and process.returncode is not None for process in processes)
        survivors = [m for at, m in enumerate(cluster.members) if at % 3 != 1]
        assert [m.process.returncode for m in survivors if m.process] == [0] * 8
        assert [m.stderr_lines for m in survivors] == [[]] * 8, "nothing went wrong on the state"

    asyncio.run(run())


def _dangling(cluster: LocalCluster) -> bool:
    """Whether a running node is still linked to an absent one."""
    running = {m.last.address for m in cluster.members if m.running and m.last is not None}
    return any(
        str(peer) not in running
        for m in cluster.members
        if m.running and m.last is not None
        for peer in m.last.links
    )


def test_many_nodes_in_one_process() -> None:
    interests = generate_interests("rss", nodes=60, topics=20, subscriptions=4, seed=2)

    async def run() -> None:
        nodes: list[Node] = []
        for number in range(60):
            node = Node(
                topics=map(str, interests.topics_of(number).tolist()),
                join=[one.address for one in nodes[:3]],
                seed=number,
            )
            await node.start()
            nodes.append(node)
        end = time.monotonic() + 60
        while not all(node.links for node in nodes) and time.monotonic() < end:
            await asyncio.sleep(0.1)
        assert all(node.links for node in nodes)
        for node in nodes:
            await node.stop()

    asyncio.run(run())


def test_subscriptions_stream_publications() -> None:
    async def run() -> None:
        limits = NetworkLimits(payload_bytes=500_000)
        quick = quick_options("spidercast")
        async with (
            Node(topics=["tea", "jazz"], **quick, limits=limits) as ann,
            Node(topics=["tea"], **quick, join=[ann.address]) as bob,
            Node(**quick, join=[ann.address]) as cy,
        ):
            tea = bob.subscribe("tea")
            late = cy.subscribe("tea")
            await ann.publish(["tea", "jazz"], b"one")
            await ann.publish("jazz", b"for no other node")
            await ann.publish(["tea"], b"two")
            async with asyncio.timeout(20):
                for subscription in (tea, late):
                    got = [await anext(subscription), await anext(subscription)]
                    assert {event.payload for event in got} == {b"one", b"two"}
                    assert {event.publisher for event in got} == {ann.address}
                    assert {event.topics for event in got} == {("tea",)}
            bob.unsubscribe("tea")
            assert [event async for event in tea] == []
            for topics, payload, says in (
                ([""], b"", "a topic has 0 characters"),
                ([], b"", "published on no topic"),
                (["tea"], bytes(600_000), "600,000 bytes"),
            ):
                with pytest.raises(ParameterError, match=says):
                    await ann.publish(topics, payload)
        assert [event async for event in late] == []
        with pytest.raises(ParameterError, match="not running"):
            await ann.publish(["tea"], b"")

    asyncio.run(run())


def test_subscription_to_several_topics_has_each_publication_once() -> None:
    async def run() -> None:
        async with Node(topics=["chess", "7"]) as node:
            both = node.subscribe("tea", "jazz", "tea")
            tea = node.subscribe("tea")
            await node.publish(["tea", "jazz"], b"one")
            await node.publish("7", b"other")
            await node.publish("jazz", b"two")
            node.unsubscribe("tea")
            assert [event.payload async for event in tea] == [b"one"]
            await node.publish("jazz", b"three")
            node.unsubscribe("jazz")
            assert [event.payload async for event in both] == [b"one", b"two", b"three"]
            assert node.topics == ("7", "chess")
            with pytest.raises(ParameterError, match="subscribed to nothing"):
                node.subscribe()

    asyncio.run(run())


def test_subscription_drops_the_oldest_publications() -> None:
    async def run() -> None:
        async with Node(topics=["tea"]) as node:
            tea = node.subscribe("tea")
            for number in range(5000):
                await node.publish(["tea"], b"%d" % number)
            assert tea.dropped == 5000 - 4096
            assert (await anext(tea)).payload == b"%d" % (5000 - 4096)
            tea.close()
            await node.publish(["tea"], b"last")
            assert sum([1 async for _ in tea]) == 4095

    asyncio.run(run())


def test_publisher_need_not_subscribe() -> None:
    async def run() -> None:
        async with (
            Node(topics=["tea"]) as ann,
            Node(topics=["tea", "jazz"], join=[ann.address]) as bob,
            Node(join=[ann.address]) as cy,
        ):
            events = {node: node.subscribe("tea") for node in (ann, bob)}
            await cy.publish(["tea", "chess"], b"it is ready")
            async with asyncio.timeout(20):
                for subscription in events.values():
                    event = await anext(subscription)
                    assert (event.payload, event.publisher) == (b"it is ready", cy.address)
            assert cy.links == ()

    asyncio.run(run())


def test_cluster_installs_designed_links() -> None:
    """The links stay: on a busy machine too, no process is silent long enough to be suspected."""

    async def run() -> None:
        options: dict[str, Any] = {"heartbeat_seconds": 0.3, "missed_heartbeats": 60}
        async with LocalCluster(
            [["a"], ["a", "b"], ["a", "b"]], protocol="elasto", **options
        ) as cluster:
            for chosen in ([(0, 1), (1, 2)], [(0, 2), (1, 2)]):
                await cluster.install_links(lambda wanted, chosen=chosen: chosen)  # type: ignore[misc]
                names = [member.last.address for member in cluster.members if member.last]
                for _ in range(100):
                    await asyncio.sleep(0.1)
                    if _links(cluster, names) == chosen:
                        break
                await asyncio.sleep(1.0)
                assert _links(cluster, names) == chosen, "they stay"

    asyncio.run(run())


def _links(cluster: LocalCluster, names: list[str]) -> list[tuple[int, int]]:
    found = set()
    for member in cluster.members:
        assert member.last is not None
        for other in member.last.links:
            pair = sorted((member.number, names.index(str(other))))
            found.add((pair[0], pair[1]))
    return sorted(found)


def test_links_are_installed_only_by_protocols_that_accept_them() -> None:
    async def run() -> None:
        async with Node(topics=["tea"]) as ann:
            with pytest.raises(ParameterError, match="makes all its links itself"):
                ann.install_links([], 1)
        async with Node(topics=["tea"], protocol="elasto", journal=True) as bob:
            bob.install_links([("127.0.0.1:9", ["tea"])], 1)
            assert bob.links == ("127.0.0.1:9",)
            assert bob.journal is not None
            _, entries = read_journal(bob.journal.content)
            assert any(type(one.event) is InstallLinks for one in entries)

    asyncio.run(run())
    with pytest.raises(ParameterError, match="not an assignment of links"):
        LinkAssignment.of(b'{"epoch": "no"}')


def test_repair_rule_is_compiled_beside_the_event_loop_before_the_machine_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    node = Node(topics=["a"], protocol="elasto")
    calls: list[tuple[int, object]] = []

    def noted(request: RepairRequest) -> list[tuple[int, int]]:
        calls.append((threading.get_ident(), node._runtime.host))
        return repair_links(request)

    async def run() -> None:
        async with node:
            pass

    monkeypatch.setattr("gossamer.maintain.repair.repair_links", noted)
    asyncio.run(run())
    ((thread, host),) = calls
    assert (thread == threading.get_ident(), host) == (False, None)
    rule: list[Any] = [label_shadows, connect_shadows]
    compiled = [len(one.signatures) for one in rule]
    other = RepairRequest(
        ((0,), (0, 1), (1,), (0,)), (2, 3, 1, 1), ((0, 1),), (True,) * 4, (True, False, True, False)
    )
    assert repair_links(other)
    assert [len(one.signatures) for one in rule] == compiled, "no repair compiles another variant"


@pytest.mark.parametrize("turns", range(6))
def test_connection_during_stop_is_closed(turns: int) -> None:
    """At any stage of the new connection, nothing stays open."""

    async def run() -> bytes:
        node = Node(topics=["a"])
        await node.start()
        with socket.create_connection(split_address(node.address)) as comer:
            comer.settimeout(5)
            for _ in range(turns):
                await asyncio.sleep(0)
            await node.stop()
            received = b""
            with suppress(ConnectionResetError):
                while some := await asyncio.to_thread(comer.recv, 4096):
                    received += some
            return received

    assert len(asyncio.run(run())) < 4096
    gc.collect()  # what was left open would be told now
