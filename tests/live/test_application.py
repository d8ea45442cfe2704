"""What an application does with a node: callbacks, threads, subscriptions, and stopping at once."""

from __future__ import annotations

import asyncio
import logging
import random
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from gossamer.errors import MissingPackageError, ParameterError
from gossamer.live import Node, PublishedEvent
from gossamer.live.messaging.event_queue import MAX_EVENTS
from gossamer.live.messaging.unclaimed_events import MAX_UNCLAIMED_BYTES, UnclaimedEvents
from tests.conformance.worlds import quick_options

QUICK = quick_options("spidercast")


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.005)


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


# -- callbacks -----------------------------------------------------------------------------


def test_error_of_a_callback_is_logged_and_counted_and_changes_nothing_else(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(event: PublishedEvent) -> None:
        raise ValueError("a bug of the application")

    async def test() -> None:
        async with (
            Node(topics=["a"], on_event=broken, **QUICK) as one,
            Node(topics=["a"], join=[one.address], **QUICK) as other,
        ):
            await until(lambda: one.links and other.links)
            before = one._runtime.network._all() if one._runtime.network else []
            events = one.subscribe("a")
            for number in range(10):
                await other.publish("a", b"%d" % number)
            got = [(await anext(events)).payload for _ in range(10)]
            await until(lambda: one.status.callback_errors == 10)
            assert got == [b"%d" % number for number in range(10)]
            assert one._runtime.network is not None
            assert one._runtime.network._all() == before, "no connection was closed"
        assert one.status.callback_errors == 10, "it stays known after the end"

    run(test)
    errors = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(errors) == 10
    assert "the callback" in errors[0].message
    assert "broken failed" in errors[0].message
    assert "a bug of the application" in caplog.text


def test_callback_may_be_a_coroutine_function(caplog: pytest.LogCaptureFixture) -> None:
    done: list[bytes] = []

    async def slow(event: PublishedEvent) -> None:
        await asyncio.sleep(0.02)
        if event.payload == b"1":
            raise ValueError("a bug of the application")
        done.append(event.payload)

    async def test() -> None:
        async with Node(topics=["a"], on_event=slow) as node:
            for number in range(3):
                await node.publish("a", b"%d" % number)
            assert done == []
        assert done == [b"0", b"2"], "the end of the node waits for them"
        assert node.status.callback_errors == 1

    run(test)
    assert "slow failed" in caplog.text


def test_callback_that_does_not_end_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []

    async def endless(event: PublishedEvent) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    async def test() -> None:
        node = Node(topics=["a"], on_event=endless)
        await node.start()
        assert node._runtime.callbacks is not None
        finish = node._runtime.callbacks.finish
        monkeypatch.setattr(node._runtime.callbacks, "finish", lambda seconds: finish(0.01))
        await node.publish("a", b"")
        await node.stop()
        assert ended == ["cancelled"]
        assert node.status.callback_errors == 0

    run(test)


def test_callback_may_publish_and_stop_the_node() -> None:
    """A callback is never called while the node carries out effects, and cannot recurse."""
    got: list[bytes] = []

    async def test() -> None:
        async def count(event: PublishedEvent) -> None:
            got.append(event.payload)
            if len(got) < 2000:
                await node.publish("a", b"%d" % len(got))
            else:
                await node.stop()

        node = Node(topics=["a"], on_event=count)
        await node.start()
        await node.publish("a", b"0")
        await until(lambda: node._runtime.network is None)
        assert got == [b"%d" % number for number in range(2000)]

    run(test)


def test_links_are_reported_to_a_callback_that_may_fail() -> None:
    calls: list[int] = []

    def report() -> None:
        calls.append(len(one.links))
        raise ValueError("a bug of the application")

    one = Node(topics=["a"], **QUICK)
    one.on_change = report

    async def test() -> None:
        await one.start()
        async with Node(topics=["a"], join=[one.address], **QUICK) as other:
            await until(lambda: other.links and calls)
            assert calls[-1] == 1
            assert one.links == (other.address,)
        await one.stop()

    run(test)


# -- threads -------------------------------------------------------------------------------


def test_any_thread_may_publish() -> None:
    async def test() -> None:
        async with Node(topics=["a"]) as node:
            events = node.subscribe("a")
            started = time.monotonic()
            threading.Timer(0.02, lambda: node.publish_threadsafe("a", b"first")).start()
            async with asyncio.timeout(20):
                assert (await anext(events)).payload == b"first"
            assert time.monotonic() - started < 0.5, "the event loop was woken"

            def publish() -> None:
                for number in range(1000):
                    node.publish_threadsafe("a", b"%d" % number)

            await asyncio.to_thread(publish)
            got = [(await anext(events)).payload for _ in range(1000)]
            assert got == [b"%d" % number for number in range(1000)], "in order"
            with pytest.raises(ParameterError, match="the payload is of type str"):
                await asyncio.to_thread(node.publish_threadsafe, "a", "text")  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match="not running"):
            await asyncio.to_thread(node.publish_threadsafe, "a", b"")

    run(test)


