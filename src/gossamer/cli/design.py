"""``gossamer design``: design an overlay for a table of subscriptions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gossamer.atomic_files import LINK_ENDINGS, title_of
from gossamer.cli.algorithm_options import read_algorithm_options
from gossamer.cli.display import show_facts, show_line, show_written
from gossamer.cli.exact_degrees import exact_facts
from gossamer.cli.options import (
    EngineOptions,
    PictureOptions,
    Seed,
    Subscriptions,
    TableOptions,
    as_uri,
    expand,
    option,
    output_table,
)
from gossamer.cli.progress import show_progress
from gossamer.errors import ParameterError
from gossamer.options import split_spec

EXAMPLES = (
    "gossamer design subscriptions.csv --out links.parquet",
    "gossamer design subscriptions.csv --algorithm low-oda --rho 3 --out links.csv",
    "gossamer design subscriptions.csv --resilient --out - --quiet",
    "gossamer design subscriptions.csv --out links.graphml --picture overlay.svg",
    "gossamer design t.tsv --node-column user --topic-column page --out links.csv",
    "gossamer design follows.txt.gz --follows --out links.parquet",
    "gossamer design subscriptions.csv --start links.csv --out joined.csv",
    "gossamer design tables --engine spark --out tables",
)


@expand
def design(
    context: typer.Context,
    subscriptions: Subscriptions,
    out: Annotated[
        Path,
        output_table(
            "File of the links; with --engine spark, a folder of tables or a table",
            endings=LINK_ENDINGS,
        ),
    ],
    table: TableOptions,
    engine: EngineOptions,
    algorithm: Annotated[
        str | None,
        option(
            "Algorithm, also with options, as in low-oda:rho=5; see: gossamer algorithms (default: "
            "greedy-merge). On Spark: partitioned-merge (default) or bounded-radius."
        ),
    ] = None,
    resilient: Annotated[
        bool, option("Add links until no single link failure disconnects a topic.")
    ] = False,
    start: Annotated[
        Path | None, option("Links to keep; greedy merge adds links until topics are connected.")
    ] = None,
    compare_exact: Annotated[
        bool, option("With --engine spark: also run greedy merge in memory, to compare degrees.")
    ] = False,
    seed: Seed = 0,
    *,
    drawing: PictureOptions,
) -> None:
    """Choose links so that the subscribers of every topic are connected.

    Writes a table source,target of node names. Options of an algorithm are given by name, as in
    --rho 3 or --radius 6 --degree-cap 12; gossamer algorithms lists them. Seconds are those of the
    design alone. On Spark, an interrupted design resumes when the same command is given again.
    """
    import gossamer
    from gossamer import pipeline, tables
    from gossamer.experiments.measurement import load_kernels

    given = read_algorithm_options(context) | ({"resilient": "yes"} if resilient else {})
    drawing.check(engine, subscriptions, out)
    title = f"{title_of(subscriptions)}{', on Spark' * engine.on_spark}"
    with show_progress() as progress:
        if engine.on_spark:
            name, texts = split_spec(algorithm or "partitioned-merge", given)
            options = pipeline.parse_spark_options(name, texts)
            table.require_columns(subscriptions)
            if start is not None:
                raise ParameterError("--start applies in memory; leave out --engine spark")
            facts = pipeline.design(
                as_uri(subscriptions), as_uri(out), algorithm=name, options=options, seed=seed,
                **table.columns, **engine.session, progress=progress,
            ).summary()  # fmt: skip
            if compare_exact:
                facts |= exact_facts(subscriptions, table, seed, progress)
        else:
            if compare_exact:
                raise ParameterError("--compare-exact applies to Spark; give --engine spark too")
            name, texts = split_spec(algorithm or "greedy-merge", given)
            tables.check_output(out, LINK_ENDINGS, inputs=[subscriptions, start])
            options = gossamer.find_algorithm(name).all_options.parse(texts)
            progress(f"reading {title_of(subscriptions)}", 0.0)
            interests = table.read(subscriptions)
            drawing.topic_of(interests)
            kept = None if start is None else tables.read_links(start, interests)
            load_kernels(gossamer.find_algorithm(name), options, start=kept)
            made = gossamer.design(
                interests, name, seed=seed, start=kept, progress=progress, **options
            )
            tables.write_links(out, interests, made.overlay)
            facts = made.summary()
            drawing.draw(interests, made.overlay, progress)
    show_facts(f"{name} on {title}", facts)
    if options.get("resilient") and not facts["topic_connected"]:
        show_line("disconnected topics stay disconnected; components of two keep their bridge")
    show_written(out, drawing.picture)
