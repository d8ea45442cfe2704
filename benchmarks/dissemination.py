"""Benchmarks: StaN's rounds, floods on given links, what they cost in copies, and live delivery."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from tests.reference import flood as naive_flood

from benchmarks.alternatives.zmq_mesh import zmq_mesh
from benchmarks.harness import TINY, Case, Effort, Row, Size, benchmark
from benchmarks.inputs import rss
from gossamer.design.greedy_merge import greedy_merge
from gossamer.live import Node
from gossamer.model import Interests, Publications, Scenario
from gossamer.quality import TopicGraphs, flood_publications, is_topic_connected
from gossamer.quality.dissemination import FLOODS
from gossamer.sim import World, disseminate
from gossamer.sim.snapshot import observe
from gossamer.studies.stan.universes import find_interests
from gossamer.time import SECOND
from gossamer.workloads import crosspost_triplets, draw_publications

__all__ = ["copies", "delivery", "floods", "paced", "stan"]

DATA = "GOSSAMER_DATA"
"""Names a folder of tables that gossamer ingest has written, to run on real interests too."""

UNIVERSE = Size(1_381, 400, 39)
SWAPPED: dict[Effort, tuple[Size, ...]] = {
    "tiny": (TINY,),
    "quick": (Size(200, 400, 39),),
    "full": (UNIVERSE,),
    "large": (UNIVERSE,),
}
FLOODED: dict[Effort, tuple[Size, ...]] = {
    "tiny": (TINY,),
    "quick": (Size(1_000, 100, 10),),
    "full": (Size(1_000, 100, 10), Size(10_000, 100, 10)),
    "large": (Size(1_000, 100, 10), Size(10_000, 100, 10)),
}
LIVING: dict[Effort, tuple[Size, ...]] = {
    "tiny": (Size(5, 3, 2),),
    "quick": (Size(20, 50, 10),),
    "full": (Size(20, 50, 10), Size(50, 50, 10)),
    "large": (Size(20, 50, 10), Size(50, 50, 10)),
}
FILL_SECONDS, ROUNDS = 3, 5


# -- StaN ----------------------------------------------------------------------------------


@cache
def _universe(size: Size, table: str = "") -> Interests:
    """Return drawn interests, or those of some users of a table."""
    given = {"nodes": size.nodes}
    if table:
        given |= {"table": table, "_folder": os.environ[DATA]}  # type: ignore[dict-item]
    return find_interests(given, 1)


def _rounds(swap: str, table: str = "") -> Callable[[Size], Callable[[], dict[str, float]]]:
    def prepare(size: Size) -> Callable[[], dict[str, float]]:
        interests = _universe(size, table)

        def run() -> dict[str, float]:
            options = {"swap": swap, "idle_rounds": 1, "fill_seconds": float(FILL_SECONDS)}
            world = World("stan", interests, options=options, seed=1)
            world.run(FILL_SECONDS * SECOND)
            first, events = observe(world).snapshot, world.scheduler.happened
            started = time.process_time()
            world.run((FILL_SECONDS + ROUNDS) * SECOND)
            spent = time.process_time() - started
            last = observe(world).snapshot
            return {
                "first": first.mean_degree,
                "last": last.mean_degree,
                "view": last.mean_view,
                "round": spent / ROUNDS,
                "rate": (world.scheduler.happened - events) / spent,
            }

        return run

    return prepare


def _swapped(found: dict[str, float]) -> str:
    return (
        f"{found['round']:.1f} s a round, {found['rate']:,.0f} events a second; PVS "
        f"{found['first']:.0f} to {found['last']:.0f} at an LVS of {found['view']:.0f}"
    )


@benchmark("stan", "StaN in simulated time")
def stan(effort: Effort) -> Iterator[Case]:
    """Fill views for three seconds, then run five rounds: a walk on each topic of each node.

    If GOSSAMER_DATA names a folder of tables, also on the interests of equally many users of
    Ask Ubuntu and Last.fm.
    """
    for size in SWAPPED[effort]:
        runs: dict[str, Any] = {"answer": _swapped, "runs": 1, "patience": 1.0}
        yield Case("without swaps", size, _rounds("none"), **runs)
        yield Case("drawn, correlated", size, _rounds("pair"), against="without swaps", **runs)
        for table in ("askubuntu", "lastfm"):
            if effort != "tiny" and (Path(os.environ.get(DATA, "/nowhere")) / table).exists():
                yield Case(table, size, _rounds("pair", table), **runs)


# -- floods on given links -----------------------------------------------------------------


@cache
def _published(size: Size) -> tuple[Interests, TopicGraphs, Publications]:
    interests = rss(size)
    graphs = TopicGraphs.of(interests, greedy_merge(interests))
    return interests, graphs, draw_publications(interests, 200, crosspost=3, seed=1)


def _kernel(size: Size) -> Callable[[], tuple[int, int]]:
    interests, graphs, publications = _published(size)

    def run() -> tuple[int, int]:
        done = flood_publications(interests, graphs, publications)
        return int(done.sent.sum()), int(done.delivered.sum())

    return run


def _machines(size: Size) -> Callable[[], tuple[int, int]]:
    interests, graphs, publications = _published(size)

    def run() -> tuple[int, int]:
        done = disseminate(
            Scenario(interests, publications=publications, latency="uniform:10-10ms"),
            graphs,
            repair=False,
        )
        return int(done.sent.sum()), int(done.delivered.sum())

    return run


def _plain(size: Size) -> Callable[[], tuple[int, int]]:
    interests, graphs, publications = _published(size)
    wants = [set(interests.topics_of(node).tolist()) for node in range(interests.node_count)]
    links: naive_flood.Links = {}
    for topic in range(interests.topic_count):
        graph, members = graphs.graph_of(topic), interests.subscribers_of(topic)
        for place, node in enumerate(members.tolist()):
            first = int(graph.offsets[0])
            begin, end = int(graph.offsets[place]) - first, int(graph.offsets[place + 1]) - first
            links[node, topic] = members[graph.neighbours[begin:end]].tolist()
    published = [
        (int(who), publications.topics_of(number).tolist())
        for number, who in enumerate(publications.publishers.tolist())
    ]

    def run() -> tuple[int, int]:
        done = naive_flood.flood(wants, links, published, "crosspost")
        return sum(done.sent.values()), len(done.delivered)

    return run


def _flooded(found: tuple[int, int]) -> str:
    return f"{found[0]:,} copies, {found[1]:,} deliveries"


def _by_second(rows: list[Row]) -> list[list[str]]:
    shown = [["size", "what", "seconds", "deliveries a second", "ratio", "result"]]
    for row in rows:
        answer = row.measurement.answer or ""
        deliveries = int(answer.split(", ", 1)[1].split()[0].replace(",", "")) if answer else 0
        shown.append(
            [
                str(row.case.size), row.case.subject, f"{row.measurement.seconds:.4g}",
                f"{deliveries / max(row.measurement.seconds, 1e-9):,.0f}",
                "" if row.ratio is None else f"{row.ratio:.3g}", answer,
            ]
        )  # fmt: skip
    return shown


@benchmark("floods", "Deliveries a second on given links", tabulate=_by_second)
def floods(effort: Effort) -> Iterator[Case]:
    """Publish 200 times, on three topics each, on the links of greedy merge: CrosspostFlood.

    The machines of live nodes in simulated time and the naive twin of the tests must give the
    kernel's answer.
    """
    for size in FLOODED[effort]:
        common: dict[str, Any] = {"against": "kernel", "answer": _flooded}
        yield Case("kernel", size, _kernel, **common)
        yield Case("machines, simulated", size, _machines, same=True, runs=1, **common)
        yield Case("plain search", size, _plain, same=True, runs=1, **common)


# -- copies --------------------------------------------------------------------------------


def _costs(size: Size) -> Callable[[], list[tuple[str, str, float, float, float]]]:
    interests = _universe(size)

    def run() -> list[tuple[str, str, float, float, float]]:
        publications = crosspost_triplets(interests, each=10 if size != TINY else 1, seed=1)
        options = {"idle_rounds": 1, "fill_seconds": float(FILL_SECONDS)}
        world = World("stan", interests, options=options, seed=1)
        found: list[tuple[str, str, float, float, float]] = []
        for links, until in (("unshared", FILL_SECONDS), ("shared by StaN", FILL_SECONDS + 20)):
            world.run(until * SECOND)
            graphs = world.views_of(np.arange(interests.node_count), interests)
            for flood in FLOODS:
                done = flood_publications(interests, graphs, publications, flood=flood)
                each = int(done.sent.sum()) / max(int(done.delivered.sum()), 1)
                found.append((links, flood, each, done.hops.mean, 100 * done.hit_ratio))
        return found

    return run


def _cost_words(found: list[tuple[str, str, float, float, float]]) -> str:
    return "; ".join(
        f"{flood} on {links} links {each:.3f} copies, {hops:.2f} hops, {hit:.4g} %"
        for links, flood, each, hops, hit in found
    )


def _cost_table(rows: list[Row]) -> list[list[str]]:
    shown = [["size", "flood and links", "copies a delivery", "mean hops", "hit ratio"]]
    for row in rows:
        for part in (row.measurement.answer or "").split("; "):
            what, _, rest = part.partition(" links ")
            each, hops, hit = rest.split(", ")
            shown.append(
                [str(row.case.size), what + " links", each.removesuffix(" copies"),
                 hops.removesuffix(" hops"), hit]
            )  # fmt: skip
    return shown


@benchmark("copies", "Messages for each delivery", tabulate=_cost_table)
def copies(effort: Effort) -> Iterator[Case]:
    """Publish StaN's triplets (A.1) on its initial views and on those after twenty rounds."""
    for size in SWAPPED[effort]:
        yield Case("floods", size, _costs, answer=_cost_words, runs=1, warm=False)


