"""``gossamer workload``: synthetic subscriptions, as the papers describe them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.display import show_facts, show_line, show_table, typed_options
from gossamer.cli.inputs import Seed
from gossamer.cli.own_options import own_options
from gossamer.cli.progress import shown_progress

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.model import Interests

__all__ = ["EXAMPLES", "make_interests", "workload"]

EXAMPLES = (
    "gossamer workload rss --nodes 1000 --topics 100 --seed 1 --out w.parquet",
    "gossamer workload zipf --alpha 0.8 --subscriptions 10-30 --out w.csv",
    "gossamer workload --list",
)


def workload(
    context: typer.Context,
    kind: Annotated[
        str | None,
        typer.Argument(
            help="What kind of interests; see: gossamer workload --list.", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Where to write the subscriptions: .parquet, .csv, .tsv, .csv.gz or .tsv.gz.",
            show_default=False,
        ),
    ] = None,
    nodes: Annotated[int, typer.Option(help="How many nodes.")] = 1000,
    topics: Annotated[int, typer.Option(help="How many topics.")] = 100,
    subscriptions: Annotated[
        str,
        typer.Option(
            metavar="SIZE|MIN-MAX", help="How many topics a node has: 10, or any number in 10-30."
        ),
    ] = "10",
    exponent: Annotated[
        float | None,
        typer.Option(
            help="Sizes in MIN-MAX follow a power law with this exponent.", show_default=False
        ),
    ] = None,
    seed: Seed = 0,
    list_kinds: Annotated[bool, typer.Option("--list", help="List the kinds and stop.")] = False,
) -> None:
    """Make synthetic subscriptions: a table node,topic.

    A node's topics depend only on the seed and the node. A kind's own options are
    given by name, as in --alpha 0.8.
    """
    from gossamer.model import ParameterError
    from gossamer.tables import check_output, write_interests
    from gossamer.workloads import kinds

    if list_kinds:
        show_table(
            "Kinds of synthetic interests",
            ("name", "what it is, and where it was described", "options"),
            [
                (
                    found.name,
                    f"{found.summary.replace('`', '')}\n{found.reference}",
                    typed_options(found.options.listed),
                )
                for found in kinds().values()
            ],
            apart=True,
        )
        return
    if kind is None:
        raise ParameterError(f"no kind of interests is named; expected one of {', '.join(kinds())}")
    if out is None:
        raise ParameterError("no file to write to; name one with --out, as in --out w.parquet")
    check_output(out)
    with shown_progress() as progress:
        progress("drawing subscriptions", 0.0)
        interests = make_interests(
            kind, nodes, topics, subscriptions, exponent, seed, own_options(context)
        )
        write_interests(out, interests)
    sizes, popularity = interests.subscription_sizes, interests.popularity
    show_facts(
        f"{kind} interests, seed {seed}",
        {
            "nodes": interests.node_count,
            "topics": interests.topic_count,
            "subscriptions": interests.subscription_count,
            "topics of a node, least": int(sizes.min()),
            "topics of a node, mean": float(sizes.mean()),
            "topics of a node, most": int(sizes.max()),
            "subscribers of a topic, least": int(popularity.min()),
            "subscribers of a topic, mean": float(popularity.mean()),
            "subscribers of a topic, most": int(popularity.max()),
        },
    )
    show_line(f"wrote {out}")


def make_interests(
    kind: str,
    nodes: int,
    topics: int,
    subscriptions: str,
    exponent: float | None,
    seed: int,
    options: Mapping[str, str],
) -> Interests:
    """Generate interests from what was written on the command line."""
    from gossamer.model import ParameterError
    from gossamer.workloads import find_kind, generate_interests, parse_sizes

    interests = generate_interests(
        kind,
        nodes=nodes,
        topics=topics,
        subscriptions=parse_sizes(subscriptions, exponent=exponent),
        seed=seed,
        **find_kind(kind).options.parse(options),
    )
    if not interests.subscription_count:
        raise ParameterError(
            f"no node has a topic with --nodes {nodes} and --subscriptions {subscriptions}; "
            "expected 1 or more of both"
        )
    return interests
