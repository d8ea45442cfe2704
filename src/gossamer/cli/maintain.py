"""``gossamer maintain``: keep an overlay topic-connected while nodes join and leave."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Literal

import typer

from gossamer.cli.algorithm_options import divide, read_algorithm_options
from gossamer.cli.common_options import show_note
from gossamer.cli.display import show_facts, show_meanings, show_registry, show_written
from gossamer.cli.options import ListNames, Seed, TableOptions, argument, expand, option
from gossamer.cli.progress import show_progress

EXAMPLES = (
    "gossamer maintain links.csv --interests subs.csv --events churn.csv --out kept",
    "gossamer maintain --interests subscriptions.csv --events rounds:20 --out kept",
    "gossamer maintain --interests subscriptions.csv --picture d.png --out kept",
    "gossamer maintain --list",
)

Verify = Literal["every", "end", "never"]


@expand
def maintain(
    context: typer.Context,
    links: Annotated[
        Path | None,
        argument("Links at the start: a table source,target (default: designed by --algorithm)."),
    ] = None,
    *,
    interests: Annotated[
        Path | None, option("Table of subscriptions of every node that may ever be present.")
    ] = None,
    events: Annotated[
        str,
        option(
            "Table time,node,event or node,start,end in microseconds (time_s, start_s and end_s in "
            "seconds); or random joins and leaves, one per second.",
            metavar="TABLE|rounds:COUNT",
        ),
    ] = "rounds:1000",
    out: Annotated[Path | None, option("Folder for the five tables of the run.")] = None,
    strategy: Annotated[str, option("Strategy that repairs the overlay; see --list.")] = "elasto-g",
    rebuild_every: Annotated[
        int | None, option("Number of events between two new designs (default: none).", min=1)
    ] = None,
    algorithm: Annotated[
        str | None,
        option(
            "Design algorithm with options, as in low-oda:rho=5, of --rebuild-every and of the "
            "links at the start if none are given; see: gossamer algorithms (default: low-oda)."
        ),
    ] = None,
    verify: Annotated[Verify, option("When to verify that every topic is connected.")] = "end",
    picture: Annotated[Path | None, option("Picture of the degrees: .png, .svg or .pdf.")] = None,
    summary: Annotated[bool, option("Print a summary.", "--summary/--no-summary")] = True,
    seed: Seed = 0,
    list_strategies: ListNames = False,
    table: TableOptions,
) -> None:
    """Keep an overlay topic-connected while nodes join and leave, with few changes.

    A node is present at the start unless its first event is a join. Links of absent nodes are
    left out, and topics that this disconnects are repaired in round 0, before the first event.
    The tables have the links at the start and the end, all changes in order, and the degrees and
    times of each event. If an interrupted command is given again, it resumes; with --strategy
    elasto-l it starts over. Options of a strategy are given by name, as in --rho 5.
    """
    from gossamer import find_algorithm, tables
    from gossamer import maintain as run
    from gossamer.errors import ParameterError
    from gossamer.maintain.strategies.registry import find_strategy, strategies
    from gossamer.model import Scenario
    from gossamer.options import join_spec, split_spec

    if list_strategies:
        show_registry("Strategies", strategies().values(), key="strategies")
        show_meanings(strategies().values())
        return
    if interests is None or out is None:
        missing = "--interests TABLE" if interests is None else "--out FOLDER"
        raise ParameterError(f"an option is missing; expected {missing}")
    if picture is not None:
        from gossamer.viz.picture import check_picture

        check_picture(picture, inputs=[interests, links])
    options = find_strategy(split_spec(strategy)[0]).options
    design = find_algorithm(split_spec(algorithm or "low-oda")[0]).all_options
    designs = links is None or rebuild_every is not None
    own, of_design = divide(read_algorithm_options(context), options, design if designs else None)
    algorithm = join_spec(algorithm or "low-oda", of_design) if of_design else algorithm
    with show_progress() as progress, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        progress(f"reading {interests.name}", 0.0)
        nodes = table.read(interests)
        done = run(
            Scenario(nodes, churn=events, seed=seed),
            join_spec(strategy, own),
            None if links is None else tables.read_links(links, nodes),
            algorithm=algorithm, rebuild_every=rebuild_every, verify=verify, out=out,
            progress=progress,
        )  # fmt: skip
        if picture is not None:
            from gossamer.viz.maintenance import maintenance_picture

            progress("drawing", 1.0)
            maintenance_picture(done, picture)
    for warning in caught:
        show_note(f"warning: {warning.message}")
    if summary:
        connected = {} if verify == "never" else {"topic_connected": True}
        title = f"{done.strategy} on {interests.name}, seed {done.seed}"
        title += f", resumed after {done.resumed:,} events" if done.resumed else ""
        show_facts(title, done.summary() | connected)
    show_written(out, picture)
