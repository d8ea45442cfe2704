"""``gossamer compare-protocols``: protocols side by side in the same scenario."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gossamer.cli.display import show_written
from gossamer.cli.experiment import options_of_workload, show_faults, split_list
from gossamer.cli.options import (
    Seed,
    TableOptions,
    WorkloadOptions,
    argument,
    expand,
    is_given,
    option,
    output_table,
)
from gossamer.cli.output_files import check_outputs
from gossamer.cli.progress import show_progress
from gossamer.cli.publication_options import PublicationOptions, show_given
from gossamer.cli.scenario_options import (
    NetworkOptions,
    OptionalSubscriptions,
    PresenceOptions,
    RunOptions,
    build_scenario,
    make_scenario,
    read_saved_scenario,
)
from gossamer.cli.simulation_output import show_protocol_rows

EXAMPLES = (
    "gossamer compare-protocols spidercast,stan:slack=2 subscriptions.csv --seeds 3",
    "gossamer compare-protocols spidercast,stan subs.csv --loss 0.05 --duration 9s",
    "gossamer compare-protocols stan,random subs.csv --publish 9 --duration 9s",
    "gossamer compare-protocols vitis,opt subs.csv --engine cycles --duration 9s",
    "gossamer compare-protocols spidercast,stan subs.csv --out runs.csv",
    "gossamer compare-protocols spidercast,stan subs.csv --picture measures.svg",
)


@expand
def compare_protocols(
    context: typer.Context,
    run: RunOptions,
    presence: PresenceOptions,
    network: NetworkOptions,
    published: PublicationOptions,
    workload: WorkloadOptions,
    table: TableOptions,
    protocols: Annotated[
        str, argument("Protocols, separated by commas, with options as in spidercast:kr=1,stan.")
    ],
    subscriptions: OptionalSubscriptions = None,
    scenario: Annotated[
        Path | None, option("Scenario to run, .toml; other options replace its values.")
    ] = None,
    seeds: Annotated[
        int,
        option("Runs of each protocol, with seeds --seed, --seed + 1 and so on.", min=1),
    ] = 5,
    picture: Annotated[
        Path | None, option("Picture of the measures: .png, .svg, .pdf or .html.")
    ] = None,
    out: Annotated[Path | None, output_table("Table with a row for each protocol and seed")] = None,
    seed: Seed = 0,
) -> None:
    """Simulate protocols in the same scenario with several seeds, and show them side by side.

    Values are means, with half the width of the 95 % confidence interval. With the same seed,
    presence, delays and faults are the same for all protocols. Degrees and topics are those at the
    end. If a protocol fails, its row says why, and the exit code is 1.
    """
    from gossamer.experiments import protocol_comparison
    from gossamer.viz.comparison import comparison_picture

    saved, stored = read_saved_scenario(scenario, subscriptions, workload)
    arguments: dict[str, Any] = {**run.arguments}
    arguments |= {
        name: stored[name] for name in arguments if name in stored and not is_given(context, name)
    }
    engine = arguments["engine"]
    names = protocol_comparison.parse_labels(split_list(protocols) or [], engine)
    options = options_of_workload(
        context,
        subscriptions or scenario,
        "a protocol's own go with its name, as in spidercast:kr=1",
    )
    inputs = (subscriptions, scenario, published.publications, run.rates, presence.churn)
    check_outputs((out,), picture, inputs)
    with show_progress() as progress:
        progress("preparing the scenario", 0.0)
        made, given = build_scenario(
            context,
            saved or make_scenario(context, subscriptions, table, workload, seed, options),
            (run, presence, network),
            published,
            engine=engine,
            seed=seed,
            saved=saved is not None,
        )
        found = protocol_comparison.compare_protocols(
            made, names, seeds=seeds, progress=progress, **arguments
        )
        if picture is not None:
            progress("drawing", 1.0)
            comparison_picture(found, picture)
    show_given(given)
    show_protocol_rows(found, out)
    show_written(out, picture)
    show_faults(found.faults)
