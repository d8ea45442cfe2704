"""Helpers of the tests of live nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from gossamer.live import (
    Node,
    PublishedEvent,
)
from tests.conformance.worlds import quick_options

QUICK = quick_options("spidercast")


def run(test: Callable[[], Awaitable[None]], seconds: float = 30.0) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(seconds):
            await test()

    asyncio.run(bounded())


async def until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.005)


async def crash(node: Node) -> None:
    """End a node as kill -9 would: its connections break, and no message says so."""
    assert node._runtime.host is not None
    assert node._runtime.network is not None
    node._runtime.host.close()
    for connection in node._runtime.network._all():
        connection.fail(ConnectionError("crashed"))
    node._back_pressure.close()
    node._requests.close()
    assert node._patterns is not None
    for timer in (node._patterns._flush_timer, node._patterns._tick_timer):
        if timer is not None:
            timer.cancel()
    node._patterns._flush_timer = node._patterns._tick_timer = None
    await node._runtime.network.close()


def event(
    topic: str, payload: bytes = b"", number: int = 1, publisher: str = "h:1"
) -> PublishedEvent:
    return PublishedEvent((topic,), payload, publisher, 0, (number,), (), topic)
