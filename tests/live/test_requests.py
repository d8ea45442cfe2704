"""Requests and their answers."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest

from gossamer.errors import ParameterError
from gossamer.live import (
    Node,
    NoRespondersError,
    PublishedEvent,
    Reply,
    RequestError,
    RequestTimeoutError,
)
from tests.live.nodes import QUICK, crash, run, until


def test_requests_are_answered_by_functions() -> None:
    async def test() -> None:
        async with (
            Node(**QUICK) as shop,
            Node(join=[shop.address], **QUICK) as stock,
            Node(topics=["stock.check"], join=[shop.address], **QUICK),
        ):

            @stock.respond("stock.check", "stock.count")
            def check(one: PublishedEvent) -> bytes:
                return b"7 " + one.payload

            @stock.respond("stock.large")
            async def large(one: PublishedEvent) -> Reply:
                await asyncio.sleep(0)
                return Reply(bytes(3_000_000), {"unit": one.headers["unit"]})

            @stock.respond("stock.broken")
            async def broken(one: PublishedEvent) -> bytes:
                raise ValueError("no such article")

            @stock.respond("stock.wrong")
            def wrong(one: PublishedEvent) -> Any:
                return "text"

            @shop.respond("own")
            def none(one: PublishedEvent) -> None:
                return None

            assert (await shop.request("stock.check", b"teapots")).payload == b"7 teapots"
            assert (await stock.request("stock.count", b"cups")).payload == b"7 cups"
            assert (await shop.request("own", b"")).payload == b""
            reply = await shop.request("stock.large", bytes(600_000), headers={"unit": "kg"})
            assert (len(reply.payload), reply.headers, reply.responder) == (
                3_000_000, {"unit": "kg"}, stock.address,
            )  # fmt: skip
            with pytest.raises(RequestError, match="with an error: ValueError: no such article"):
                await shop.request("stock.broken", b"")
            with pytest.raises(RequestError, match="TypeError: a responder returned str; expected"):
                await shop.request("stock.wrong", b"")
            with pytest.raises(
                NoRespondersError, match="no node has taken the request on 'nothing'"
            ):
                await shop.request("nothing", b"", timeout=0.1)
            reply = await shop.request("stock.check", b"no end", timeout=None)
            assert reply.payload == b"7 no end"
            for call in (
                shop.request("stock.check", b"", timeout=-1),
                shop.ready("stock.check", timeout=-1),
                shop.flush(timeout=-1),
            ):
                with pytest.raises(ParameterError, match="timeout is -1 s; expected 0 or more"):
                    await call
            together = await asyncio.gather(
                *(shop.request("stock.check", b"%d" % number) for number in range(200))
            )
            assert [one.payload for one in together] == [b"7 %d" % number for number in range(200)]
            await shop.publish("stock.check", b"no request")
            assert stock.status.callback_errors == 2
            assert shop._requests._pending == {}

    run(test)


def test_responder_that_crashes_during_a_request_is_named() -> None:
    async def test() -> None:
        async with Node(**QUICK) as shop, AsyncExitStack() as stack:
            stock = Node(join=[shop.address], **QUICK)
            await stock.start()
            stack.push_async_callback(stock.stop)

            @stock.respond("stock.check")
            async def check(one: PublishedEvent) -> bytes:
                await asyncio.Event().wait()
                return b""

            request = asyncio.create_task(shop.request("stock.check", b"", timeout=1.0))
            await until(lambda: any(one.taken_by for one in shop._requests._pending.values()))
            await crash(stock)
            with pytest.raises(
                RequestTimeoutError, match=rf"{stock.address} has taken the request"
            ):
                await request

    run(test)
