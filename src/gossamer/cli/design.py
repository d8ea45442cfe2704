"""``gossamer design``: a table of subscriptions becomes a table of links."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli.display import show_facts, show_line
from gossamer.cli.inputs import (
    Delimiter,
    Follows,
    NodeColumn,
    Seed,
    Subscriptions,
    TopicColumn,
    Undirected,
    load_interests,
)
from gossamer.cli.own_options import own_options
from gossamer.cli.progress import shown_progress

__all__ = ["EXAMPLES", "design"]

EXAMPLES = (
    "gossamer design subscriptions.csv --out links.parquet",
    "gossamer design subscriptions.csv --algorithm low-oda --rho 3 --out links.csv",
    "gossamer design t.tsv --node-column user --topic-column page --out links.csv",
    "gossamer design follows.txt.gz --follows --out links.parquet",
)


def design(
    context: typer.Context,
    subscriptions: Subscriptions,
    out: Annotated[
        Path,
        typer.Option(
            help="Where to write the links: .parquet, .csv, .tsv, .csv.gz or .tsv.gz.",
            show_default=False,
        ),
    ],
    algorithm: Annotated[
        str, typer.Option(help="How to choose them; see: gossamer algorithms.")
    ] = "greedy-merge",
    seed: Seed = 0,
    follows: Follows = False,
    undirected: Undirected = False,
    node_column: NodeColumn = None,
    topic_column: TopicColumn = None,
    delimiter: Delimiter = None,
) -> None:
    """Choose links so that every topic's subscribers are connected.

    Writes a table source,target with your own node names. An algorithm's own
    options are given by name, as in --rho 3.
    """
    from gossamer.design import find_algorithm
    from gossamer.model import GossamerError
    from gossamer.quality import is_topic_connected
    from gossamer.tables import check_output, write_links

    check_output(out, inputs=[subscriptions])
    chosen = find_algorithm(algorithm)
    options = chosen.options.parse(own_options(context))
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
        start = time.perf_counter()
        overlay = chosen(interests, seed=seed, progress=progress, **options)
        seconds = time.perf_counter() - start
        progress("checking", 1.0)
        connected = is_topic_connected(interests, overlay)
        if chosen.topic_connected and not connected:
            raise GossamerError(
                f"{algorithm} left a topic in pieces although it promises not to; that is a bug "
                "in gossamer, and nothing was written"
            )
        write_links(out, interests, overlay)
    degrees = overlay.degrees
    show_facts(
        f"{algorithm} on {subscriptions.name}",
        {
            "nodes": interests.node_count,
            "topics": interests.topic_count,
            "subscriptions": interests.subscription_count,
            "duplicates merged": interests.duplicates,
            "links": overlay.link_count,
            "mean degree": float(degrees.mean()) if len(degrees) else 0.0,
            "maximum degree": int(degrees.max(initial=0)),
            "topic-connected": connected,
            "seconds": seconds,
        },
    )
    show_line(f"wrote {out}")
