"""Proxies in front of the services, which can cut two groups of them off from each other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress

CHUNK = 1 << 16
SECONDS_TO_CONNECT = 5.0


class Proxies:
    """A proxy for each service; bytes between two groups wait while they are cut off.

    Parameters
    ----------
    service_at
        Returns the number of the service that has a source address.
    """

    def __init__(self, service_at: Callable[[str], int]) -> None:
        self._service_at = service_at
        self._open = asyncio.Event()
        self._open.set()
        self._group: frozenset[int] = frozenset()
        self._servers: list[asyncio.Server] = []
        self._running: set[asyncio.Task[None]] = set()

    async def serve(self, service: int, host: str, port: int, target: tuple[str, int]) -> None:
        """Forward connections at an address to a service."""

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            source = self._service_at(writer.get_extra_info("peername")[0])
            await self._forward(source, service, target, reader, writer)

        self._servers.append(await asyncio.start_server(accept, host, port))

    def cut(self, group: Collection[int]) -> None:
        """Cut a group of services off from the others."""
        self._group = frozenset(group)
        self._open.clear()

    def heal(self) -> None:
        """Forward again, with the bytes that have waited."""
        self._group = frozenset()
        self._open.set()

    async def close(self) -> None:
        """End all connections."""
        for server in self._servers:
            server.close()
        for task in list(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _forward(
        self,
        source: int,
        service: int,
        target: tuple[str, int],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        try:
            await self._passage(source, service)
            async with asyncio.timeout(SECONDS_TO_CONNECT):
                there, back = await asyncio.open_connection(*target)
            try:
                await asyncio.gather(
                    self._copy(source, service, reader, back),
                    self._copy(source, service, there, writer),
                )
            finally:
                back.transport.abort()
        except (OSError, TimeoutError, asyncio.CancelledError):
            pass  # as if the service itself had refused or ended
        finally:
            writer.transport.abort()
            self._running.discard(task)

    async def _copy(
        self, one: int, other: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Copy until the end, which is passed on; an error ends both directions."""
        while chunk := await reader.read(CHUNK):
            await self._passage(one, other)
            writer.write(chunk)
            await writer.drain()
        await self._passage(one, other)
        with suppress(OSError):
            writer.write_eof()

    async def _passage(self, one: int, other: int) -> None:
        """Wait until two services are not cut off from each other."""
        while (one in self._group) != (other in self._group):
            await self._open.wait()
