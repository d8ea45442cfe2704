"""Queues, policies, and publications that wait for room."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.live import (
    NetworkLimits,
    Node,
    NotReadyError,
    NotRunningError,
)
from gossamer.live.messaging.event_queue import EventQueue
from gossamer.protocols.components.membership import Shuffle
from gossamer.protocols.contract import Gap
from tests.live.nodes import QUICK, event, run, until


@pytest.mark.parametrize(
    ("policy", "kept", "dropped"),
    [("drop-oldest", b"789", 7), ("drop-newest", b"012", 7), ("wait", b"0123456789", 0)],
)
def test_full_queue_drops_by_its_policy(policy: Any, kept: bytes, dropped: int) -> None:
    queue = EventQueue(policy, max_events=3)
    for number in range(10):
        queue.put(event("a", b"%d" % number))
    assert b"".join(queue.get().payload for _ in range(len(queue))) == kept
    assert (queue.dropped, queue.bytes) == (dropped, 0)


def test_queue_is_bound_by_bytes_and_has_room_for_one_event() -> None:
    queue = EventQueue(max_bytes=10)
    for size in (4, 4, 4, 100):
        queue.put(event("a", bytes(size)))
    assert (len(queue), queue.bytes, queue.dropped) == (1, 100, 3)


def test_coalescing_keeps_the_latest_event_of_each_key_in_its_place() -> None:
    queue = EventQueue("coalesce", lambda one: one.payload[:1], max_events=3)
    for payload in (b"a1", b"b1", b"a2", b"c1", b"a3", b"d1"):
        queue.put(event("x", payload))
    assert (queue.coalesced, queue.dropped) == (2, 1)
    assert [queue.get().payload for _ in range(3)] == [b"b1", b"c1", b"d1"]
    assert (len(queue), queue.bytes) == (0, 0)
    by_topic = EventQueue("coalesce")
    for number in range(4):
        by_topic.put(event("ab"[number % 2], b"%d" % number))
    assert [by_topic.get().payload for _ in range(2)] == [b"2", b"3"]


def test_queue_that_lets_publishers_wait_is_bound_by_bytes() -> None:
    queue = EventQueue("wait", max_events=2, max_bytes=1000)
    for _ in range(20):
        queue.put(event("a", bytes(100)))
    assert (len(queue), queue.dropped) == (8, 12)
    queue = EventQueue("wait", max_events=1000, max_bytes=1000)
    for _ in range(20):
        queue.put(event("a", bytes(1000)))
    assert (len(queue), queue.bytes, queue.dropped) == (4, 4000, 16)


def test_event_that_a_later_one_has_overtaken_is_not_the_state() -> None:
    queue = EventQueue("coalesce")

    def put(number: int, publisher: str = "h:1", topic: str = "a") -> None:
        queue.put(event(topic, b"%d" % number, number, publisher))

    for number in (57, 59, 58, 57):
        put(number)
    assert (queue.get().payload, len(queue), queue.coalesced) == (b"59", 0, 3)
    put(58)
    assert (len(queue), queue.coalesced) == (0, 4), "the later one was read before"
    put(60)
    put(3, "h:2")
    assert queue.get().payload == b"3", "numbers of other publishers are not compared"
    put(1, topic="b")
    assert queue.get().payload == b"1", "nor those of other topics"


@given(st.permutations(range(1, 30)), st.integers(1, 5))
def test_coalescing_gives_the_newest_event_last(numbers: list[int], every: int) -> None:
    queue, got = EventQueue("coalesce"), []
    for place, number in enumerate(numbers):
        queue.put(event("a", b"", number))
        if place % every == 0 and len(queue):
            got.append(queue.get().sequence)
    got += [queue.get().sequence for _ in range(len(queue))]
    assert got == sorted(got)
    assert got[-1] == 29
    assert queue.coalesced == 29 - len(got)
    assert queue.bytes == 0


def test_lower_number_after_a_while_is_that_of_a_restarted_publisher(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr("gossamer.live.messaging.event_queue.monotonic", lambda: now)
    queue = EventQueue("coalesce")
    newest = event("a", b"9", 9)
    queue.put(msgspec.structs.replace(newest, missing=(Gap("a", 5, 7),)))
    now = 10.0
    queue.put(event("a", b"6", 6))
    assert queue.coalesced == 1, "it was missing"
    queue.put(event("a", b"1", 1))
    assert queue.get().payload == b"1"


@pytest.mark.parametrize("subscribed", [True, False])
def test_nothing_on_its_way_to_a_full_stream_is_lost(subscribed: bool) -> None:
    async def test() -> None:
        topics = ["a"] if subscribed else []
        async with (
            Node(topics=topics, **QUICK) as one,
            Node(join=[one.address], **QUICK) as two,
        ):
            slow = two.subscribe("a", policy="wait", max_events=20)
            await one.ready("a")
            got: list[int] = []

            async def read() -> None:
                async for each in slow:
                    got.append(int(each.payload))
                    await asyncio.sleep(0.001)

            reading = asyncio.create_task(read())
            for number in range(500):
                await one.publish("a", b"%d" % number)
            await until(lambda: len(got) >= 500)
            reading.cancel()
            assert sorted(got) == list(range(500))
            assert slow.dropped == 0

    run(test)


@pytest.mark.parametrize("policy", ["drop-oldest", "drop-newest", "coalesce"])
def test_slow_reader_costs_its_bound_and_no_other_subscription(policy: Any) -> None:
    async def test() -> None:
        async with (
            Node(topics=["a"], **QUICK) as one,
            Node(topics=["a"], join=[one.address], **QUICK) as two,
        ):
            slow = two.subscribe("a", policy=policy, max_events=10, echo=False)
            quick = two.subscribe("a")
            await one.ready("a")
            for number in range(1000):
                await one.publish("a", b"%d" % number)
            got = {(await anext(quick)).payload for _ in range(1000)}
            assert len(got) == 1000
            assert slow.waiting == (1 if policy == "coalesce" else 10)
            assert slow.dropped + slow.coalesced + slow.waiting == 1000

    run(test)


def test_publisher_waits_for_a_slow_reader_with_the_policy_wait() -> None:
    async def test() -> None:
        async with (
            Node(topics=["a"], **QUICK) as one,
            Node(topics=["a"], join=[one.address], **QUICK) as two,
        ):
            slow = two.subscribe("a", policy="wait", max_events=400)
            await one.ready("a")
            sent = 0

            async def publish() -> None:
                nonlocal sent
                for number in range(3000):
                    await one.publish("a", b"%d" % number)
                    sent += 1

            publishing = asyncio.create_task(publish())
            await asyncio.sleep(0.3)
            waiting = sent
            assert waiting < 400, "the publisher waits"
            assert not one.try_publish("a", b"")
            assert one.try_publish("b", b""), "other topics go on"
            await asyncio.sleep(1.2)
            assert sent == waiting, "as long as the reader does not read"
            got = [int((await anext(slow)).payload) for _ in range(3000)]
            assert sorted(got) == list(range(3000))
            assert slow.dropped == 0
            await publishing
            slow.close()
            await until(lambda: one.try_publish("a", b""))

    run(test)


def test_publishing_waits_for_a_peer_that_does_not_read_but_not_forever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def test() -> None:
        limits = NetworkLimits(queue_bytes=1 << 18)
        async with (
            Node(topics=["a"], **QUICK, limits=limits) as one,
            Node(topics=["a"], join=[one.address], **QUICK) as two,
        ):
            events = two.subscribe("a", max_events=10_000, max_bytes=1 << 30)
            await one.ready("a")
            assert one._runtime.network is not None
            (state,) = (one._runtime.network._peers[str(peer)] for peer in one.links)
            connection = state.connections[0]
            connection.pause_writing()
            sent = 0

            async def publish() -> None:
                nonlocal sent
                for _ in range(3000):
                    await one.publish("a", bytes(1000))
                    sent += 1

            publishing = asyncio.create_task(publish())
            await asyncio.sleep(0.2)
            assert sent < 100
            assert not one.try_publish("a", b"")
            connection.resume_writing()
            await publishing
            await one.flush()
            for _ in range(3000):
                await anext(events)
            monkeypatch.setattr("gossamer.live.messaging.back_pressure.STALLED_SECONDS", 0.1)
            connection.pause_writing()
            for _ in range(500):
                await one.publish("a", bytes(1000))  # the peer stands still: its queue overflows
            assert connection.dropped or one.status.counts.dropped
            connection.resume_writing()
            for _ in range(500):
                await anext(events)  # and is repaired

    run(test)


def test_tight_loop_leaves_local_readers_their_turn() -> None:
    async def test() -> None:
        async with Node() as node, node.subscribe("a") as events:

            async def read() -> int:
                return len([await anext(events) for _ in range(20_000)])

            reading = asyncio.create_task(read())
            for _ in range(20_000):
                await node.publish("a", b"")
            assert await reading == 20_000
            assert events.dropped == 0

    run(test)


def test_burst_of_a_publisher_without_a_subscription_arrives() -> None:
    async def test() -> None:
        async with Node(**QUICK) as one, Node(join=[one.address], **QUICK) as two:
            events = one.subscribe("a")
            await two.ready("a")
            for number in range(3000):
                await two.publish("a", b"%d" % number)
            await two.flush()
            assert len({(await anext(events)).payload for _ in range(3000)}) == 3000

    run(test)


def lose_shuffles(*nodes: Node) -> Callable[[], None]:
    """Lose the shuffles that nodes begin until the returned function is called."""
    wires: list[Any] = [node._runtime.host._wire for node in nodes if node._runtime.host]
    sends = [wire.send for wire in wires]

    def sender(send: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
        return lambda peer, message: None if type(message) is Shuffle else send(peer, message)

    def stop() -> None:
        for wire, send in zip(wires, sends, strict=True):
            wire.send = send

    for wire in wires:
        wire.send = sender(wire.send)
    return stop


def test_publisher_waits_for_a_subscriber_that_has_not_answered_a_shuffle() -> None:
    """A shuffle takes the only known subscriber out of the view until it answers."""

    async def test() -> None:
        async with Node(**QUICK) as one, Node(join=[one.address], **QUICK) as two:
            events, later = one.subscribe("a"), two.subscribe("b")
            await two.ready("a")
            await one.ready("b")
            stop = lose_shuffles(one, two)
            await until(lambda: not one.status.known and not two.status.known)

            async def publish() -> None:
                for number in range(1000):
                    await two.publish("a", b"%d" % number)
                await two.flush()

            await one.publish("b", b"x")
            publishing, flushing = asyncio.create_task(publish()), asyncio.create_task(one.flush())
            await asyncio.sleep(0.05)
            assert not publishing.done(), "the machine keeps fewer"
            assert not flushing.done(), "no peer has it"
            stop()
            await publishing
            await flushing
            assert len({(await anext(events)).payload for _ in range(1000)}) == 1000
            assert (await anext(later)).payload == b"x"

    run(test)


def test_flush_says_what_no_peer_has_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.live.runtime.SECONDS_TO_HAND_OVER", 0.2)

    async def test() -> None:
        async with Node(**QUICK) as one, Node(join=[one.address], **QUICK) as two:
            await until(lambda: two.status.known)
            await two.flush()
            await two.publish("a", b"for no subscriber")
            with pytest.raises(NotReadyError, match="1 publications have reached no peer"):
                await two.flush()

    run(test)


def test_stop_ends_what_waits() -> None:
    async def test() -> None:
        node = Node(**QUICK)
        await node.start()
        held = node.subscribe("a", policy="wait", max_events=2)
        events, links = node.subscribe("b"), node.events()
        raised: list[BaseException] = []

        async def publish() -> None:
            for _ in range(100):
                await node.publish("a", b"")

        async def in_thread() -> None:
            while True:
                await asyncio.to_thread(node.publish_threadsafe, "a", b"")

        async def note(work: Awaitable[object]) -> None:
            try:
                await work
            except Exception as fault:
                raised.append(fault)

        works: list[Awaitable[object]] = [
            publish(), in_thread(), node.request("c", b"", timeout=20), node.ready("d", timeout=20),
        ]  # fmt: skip
        tasks = [asyncio.create_task(note(work)) for work in works]
        await asyncio.sleep(0.05)
        assert not raised
        await node.stop()
        await asyncio.gather(*tasks)
        assert [type(one) for one in raised] == [NotRunningError] * 4
        assert [one async for one in events] == []
        assert [one async for one in links] == []
        assert [one async for one in held]
        for method in (node.publish("a", b""), node.request("a", b""), node.flush()):
            with pytest.raises(NotRunningError, match="not running"):
                await method

    run(test)


def test_waiting_publication_can_be_cancelled() -> None:
    async def test() -> None:
        async with Node() as node, node.subscribe("a", policy="wait", max_events=2) as events:

            async def publish() -> None:
                while True:
                    await node.publish("a", b"")

            with pytest.raises(TimeoutError):
                await asyncio.wait_for(publish(), 0.1)
            with pytest.raises(TimeoutError):
                await asyncio.to_thread(node.publish_threadsafe, "a", b"", timeout=0.05)
            events.close()
            await node.publish("a", b"")

    run(test)


def test_threads_publish_while_the_loop_ends() -> None:
    faults: list[Exception] = []
    started = threading.Event()

    def publish(node: Node) -> None:
        try:
            while True:
                node.publish_threadsafe("a", b"")
                started.set()
        except Exception as fault:
            faults.append(fault)

    async def test() -> list[threading.Thread]:
        async with Node(topics=["a"]) as node:
            threads = [threading.Thread(target=publish, args=(node,)) for _ in range(4)]
            for thread in threads:
                thread.start()
            await asyncio.to_thread(started.wait)
        return threads

    for thread in asyncio.run(test()):
        thread.join(10)
        assert not thread.is_alive()
    assert [type(fault) for fault in faults] == [NotRunningError] * 4
