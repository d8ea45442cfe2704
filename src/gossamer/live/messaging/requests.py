"""Requests: publications that other nodes answer directly to the requester.

A request travels as an event on its topic. A responder answers over its own connection to the
requester, not over the overlay; the first answer counts. A responder that does not answer at once
sends a receipt, which lets the requester distinguish a slow responder from a missing one.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from gossamer.live.errors import (
    NoRespondersError,
    NotRunningError,
    RequestError,
    RequestTimeoutError,
)
from gossamer.live.events.envelope import NO_HEADERS, Envelope, check_headers, encode_envelope
from gossamer.live.events.messages import RequestAnswer, RequestReceipt
from gossamer.live.events.published_event import PublishedEvent
from gossamer.live.log import LOG
from gossamer.live.messaging.back_pressure import BackPressure
from gossamer.live.messaging.publication_builder import PublicationBuilder, contents_of
from gossamer.live.messaging.subscription import Subscription
from gossamer.live.runtime import Runtime
from gossamer.protocols.contract import Peer

MAX_AT_ONCE = 64
"""Maximum number of requests that a responder answers at the same time."""
SECONDS_TO_CONNECT = 5.0


class Reply(msgspec.Struct, frozen=True):
    """Answer to a request.

    Attributes
    ----------
    payload
        Content of the answer.
    headers
        Headers of the answer.
    responder
        Identifier of the node that answered.
    """

    payload: bytes
    headers: Mapping[str, str] = NO_HEADERS
    responder: Peer = ""


Handler = Callable[[PublishedEvent], bytes | Reply | Awaitable[bytes | Reply | None] | None]


class _PendingRequest:
    """A request that waits for its answer, and the responder that has accepted it."""

    def __init__(self, answer: asyncio.Future[Reply]) -> None:
        self.answer = answer
        self.taken_by: Peer | None = None


class Requests:
    """Requests of a node, and its answers to those of others.

    Parameters
    ----------
    runtime
        Runtime of the node.
    builder
        Builder of the node's publications, which numbers events.
    back_pressure
        Back-pressure on answers of several parts.
    decode
        Function that decodes the content of an answer.
    """

    def __init__(
        self,
        runtime: Runtime,
        builder: PublicationBuilder,
        back_pressure: BackPressure,
        decode: Callable[[Peer, bytes], Envelope | None],
    ) -> None:
        self.errors = 0
        """Number of requests that a responder of this node failed to answer."""
        self._runtime = runtime
        self._builder = builder
        self._back_pressure = back_pressure
        self._decode = decode
        self._pending: dict[int, _PendingRequest] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    # -- the requester -------------------------------------------------------------------------

    async def request(
        self, topic: str, publish: Callable[[int], Awaitable[None]], timeout: float | None
    ) -> Reply:
        """Publish a request with a new number, and wait for its answer."""
        number = self._builder.next_number()
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
        """Note that a responder has accepted a request."""
        waiting = self._pending.get(message.request)
        if waiting is not None:
            waiting.taken_by = peer

    def on_answer(self, peer: Peer, message: RequestAnswer) -> None:
        """Complete a request when all parts of its answer have arrived."""
        waiting = self._pending.get(message.request)
        if waiting is None:
            return
        waiting.taken_by = peer
        envelope = self._decode(peer, message.content)
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
        """Cancel all requests and answers: the node stops."""
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
        number = self._builder.next_number()
        whole = encode_envelope(Envelope(number, (), headers, False, reply.payload))
        for index, content in enumerate(contents_of(whole, number)):
            if index:
                await self._wait_for_room(event.publisher)
            self._send(event.publisher, RequestAnswer(event.number, failed, content))

    async def _wait_for_room(self, peer: Peer) -> None:
        """Wait until a peer is connected, and for room in the send queues."""
        with suppress(TimeoutError):
            async with asyncio.timeout(SECONDS_TO_CONNECT):
                while peer != self._runtime.address and peer not in self._runtime.peers()[1]:
                    await asyncio.sleep(0.01)
        await self._back_pressure.wait(())

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
