"""``gossamer workload``: synthetic subscriptions, as the papers describe them."""

from __future__ import annotations

from typing import Annotated

import typer

from gossamer.cli.algorithm_options import read_algorithm_options
from gossamer.cli.display import show_facts, show_registry, show_written
from gossamer.cli.options import (
    EngineOptions,
    ListNames,
    Seed,
    SizeOptions,
    argument,
    expand,
    output_table,
)
from gossamer.cli.progress import show_progress

EXAMPLES = (
    "gossamer workload rss --nodes 1000 --topics 100 --seed 1 --out w.parquet",
    "gossamer workload zipf:alpha=0.8 --subscriptions 10-30 --out w.csv",
    "gossamer workload follower-graph --topics 1000 --subscriptions 9 --out w.csv",
    "gossamer workload rss --nodes 5000 --engine spark --out tables",
    "gossamer workload --list",
)


@expand
def workload(
    context: typer.Context,
    engine: EngineOptions,
    size: SizeOptions,
    kind: Annotated[
        str | None, argument("Kind of interests, as in zipf:alpha=0.8; see --list.")
    ] = None,
    out: Annotated[
        str | None,
        output_table(
            "File of the subscriptions; with --engine spark, also a folder of tables",
            metavar="PATH",
        ),
    ] = None,
    seed: Seed = 0,
    list_kinds: ListNames = False,
) -> None:
    """Generate synthetic subscriptions: a table node,topic.

    The topics of a node depend only on the seed and the node, so memory and Spark give the same
    table. Options of a kind are given by name, as in --alpha 0.8.
    """
    from gossamer.errors import ParameterError
    from gossamer.pipeline import GenerateResult, generate
    from gossamer.tables import check_output, write_interests
    from gossamer.workloads import generate_workload, kinds

    if list_kinds:
        show_registry("Kinds of synthetic interests", kinds().values(), key="kinds")
        return
    if kind is None:
        raise ParameterError(f"no kind of interests is named; expected one of {', '.join(kinds())}")
    if out is None:
        raise ParameterError("no file to write to; name one with --out, as in --out w.parquet")
    spec = size.spec(kind, seed, read_algorithm_options(context))
    with show_progress() as progress:
        if engine.on_spark:
            made = generate(
                spec.kind, out, nodes=size.nodes, topics=size.topics, subscriptions=size.sizes,
                seed=seed, **engine.session, progress=progress,
                **spec.options,
            )  # fmt: skip
        else:
            check_output(out)
            progress("drawing subscriptions", 0.0)
            interests = generate_workload(spec)
            write_interests(out, interests)
            made = GenerateResult.of(out, interests)
    show_facts(f"{spec.kind} interests, seed {seed}", made.summary())
    show_written(out)
