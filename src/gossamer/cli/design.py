"""``gossamer design``: a table of subscriptions becomes a table of links."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gossamer.cli.algorithm_options import read_algorithm_options
from gossamer.cli.display import show_facts, show_line
from gossamer.cli.options import EngineOptions, Seed, Subscriptions, TableOptions, as_uri, expand
from gossamer.cli.progress import shown_progress
from gossamer.errors import ParameterError

if TYPE_CHECKING:
    from gossamer.progress import Progress

__all__ = ["EXAMPLES", "design"]

EXAMPLES = (
    "gossamer design subscriptions.csv --out links.parquet",
    "gossamer design subscriptions.csv --algorithm low-oda --rho 3 --out links.csv",
    "gossamer design subscriptions.csv --algorithm bounded-radius --out links.csv",
    "gossamer design subscriptions.csv --resilient --out links.parquet",
    "gossamer design t.tsv --node-column user --topic-column page --out links.csv",
    "gossamer design follows.txt.gz --follows --out links.parquet",
    "gossamer design tables --engine spark --out tables",
    "gossamer design tables --engine spark --algorithm bounded-radius --out tables",
)


@expand
def design(
    context: typer.Context,
    subscriptions: Subscriptions,
    out: Annotated[
        Path,
        typer.Option(
            help="File of the links: .parquet, .csv, .tsv, .csv.gz or .tsv.gz; with "
            "--engine spark also a folder of tables.",
            show_default=False,
        ),
    ],
    table: TableOptions,
    engine: EngineOptions,
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="Name of the algorithm; see: gossamer algorithms (default: greedy-merge; on "
            "Spark partitioned-merge, or bounded-radius).",
            show_default=False,
        ),
    ] = None,
    resilient: Annotated[
        bool,
        typer.Option(
            "--resilient",
            help="Add links until no single link failure disconnects a topic.",
        ),
    ] = False,
    beside_exact: Annotated[
        bool,
        typer.Option(
            "--beside-exact",
            help="With --engine spark: also run greedy merge in memory, to compare degrees.",
        ),
    ] = False,
    seed: Seed = 0,
) -> None:
    """Choose links so that the subscribers of every topic are connected.

    Writes a table source,target with your own node names. Options of an algorithm are given
    by name, as in --rho 3 or --radius 6 --degree-cap 12; gossamer algorithms lists them. On
    Spark, an interrupted design resumes when the same command is given again.
    """
    import gossamer
    from gossamer import pipeline, tables

    given = read_algorithm_options(context)
    common: dict[str, Any] = {"seed": seed, "resilient": resilient}
    title = f"{subscriptions.name}, on Spark" if engine.on_spark else subscriptions.name
    with shown_progress() as progress:
        if engine.on_spark:
            algorithm = algorithm or "partitioned-merge"
            options = pipeline.parse_spark_options(algorithm, given)
            table.require_columns(subscriptions)
            facts = pipeline.design(
                as_uri(subscriptions), as_uri(out), algorithm=algorithm, options=options,
                **common, **table.columns, **engine.session, progress=progress,
            ).summary()  # fmt: skip
            if beside_exact:
                facts |= _exact(subscriptions, table, seed, progress)
        else:
            if beside_exact:
                raise ParameterError("--beside-exact is about Spark; give --engine spark too")
            algorithm = algorithm or "greedy-merge"
            tables.check_output(out, inputs=[subscriptions])
            options = gossamer.find_algorithm(algorithm).options.parse(given)
            progress(f"reading {subscriptions.name}", 0.0)
            interests = table.read(subscriptions)
            made = gossamer.design(interests, algorithm, **common, progress=progress, **options)
            tables.write_links(out, interests, made.overlay)
            facts = made.summary()
    show_facts(f"{algorithm} on {title}", facts)
    if resilient and not facts["topic-connected"]:
        show_line("topics that are disconnected stay so; components of two keep their bridge")
    show_line(f"wrote {out}")


def _exact(path: Path, table: TableOptions, seed: int, progress: Progress) -> dict[str, Any]:
    """Run greedy merge in memory and return its degrees and time, by label."""
    import gossamer

    facts = gossamer.design(table.read(path), seed=seed, progress=progress).summary()
    labels = ("mean degree", "maximum degree", "seconds")
    return {f"exact greedy merge, {label}": facts[label] for label in labels}
