"""Last values, echo, readiness, and events of links."""

from __future__ import annotations

import pytest

from gossamer.errors import ParameterError
from gossamer.live import (
    LinkDown,
    LinkUp,
    Node,
    NotReadyError,
)
from gossamer.live.events.messages import LastQuery
from tests.live.nodes import QUICK, run, until


def test_stream_begins_with_the_newest_event_of_each_topic() -> None:
    async def test() -> None:
        async with (
            Node(topics=["rates.usd"], **QUICK) as one,
            Node(join=[one.address], **QUICK) as two,
            Node(join=[one.address], **QUICK) as late,
        ):
            for number in range(50):
                await one.publish("rates.usd", b"%d" % number)
            await two.publish("rates.eur", b"5", headers={"unit": "ct"})
            await until(lambda: late.status.known == 2 and two.status.known == 2)
            async with late.subscribe("rates.*", last=True) as events:
                got = {(await anext(events)).topic for _ in range(2)}
                assert got == {"rates.usd", "rates.eur"}
                await late.ready("rates.*")
                await one.publish("rates.usd", b"50")
                latest = await anext(events)
                assert (latest.topic, latest.payload) == ("rates.usd", b"50")
            async with late.subscribe("rates.usd", last=True) as events:
                await late.ready("rates.usd")
                await one.publish("rates.usd", b"51")
                assert [(await anext(events)).payload for _ in range(2)] == [b"50", b"51"]
                assert events.waiting == 0
            assert len(one._subscriptions.last.reply_to(LastQuery(1, (">",))).events) == 1

    run(test)


def test_node_alone_begins_at_once_with_its_own_values() -> None:
    async def test() -> None:
        async with Node() as node:
            await node.publish("a.b", b"1")
            async with node.subscribe("a.*", last=True, echo=False) as events:
                assert events.waiting == 0
            async with node.subscribe("a.*", last=True) as events:
                assert (await anext(events)).payload == b"1"

    run(test)


def test_stream_without_echo_has_only_events_of_others() -> None:
    async def test() -> None:
        async with Node(**QUICK) as one, Node(join=[one.address], **QUICK) as two:
            events = one.subscribe("a", echo=False)
            await two.ready("a", subscribers=1)
            await one.publish("a", b"own")
            await two.publish("a", b"other")
            assert (await anext(events)).payload == b"other"

    run(test)


def test_ready_says_how_many_subscribers_there_are() -> None:
    async def test() -> None:
        async with Node(topics=["a"], **QUICK) as one:
            await one.ready("a", subscribers=0, timeout=0.1)
            with pytest.raises(NotReadyError, match="'a' has 0 other subscribers"):
                await one.ready("a", timeout=0.1)
            with pytest.raises(ParameterError, match="does not subscribe to"):
                await one.ready("a.*")
            async with (
                Node(topics=["a"], join=[one.address], **QUICK),
                Node(topics=["a"], join=[one.address], **QUICK),
            ):
                await one.ready("a", subscribers=2)
                assert one.links

    run(test)


def test_links_are_events() -> None:
    async def test() -> None:
        async with Node(topics=["a"], **QUICK) as one, one.events() as events:
            async with Node(topics=["a"], join=[one.address], **QUICK) as two:
                assert await anext(events) == LinkUp(two.address)
            assert await anext(events) == LinkDown(two.address)

    run(test)
