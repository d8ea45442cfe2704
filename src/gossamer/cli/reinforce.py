"""``gossamer reinforce``: a few links more, so that no single failed link splits a topic."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli.display import show_facts, show_line
from gossamer.cli.input_options import (
    Delimiter,
    Follows,
    NodeColumn,
    Seed,
    Subscriptions,
    TopicColumn,
    Undirected,
    load_interests,
)
from gossamer.cli.progress import shown_progress

__all__ = ["EXAMPLES", "reinforce"]

EXAMPLES = (
    "gossamer reinforce subscriptions.csv links.parquet --out better.parquet",
    "gossamer reinforce subscriptions.csv links.csv --lower-bound --out better.csv",
)


def reinforce(
    subscriptions: Subscriptions,
    links: Annotated[
        Path,
        typer.Argument(
            help="Who is linked to whom: a table source,target, CSV, Parquet or a folder.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="Where to write all links: .parquet, .csv, .tsv, .csv.gz or .tsv.gz.",
            show_default=False,
        ),
    ],
    seed: Seed = 0,
    lower_bound: Annotated[
        bool,
        typer.Option("--lower-bound", help="Also prove how many links it takes at least."),
    ] = False,
    follows: Follows = False,
    undirected: Undirected = False,
    node_column: NodeColumn = None,
    topic_column: TopicColumn = None,
    delimiter: Delimiter = None,
) -> None:
    """Add a few links to yours, so that no single failed link splits a topic.

    All your links stay. Topics that your links leave in pieces stay so, but each piece of
    three subscribers or more is made as strong; two have only one link to lose.
    """
    from gossamer.design.resilience import make_resilient, resilience_lower_bound
    from gossamer.quality import TopicGraphs
    from gossamer.quality.resilience import failures_before_and_after
    from gossamer.tables import check_output, read_links, write_links

    check_output(out, inputs=[subscriptions, links])
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
        given = read_links(links, interests)
        start = time.perf_counter()
        overlay = make_resilient(interests, given, seed=seed, progress=progress)
        seconds = time.perf_counter() - start
        progress("checking", 1.0)
        connected = int((TopicGraphs.of(interests, overlay).components() <= 1).sum())
        facts: dict[str, int | float | str] = {
            "nodes": interests.node_count,
            "topics connected": f"{connected:,} of {interests.topic_count:,}",
            "links": overlay.link_count,
            "mean degree": 2 * overlay.link_count / max(interests.node_count, 1),
            "maximum degree": int(overlay.degrees.max(initial=0)),
            "maximum degree before": int(given.degrees.max(initial=0)),
            **failures_before_and_after(interests, given, overlay),
        }
        if lower_bound:
            progress("proving a lower bound", 1.0)
            facts["links to add at least"] = resilience_lower_bound(interests, given)
        write_links(out, interests, overlay)
    show_facts(f"{links.name} on {subscriptions.name}", {**facts, "seconds": seconds})
    if connected < interests.topic_count:
        show_line(
            f"{interests.topic_count - connected:,} topics were in pieces and still are: pieces of "
            "two keep their bridge; design connects topics, reinforce does not"
        )
    show_line(f"wrote {out}")
