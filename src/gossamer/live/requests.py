"""Requests: a publication that one node answers, directly to the node that asks.

A request travels as an event on its topic. A responder answers over a connection to the requester,
without the overlay; the first answer counts. A responder that does not answer at once sends a
receipt, so that the requester knows whether no node responds or one is slow.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from gossamer.live.bans import LOG
from gossamer.live.envelope import NO_HEADERS, Envelope, check_headers, enclose
from gossamer.live.errors import (
    NoRespondersError,
    NotRunningError,
    RequestError,
    RequestTimeoutError,
)
from gossamer.live.messages import RequestAnswer, RequestReceipt
from gossamer.live.published_event import PublishedEvent
from gossamer.live.publisher import Publisher, contents_of
from gossamer.live.room import Room
from gossamer.live.runtime import Runtime
from gossamer.live.subscription import Subscription
from gossamer.protocols.contract import Peer

MAX_AT_ONCE = 64
"""Requests that a responder works on at the same time."""
SECONDS_TO_CONNECT = 5.0


class Reply(msgspec.Struct, frozen=True):
    """Answer to a request.

    Attributes
    ----------
    payload
        Content.
    headers
        Headers.
    responder
        Identifier of the node that answered.
    """

    payload: bytes
    headers: Mapping[str, str] = NO_HEADERS
    responder: Peer = ""


Handler = Callable[[PublishedEvent], bytes | Reply | Awaitable[bytes | Reply | None] | None]


class _PendingRequest:
    """A request without an answer, and the node that has taken it."""

    def __init__(self, answer: asyncio.Future[Reply]) -> None:
        self.answer = answer
        self.taken_by: Peer | None = None


class Requests:
    """Requests of a node, and its answers to those of others.

    Parameters
    ----------
    runtime
        Runtime of the node.
    publisher
        Publisher that numbers events.
    room
        Room for answers of several parts.
    open_content
        Function that opens a content of a peer.
    """

    def __init__(
        self,
        runtime: Runtime,
        publisher: Publisher,
        room: Room,
        open_content: Callable[[Peer, bytes], Envelope | None],
    ) -> None:
        self.errors = 0
        """Number of requests whose responder has failed."""
        self._runtime = runtime
        self._publisher = publisher
        self._room = room
        self._open = open_content
        self._pending: dict[int, _PendingRequest] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    # -- the requester -------------------------------------------------------------------------

    async def request(
        self, topic: str, publish: Callable[[int], Awaitable[None]], timeout: float | None
    ) -> Reply:
        """Publish a request with a number, and wait for its answer."""
        number = self._publisher.next_number()
        waiting = _PendingRequest(asyncio.get_running_loop().create_future())
        self._pending[number] = waiting
        try:
            async with asyncio.timeout(timeout):
                await publish(number)
                return await waiting.answer
        except TimeoutError:
            if waiting.taken_by is not None:
                raise RequestTimeoutError(
                    f"{waiting.taken_by} has taken the request on {topic!r}, and not answered "
                    f"within {timeout:g} s"
                ) from None
            raise NoRespondersError(
                f"no node has taken the request on {topic!r} within {timeout:g} s; expected one "
                f"that responds to it"
            ) from None
        finally:
            del self._pending[number]

    def on_receipt(self, peer: Peer, message: RequestReceipt) -> None:
        """Note that a responder has taken a request."""
        waiting = self._pending.get(message.request)
        if waiting is not None:
            waiting.taken_by = peer

    def on_answer(self, peer: Peer, message: RequestAnswer) -> None:
        """Pass an answer to its request, when all its parts have come."""
        waiting = self._pending.get(message.request)
        if waiting is None:
            return
        waiting.taken_by = peer
        envelope = self._open(peer, message.content)
        if envelope is None or waiting.answer.done():
            return
        if message.failed:
            text = envelope.payload.decode(errors="replace")
            waiting.answer.set_exception(RequestError(f"{peer} answered with an error: {text}"))
        else:
            waiting.answer.set_result(Reply(envelope.payload, envelope.headers, peer))

    # -- the responder -------------------------------------------------------------------------

    def serve(self, subscription: Subscription, handler: Handler) -> None:
        """Answer the requests of a subscription."""
        self._start(self._serve(subscription, handler))

    def close(self) -> None:
        """End all requests and answers: the node stops."""
        self._closed = True
        for waiting in self._pending.values():
            if not waiting.answer.done():
                waiting.answer.set_exception(
                    NotRunningError("the node has stopped while the request waited for an answer")
                )
        for task in self._tasks:
            task.cancel()

    async def _serve(self, subscription: Subscription, handler: Handler) -> None:
        at_once = asyncio.Semaphore(MAX_AT_ONCE)
        async for event in subscription:
            await at_once.acquire()
            task = self._start(self._answer(event, handler))
            task.add_done_callback(lambda _: at_once.release())

    async def _answer(self, event: PublishedEvent, handler: Handler) -> None:
        """Call the handler, and send what it returns or raises."""
        failed = False
        try:
            result = handler(event)
            if inspect.isawaitable(result):
                if event.request:
                    self._send(event.publisher, RequestReceipt(event.number))
                result = await result
            reply = result if isinstance(result, Reply) else Reply(_as_bytes(result))
            headers = check_headers(reply.headers)
        except Exception as fault:
            self.errors += 1
            name = getattr(handler, "__qualname__", repr(handler))
            LOG.error("%s: the responder %s failed", self._runtime.address, name, exc_info=fault)
            failed, headers = True, {}
            reply = Reply(f"{type(fault).__name__}: {fault}"[:4096].encode())
        if not event.request:
            return
        number = self._publisher.next_number()
        whole = enclose(Envelope(number, (), headers, False, reply.payload))
        for index, content in enumerate(contents_of(whole, number)):
            if index:
                await self._wait_for_room(event.publisher)
            self._send(event.publisher, RequestAnswer(event.number, failed, content))

    async def _wait_for_room(self, peer: Peer) -> None:
        """Wait until the peer is connected, and reads."""
        with suppress(TimeoutError):
            async with asyncio.timeout(SECONDS_TO_CONNECT):
                while peer != self._runtime.address and peer not in self._runtime.peers()[1]:
                    await asyncio.sleep(0.01)
        await self._room.wait(())

    def _send(self, peer: Peer, message: RequestReceipt | RequestAnswer) -> None:
        if peer != self._runtime.address:
            self._runtime.send(peer, message)
        elif isinstance(message, RequestAnswer):
            self.on_answer(peer, message)
        else:
            self.on_receipt(peer, message)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _as_bytes(result: Any) -> bytes:
    if result is None:
        return b""
    if not isinstance(result, bytes | bytearray | memoryview):
        raise TypeError(
            f"a responder returned {type(result).__name__}; expected bytes, a Reply or None"
        )
    return bytes(result)
