"""``gossamer front``: the Pareto front of links and path lengths, with recommendations."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import typer

from gossamer.atomic_files import title_of
from gossamer.cli.display import add_json, show_line
from gossamer.cli.experiment import (
    CandidateOptions,
    ConstraintOptions,
    OptionalSubscriptions,
    ResultOptions,
    open_session,
    options_of_workload,
    resume_notice,
    show_faults,
    show_recommendations,
    show_rows,
    with_origin,
)
from gossamer.cli.options import (
    EngineOptions,
    Seed,
    TableOptions,
    WorkloadOptions,
    as_uri,
    expand,
    load_interests,
)
from gossamer.cli.progress import show_progress

if TYPE_CHECKING:
    from gossamer.experiments.pareto_front import Front

EXAMPLES = (
    "gossamer front subscriptions.csv --picture front.png",
    "gossamer front subscriptions.csv --hops 12 --max-degree 20",
    "gossamer front subscriptions.csv --rho 2,3 --no-protocols --report front.html",
    "gossamer front --workload rss --nodes 300 --topics 30 --subscriptions 5",
    "gossamer front subscriptions.csv --algorithms greedy-merge,cd-oda --save work",
)


@expand
def front(
    context: typer.Context,
    subscriptions: OptionalSubscriptions = None,
    *,
    constraints: ConstraintOptions,
    chosen: CandidateOptions,
    results: ResultOptions,
    seed: Seed = 0,
    engine: EngineOptions,
    workload: WorkloadOptions,
    table: TableOptions,
) -> None:
    """Find the degree–diameter Pareto front, and recommend overlays.

    Runs algorithms, at several values of their parameters, and protocols on the same
    subscriptions. A star marks the overlays that no other dominates in mean degree, maximum degree
    and maximum topic diameter. The recommendations follow, each with its command.
    """
    from gossamer.experiments import pareto_front, partitioned_front, recommendation
    from gossamer.viz.front import front_page, front_picture

    results.check(subscriptions)
    asked = chosen.parse()
    options = options_of_workload(context, subscriptions)
    with resume_notice(results.save), show_progress() as progress:
        asked |= {"seed": seed, "save": results.save, "progress": progress}
        if engine.on_spark and subscriptions is not None and not table.follows:
            table.require_columns(subscriptions)
            with open_session(engine, progress) as session:
                found = partitioned_front.front_of_table(
                    as_uri(subscriptions), partial(table.read, subscriptions), session=session,
                    **asked, **table.columns,
                )  # fmt: skip
        else:
            progress("reading subscriptions", 0.0)
            given = (subscriptions, table, workload)
            interests = load_interests(context, *given, seed=seed, options=options)
            with open_session(engine, progress) as session:
                found = pareto_front.front(interests, session=session, **asked)
        name = workload.workload or title_of(subscriptions or "")
        compared = with_origin(
            found.comparison, context, f"The degree–diameter front of {name}", subscriptions, table,
            more=" --engine spark" * found.partitioned,
        )  # fmt: skip
        found = replace(found, comparison=compared)
        advice = recommendation.recommend(found, **vars(constraints))
        results.write(
            progress,
            table=found.table,
            picture=partial(front_picture, found),
            save=found.comparison.save,
            page=partial(front_page, found, advice=advice),
        )
    _show(found, name)
    show_recommendations(advice)
    results.show()
    show_faults(found.faults)


def _show(found: Front, name: str) -> None:
    """Print all points, the shortest paths first, and mark those of the front."""
    points = sorted(found.points, key=lambda p: (p.max_diameter, p.mean_degree, p.max_degree))
    marks = {
        point.label: "*" if "all" in point.on else "" if point.topic_connected else "disconnected"
        for point in points
    }
    show_rows(name, found.comparison, points, marks, found.bound_method)
    add_json(bound_method=found.bound_method, left_out=found.left_out)
    for label, why in found.left_out.items():
        if label not in found.failed:
            show_line(f"left out: {label}; {why}")
