"""Benchmarks: the simulator beside SimPy, SpiderCast at growing sizes, and live nodes."""

from __future__ import annotations

import asyncio
import resource
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.alternatives.simpy_exchange import simpy_exchange
from benchmarks.harness import TINY, Case, Effort, Size, benchmark
from benchmarks.inputs import rss
from gossamer.host import Host, Stream
from gossamer.live import Node
from gossamer.model import Interests, Overlay, Scenario
from gossamer.protocols.contract import (
    Effect,
    Event,
    Peer,
    Received,
    Send,
    SetTimer,
    TimerExpired,
    Topic,
)
from gossamer.protocols.link_state import LinkState
from gossamer.quality import is_topic_connected
from gossamer.sim import simulate
from gossamer.sim.fabric import Fabric
from gossamer.sim.scheduler import Scheduler
from gossamer.sim.views import FullView

__all__ = ["events", "live", "overlay_of", "spidercast"]

PERIOD = 100_000
ROUNDS = 20
EXCHANGES: dict[Effort, tuple[Size, ...]] = {
    "tiny": (TINY,),
    "quick": (Size(300, 1, 1),),
    "full": (Size(300, 1, 1), Size(3_000, 1, 1)),
    "large": (Size(300, 1, 1), Size(3_000, 1, 1)),
}
SIMULATED: dict[Effort, tuple[Size, ...]] = {
    "tiny": (TINY,),
    "quick": (Size(1_000, 100, 10),),
    "full": (Size(1_000, 100, 10), Size(10_000, 100, 10)),
    "large": (Size(1_000, 100, 10), Size(10_000, 100, 10), Size(100_000, 100, 10)),
}
LIVING: dict[Effort, tuple[Size, ...]] = {
    "tiny": (Size(5, 3, 2),),
    "quick": (Size(50, 20, 5),),
    "full": (Size(50, 20, 5), Size(200, 50, 10)),
    "large": (Size(50, 20, 5), Size(200, 50, 10)),
}


# -- simulator without protocol ----------------------------------------------------------------


class _Exchanger:
    """Machine that sends a message in each period and answers those it receives."""

    topics = ()

    def __init__(self, me: int, nodes: int, counted: list[int]) -> None:
        self.me = me
        self.nodes = nodes
        self.counted = counted
        self.sent = 0

    def handle(self, event: Event, now: int) -> list[Effect]:
        if type(event) is Received:
            self.counted[0] += 1
            return [] if event.message else [Send(event.peer, 1)]
        if type(event) is TimerExpired:
            target = (self.me + 1 + self.sent % 7) % self.nodes
            self.sent += 1
            again: list[Effect] = [SetTimer("beat", now + PERIOD)] if self.sent < ROUNDS else []
            return [Send(target, 0), *again]
        return [SetTimer("beat", now + PERIOD)]

    def linked(self) -> list[Peer]:
        return []

    def neighbours_on(self, topic: Topic) -> list[Peer]:
        return []

    def link_states(self) -> dict[Peer, LinkState]:
        return {}

    def check_invariants(self) -> None:
        pass