@pytest.mark.parametrize("method", ["subscribe", "unsubscribe", "try_publish"])
def test_other_methods_are_refused_in_another_thread(method: str) -> None:
    async def test() -> None:
        async with Node(topics=["a"]) as node:
            with pytest.raises(ParameterError, match=f"{method} is called from another thread"):
                await asyncio.to_thread(
                    getattr(node, method), "a", *[b""][: method == "try_publish"]
                )
            with pytest.raises(ParameterError, match="stop is called from another thread"):
                await asyncio.to_thread(lambda: asyncio.run(node.stop()))
            assert node.topics == ("a",)

    run(test)


# -- topics --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda node: node.try_publish(5, b""), "a topic is 5; expected a string, as in '5'"),
        (lambda node: node.try_publish([5], b""), "a topic is 5; expected a string, as in '5'"),
        (lambda node: node.try_publish(b"a", b""), "a topic is b'a'; expected a string"),
        (lambda node: node.try_publish(None, b""), "a topic is None; expected a string"),
        (lambda node: node.try_publish("a..b", b""), "expected levels with a name, as in 'orders"),
        (lambda node: node.subscribe(".a"), "expected levels with a name"),
        (lambda node: node.subscribe("a."), "expected levels with a name"),
        (lambda node: node.subscribe("a*"), r"with the level 'a\*'; .* as in 'orders.\*'"),
        (lambda node: node.subscribe("a.**"), r"with the level '\*\*'; expected"),
        (lambda node: node.try_publish("a.#", b""), "with the level '#'; expected"),
        (lambda node: node.subscribe(5), "a topic is 5; expected a string, as in '5'"),
        (
            lambda node: node.subscribe(["a", "b"]),
            r"expected a string: topics one by one, as in sub",
        ),
        (lambda node: node.unsubscribe(5), "a topic is 5; expected a string"),
        (
            lambda node: node.subscribe(*[f"{number:0250}" for number in range(5000)]),
            "a node has 5,000 topics of 1,265,000 bytes; expected at most 65,536 topics of",
        ),
    ],
)
def test_malformed_topics_are_rejected(call: Callable[[Node], Any], says: str) -> None:
    async def test() -> None:
        async with Node() as node:
            with pytest.raises(ParameterError, match=says):
                call(node)
            assert node.topics == ()

    run(test)


def test_status_before_the_start_and_after_the_end() -> None:
    async def test() -> None:
        node = Node(topics=["a"])
        with pytest.raises(ParameterError, match="before it has started"):
            _ = node.status
        async with node:
            await node.publish("a", b"")
        assert node.status.topics == ("a",)
        assert node.status.links == ()

    run(test)


def test_protocol_without_its_packages_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match="the protocol elasto needs the package numba"):
        Node(topics=["a"], protocol="elasto")
    Node(topics=["a"], protocol="stan")


# -- subscriptions -------------------------------------------------------------------------


def test_publications_wait_for_the_first_subscription() -> None:
    async def test() -> None:
        async with (
            Node(topics=["a", "b"], **QUICK) as one,
            Node(topics=["a"], join=[one.address], **QUICK) as other,
        ):
            await until(lambda: one.links and other.links)
            await other.publish(["a", "b"], b"both")
            await one.publish("b", b"own")
            await until(lambda: other.status.counts.by_kind.get("publication"))
            await asyncio.sleep(0.1)
            first, again, second = one.subscribe("a"), one.subscribe("a"), one.subscribe("b", "a")
            await one.publish("a", b"later")
            for stream, payloads in (
                (first, [b"both", b"later"]),
                (again, [b"later"]),
                (second, [b"both", b"own", b"later"]),
            ):
                stream.close()
                assert sorted([event.payload async for event in stream]) == sorted(payloads)

    run(test)


def test_publications_do_not_wait_if_a_callback_gets_them() -> None:
    async def test() -> None:
        async with Node(topics=["a"], on_event=lambda event: None) as node:
            await node.publish("a", b"")
            events = node.subscribe("a")
            events.close()
            assert [event async for event in events] == []

    run(test)


