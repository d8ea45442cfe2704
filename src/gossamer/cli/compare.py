"""``gossamer compare``: design algorithms side by side on the same interests."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from gossamer.atomic_files import title_of
from gossamer.cli.experiment import (
    MeasureOptions,
    OptionalSubscriptions,
    ResultOptions,
    open_session,
    options_of_workload,
    show_faults,
    show_recommendations,
    show_rows,
    split_list,
    with_origin,
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
from gossamer.errors import ParameterError

EXAMPLES = (
    "gossamer compare subscriptions.csv --picture comparison.png",
    "gossamer compare subscriptions.csv --algorithms greedy-merge,low-oda:rho=5",
    "gossamer compare subs.csv --algorithms low-oda,low-oda:resilient=yes",
    "gossamer compare --workload rss --nodes 1000 --topics 100 --subscriptions 10",
    "gossamer compare subscriptions.csv --seeds 5 --metrics clustering,bridges",
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
        bool, option("With --report: add a profile of the table to the page.")
    ] = False,
    *,
    measures: MeasureOptions,
    results: ResultOptions,
    seed: Seed = 0,
    engine: EngineOptions,
    workload: WorkloadOptions,
    table: TableOptions,
) -> None:
    """Run design algorithms on the same interests, show them side by side, and recommend some.

    Seconds are those of the design alone, without compilation. The last column is the mean degree
    as a multiple of a proven lower bound for any overlay that connects every topic. Diameters are
    over topics with two or more subscribers; of a disconnected topic, the component of the largest
    diameter counts. If an algorithm fails, its row says why, and the exit code is 1.
    """
    from gossamer.experiments import candidates, comparison, recommendation
    from gossamer.viz.comparison import comparison_page, comparison_picture

    results.check(subscriptions)
    if with_profile and not (results.report and subscriptions):
        raise ParameterError(
            "--with-profile puts a profile of a table on the page; give the table and --report too"
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
                from gossamer.pipeline import profile_in_memory
                from gossamer.viz.profile import profile_sections

                profiled = profile_in_memory(
                    str(subscriptions), seed=seed, follows=table.follows,
                    read=lambda path: interests, progress=progress,
                )  # fmt: skip
                sections = profile_sections(profiled)
            found = comparison.compare(
                interests, names, **measures.arguments, seed=seed, progress=progress,
                session=session,
            )  # fmt: skip
        name = workload.workload or title_of(subscriptions or "")
        title = f"Overlay algorithms on {name}{' interests' * bool(workload.workload)}"
        found = with_origin(found, context, title, subscriptions, table)
        advice = recommendation.recommend(found)
        results.write(
            progress,
            table=found.to_arrow,
            picture=partial(comparison_picture, found),
            save=found.save,
            page=partial(comparison_page, found, profile=sections, advice=advice),
        )
    show_rows(name, found, found.rows)
    show_recommendations(advice)
    results.show()
    show_faults(found.faults)
