"""A service of the fault test: publishes at a rate, subscribes, and records both."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
from contextlib import suppress
from functools import partial

import msgspec

from gossamer.errors import GossamerError
from gossamer.live import Node
from gossamer.live.messaging.event_queue import MAX_EVENTS

SECONDS_TO_BE_READY = 60.0
SLOW = 0.05
"""Seconds that a slow reader takes for an event."""
ROOM_OF_SLOW = 100


class Job(msgspec.Struct, frozen=True):
    """What a service has to do.

    Attributes
    ----------
    service, incarnation
        Number of the service, and of this process among those of the service.
    listen, advertise, join
        Addresses: where it listens, where others reach it, and whom it joins.
    source
        Address from which it connects to others.
    topics, publishes
        Numbers of the topics that it subscribes to, and of those that it publishes on.
    rate
        Publications a second.
    record
        File that its record is written to.
    go
        File that must exist before it publishes.
    protocol
        Name of the protocol, with options or without.
    slow
        Whether it reads slowly.
    """

    service: int
    incarnation: int
    listen: str
    advertise: str
    join: list[str]
    source: str
    topics: list[int]
    publishes: list[int]
    rate: float
    record: str
    go: str
    protocol: str
    slow: bool = False


class Service:
    """The service: a node, its publications and its reader."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.node = Node(job.listen, advertise=job.advertise, join=job.join, protocol=job.protocol)
        self._file = os.open(job.record, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._numbers = dict.fromkeys(job.publishes, 0)

    def write(self, *words: object) -> None:
        """Add a line to the record."""
        os.write(self._file, (" ".join(map(str, words)) + "\n").encode())

    async def run(self) -> None:
        """Take part until a SIGINT ends the publications and a SIGTERM the service."""
        loop = asyncio.get_running_loop()
        silent, ended = asyncio.Event(), asyncio.Event()
        loop.add_signal_handler(signal.SIGINT, silent.set)
        loop.add_signal_handler(signal.SIGTERM, ended.set)
        # The source tells a proxy which service connects.
        loop.create_connection = partial(  # type: ignore[method-assign]
            loop.create_connection, local_addr=(self.job.source, 0)
        )
        await self.node.start()
        reading = loop.create_task(self._read())
        working = loop.create_task(self._work(silent))
        await ended.wait()
        silent.set()
        with suppress(GossamerError):
            await working
        await self.node.stop()
        await reading

    async def _work(self, silent: asyncio.Event) -> None:
        """Wait until the topics are ready, then publish at the rate."""
        for topic in {*self.job.topics, *self.job.publishes}:
            await self.node.ready(str(topic), timeout=SECONDS_TO_BE_READY)
        self.write("ready", time.monotonic())
        while not os.path.exists(self.job.go):
            await asyncio.sleep(0.05)
        draw = random.Random(f"{self.job.service} {self.job.incarnation}")
        due = time.monotonic()
        while not silent.is_set():
            due += draw.expovariate(self.job.rate)
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, due - time.monotonic())):
                    await silent.wait()
            if not silent.is_set():
                await self._publish(draw.choice(self.job.publishes))

    async def _publish(self, topic: int) -> None:
        self._numbers[topic] += 1
        number, started = self._numbers[topic], time.monotonic()
        payload = f"{self.job.service} {self.job.incarnation} {topic} {number}"
        await self.node.publish(str(topic), payload.encode())
        self.write("published", topic, number, started)

    async def _read(self) -> None:
        topics = [str(topic) for topic in self.job.topics]
        room = ROOM_OF_SLOW if self.job.slow else MAX_EVENTS
        events = self.node.subscribe(*topics, echo=False, max_events=room)
        async for event in events:
            self.write("delivered", event.payload.decode(), time.monotonic())
            if self.job.slow:
                await asyncio.sleep(SLOW)
        self.write("dropped", events.dropped)


if __name__ == "__main__":
    asyncio.run(Service(msgspec.json.decode(sys.argv[1], type=Job)).run())
