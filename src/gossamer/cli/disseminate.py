"""``gossamer disseminate``: deliveries and cost of publishing on an overlay."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Annotated

import typer

from gossamer.atomic_files import title_of
from gossamer.cli.algorithm_options import divide_options
from gossamer.cli.display import show_written
from gossamer.cli.dissemination_output import (
    DisseminationOutput,
    LinkOptions,
    read_overlay,
    show_disseminations,
)
from gossamer.cli.options import Seed, TableOptions, WorkloadOptions, expand, option
from gossamer.cli.progress import show_progress
from gossamer.cli.publication_options import PER_SECOND, PublicationOptions, show_given
from gossamer.cli.scenario_options import NetworkOptions, OptionalSubscriptions, make_scenario
from gossamer.errors import ParameterError
from gossamer.options import split_spec
from gossamer.time import SECOND

EXAMPLES = (
    "gossamer disseminate subscriptions.csv --overlay links.parquet",
    "gossamer disseminate subscriptions.csv --publications posts.csv --flood both",
    "gossamer disseminate --workload rss --publish 99 --crosspost 3 --loss 0.05",
    "gossamer disseminate --workload rss --triplets 9 --flood both --picture x.png",
)
DEFAULT_COUNT = 1000


class Floods(StrEnum):
    """A forwarding mode, or both modes for comparison."""

    crosspost = "crosspost"
    simple = "simple"
    tree = "tree"
    both = "both"


@expand
def disseminate(
    context: typer.Context,
    published: PublicationOptions,
    network: NetworkOptions,
    source: LinkOptions,
    output: DisseminationOutput,
    workload: WorkloadOptions,
    table: TableOptions,
    subscriptions: OptionalSubscriptions = None,
    seed: Seed = 0,
    flood: Annotated[
        Floods,
        option(
            "Forwarding mode. crosspost: one copy of a publication per link. simple: one copy per "
            "topic and link. tree: one copy per node, along trees of links, simulated. both: run "
            "crosspost and simple and compare them."
        ),
    ] = Floods.crosspost,
    churn: Annotated[
        str | None,
        option("Sessions of the nodes, as in gossamer simulate --churn.", metavar="LAW|FILE"),
    ] = None,
    repair: Annotated[
        bool,
        option("Request missing publications from neighbours.", "--repair/--no-repair"),
    ] = True,
) -> None:
    """Publish on an overlay, and measure deliveries, hops and copies.

    With --latency, --churn or a fault such as --loss, the protocol code of live nodes is
    simulated. Otherwise the exact result is computed, for links of equal delay. Options of the
    algorithm and of the kind of workload are given by name.
    """
    import gossamer
    from gossamer.sim.dissemination import MODES, simulates

    overlay = source.overlay
    spec = source.algorithm or "greedy-merge"
    chosen = gossamer.find_algorithm(split_spec(spec)[0])
    options, of_kind = divide_options(context, spec, chosen.all_options, workload.workload)
    if overlay is not None and options:
        raise ParameterError(f"there is no option --{next(iter(options))} with --overlay")
    written = output.check((subscriptions, overlay, published.publications))
    with show_progress() as progress:
        progress("reading" if workload.workload is None else "drawing subscriptions", 0.0)
        scenario = make_scenario(context, subscriptions, table, workload, seed, of_kind)
        scenario = replace(scenario, churn=churn, payload=published.payload, **network.fields)
        if not repair and flood != Floods.tree and not simulates(scenario):
            raise ParameterError("--no-repair is for simulations; give --loss or another too")
        interests = scenario.interests
        if overlay is not None:
            links = read_overlay(overlay, interests)
        else:
            links = chosen(interests, seed=seed, progress=progress, **options)
        found, given = published.read(interests, seed, count=DEFAULT_COUNT)
        if given is not None:  # times of a file may span years
            found = found.between(0, round(len(found) / PER_SECOND * SECOND))
        scenario = replace(scenario, publications=found)
        both = flood == Floods.both
        modes = [one for one in reversed(MODES) if flood == one or (both and one != "tree")]
        results = [
            gossamer.disseminate(scenario, links, flood=one, repair=repair, progress=progress)
            for one in modes
        ]
        where = chosen.name if overlay is None else title_of(overlay)
        title = (
            f"{len(found):,} publications on {where}, "
            f"{interests.node_count:,} nodes, {interests.topic_count:,} topics"
        )
        output.write(results, interests, title)
        show_given(given)
        show_disseminations(title, results)
    show_written(*written)
