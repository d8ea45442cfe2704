"""``gossamer cluster``: live nodes on this machine, and their overlay as it forms."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from gossamer.cli.algorithm_options import divide_options
from gossamer.cli.display import show_record
from gossamer.cli.live_overlay import watch_cluster
from gossamer.cli.options import Seed, SizeOptions, expand, option, output_table
from gossamer.options import split_spec
from gossamer.time import parse_duration

if TYPE_CHECKING:
    from gossamer.protocols.contract import Topic

EXAMPLES = (
    "gossamer cluster --nodes 8 --topics 10 --subscriptions 3 --for 5s",
    "gossamer cluster --nodes 5 --topics 5 --subscriptions 2 --once-connected",
    "gossamer cluster --protocol elasto --initial-overlay cd-oda --nodes 3 --for 3s",
)


@dataclass(frozen=True)
class ClusterWorkload(SizeOptions):
    """Nodes of the cluster and their generated interests."""

    PANEL: ClassVar = "Nodes and their interests"

    nodes: Annotated[int, option("Number of nodes, each in its own process.")] = 20
    topics: Annotated[int, option("Number of topics.")] = 20
    subscriptions_per_node: Annotated[
        str,
        option("Topics per node: 5, or a number drawn from 3-9.", "--subscriptions",
               metavar="SIZE|MIN-MAX"),
    ] = "5"  # fmt: skip
    workload: Annotated[str, option("Kind of workload, as in zipf:alpha=0.8.")] = "rss"


@expand
def cluster(
    context: typer.Context,
    workload: ClusterWorkload,
    protocol: Annotated[
        str, option("Protocol, as in spidercast:kg=2; see: gossamer simulate --list.")
    ] = "spidercast",
    lasting: Annotated[
        str | None,
        option("Time until they stop, as in 60s (default: no limit).", "--for", metavar="TIME"),
    ] = None,
    once_connected: Annotated[bool, option("Stop when every topic is connected.")] = False,
    out: Annotated[
        Path | None, output_table("Table of the snapshots, as in gossamer simulate")
    ] = None,
    initial_overlay: Annotated[
        str | None,
        option("Design algorithm of the initial overlay, as in low-oda:rho=5 (only elasto).",
               metavar="ALGORITHM"),
    ] = None,
    seed: Seed = 0,
) -> None:  # fmt: skip
    """Start a cluster of live nodes on this machine, and watch its overlay form.

    The nodes use TCP on the loopback interface and find each other by gossip. They leave
    gracefully on Ctrl-C. Options of the protocol and of the kind of workload are given by name.
    With --json it prints a JSON object per line: a snapshot each second, then the totals.
    """
    from gossamer.live.cluster import LocalCluster
    from gossamer.protocols import find_protocol
    from gossamer.tables import SNAPSHOTS, check_output, write_table

    found = find_protocol(split_spec(protocol)[0])
    options, of_kind = divide_options(context, protocol, found.options, workload.workload)
    design = None
    if initial_overlay is not None:
        found.require_installed_links()
        design = _design_by(initial_overlay, seed)
    seconds = None if lasting is None else parse_duration(lasting, "--for")
    if out is not None:
        check_output(out)
    interests = workload.generate(workload.workload, seed, of_kind)
    lists = [interests.topics_of(number).tolist() for number in range(workload.nodes)]
    nodes = LocalCluster(lists, protocol=found.name, **options)
    rows = asyncio.run(
        watch_cluster(nodes, seconds=seconds, once_connected=once_connected, design=design)
    )
    if out is not None:
        write_table(out, SNAPSHOTS.table(*zip(*rows, strict=True)))
        show_record(f"wrote {out}", wrote=[str(out)])


def _design_by(algorithm: str, seed: int) -> Callable[[list[list[Topic]]], list[tuple[int, int]]]:
    """Return the links of a design algorithm as a function of the topics of each node."""
    from gossamer.design.registry import resolve_algorithm
    from gossamer.model import Interests

    found, options = resolve_algorithm(algorithm)

    def design(topics: list[list[Topic]]) -> list[tuple[int, int]]:
        interests = Interests.from_lists(dict(enumerate(topics)))
        return [
            (one, other) for one, other in found(interests, seed=seed, **options).links.tolist()
        ]

    return design
