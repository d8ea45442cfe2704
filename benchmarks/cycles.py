"""Benchmarks: the cycle-driven engine, a point of a figure, and gossip in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from benchmarks.alternatives.plain_gossip import PlainGossip
from benchmarks.harness import TINY, Case, Effort, Row, Size, benchmark
from gossamer.cycles.gossip_overlay import GossipOverlay
from gossamer.cycles.models import find_model
from gossamer.cycles.population import Numbered
from gossamer.cycles.rendezvous import MIN_ROUTED
from gossamer.model import Interests, Scenario
from gossamer.protocols import protocols
from gossamer.sim import Recording, Simulation, simulate
from gossamer.workloads import generate_interests

__all__ = ["cycles", "figure", "gossip"]

PAPER = Size(10_000, 5_000, 50)
SIZES: dict[Effort, tuple[Size, ...]] = {
    "tiny": (TINY,),
    "quick": (Size(1_000, 500, 50),),
    "full": (PAPER,),
    "large": (PAPER, Size(100_000, 5_000, 50)),
}
POINTS: dict[Effort, tuple[Size, ...]] = {**SIZES, "large": (PAPER,)}
BESIDE: dict[Effort, tuple[Size, ...]] = {
    "tiny": (TINY,),
    "quick": (Size(1_000, 500, 50),),
    "full": (Size(1_000, 500, 50), Size(2_000, 1_000, 50)),
    "large": (Size(1_000, 500, 50), Size(2_000, 1_000, 50)),
}
ROUNDS, WHOLE = 40, 120
GOSSIPED = 15
GOSSIP = ("peer sampling", "exchange of tables", "heartbeats", "coverage")
ROUTING = ("links of both ends", "proposals", "lookups")


@cache
def _drawn(size: Size, kind: str = "random") -> Interests:
    buckets = {} if kind == "random" else {"buckets": size.topics // 50}
    return generate_interests(
        kind, nodes=size.nodes, topics=size.topics,
        subscriptions=min(size.subscriptions, size.topics), seed=1, **buckets,
    )  # fmt: skip


def _simulated(
    protocol: str, kind: str, count: int, **options: Any
) -> Callable[[Size], Callable[[], Simulation]]:
    def prepare(size: Size) -> Callable[[], Simulation]:
        interests = _drawn(size, "random" if size == TINY else kind)
        return lambda: simulate(
            Scenario(interests, duration=count, seed=1), protocol, engine="cycles", **options
        )

    return prepare


# -- a round -------------------------------------------------------------------------------


def _spent(done: Simulation) -> str:
    """Return the seconds of a round by task, in words."""
    times, rounds = done.seconds_by_task, done.last_cycle.cycle
    gossiped = sum(times.get(work, 0.0) for work in GOSSIP) / rounds
    routed = sum(times.get(work, 0.0) for work in ROUTING) / min(MIN_ROUTED, rounds)
    parts = ", ".join(
        f"{work} {spent / done.seconds:.0%}"
        for work, spent in sorted(times.items(), key=lambda item: -item[1])
        if spent >= 0.01 * done.seconds
    )
    return f"{gossiped:.3g} s of gossip and {routed:.3g} s of routing a round; {parts}"


@benchmark("cycles", "A round of Vitis, RVR and OPT")
def cycles(effort: Effort) -> Iterator[Case]:
    """Run forty rounds from empty tables of 15, the last twenty-four with gateways and lookups.

    One publication on each topic follows. Interests are uniform, or correlated: the topics of a
    node come from two buckets of fifty. Times of a round are wall-clock times.
    """
    for size in SIZES[effort]:
        common: dict[str, Any] = {"answer": _spent, "runs": 1}
        for name, protocol, kind in (
            ("vitis, random", "vitis", "random"),
            ("vitis, correlated", "vitis", "high-correlation"),
            ("rvr, random", "rvr", "random"),
            ("opt, correlated", "opt", "high-correlation"),
        ):
            yield Case(name, size, _simulated(protocol, kind, ROUNDS), **common)


# -- a point of a figure -------------------------------------------------------------------


def _measured(done: Simulation) -> str:
    last = done.last_cycle
    return (
        f"hit ratio {last.hit_ratio:.4g}, overhead {last.traffic.overhead:.3f}, "
        f"{last.hops:.2f} hops; ring {last.ring:.2%} right"
    )


@benchmark("figure-6", "A point of Vitis's Figure 6")
def figure(effort: Effort) -> Iterator[Case]:
    """Run 120 rounds and measure what the paper plots over the size of routing tables.

    10,000 nodes with 50 of 5,000 uniformly drawn topics each, as in the paper's evaluation; one
    publication on each topic.
    """
    for size in POINTS[effort]:
        for protocol in ("vitis", "rvr"):
            for table in (15, 35):
                yield Case(
                    f"{protocol}, tables of {table}",
                    size,
                    _simulated(protocol, "random", WHOLE, table_size=table),
                    answer=_measured,
                    runs=1,
                )


# -- beside plain Python -------------------------------------------------------------------


def _kernels(size: Size) -> Callable[[], tuple[float, float]]:
    interests = _drawn(size)

    def run() -> tuple[float, float]:
        world = find_model("vitis").build(Numbered.of(interests), None, 1)
        assert isinstance(world, GossipOverlay)
        world.join(np.arange(interests.node_count))
        for _ in range(GOSSIPED):
            world.step()
        tables = world.tables
        friends = tables.peers[:, 3:] >= 0
        liked = float(tables.utilities[:, 3:][friends].mean()) if friends.any() else 0.0
        return world.ring_right(), liked

    return run


def _plain(size: Size) -> Callable[[], tuple[float, float]]:
    interests = _drawn(size)

    def run() -> tuple[float, float]:
        world = PlainGossip(interests)
        for _ in range(GOSSIPED):
            world.round()
        return world.ring_right(), world.liking()

    return run


def _machines(size: Size) -> Callable[[], tuple[float, float] | None]:
    interests = _drawn(size)

    def run() -> None:
        simulate(
            Scenario(interests, view="gossip", duration=GOSSIPED, seed=1),
            "vitis",
            recording=Recording(snapshots=GOSSIPED),
        )

    return run


def _alike(found: tuple[float, float] | None) -> str:
    if found is None:
        return "every message sent, profiles and paths too"
    return f"ring {found[0]:.1%} right, mean utility of a friend {found[1]:.4f}"


def _by_second(rows: list[Row]) -> list[list[str]]:
    shown = [["size", "what", "seconds", "rounds a second", "ratio", "result"]]
    for row in rows:
        seconds = row.measurement.seconds
        shown.append(
            [
                str(row.case.size), row.case.subject, f"{seconds:.3g}",
                f"{GOSSIPED / max(seconds, 1e-9):.3g}",
                "" if row.ratio is None else f"{row.ratio:.3g}", row.measurement.answer or "",
            ]
        )  # fmt: skip
    return shown


@benchmark("gossip", "Gossip by kernels, in plain Python, and by machines", tabulate=_by_second)
def gossip(effort: Effort) -> Iterator[Case]:
    """Run fifteen rounds of Newscast, exchange of tables and heartbeats, without routing.

    Plain Python is a cycle-driven simulator with an object for each node. The machines are those
    of live nodes: they send every message, and maintain gateways and relay paths as well.
    """
    for size in BESIDE[effort]:
        common: dict[str, Any] = {"against": "kernels", "answer": _alike, "memory": False}
        yield Case("kernels", size, _kernels, runs=3, **common)
        yield Case("plain Python", size, _plain, runs=1, **common)
        if "vitis" in protocols() and size.nodes <= 1_000:
            yield Case("machines, simulated", size, _machines, runs=1, **common)