def test_unclaimed_publications_are_bounded_and_counted() -> None:
    def event(topics: str, size: int = 1) -> PublishedEvent:
        return PublishedEvent(tuple(topics), bytes(size), "h:1", 0, (1,), ())

    few = UnclaimedEvents("abc")
    for topics in ["x", "a", "ab", *["b"] * MAX_EVENTS]:
        few.put(event(topics))
    assert few.claim("x") == ([], 0)
    assert few.claim("a") == ([], 2)
    events, dropped = few.claim("ab")
    assert (len(events), dropped) == (MAX_EVENTS, 1)
    assert few.claim("b") == ([], 0), "only the first subscription gets them"
    for _ in range(10):
        few.put(event("c", MAX_UNCLAIMED_BYTES // 4))
    events, dropped = few.claim("c")
    assert (dropped, len(events)) == (6, 4)


def test_closed_subscription_unsubscribes() -> None:
    async def test() -> None:
        async with Node(topics=["a", "b"], **QUICK) as node:
            found = []
            async with node.subscribe("a", "c") as events:
                other = node.subscribe("c")
                found.append(node.topics)
            found.append(node.topics)  # another subscription has c; none has had b
            other.close()
            other.close()
            found.append(node.topics)
            assert found == [("a", "b", "c"), ("b", "c"), ("b",)]
            again = node.subscribe("a")
            await node.publish("a", b"")
            assert (await anext(again)).payload == b""
            assert [event async for event in events] == []

    run(test)


# -- stop ----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [10, 700])
def test_what_was_just_published_arrives_although_the_publisher_stops(size: int) -> None:
    """The reader is slow: it pauses at every tenth publication."""
    got = 0

    async def count(event: PublishedEvent) -> None:
        nonlocal got
        got += 1

    async def test() -> None:
        async with Node(topics=["a"], on_event=count, **QUICK) as reader:
            assert reader._runtime.host is not None
            deliver = reader._runtime.host._deliver
            assert deliver is not None

            def slowly(effect: Any) -> None:
                if got % 10 == 0:
                    time.sleep(0.002)
                deliver(effect)

            reader._runtime.host._deliver = slowly
            async with Node(topics=["a"], join=[reader.address], **QUICK) as publisher:
                await until(lambda: publisher.links and reader.links)
                for number in range(5000):
                    await publisher.publish("a", b"%0*d" % (size, number))
            await until(lambda: got == 5000)

    run(test)


@pytest.mark.parametrize("topics", [["a"], []], ids=["subscriber", "other"])
def test_what_was_published_before_the_first_link_arrives(topics: list[str]) -> None:
    async def test() -> None:
        async with Node(topics=["a"], **QUICK) as reader:
            events = reader.subscribe("a")
            async with Node(topics=topics, join=[reader.address], **QUICK) as publisher:
                for number in range(300):
                    await publisher.publish("a", b"%d" % number)
            async with asyncio.timeout(20):
                got = {(await anext(events)).payload for _ in range(300)}
                assert len(got) == 300
                async with Node(join=[reader.address], **QUICK) as late:
                    events = late.subscribe("a")
                    assert {(await anext(events)).payload for _ in range(300)} == got

    run(test)


def test_node_without_peers_stops_at_once() -> None:
    async def test() -> None:
        async with Node(topics=["a"]) as node:
            await node.publish("a", b"for no peer")
            started = time.monotonic()
        assert time.monotonic() - started < 1.0

    run(test)


def test_node_stops_although_no_peer_wants_what_it_published(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gossamer.live.runtime.SECONDS_TO_HAND_OVER", 0.2)

    async def test() -> None:
        async with Node(topics=["b"]) as other, Node(join=[other.address], topics=["a"]) as node:
            await node.publish("a", b"for no peer")
            started = time.monotonic()
            await node.stop()
            assert 0.2 <= time.monotonic() - started < 2.0

    run(test)


# -- many ----------------------------------------------------------------------------------


def test_connections_follow_links() -> None:
    """Without a bound, each node would keep a connection to almost every other one."""
    draw = random.Random(1)
    topics = [[str(one) for one in draw.sample(range(20), 4)] for _ in range(40)]

    def within(node: Node) -> bool:
        assert node._runtime.network is not None
        return len(node._runtime.network._all()) <= 1.5 * len(node.links) + 5

    async def test() -> None:
        nodes: list[Node] = []
        for few in topics:
            node = Node(topics=few, join=[one.address for one in nodes[:3]])
            await node.start()
            nodes.append(node)
        await until(lambda: all(node.links and node.status.known == 39 for node in nodes))
        await until(lambda: all(within(node) for node in nodes))
        assert not any(node.status.counts.malformed for node in nodes)
        await asyncio.gather(*(node.stop() for node in nodes))

    run(test)


def test_many_topics_are_within_frames() -> None:
    """A shuffle of these nodes has more than a mebibyte."""
    topics = [
        f"a topic with a name of some fifty characters: {number:05}" for number in range(3000)
    ]

    async def test() -> None:
        nodes: list[Node] = []
        for _ in range(10):
            node = Node(topics=topics, join=[one.address for one in nodes[:1]])
            await node.start()
            nodes.append(node)
        events = [node.subscribe(topics[7]) for node in nodes]
        await until(lambda: all(node.links for node in nodes))
        await nodes[0].publish(topics[7], b"it is ready")
        async with asyncio.timeout(30):
            for stream in events:
                assert (await anext(stream)).payload == b"it is ready"
        await asyncio.sleep(1.0)
        for node in nodes:
            counts = node.status.counts
            assert (counts.malformed, counts.oversized) == (0, 0)
        await asyncio.gather(*(node.stop() for node in nodes))

    run(test)
