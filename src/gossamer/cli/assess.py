"""``gossamer assess``: how good a table of links is for a table of subscriptions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.display import show_facts, show_line
from gossamer.cli.engine_options import (
    Conf,
    Engine,
    EngineOption,
    Master,
    check_engine,
    spark_settings,
)
from gossamer.cli.input_options import (
    Delimiter,
    Follows,
    NodeColumn,
    Subscriptions,
    TopicColumn,
    Undirected,
    as_place,
    check_there,
    load_interests,
)
from gossamer.cli.progress import shown_progress

if TYPE_CHECKING:
    from gossamer.quality import Assessment

__all__ = ["EXAMPLES", "assess"]

EXAMPLES = (
    "gossamer assess subscriptions.csv links.parquet",
    "gossamer assess subscriptions.csv links.csv --per-topic topics.csv",
    "gossamer assess subscriptions.csv links.parquet --no-lower-bound --json",
    "gossamer assess tables tables --engine spark",
)


def assess(
    subscriptions: Subscriptions,
    links: Annotated[
        Path,
        typer.Argument(
            help="Who is linked to whom: a table source,target, CSV, Parquet or a folder.",
            show_default=False,
        ),
    ],
    lower_bound: Annotated[
        bool,
        typer.Option(
            "--lower-bound/--no-lower-bound",
            help="Also prove how small a mean degree could be at all (in memory only).",
        ),
    ] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, for machines, instead of a table.")
    ] = False,
    per_topic: Annotated[
        Path | None,
        typer.Option(
            help="Also write a table of topics: subscribers, components, diameter, bridges.",
            show_default=False,
        ),
    ] = None,
    engine: EngineOption = Engine.memory,
    master: Master = None,
    conf: Conf = None,
    follows: Follows = False,
    undirected: Undirected = False,
    node_column: NodeColumn = None,
    topic_column: TopicColumn = None,
    delimiter: Delimiter = None,
) -> None:
    """Measure an overlay: degrees, topics connected, exact topic diameters, single failures."""
    check_engine(engine, master, conf)
    from gossamer import quality
    from gossamer.tables import TOPICS, check_output, names_array, read_links, write_table

    if per_topic is not None:
        check_output(per_topic, inputs=[subscriptions, links])
    if engine is Engine.spark:
        from gossamer import pipeline
        from gossamer.model import ParameterError

        if follows:
            raise ParameterError(
                "--follows reads an edge list in memory; for Spark, make a table of it first: "
                "gossamer ingest snap FILE --out tables"
            )
        check_there(subscriptions, links)
        with shown_progress() as progress:
            assessment = pipeline.assess(
                as_place(subscriptions),
                as_place(links),
                out=per_topic,
                node=node_column or "node",
                topic=topic_column or "topic",
                delimiter=delimiter,
                master=master,
                settings=spark_settings(conf),
                progress=progress,
            )
        _show(assessment, subscriptions, links, as_json, per_topic)
        return
    with shown_progress() as progress:
        progress(f"reading {subscriptions.name}", 0.0)
        interests = load_interests(
            subscriptions,
            follows=follows,
            undirected=undirected,
            node_column=node_column,
            topic_column=topic_column,
            delimiter=delimiter,
        )
        overlay = read_links(links, interests)
        assessment = quality.assess(interests, overlay, lower_bound=lower_bound, progress=progress)
        if per_topic is not None:
            table = TOPICS.table(
                names_array(interests.topic_names, "topic"),
                interests.popularity,
                assessment.topic_components,
                assessment.topic_diameters,
                *assessment.topic_resilience,
            )
            write_table(per_topic, table)
    _show(assessment, subscriptions, links, as_json, per_topic)


def _show(
    assessment: Assessment, subscriptions: Path, links: Path, as_json: bool, per_topic: Path | None
) -> None:
    summary = assessment.summary()
    if as_json:
        typer.echo(json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False))
        return
    show_facts(f"{links.name} on {subscriptions.name}", summary)
    if per_topic is not None:
        show_line(f"wrote {per_topic}")
