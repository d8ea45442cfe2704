"""``gossamer assess``: how good a table of links is for a table of subscriptions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli.display import show_facts, show_line
from gossamer.cli.inputs import (
    Delimiter,
    Follows,
    NodeColumn,
    Subscriptions,
    TopicColumn,
    Undirected,
    load_interests,
)
from gossamer.cli.progress import shown_progress

__all__ = ["EXAMPLES", "assess"]

EXAMPLES = (
    "gossamer assess subscriptions.csv links.parquet",
    "gossamer assess subscriptions.csv links.csv --per-topic topics.csv",
    "gossamer assess subscriptions.csv links.parquet --no-lower-bound --json",
)


def assess(
    subscriptions: Subscriptions,
    links: Annotated[
        Path,
        typer.Argument(
            help="Who is linked to whom: a table source,target, CSV or Parquet.",
            show_default=False,
        ),
    ],
    lower_bound: Annotated[
        bool,
        typer.Option(
            "--lower-bound/--no-lower-bound",
            help="Also prove how small a mean degree could be at all.",
        ),
    ] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, for machines, instead of a table.")
    ] = False,
    per_topic: Annotated[
        Path | None,
        typer.Option(
            help="Also write a table of topics: subscribers, components, diameter.",
            show_default=False,
        ),
    ] = None,
    follows: Follows = False,
    undirected: Undirected = False,
    node_column: NodeColumn = None,
    topic_column: TopicColumn = None,
    delimiter: Delimiter = None,
) -> None:
    """Measure an overlay: degrees, topics connected, exact topic diameters."""
    from gossamer import quality
    from gossamer.tables import TOPICS, check_output, names_array, read_links, write_table

    if per_topic is not None:
        check_output(per_topic, inputs=[subscriptions, links])
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
            )
            write_table(per_topic, table)
    summary = assessment.summary()
    if as_json:
        typer.echo(json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False))
        return
    show_facts(f"{links.name} on {subscriptions.name}", summary)
    if per_topic is not None:
        show_line(f"wrote {per_topic}")