class _Delays:
    """Rule with a list of delays, applied in turn."""

    def __init__(self, delays: list[int]) -> None:
        self.delays = delays

    def judge(
        self, now: int, source: int, target: int, delays: tuple[int, ...], random: Stream
    ) -> tuple[int, ...]:
        return (self.delays[(source + now // PERIOD) % len(self.delays)],)


def _delays() -> list[int]:
    random = Stream(1)
    return [5_000 + random.randbelow(10_000) for _ in range(997)]


def _ours(size: Size) -> Callable[[], int]:
    delays = _delays()

    def run() -> int:
        scheduler, counted = Scheduler(), [0]
        fabric = Fabric(scheduler, size.nodes, [_Delays(delays)], Stream(1))
        for port in fabric.ports:
            machine = _Exchanger(port.node, size.nodes, counted)
            port.host = Host(port.node, machine, scheduler, port)
            port.host.start()
        scheduler.run((ROUNDS + 2) * PERIOD)
        return counted[0]

    return run


def _theirs(size: Size) -> Callable[[], int]:
    delays = _delays()
    return lambda: simpy_exchange(size.nodes, ROUNDS, PERIOD, delays)


@benchmark("events", "Events in simulated time")
def events(effort: Effort) -> Iterator[Case]:
    """Exchange messages: each node sends twenty to others, and each is answered.

    Ours passes through all that a protocol uses. SimPy has a process for each node and for each
    message under way. The size is the number of nodes.
    """
    for size in EXCHANGES[effort]:
        yield Case("gossamer", size, _ours, against="gossamer", answer=_received)
        yield Case("SimPy", size, _theirs, against="gossamer", answer=_received, same=True, runs=2)


def _received(count: int) -> str:
    return f"{count:,} messages received"


# -- SpiderCast --------------------------------------------------------------------------------


def _simulated(size: Size) -> Callable[[], dict[str, float]]:
    interests = rss(size)

    def run() -> dict[str, float]:
        spent = 0.0
        ask = FullView._ask

        def timed(self: FullView, *words: Any) -> Any:
            nonlocal spent
            start = time.perf_counter()
            try:
                return ask(self, *words)
            finally:
                spent += time.perf_counter() - start

        FullView._ask = timed  # type: ignore[method-assign, assignment]
        try:
            done = simulate(Scenario(interests, seed=1), "spidercast")
        finally:
            FullView._ask = ask  # type: ignore[method-assign]
        last = done.snapshots[-1]
        return {
            "degree": last.mean_degree,
            "connected": float(last.topic_connected),
            "choosing": spent / done.seconds,
            "events": float(done.events),
            "rate": done.events / done.seconds,
        }

    return run


def _outcome(found: dict[str, float]) -> str:
    connected = "all topics connected" if found["connected"] else "some topics disconnected"
    return (
        f"{connected}, mean degree {found['degree']:.2f}; {found['events']:,.0f} events, "
        f"{found['rate']:,.0f} a second; {found['choosing']:.0%} of the time in choosing neighbours"
    )


@benchmark("spidercast", "SpiderCast in simulated time, full views")
def spidercast(effort: Effort) -> Iterator[Case]:
    """Simulate (3,0)-coverage from an empty overlay until no link has changed for 5 seconds.

    The choice of neighbours grows with the square of the nodes, as it scans the subscribers of
    uncovered topics; all else grows linearly, and most of that is heartbeats.
    """
    for size in SIMULATED[effort]:
        yield Case("simulate spidercast", size, _simulated, answer=_outcome, runs=1, patience=1.0)


# -- live --------------------------------------------------------------------------------------


def _living(size: Size) -> Callable[[], dict[str, float]]:
    interests = rss(size)
    return lambda: asyncio.run(_live(interests))


async def _live(interests: Interests) -> dict[str, float]:
    nodes: list[Node] = []
    loaded = _resident()
    started, computed = time.perf_counter(), time.process_time()
    for number in range(interests.node_count):
        node = Node(
            topics=map(str, interests.topics_of(number).tolist()),
            join=[one.address for one in nodes[:3]],
            seed=number,
        )
        await node.start()
        nodes.append(node)
    up = time.perf_counter()
    end = up + 120
    while time.perf_counter() < end:
        await asyncio.sleep(0.1)
        overlay = overlay_of(nodes)
        if is_topic_connected(interests, overlay):
            break
    connected = time.perf_counter()
    cpu = time.process_time() - computed
    before = time.process_time()
    await asyncio.sleep(5)
    idle = (time.process_time() - before) / 5
    grown = _resident() - loaded
    for node in nodes:
        await node.stop()
    return {
        "up": up - started,
        "connected": connected - started,
        "cpu": cpu,
        "idle": idle,
        "memory": grown / len(nodes),
        "degree": float(np.mean(overlay.degrees)),
    }


def _resident() -> int:
    """Return the most bytes that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def overlay_of(nodes: list[Node]) -> Overlay:
    """Return the links that both ends agree on."""
    place = {node.address: number for number, node in enumerate(nodes)}
    sides: dict[tuple[int, int], int] = {}
    for number, node in enumerate(nodes):
        for peer in node.links:
            other = place[str(peer)]
            pair = (min(number, other), max(number, other))
            sides[pair] = sides.get(pair, 0) + 1
    return Overlay.from_links(len(nodes), [pair for pair, count in sides.items() if count == 2])


def _lived(found: dict[str, float]) -> str:
    return (
        f"listening after {found['up']:.1f} s, all topics connected after "
        f"{found['connected']:.1f} s and {found['cpu']:.1f} s of CPU; then "
        f"{found['idle']:.0%} of a core when idle; {found['memory'] / 1024:.0f} KiB a node; mean "
        f"degree {found['degree']:.2f}"
    )


@benchmark("live", "Live nodes in one process")
def live(effort: Effort) -> Iterator[Case]:
    """Start live nodes on the loopback interface, until every topic is connected.

    The nodes know each other by gossip. The seconds include five idle seconds at the end.
    """
    for size in LIVING[effort]:
        yield Case("nodes", size, _living, answer=_lived, runs=1, clock="wall", warm=False)
