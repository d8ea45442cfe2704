"""``gossamer nodes``: a local cluster of live nodes, and its overlay as it forms."""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.algorithm_options import divide_options, read_algorithm_options
from gossamer.cli.display import show_facts, show_line
from gossamer.cli.input_options import (
    Seed,
    WorkloadExponent,
    WorkloadKind,
    WorkloadSizes,
    WorkloadTopics,
)
from gossamer.cli.live_overlay import LiveOverlay, measure
from gossamer.cli.node import try_options
from gossamer.cli.workload import make_interests
from gossamer.time import parse_duration

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.live.cluster import LocalCluster
    from gossamer.protocols import ProtocolEntry
    from gossamer.protocols.contract import Topic

__all__ = ["EXAMPLES", "nodes"]

EXAMPLES = (
    "gossamer nodes --count 8 --topics 10 --subscriptions 3 --for 5s",
    "gossamer nodes --count 5 --topics 5 --subscriptions 2 --once-connected",
    "gossamer nodes --protocol elasto --creator low-oda --count 5 --for 3s",
)
SECONDS_BETWEEN_LINES = 1.0
MAX_NODES = 500


def nodes(
    context: typer.Context,
    count: Annotated[int, typer.Option(help="How many nodes, each a process.")] = 20,
    protocol: Annotated[
        str, typer.Option(help="What to run; see: gossamer simulate --list.")
    ] = "spidercast",
    lasting: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="TIME",
            help="Stop after this time, as in 60s (default: when interrupted).",
            show_default=False,
        ),
    ] = None,
    once_connected: Annotated[
        bool,
        typer.Option("--once-connected", help="Stop when every topic is connected."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write the snapshots, as simulate does: .parquet, .csv, .tsv, .csv.gz, .tsv.gz.",
            show_default=False,
        ),
    ] = None,
    creator: Annotated[
        str | None,
        typer.Option(
            metavar="ALGORITHM",
            help="Give the nodes the overlay of a design algorithm once they are there, as in "
            "low-oda (of elasto).",
            show_default=False,
        ),
    ] = None,
    seed: Seed = 0,
    workload: WorkloadKind = "rss",
    topics: WorkloadTopics = 20,
    subscriptions: WorkloadSizes = "5",
    exponent: WorkloadExponent = None,
) -> None:
    """Start a cluster of live nodes on this machine, and watch its overlay form.

    The nodes speak TCP on the loopback interface, know each other by gossip, and are
    stopped in good order on Ctrl-C.
    """
    from gossamer.errors import ParameterError
    from gossamer.protocols import find_protocol
    from gossamer.tables import SNAPSHOTS, check_output, write_table

    if not 1 <= count <= MAX_NODES:
        raise ParameterError(f"--count is {count}; expected 1 to {MAX_NODES}")
    found = find_protocol(protocol)
    own, of_workload = divide_options(read_algorithm_options(context), found.options, workload)
    try_options(found, found.options.parse(own))
    design = None if creator is None else _design_by(creator, found, seed)
    seconds = None if lasting is None else parse_duration(lasting, "--for")
    if out is not None:
        check_output(out)
    assert workload is not None
    interests = make_interests(workload, count, topics, subscriptions, exponent, seed, of_workload)
    from gossamer.live.cluster import LocalCluster

    words = ["--protocol", protocol]
    for name, text in own.items():
        words += [f"--{name}={text}"] if text else [f"--{name}"]
    lists = [interests.topics_of(number).tolist() for number in range(count)]
    cluster = LocalCluster(lists, words=words)
    upkeep = [str(kind.__struct_config__.tag) for kind in found.background]
    rows = asyncio.run(_watch(cluster, seconds, once_connected, upkeep, design))
    if out is not None:
        write_table(out, SNAPSHOTS.table(*zip(*rows, strict=True)))
        show_line(f"wrote {out}")


def _design_by(
    creator: str, protocol: ProtocolEntry, seed: int
) -> Callable[[list[list[Topic]]], list[tuple[int, int]]]:
    """Return what gives links for a list of interests, by the name of a design algorithm."""
    from gossamer.design import find_algorithm
    from gossamer.model import Interests
    from gossamer.sim.initial_overlay import check_installs_links

    check_installs_links(protocol)
    algorithm = find_algorithm(creator)

    def design(wanted: list[list[Topic]]) -> list[tuple[int, int]]:
        interests = Interests.from_lists(dict(enumerate(wanted)))
        return [(one, other) for one, other in algorithm(interests, seed=seed).links.tolist()]

    return design


async def _watch(
    cluster: LocalCluster,
    seconds: float | None,
    once_connected: bool,
    upkeep: list[str],
    design: Callable[[list[list[Topic]]], list[tuple[int, int]]] | None,
) -> list[tuple[int | float, ...]]:
    rows: list[tuple[int | float, ...]] = []
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    started = time.monotonic()
    show_line(f"starting {len(cluster.members)} nodes")
    starting = loop.create_task(cluster.start())
    try:
        waiting = loop.create_task(ended.wait())
        await asyncio.wait((starting, waiting), return_when=asyncio.FIRST_COMPLETED)
        if ended.is_set():
            starting.cancel()
        with suppress(asyncio.CancelledError):
            await starting
            if design is not None:
                await cluster.install_links(design)
        end = None if seconds is None else time.monotonic() + seconds
        while not ended.is_set():
            passed = time.monotonic() - started
            found = measure(cluster, upkeep)
            rows.append(found.row(round(passed * 1_000_000)))
            connected = _say(found, passed)
            if (once_connected and connected) or (end is not None and time.monotonic() >= end):
                break
            with suppress(TimeoutError):
                async with asyncio.timeout(SECONDS_BETWEEN_LINES):
                    await ended.wait()
        waiting.cancel()
        _sum_up(cluster)
    finally:
        await cluster.stop()
    show_line("all nodes have left")
    return rows


def _say(found: LiveOverlay, seconds: float) -> bool:
    show_line(
        f"{seconds:5.1f} s: {found.nodes} nodes, {found.links} links, mean degree "
        f"{found.mean_degree:.2f}, {found.topics_connected} of {found.topics} topics connected"
    )
    return found.topics_connected == found.topics


def _sum_up(cluster: LocalCluster) -> None:
    found = measure(cluster)
    lines = [member.last for member in cluster.members if member.last is not None]
    show_facts(
        "The cluster",
        {
            "nodes": found.nodes,
            "links": found.links,
            "links that one end alone knows of": found.half_open,
            "mean degree": found.mean_degree,
            "maximum degree": found.max_degree,
            "topics": found.topics,
            "topics connected": found.topics_connected,
            "messages": sum(line.sent for line in lines),
            "messages dropped": sum(line.dropped for line in lines),
            "connections closed because of malformed frames": sum(line.malformed for line in lines),
        },
    )
