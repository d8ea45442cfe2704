"""A cluster of live nodes on this machine, one process each.

Each process is ``gossamer node --json``, which prints its state as a line of JSON after each
change. The latest line of each process is the state of its node.
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
from gossamer.live.node_status import NodeStatus
from gossamer.live.protocol_choice import choose_protocol
from gossamer.live.repair_rule import compile_repair_rule
from gossamer.protocols.contract import Peer, Topic
from gossamer.protocols.registry import REGISTRY

SECONDS_TO_START = 60.0
SECONDS_TO_STOP = 10.0
CONTACTS = 3
MAX_CHARACTERS = 1 << 22
MAX_NODES = 500


class NodeLine(msgspec.Struct):
    """Status of a node as a line of JSON."""

    address: str
    topics: list[Topic]
    links: list[Peer]
    known: int
    kinds: dict[str, int]
    sent: int
    received: int
    dropped: int
    oversized: int
    malformed: int
    compounds: int

    @classmethod
    def of(cls, status: NodeStatus) -> NodeLine:
        """Return the line of a status."""
        counts = status.counts
        return cls(
            status.address, list(status.topics), list(status.links), status.known,
            counts.by_kind, counts.sent, counts.received, counts.dropped, counts.oversized,
            counts.malformed, counts.compounds,
        )  # fmt: skip

    def text(self) -> str:
        """Return the line as text."""
        return msgspec.json.encode(self).decode()


class LinkAssignment(msgspec.Struct):
    """Links for a node as a line of JSON on its standard input."""

    neighbours: list[tuple[Peer, list[Topic]]]
    epoch: int

    @classmethod
    def of(cls, line: bytes) -> LinkAssignment:
        """Parse a line, or raise ParameterError."""
        try:
            return msgspec.json.decode(line, type=cls)
        except msgspec.MsgspecError as fault:
            raise ParameterError(f"not an assignment of links: {fault}") from None


class Member:
    """A process of a cluster, and its latest line."""

    def __init__(self, number: int, topics: Sequence[Topic]) -> None:
        self.number = number
        self.topics = tuple(topics)
        self.process: asyncio.subprocess.Process | None = None
        self.last: NodeLine | None = None
        self.stderr_lines: list[str] = []
        """Last lines of its standard error."""

    @property
    def running(self) -> bool:
        """Whether its process is running."""
        return self.process is not None and self.process.returncode is None


class LocalCluster:
    """A cluster of nodes as processes on this machine.

    Parameters
    ----------
    interests
        Topics of each node.
    protocol
        Name of a protocol, with options or without, as in ``spidercast:kg=2``.
    host
        Host name that the nodes listen at.
    environment
        Environment of the processes; that of this process if not given.
    **options
        Options of the protocol, as in ``kg=2``.

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
        host: str = "127.0.0.1",
        environment: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        if not 1 <= len(interests) <= MAX_NODES:
            raise ParameterError(f"a cluster has {len(interests)} nodes; expected 1 to {MAX_NODES}")
        self.protocol, chosen = choose_protocol(protocol, options)
        self.protocol.configure(chosen)
        self.members = [Member(number, topics) for number, topics in enumerate(interests)]
        self.on_change: Callable[[], None] | None = None
        load = REGISTRY.options_to_load(self.protocol.name)
        if load is None:
            raise ParameterError(
                f"{self.protocol.name} is defined in a notebook or script, which the nodes of a "
                "cluster do not run; expected one of a file that gossamer.load_plugin has loaded"
            )
        self._words = ["--protocol", self.protocol.name, *load]
        for keyword, value in chosen.items():
            self._words.append(f"--{keyword.replace('_', '-')}={value}")
        self._host = host
        self._environment = dict(os.environ if environment is None else environment)
        self._epoch = 0
        self._readers: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start all nodes; the first ones are the contacts of the others."""
        if self.protocol.uses_repair_rule:  # once, not in each process
            await asyncio.to_thread(compile_repair_rule)
        for member in self.members[:CONTACTS]:
            await self._start(member)
            await self._wait_for_line(member)
        for member in self.members[CONTACTS:]:
            await self._start(member)
        for member in self.members:
            await self._wait_for_line(member)

    async def restart(self, member: Member) -> None:
        """Restart a member that has ended."""
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
            stdin=asyncio.subprocess.PIPE,  # closed when this process ends, which stops the node
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self._environment,
            start_new_session=True,
            limit=MAX_CHARACTERS,
        )
        loop = asyncio.get_running_loop()
        self._readers.append(loop.create_task(self._read(member, member.process)))
        self._readers.append(loop.create_task(self._read_stderr(member, member.process)))

    async def _wait_for_line(self, member: Member) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + SECONDS_TO_START
        while member.last is None:
            if not member.running or loop.time() > end:
                printed = "; ".join(member.stderr_lines[-3:]) or "nothing"
                raise GossamerError(f"node {member.number} did not start; it printed: {printed}")
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

    async def _read_stderr(self, member: Member, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        async for line in process.stderr:
            member.stderr_lines = [
                *member.stderr_lines[-50:],
                line.decode(errors="replace").rstrip(),
            ]

    async def install_links(
        self, design: Callable[[list[list[Topic]]], Iterable[tuple[int, int]]]
    ) -> None:
        """Install the links of a design at all running nodes.

        Parameters
        ----------
        design
            Function of the topics of each node that returns links between their positions.
        """
        self.protocol.require_installed_links()
        running = [(m, m.last) for m in self.members if m.running and m.last is not None]
        neighbours: list[list[tuple[Peer, list[Topic]]]] = [[] for _ in running]
        for one, other in design([last.topics for _, last in running]):
            for end, far in ((one, other), (other, one)):
                neighbours[end].append((running[far][1].address, running[far][1].topics))
        self._epoch += 1
        for (member, _), listed in zip(running, neighbours, strict=True):
            assert member.process is not None
            assert member.process.stdin is not None
            line = msgspec.json.encode(LinkAssignment(listed, self._epoch))
            member.process.stdin.write(line + b"\n")
        for member, _ in running:
            assert member.process is not None
            assert member.process.stdin is not None
            with suppress(ConnectionError):
                await member.process.stdin.drain()

    def kill(self, member: Member) -> None:
        """Kill a process, as in a crash of its machine."""
        if member.running:
            assert member.process is not None
            member.process.send_signal(signal.SIGKILL)

    async def stop(self) -> None:
        """Let all nodes leave, and kill those that do not in time."""
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
