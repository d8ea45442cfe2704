"""``gossamer maintain``: keep an overlay topic-connected under churn."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Literal

import typer

from gossamer.atomic_files import title_of
from gossamer.cli.algorithm_options import divide, read_algorithm_options
from gossamer.cli.common_options import show_note
from gossamer.cli.display import show_facts, show_meanings, show_registry, show_written
from gossamer.cli.options import ListNames, Seed, TableOptions, argument, expand, option
from gossamer.cli.progress import show_progress
from gossamer.cli.rebuild_options import RebuildOptions, show_resilience

EXAMPLES = (
    "gossamer maintain subs.csv links.csv --events churn.csv --out kept",
    "gossamer maintain subscriptions.csv --picture d.png --out kept",
    "gossamer maintain subscriptions.csv --rebuild-check 99 --out kept",
    "gossamer maintain --list",
)

Verify = Literal["every", "end", "never"]


@expand
def maintain(
    context: typer.Context,
    subscriptions: Annotated[
        Path | None, argument("Table of subscriptions of every node that may ever be present.")
    ] = None,
    links: Annotated[
        Path | None,
        argument("Links at the start: a table source,target (default: designed by --algorithm)."),
    ] = None,
    *,
    events: Annotated[
        str,
        option(
            "Table time,node,event[,topic] or node,start,end in microseconds (time_s, start_s and "
            "end_s in seconds) or dates; or random joins and leaves, one per second.",
            metavar="TABLE|rounds:COUNT",
        ),
    ] = "rounds:1000",
    out: Annotated[Path | None, option("Folder for the six tables of the run.")] = None,
    strategy: Annotated[str, option("Strategy that repairs the overlay; see --list.")] = "elasto-g",
    verify: Annotated[Verify, option("When to verify that every topic is connected.")] = "end",
    picture: Annotated[
        Path | None, option("Picture of the degrees: .png, .svg, .pdf or .html.")
    ] = None,
    summary: Annotated[bool, option("Print a summary.", "--summary/--no-summary")] = True,
    seed: Seed = 0,
    list_strategies: ListNames = False,
    rebuild: RebuildOptions,
    table: TableOptions,
) -> None:
    """Keep an overlay topic-connected while nodes join, leave and change their interests.

    Events are join, leave, subscribe and unsubscribe; the last two have a topic. A node whose first
    event is a join is absent at the start. Links of absent nodes are left out, and topics that this
    disconnects are repaired in round 0, before the first event. Repairs keep topics connected, not
    resilient; gossamer reinforce removes new bridges. The tables have links and subscriptions at
    the end, all changes, and degrees of each event. Their times are microseconds: from 0 of the
    events, or from the first of dates, which are in a column date too. If an interrupted command is
    given again, it resumes; elasto-l starts over. Options of a strategy are given by name: --rho 5.
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
    if subscriptions is None or out is None:
        missing = "a table of subscriptions" if subscriptions is None else "--out FOLDER"
        raise ParameterError(f"an argument is missing; expected {missing}")
    if picture is not None:
        from gossamer.viz.output import check_picture

        check_picture(picture, inputs=[subscriptions, links])
    options = find_strategy(split_spec(strategy)[0]).options
    design = find_algorithm(split_spec(rebuild.algorithm or "low-oda")[0]).all_options
    designs = rebuild.designs(links)
    known = design if designs or rebuild.rebuild_check else None
    own, of_design = divide(read_algorithm_options(context), options, known)
    algorithm = rebuild.spec(of_design)
    with show_progress() as progress, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        progress(f"reading {title_of(subscriptions)}", 0.0)
        nodes = table.read(subscriptions)
        done = run(
            Scenario(nodes, churn=events, seed=seed),
            join_spec(strategy, own),
            None if links is None else tables.read_links(links, nodes),
            algorithm=algorithm if designs or not rebuild.rebuild_check else None,
            rebuild_every=rebuild.rebuild_every, verify=verify, out=out, progress=progress,
        )  # fmt: skip
        checks = rebuild.compare(done, algorithm, progress)
        if picture is not None:
            from gossamer.viz.maintenance import maintenance_picture

            progress("drawing", 1.0)
            maintenance_picture(done, picture)
    for warning in caught:
        show_note(f"warning: {warning.message}")
    if summary:
        connected = {} if verify == "never" else {"topic_connected": True}
        title = f"{done.strategy} on {title_of(subscriptions)}, seed {done.seed}"
        title += f", resumed after {done.resumed:,} events" if done.resumed else ""
        show_facts(title, done.summary() | connected)
        show_resilience(done.failures, out)
    rebuild.show(checks, out)
    show_written(out, picture)
