"""A cluster of live nodes on this machine: processes of their own, watched from here.

Each process is ``gossamer node --json``, which writes a line whenever its state has changed. What
is known of the cluster is what they last stderr_lines.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any

import msgspec

from gossamer.errors import GossamerError, ParameterError
from gossamer.live.node import NodeStatus
from gossamer.protocols import find_protocol
from gossamer.protocols.contract import Peer, Topic

__all__ = ["LinkAssignment", "LocalCluster", "Member", "NodeLine"]

SECONDS_TO_START = 60.0
SECONDS_TO_STOP = 10.0
CONTACTS = 3
MAX_CHARACTERS = 1 << 22
MAX_NODES = 500


class NodeLine(msgspec.Struct):
    """What a node says of itself, one line of JSON each time."""

    address: str
    topics: list[Topic]
    links: list[Peer]
    known: int
    kinds: dict[str, int]
    sent: int
    received: int
    dropped: int
    malformed: int

    @classmethod
    def of(cls, status: NodeStatus) -> NodeLine:
        """Return what a node is like as what it says of itself."""
        counts = status.counts
        return cls(
            status.address, list(status.topics), list(status.links), status.known,
            counts.by_kind, counts.sent, counts.received, counts.dropped, counts.malformed,
        )  # fmt: skip

    def text(self) -> str:
        """Return the line."""
        return msgspec.json.encode(self).decode()


class LinkAssignment(msgspec.Struct):
    """Links that a node is given, one line of JSON on its standard input each time."""

    neighbours: list[tuple[Peer, list[Topic]]]
    epoch: int

    @classmethod
    def of(cls, line: bytes) -> LinkAssignment:
        """Return what a line says, or say what is wrong with it."""
        try:
            return msgspec.json.decode(line, type=cls)
        except msgspec.MsgspecError as fault:
            raise ParameterError(f"not an arrangement of links: {fault}") from None


class Member:
    """One process of a cluster, and what it last stderr_lines."""

    def __init__(self, number: int, topics: Sequence[Topic]) -> None:
        self.number = number
        self.topics = tuple(topics)
        self.process: asyncio.subprocess.Process | None = None
        self.last: NodeLine | None = None
        self.stderr_lines: list[str] = []
        """What it wrote on standard error, the last lines of it."""

    @property
    def running(self) -> bool:
        """Whether its process is there."""
        return self.process is not None and self.process.returncode is None


class LocalCluster:
    """Nodes as processes on this machine.

    Parameters
    ----------
    interests
        What each node wants, one entry a node.
    protocol, options
        Protocol and its options.
    host
        Host name that the nodes listen at.
    environment
        Environment of the processes; that of this process if not given.

    Raises
    ------
    ParameterError
        If there are no nodes or too many, or the options are not those of the protocol.
    """

    def __init__(
        self,
        interests: Sequence[Sequence[Topic]],
        *,
        protocol: str = "spidercast",
        options: Mapping[str, Any] | None = None,
        host: str = "127.0.0.1",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        if not 1 <= len(interests) <= MAX_NODES:
            raise ParameterError(f"a cluster has {len(interests)} nodes; expected 1 to {MAX_NODES}")
        self.protocol = find_protocol(protocol)
        self.protocol.configure(options)
        self.members = [Member(number, topics) for number, topics in enumerate(interests)]
        self.on_change: Callable[[], None] | None = None
        self._words = ["--protocol", protocol]
        for keyword, value in dict(options or {}).items():
            self._words.append(f"--{keyword.replace('_', '-')}={value}")
        self._host = host
        self._environment = dict(os.environ if environment is None else environment)
        self._epoch = 0
        self._readers: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start all; the first are whom the others join."""
        for member in self.members[:CONTACTS]:
            await self._start(member)
            await self._heard_from(member)
        for member in self.members[CONTACTS:]:
            await self._start(member)
        for member in self.members:
            await self._heard_from(member)

    async def restart(self, member: Member) -> None:
        """Start a member again that has ended."""
        assert not member.running
        member.last = None
        await self._start(member)

    async def _start(self, member: Member) -> None:
        words = [
            sys.executable,
            "-m",
            "gossamer",
            "node",
            "--json",
            "--controlled",
            "--listen",
            f"{self._host}:0",
        ]
        others = [m.last.address for m in self.members if m.running and m.last is not None]
        for address in others[:CONTACTS]:
            words += ["--join", address]
        for topic in member.topics:
            words += ["--subscribe", str(topic)]
        member.process = await asyncio.create_subprocess_exec(
            *words,
            *self._words,
            stdin=asyncio.subprocess.PIPE,  # it ends when we do, since this is closed then
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self._environment,
            start_new_session=True,
            limit=MAX_CHARACTERS,
        )
        loop = asyncio.get_running_loop()
        self._readers.append(loop.create_task(self._read(member, member.process)))
        self._readers.append(loop.create_task(self._read_faults(member, member.process)))

    async def _heard_from(self, member: Member) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + SECONDS_TO_START
        while member.last is None:
            if not member.running or loop.time() > end:
                stderr_lines = "; ".join(member.stderr_lines[-3:]) or "nothing"
                raise GossamerError(
                    f"node {member.number} did not start; it stderr_lines: {stderr_lines}"
                )
            await asyncio.sleep(0.02)

    async def _read(self, member: Member, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        async for line in process.stdout:
            with suppress(msgspec.MsgspecError):
                member.last = msgspec.json.decode(line, type=NodeLine)
                if self.on_change is not None:
                    self.on_change()
        await process.wait()
        if self.on_change is not None:
            self.on_change()

    async def _read_faults(self, member: Member, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        async for line in process.stderr:
            member.stderr_lines = [
                *member.stderr_lines[-50:],
                line.decode(errors="replace").rstrip(),
            ]

    async def install_links(
        self, design: Callable[[list[list[Topic]]], Iterable[tuple[int, int]]]
    ) -> None:
        """Give all nodes that are there links by a design, once for each call.

        Parameters
        ----------
        design
            Gives the links for a list of what each node wants, by place.
        """
        self.protocol.require_installed_links()
        there = [(m, m.last) for m in self.members if m.running and m.last is not None]
        neighbours: list[list[tuple[Peer, list[Topic]]]] = [[] for _ in there]
        for one, other in design([last.topics for _, last in there]):
            for end, far in ((one, other), (other, one)):
                neighbours[end].append((there[far][1].address, there[far][1].topics))
        self._epoch += 1
        for (member, _), listed in zip(there, neighbours, strict=True):
            assert member.process is not None
            assert member.process.stdin is not None
            line = msgspec.json.encode(LinkAssignment(listed, self._epoch))
            member.process.stdin.write(line + b"\n")
        for member, _ in there:
            assert member.process is not None
            assert member.process.stdin is not None
            with suppress(ConnectionError):
                await member.process.stdin.drain()

    def kill(self, member: Member) -> None:
        """Let a process end at once, as if its machine were gone."""
        if member.running:
            assert member.process is not None
            member.process.send_signal(signal.SIGKILL)

    async def stop(self) -> None:
        """Ask all to leave, and end those that do not in time."""
        running = [member for member in self.members if member.running]
        for member in running:
            assert member.process is not None
            with suppress(ProcessLookupError):
                member.process.terminate()
        waits = [member.process.wait() for member in running if member.process is not None]
        with suppress(TimeoutError):
            async with asyncio.timeout(SECONDS_TO_STOP):
                await asyncio.gather(*waits)
        for member in running:
            self.kill(member)
        await asyncio.gather(*self._readers, return_exceptions=True)

    async def __aenter__(self) -> LocalCluster:
        try:
            await self.start()
        except BaseException:
            await self.stop()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()
