"""``gossamer simulate``: run a protocol with partial knowledge in a reproducible simulation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gossamer.cli.algorithm_options import divide_options, read_algorithm_options
from gossamer.cli.display import show_written
from gossamer.cli.options import (
    ListNames,
    Seed,
    TableOptions,
    WorkloadOptions,
    argument,
    expand,
    is_given,
    option,
)
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
from gossamer.cli.simulation_output import OutputOptions, show_protocols, show_simulation
from gossamer.errors import ParameterError
from gossamer.options import split_spec

EXAMPLES = (
    "gossamer simulate spidercast --workload rss --nodes 1000 --kg 3 --kr 0",
    "gossamer simulate spidercast subscriptions.csv --view gossip --loss 0.05",
    "gossamer simulate opt --workload rss --duration 9s --churn superpeer,flash:3:9",
    "gossamer simulate elasto --workload rss --nodes 99 --initial-overlay low-oda",
    "gossamer simulate spidercast --workload rss --publish 50 --duration 20s",
    "gossamer simulate stan subscriptions.csv --duration 9s --partition 3s-5s:0.5",
    "gossamer simulate vitis --engine cycles --workload random --table-size 9",
    "gossamer simulate opt subs.csv --engine cycles --save-scenario opt.toml",
    "gossamer simulate --list",
)


@expand
def simulate(
    context: typer.Context,
    run: RunOptions,
    presence: PresenceOptions,
    network: NetworkOptions,
    published: PublicationOptions,
    output: OutputOptions,
    workload: WorkloadOptions,
    table: TableOptions,
    protocol: Annotated[
        str | None, argument("Name of the protocol, as in spidercast:kr=1; see --list.")
    ] = None,
    subscriptions: OptionalSubscriptions = None,
    list_protocols: ListNames = False,
    scenario: Annotated[
        Path | None, option("Scenario to run, .toml; other options replace its values.")
    ] = None,
    save_scenario: Annotated[
        Path | None,
        option("File for the scenario, .toml; its tables and plug-ins are written beside it."),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Simulate a protocol: nodes with partial knowledge build and maintain an overlay.

    The same command with the same seed gives the same result. Options of a protocol, and of a
    kind of workload, are given by name, as in --kg 3.
    """
    import gossamer
    from gossamer.sim.scenario_file import RUN_ARGUMENTS
    from gossamer.sim.simulation import check_single_seed, protocol_options

    if list_protocols:
        show_protocols()
        return
    saved, stored = read_saved_scenario(scenario, subscriptions, workload)
    arguments: dict[str, Any] = run.arguments
    arguments |= {one: stored.pop(one) for one in RUN_ARGUMENTS if one in stored}
    arguments |= {name: value for name, value in run.arguments.items() if is_given(context, name)}
    name = split_spec(protocol or "")[0]
    if name and name != arguments.get("protocol"):
        arguments["protocol"], stored = name, {}
    if "protocol" not in arguments:
        raise ParameterError("no protocol is named; gossamer simulate --list shows them")
    known = protocol_options(arguments["protocol"], arguments["engine"])
    check_single_seed(read_algorithm_options(context), known)
    own, of_kind = divide_options(context, protocol or "", known, workload.workload)
    options = {**stored, **own}
    arguments["recording"] = output.recording(context, arguments.get("recording"))
    inputs = (subscriptions, scenario, published.publications, run.rates, presence.churn)
    written = output.check(arguments["engine"], inputs, save_scenario)
    with show_progress() as progress:
        progress("preparing the scenario", 0.0)
        made, given = build_scenario(
            context,
            saved or make_scenario(context, subscriptions, table, workload, seed, of_kind),
            (run, presence, network),
            published,
            engine=arguments["engine"],
            seed=seed,
            saved=saved is not None,
        )
        result = gossamer.simulate(made, **arguments, progress=progress, **options)
        output.write(result)
        if save_scenario is not None:
            written += gossamer.write_scenario(save_scenario, made, **arguments, **options)
        show_given(given)
        show_simulation(result)
    show_written(*written)