# -- live ----------------------------------------------------------------------------------

PAYLOAD = bytes(200)
STAMP = 24
"""Bytes of a payload that have the time of publication."""
RATES = {5: 100.0, 20: 1000.0, 50: 400.0}
"""Publications a second, by the number of nodes."""


def _to_publish(interests: Interests, count: int) -> list[tuple[int, int]]:
    drawn = draw_publications(interests, count, seed=1)
    return list(zip(drawn.publishers.tolist(), drawn.topics.tolist(), strict=True))


def _living(
    protocol: str, per_second: dict[int, float] | None = None
) -> Callable[[Size], Callable[[], dict[str, float]]]:
    def prepare(size: Size) -> Callable[[], dict[str, float]]:
        interests = rss(size)
        count = 50 if size.nodes < 10 else 2000
        rate = None if per_second is None else per_second[size.nodes]
        return lambda: asyncio.run(_deliver(protocol, interests, count, rate))

    return prepare


async def _deliver(
    protocol: str, interests: Interests, count: int, rate: float | None
) -> dict[str, float]:
    """Publish at full speed, or at a number of publications a second."""
    published = _to_publish(interests, count)
    nodes: list[Node] = []
    came, sent = 0, 0
    delays: list[float] = []

    def hear(event: Any) -> None:
        nonlocal came
        came += len(event.topics)
        delays.append(time.perf_counter() - float(event.payload[:STAMP]))

    for number in range(interests.node_count):
        node = Node(
            topics=map(str, interests.topics_of(number).tolist()),
            join=[one.address for one in nodes[:3]],
            protocol=protocol,
            seed=number,
        )
        node.on_event = hear
        await node.start()
        nodes.append(node)
    end = time.perf_counter() + 60
    while time.perf_counter() < end and not _connected(interests, nodes):
        await asyncio.sleep(0.2)
    await asyncio.sleep(2)
    if rate is not None:  # the first publications make the trees
        for node_number, topic in published[: count // 4]:
            await nodes[node_number].publish(str(topic), b"0".ljust(len(PAYLOAD)))
            await asyncio.sleep(1 / rate)
        await asyncio.sleep(1)
        came = 0
        delays.clear()
    before = _copies_of(nodes)
    expected = sum(len(interests.subscribers_of(topic)) for _, topic in published)
    started, computed = time.perf_counter(), time.process_time()
    for number, (node_number, topic) in enumerate(published):
        if rate is not None:
            await asyncio.sleep(max(0.0, started + number / rate - time.perf_counter()))
        elif number % 20 == 19:
            await asyncio.sleep(0)
        stamp = b"%.9f" % time.perf_counter()
        await nodes[node_number].publish(str(topic), stamp.ljust(STAMP) + PAYLOAD[STAMP:])
    while came < expected and time.perf_counter() < started + 60:
        await asyncio.sleep(0.002)
    seconds, cpu = time.perf_counter() - started, time.process_time() - computed
    sent = _copies_of(nodes) - before
    for node in nodes:
        await node.stop()
    others = max(expected - len(published), 1)
    return {
        "came": came / expected, "rate": others / seconds, "cpu": cpu / others,
        "copies": sent / others, "p50": float(np.percentile(delays, 50)),
        "p99": float(np.percentile(delays, 99)),
    }  # fmt: skip


def _copies_of(nodes: list[Node]) -> int:
    """Return the copies that nodes have sent, on trees and on request."""
    counts = [node.status.counts.by_kind for node in nodes]
    return sum(one.get("publication", 0) + one.get("repaired", 0) for one in counts)


def _connected(interests: Interests, nodes: list[Node]) -> bool:
    from benchmarks.simulation import overlay_of

    return is_topic_connected(interests, overlay_of(nodes))


def _meshed(size: Size) -> Callable[[], dict[str, float]]:
    interests = rss(size)
    published = _to_publish(interests, 50 if size.nodes < 10 else 2000)
    wants = [interests.topics_of(node).tolist() for node in range(interests.node_count)]

    def run() -> dict[str, float]:
        came, seconds, cpu = asyncio.run(zmq_mesh(wants, published, PAYLOAD))
        return {"came": 1.0, "rate": came / seconds, "cpu": cpu / came, "copies": 1.0}

    return run


def _delivered(found: dict[str, float]) -> str:
    return (
        f"{found['rate']:,.0f} deliveries a second, {1e6 * found['cpu']:.0f} µs of CPU and "
        f"{found['copies']:.2f} copies each; {100 * found['came']:.4g} % came"
    )


@benchmark("delivery", "Delivery by live nodes on the loopback interface")
def delivery(effort: Effort) -> Iterator[Case]:
    """Publish 2,000 times, 200 bytes on one topic each, at full speed; all in one process.

    The full mesh of pyzmq PUB and SUB sockets works in a C++ thread and is no overlay: every
    node is connected to every other. The seconds include start-up and convergence.
    """
    for size in LIVING[effort]:
        for name, prepare in (
            ("spidercast", _living("spidercast")),
            ("spidercast, floods", _living("spidercast:flood=crosspost")),
            ("stan", _living("stan")),
            ("pyzmq, full mesh", _meshed),
        ):  # fmt: skip
            yield Case(
                name, size, prepare, answer=_delivered, runs=1, clock="wall", warm=False,
                memory=False,
            )  # fmt: skip


def _paced(found: dict[str, float]) -> str:
    return (
        f"{1e6 * found['cpu']:.0f} µs of CPU and {found['copies']:.2f} copies a delivery; "
        f"{1e3 * found['p50']:.2f} ms, 99 % within {1e3 * found['p99']:.1f} ms; "
        f"{100 * found['came']:.4g} % came"
    )


@benchmark("paced", "Cost and delay of deliveries by live nodes")
def paced(effort: Effort) -> Iterator[Case]:
    """Publish 200 bytes on one topic each, 1,000 times a second on 20 nodes and 400 times on 50.

    All nodes are in one process on the loopback interface. 500 publications come before, in which
    the trees form.
    """
    for size in LIVING[effort]:
        for name, protocol in (
            ("spidercast, trees", "spidercast"),
            ("spidercast, floods", "spidercast:flood=crosspost"),
            ("stan, trees", "stan"),
        ):  # fmt: skip
            yield Case(
                name, size, _living(protocol, RATES), answer=_paced, runs=1, clock="wall",
                warm=False, memory=False,
            )  # fmt: skip
