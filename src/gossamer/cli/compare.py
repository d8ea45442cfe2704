"""``gossamer compare``: design algorithms side by side on the same interests."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import typer

from gossamer.cli.experiment import (
    OptionalSubscriptions,
    ResultOptions,
    open_session,
    options_of_workload,
    show_recommendations,
    show_rows,
    split_list,
    typed_table,
)
from gossamer.cli.options import (
    EngineOptions,
    Seed,
    TableOptions,
    WorkloadOptions,
    expand,
    load_interests,
    option,
)
from gossamer.cli.progress import show_progress
from gossamer.cli.typed_command import typed_command
from gossamer.errors import ParameterError

EXAMPLES = (
    "gossamer compare subscriptions.csv --picture comparison.png",
    "gossamer compare subscriptions.csv --algorithms greedy-merge,low-oda:rho=5",
    "gossamer compare subs.csv --algorithms low-oda,low-oda:resilient=yes",
    "gossamer compare --workload rss --nodes 1000 --topics 100 --subscriptions 10",
    "gossamer compare subscriptions.csv --report page.html --save comparison",
)


@expand
def compare(
    context: typer.Context,
    subscriptions: OptionalSubscriptions = None,
    algorithms: Annotated[
        str | None,
        option("Algorithms, separated by commas, with options as in low-oda:rho=5 (default: all)."),
    ] = None,
    with_profile: Annotated[
        bool, option("With --engine spark and --report: add a workload profile to the page.")
    ] = False,
    *,
    results: ResultOptions,
    seed: Seed = 0,
    engine: EngineOptions,
    workload: WorkloadOptions,
    table: TableOptions,
) -> None:
    """Run design algorithms on the same interests, show them side by side, and recommend some.

    Seconds are those of the design alone, without compilation. The last column is the mean degree
    as a multiple of a proven lower bound for any overlay that connects every topic. Diameters are
    over topics with two or more subscribers; that of a disconnected topic is the diameter of its
    widest component.
    """
    from gossamer.experiments import candidates, comparison, recommendation
    from gossamer.viz.comparison import comparison_page, comparison_picture

    results.check(subscriptions)
    if with_profile and not (engine.on_spark and results.report and subscriptions):
        raise ParameterError(
            "--with-profile puts a profile of a table on the page; give the table, --engine spark "
            "and --report too"
        )
    names = split_list(algorithms)
    candidates.parse_candidates(names)
    options = options_of_workload(context, subscriptions)
    sections: Any = ()
    with show_progress() as progress:
        progress("reading subscriptions", 0.0)
        interests = load_interests(
            context, subscriptions, table, workload, seed=seed, options=options
        )
        with open_session(engine, progress) as session:
            if with_profile:
                from gossamer import pipeline
                from gossamer.viz.profile import profile_sections

                sections = profile_sections(
                    pipeline.profile(
                        str(subscriptions),
                        seed=seed,
                        session=session,
                        progress=progress,
                        **table.columns,
                    )
                )
            found = comparison.compare(
                interests, names, seed=seed, progress=progress, session=session
            )
        name = workload.workload or str(getattr(subscriptions, "name", ""))
        title = f"Overlay algorithms on {name}{' interests' * bool(workload.workload)}"
        typed = "FILE" if subscriptions is None else typed_table(subscriptions, table)
        command = typed_command(context)
        origin = replace(found.origin, title=title, command=command, table=typed)
        found = replace(found, origin=origin)
        advice = recommendation.recommend(found)
        results.write(
            progress,
            table=found.table,
            picture=partial(comparison_picture, found),
            save=found.save,
            page=partial(comparison_page, found, profile=sections, advice=advice),
        )
    show_rows(name, found, found.rows)
    show_recommendations(advice)
    results.show()
