"""``gossamer assess``: measure an overlay for a table of subscriptions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from gossamer.atomic_files import title_of
from gossamer.cli.display import show_facts, show_written
from gossamer.cli.options import (
    EngineOptions,
    Links,
    PictureOptions,
    Subscriptions,
    TableOptions,
    as_uri,
    expand,
    option,
    output_table,
)
from gossamer.cli.progress import show_progress

EXAMPLES = (
    "gossamer assess subscriptions.csv links.parquet",
    "gossamer assess subscriptions.csv links.csv --per-topic topics.csv",
    "gossamer assess subscriptions.csv links.csv --failures failures.csv",
    "gossamer assess subscriptions.csv links.csv --picture overlay.svg",
    "gossamer assess subscriptions.csv links.csv --picture tea.png --topic tea",
    "gossamer assess subscriptions.csv links.parquet --no-lower-bound --json",
    "gossamer assess tables tables --engine spark",
)


@expand
def assess(
    subscriptions: Subscriptions,
    links: Links,
    table: TableOptions,
    engine: EngineOptions,
    drawing: PictureOptions,
    lower_bound: Annotated[
        bool,
        option(
            "Prove a lower bound on the mean degree of any overlay (in memory only).",
            "--lower-bound/--no-lower-bound",
        ),
    ] = True,
    per_topic: Annotated[
        Path | None, output_table("Table of the components, diameter and bridges of each topic")
    ] = None,
    failures: Annotated[
        Path | None,
        output_table(
            "Table node,topic of the nodes whose failure disconnects a topic (in memory only)"
        ),
    ] = None,
) -> None:
    """Measure an overlay: degrees, connected topics, exact topic diameters, single failures.

    On Spark, measures that a design of the same subscriptions wrote to the folder are reused.
    """
    from gossamer import pipeline, quality, tables
    from gossamer.errors import ParameterError

    for place in filter(None, (per_topic, failures)):
        tables.check_output(place, inputs=[subscriptions, links])
    drawing.check(engine, subscriptions, links, per_topic)
    if engine.on_spark and failures is not None:
        raise ParameterError("--failures is a table of --engine memory; leave it out")
    with show_progress() as progress:
        if engine.on_spark:
            table.require_columns(subscriptions, links)
            assessment = pipeline.assess(
                as_uri(subscriptions), as_uri(links), out=per_topic,
                **table.columns, **engine.session, progress=progress,
            )  # fmt: skip
        else:
            progress(f"reading {title_of(subscriptions)}", 0.0)
            interests = table.read(subscriptions)
            drawing.topic_of(interests)
            overlay = tables.read_links(links, interests)
            assessment = quality.assess(
                interests, overlay, lower_bound=lower_bound, progress=progress
            )
            if per_topic is not None:
                columns = (assessment.topic_components, assessment.topic_diameters)
                topics = tables.topics_table(interests, *columns, *assessment.topic_resilience)
                tables.write_table(per_topic, topics)
            if failures is not None:
                cuts = quality.articulation_points(interests, overlay)
                tables.write_table(failures, tables.failures_table(interests, *cuts))
            drawing.draw(interests, overlay, progress)
    show_facts(f"{title_of(links)} on {title_of(subscriptions)}", assessment.summary())
    show_written(per_topic, failures, drawing.picture)
