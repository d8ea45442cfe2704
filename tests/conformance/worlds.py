"""The two worlds of the conformance suite with one interface: simulated and live.

A scenario is written once against :class:`Stage` and played in both. Simulated time is free;
live nodes are in this process, on the loopback interface, with faults put in on their wires.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

import msgspec
import pytest

from gossamer.host import Host
from gossamer.live import Node, runtime
from gossamer.live.transport.limits import NetworkLimits
from gossamer.live.transport.network import Network
from gossamer.model import Interests, Overlay
from gossamer.protocols import find_protocol
from gossamer.protocols.components.identifiers import identifier_of_node
from gossamer.protocols.contract import (
    Deliver,
    Machine,
    Peer,
    Publish,
    Subscribe,
    Unsubscribe,
)
from gossamer.quality import topic_components
from gossamer.random_stream import Stream
from gossamer.sim import World
from gossamer.sim.rules import Delay, Duplication, Loss, Reordering, Rule, Separation
from gossamer.sim.views import ViewSize

QUICKLY: dict[str, Any] = {
    "exchange_seconds": 0.2, "period_seconds": 0.2, "heartbeat_seconds": 0.2, "loop_seconds": 0.03,
    "missed_heartbeats": 5, "quarantine_seconds": 0.4, "idle_rounds": 1, "fill_seconds": 0.2,
    "shuffle_seconds": 0.1, "table_size": 5,
}  # fmt: skip


LIVE_SPEED = 2.5
"""Seconds of a scenario in a second of the live world."""
LIVE_MISSED_HEARTBEATS = 10
"""A short stall of this process is no failure."""


def quick_options(protocol: str) -> dict[str, Any]:
    """Return options with which a protocol reacts within a second."""
    known = {option.keyword for option in find_protocol(protocol).options.listed}
    return {name: value for name, value in QUICKLY.items() if name in known}


def live_options(protocol: str) -> dict[str, Any]:
    """Return quicker options for the live world."""
    quick = {
        name: value / LIVE_SPEED if name.endswith("_seconds") else value
        for name, value in quick_options(protocol).items()
    }
    if "missed_heartbeats" in quick:
        quick["missed_heartbeats"] = LIVE_MISSED_HEARTBEATS
    return quick


class Stage(Protocol):
    """Actions of a scenario on numbered nodes."""

    protocol: str

    async def start(self, interests: list[tuple[int, ...]]) -> None: ...
    async def stop(self) -> None: ...
    async def wait(self, seconds: float) -> None: ...
    async def join(self, number: int, topics: tuple[int, ...]) -> None: ...
    async def leave(self, number: int) -> None: ...
    async def crash(self, number: int) -> None: ...
    def subscribe(self, number: int, topic: int) -> None: ...
    def unsubscribe(self, number: int, topic: int) -> None: ...
    def cut(self, side: Callable[[int], object]) -> None: ...
    def heal(self) -> None: ...
    def disturb(self, loss: float, doubled: float, reordered: float) -> None: ...
    async def confuse(self, number: int, messages: list[Any]) -> None: ...
    def publish(self, number: int, topics: tuple[int, ...], payload: bytes) -> None: ...
    def delivered(self) -> list[tuple[int, int, bytes]]: ...
    def present(self) -> dict[int, tuple[tuple[int, ...], tuple[int, ...]]]: ...
    def machines(self) -> dict[Peer, Machine]: ...


def overlay_of(stage: Stage) -> tuple[Interests, Overlay, int]:
    """Return interests, the overlay of mutual links, and the number of half-open links."""
    there = stage.present()
    place = {number: at for at, number in enumerate(there)}
    sides: dict[tuple[int, int], int] = {}
    for number, (_, links) in there.items():
        for other in links:
            if other not in place:
                continue
            pair = (min(place[number], place[other]), max(place[number], place[other]))
            sides[pair] = sides.get(pair, 0) + 1
    agreed = [pair for pair, count in sides.items() if count == 2]
    interests = Interests.from_lists({at: topics for at, (topics, _) in enumerate(there.values())})
    return interests, Overlay.from_links(len(there), agreed), len(sides) - len(agreed)


def in_order(stage: Stage) -> bool:
    """Whether the overlay has the promised properties, without links to absent nodes."""
    there = stage.present()
    if any(other not in there for _, links in there.values() for other in links):
        return False
    interests, overlay, half_open = overlay_of(stage)
    if half_open:
        return False
    if find_protocol(stage.protocol).topic_connected:
        return bool((topic_components(interests, overlay) <= 1).all())
    if len(there) > 1 and not (overlay.degrees >= 1).all():
        return False
    return rings_are_right(stage.machines())


def rings_are_right(machines: dict[Peer, Machine]) -> bool:
    """Whether all ring neighbours on the circle of identifiers are right."""
    ordered = sorted(machines, key=identifier_of_node)
    stderr_lines = [getattr(machines[peer], "ring", lambda: None)() for peer in ordered]
    if len(ordered) < 2 or all(one is None for one in stderr_lines):
        return True
    before, after = [ordered[-1], *ordered[:-1]], [*ordered[1:], ordered[0]]
    return stderr_lines == list(zip(before, after, strict=True))


async def converged(stage: Stage, *, within: float = 60.0) -> None:
    """Wait until the overlay has the promised properties three times in a row."""
    waited = 0.0
    good = 0
    while good < 3:
        assert waited < within, f"not in order after {within} s: {stage.present()}"
        await stage.wait(0.2)
        waited += 0.2
        good = good + 1 if in_order(stage) else 0


# -- simulated -----------------------------------------------------------------------------


class SimulatedStage:
    """Nodes in virtual time, which find each other by gossip as live ones do."""

    def __init__(self, protocol: str, seed: int = 1) -> None:
        self.protocol = protocol
        self._seed = seed
        self._rules: list[Rule] = [Delay(1_000, 3_000)]
        self._world: World | None = None
        self._delivered: list[tuple[int, int, bytes]] = []

    def publish(self, number: int, topics: tuple[int, ...], payload: bytes) -> None:
        self.world.inject(number, Publish(topics, payload))

    def delivered(self) -> list[tuple[int, int, bytes]]:
        return list(self._delivered)

    def _deliver(self, number: int, effect: Deliver) -> None:
        self._delivered += [(number, topic, effect.payload) for topic in effect.topics]  # type: ignore[misc]

    @property
    def world(self) -> World:
        assert self._world is not None
        return self._world

    async def start(self, interests: list[tuple[int, ...]]) -> None:
        lists = dict(enumerate(interests))
        topics = {topic for one in interests for topic in one}
        found = Interests.from_ids(
            [number for number, one in lists.items() for _ in one],
            [topic for one in lists.values() for topic in one],
            node_names=len(lists) + 4,
            topic_names=max(topics, default=0) + 4,
        )
        self._world = World(
            self.protocol, found, options=quick_options(self.protocol), view=ViewSize("gossip"),
            rules=self._rules, seed=self._seed, deliver=self._deliver, check_invariants=True,
        )  # fmt: skip
        self.world.fabric.rules = self._rules
        for extra in range(len(lists), len(lists) + 4):
            self.world.crash(extra)

    async def stop(self) -> None:
        for port in self.world.ports:
            self.world.leave(port.node)

    async def wait(self, seconds: float) -> None:
        self.world.run(self.world.now + round(seconds * 1_000_000))

    async def join(self, number: int, topics: tuple[int, ...]) -> None:
        self.world._new_interests = lambda node, incarnation: topics
        self.world.join(number)

    async def leave(self, number: int) -> None:
        self.world.leave(number)

    async def crash(self, number: int) -> None:
        self.world.crash(number)

    def subscribe(self, number: int, topic: int) -> None:
        self.world.inject(number, Subscribe(topic))

    def unsubscribe(self, number: int, topic: int) -> None:
        self.world.inject(number, Unsubscribe(topic))

    def cut(self, side: Callable[[int], object]) -> None:
        self._rules.append(Separation(side, 0, 1 << 62))

    def heal(self) -> None:
        del self._rules[1:]

    def disturb(self, loss: float, doubled: float, reordered: float) -> None:
        self._rules += [Loss(loss), Duplication(doubled), Reordering(reordered)]

    async def confuse(self, number: int, messages: list[Any]) -> None:
        rogue = len(self.world.ports) - 1
        for message in messages:
            self.world.ports[number].arrive(rogue, message)

    def present(self) -> dict[int, tuple[tuple[int, ...], tuple[int, ...]]]:
        found = {}
        for port in self.world.ports:
            if port.host is not None:
                machine = port.host.machine
                assert list(machine.linked()) == list(port.links)
                found[port.node] = (tuple(machine.topics), tuple(machine.linked()))
        return found  # type: ignore[return-value]

    def machines(self) -> dict[Peer, Machine]:
        return {port.node: port.host.machine for port in self.world.ports if port.host is not None}


# -- live ----------------------------------------------------------------------------------


class FaultyNetwork(Network):
    """A wire that loses, duplicates, delays or blocks messages."""

    stage: LiveStage

    def send(self, peer: Peer, message: Any) -> None:
        delays = self.stage.judge(self.me, str(peer))
        for delay in delays:
            if delay:
                asyncio.get_running_loop().call_later(delay, super().send, peer, message)
            else:
                super().send(peer, message)


class LiveStage:
    """Nodes on the loopback interface, all in this process."""

    def __init__(self, protocol: str) -> None:
        self.protocol = protocol
        self.nodes: dict[int, Node] = {}
        self.numbers: dict[str, int] = {}
        self._side: Callable[[int], object] | None = None
        self._faults = (0.0, 0.0, 0.0)
        self._random = Stream(3)
        self._delivered: list[tuple[int, int, bytes]] = []
        self._faults_found: list[dict[str, Any]] = []

    def publish(self, number: int, topics: tuple[int, ...], payload: bytes) -> None:
        assert self.nodes[number].try_publish(map(str, topics), payload)

    def delivered(self) -> list[tuple[int, int, bytes]]:
        return list(self._delivered)

    def judge(self, source: str, target: str) -> list[float]:
        """Return the delay of each copy of a message."""
        one, other = self.numbers.get(source), self.numbers.get(target)
        sides = [self._side(n) for n in (one, other) if n is not None] if self._side else []
        if len(sides) == 2 and sides[0] != sides[1]:
            return []
        loss, doubled, reordered = self._faults
        if self._random.random() < loss:
            return []
        held = (
            0.05 / LIVE_SPEED * self._random.random() if self._random.random() < reordered else 0.0
        )
        return [held, held + 0.02 / LIVE_SPEED] if self._random.random() < doubled else [held]

    def _network(self, *words: Any, **more: Any) -> Network:
        made = FaultyNetwork(*words, **more)
        made.stage = self
        return made

    async def start(self, interests: list[tuple[int, ...]]) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self._faults_found.append(context))
        for number, topics in enumerate(interests):
            await self.join(number, topics)

    async def stop(self) -> None:
        for node in self.nodes.values():
            await node.stop()
        assert not self._faults_found, f"failed in a callback: {self._faults_found}"

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds / LIVE_SPEED)

    async def join(self, number: int, topics: tuple[int, ...]) -> None:
        node = Node(
            join=[one.address for one in list(self.nodes.values())[:3]],
            topics=map(str, topics),
            protocol=self.protocol,
            **live_options(self.protocol),
            seed=number,
            limits=NetworkLimits(attempts=2, pause=0.05, timeout=1.0),
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(runtime, "Network", self._network)
            patch.setattr(runtime, "Host", partial(Host, check_invariants=True))
            await node.start()
        assert node._runtime.host is not None
        node._runtime.host._deliver = partial(self._deliver, number)
        self.nodes[number] = node
        self.numbers[node.address] = number

    def _deliver(self, number: int, effect: Deliver) -> None:
        self._delivered += [(number, int(topic), effect.payload) for topic in effect.topics]

    async def leave(self, number: int) -> None:
        await self.nodes.pop(number).stop()

    async def crash(self, number: int) -> None:
        node = self.nodes.pop(number)
        assert node._runtime.host is not None
        assert node._runtime.network is not None
        node._runtime.host.close()
        for connection in node._runtime.network._all():
            connection.fail(ConnectionResetError())
        await node.stop()

    def subscribe(self, number: int, topic: int) -> None:
        self.nodes[number].subscribe(str(topic))

    def unsubscribe(self, number: int, topic: int) -> None:
        self.nodes[number].unsubscribe(str(topic))

    def cut(self, side: Callable[[int], object]) -> None:
        self._side = side

    def heal(self) -> None:
        self._side = None
        self._faults = (0.0, 0.0, 0.0)

    def disturb(self, loss: float, doubled: float, reordered: float) -> None:
        self._faults = (loss, doubled, reordered)

    async def confuse(self, number: int, messages: list[Any]) -> None:
        from gossamer.live.transport.frames import VERSION, Handshake, frame_of

        host, port = self.nodes[number].address.split(":")
        handshake = frame_of(
            msgspec.msgpack.encode(Handshake(VERSION, self.protocol, "127.0.0.1:1"))
        )
        encoded = [frame_of(msgspec.msgpack.encode(message)) for message in messages]
        for content in (
            b"".join([handshake, *encoded]),
            b"\xff" * 100,
            frame_of(b"no handshake"),
            handshake + frame_of(b"\xc1\x00"),
            handshake[:5],
        ):
            _, writer = await asyncio.open_connection(host, int(port))
            writer.write(content)
            with suppress(ConnectionError):
                await writer.drain()
            await asyncio.sleep(0.02)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    def present(self) -> dict[int, tuple[tuple[int, ...], tuple[int, ...]]]:
        return {
            number: (
                tuple(sorted(map(int, node.topics))),
                tuple(self.numbers.get(str(peer), -1) for peer in node.links),
            )
            for number, node in self.nodes.items()
        }

    def machines(self) -> dict[Peer, Machine]:
        return {
            node.address: node._runtime.host.machine
            for node in self.nodes.values()
            if node._runtime.host is not None
        }


STAGES: dict[str, Callable[[str], Stage]] = {"simulated": SimulatedStage, "live": LiveStage}


# -- malformed messages ----------------------------------------------------------------


def nonsense(kinds: tuple[type, ...], random: Stream, count: int) -> Iterator[Any]:
    """Generate well-formed messages with random content."""
    for _ in range(count):
        kind = random.choice(kinds)
        info = msgspec.inspect.type_info(kind)
        assert isinstance(info, msgspec.inspect.StructType)
        yield kind(*(_any(field.type, random) for field in info.fields))


def _any(kind: Any, random: Stream) -> Any:
    inspect = msgspec.inspect
    match kind:
        case inspect.IntType():
            least = kind.ge if kind.ge is not None else -5
            most = min(kind.le if kind.le is not None else 40, 40)
            return least + random.randbelow(most - least + 1)
        case inspect.StrType():
            return random.choice(["x", "nowhere:1", "127.0.0.1:2", "é" * 20])
        case inspect.UnionType():
            return _any(random.choice(kind.types), random)
        case inspect.VarTupleType():
            return tuple(_any(kind.item_type, random) for _ in range(random.randbelow(4)))
        case inspect.TupleType():
            return tuple(_any(one, random) for one in kind.item_types)
        case inspect.StructType():
            return kind.cls(*(_any(field.type, random) for field in kind.fields))
        case inspect.BytesType():
            return b"\x00\xff"
        case inspect.BoolType():
            return bool(random.randbelow(2))
        case inspect.NoneType():
            return None
    raise AssertionError(f"how to make a {kind} is not known; teach it to the suite")
