"""``gossamer workload``: synthetic subscriptions, as the papers describe them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.algorithm_options import read_algorithm_options
from gossamer.cli.display import show_facts, show_line, show_table, typed_options
from gossamer.cli.engine_options import (
    Conf,
    Engine,
    EngineOption,
    Master,
    check_engine,
    spark_settings,
)
from gossamer.cli.input_options import Seed
from gossamer.cli.progress import shown_progress

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.model import Interests
    from gossamer.progress import Progress

__all__ = ["EXAMPLES", "make_interests", "workload"]

EXAMPLES = (
    "gossamer workload rss --nodes 1000 --topics 100 --seed 1 --out w.parquet",
    "gossamer workload zipf --alpha 0.8 --subscriptions 10-30 --out w.csv",
    "gossamer workload follower-graph --topics 1000 --subscriptions 9 --out w.csv",
    "gossamer workload rss --nodes 5000 --engine spark --out tables",
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
        str | None,
        typer.Option(
            metavar="PATH",
            help="Where to write the subscriptions: .parquet, .csv, .tsv, .csv.gz or .tsv.gz; "
            "with --engine spark, anything else is a folder of tables.",
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
    engine: EngineOption = Engine.memory,
    master: Master = None,
    conf: Conf = None,
) -> None:
    """Make synthetic subscriptions: a table node,topic.

    A node's topics depend only on the seed and the node, so the table is the same from
    memory and from Spark. A kind's own options are given by name, as in --alpha 0.8.
    """
    from gossamer.errors import ParameterError
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
    check_engine(engine, master, conf)
    asked = (kind, nodes, topics, subscriptions, exponent, seed, read_algorithm_options(context))
    with shown_progress() as progress:
        if engine is Engine.spark:
            facts = _write_on_spark(out, asked, master, conf, progress)
        else:
            facts = _write_in_memory(out, asked, progress)
    show_facts(f"{kind} interests, seed {seed}", facts)
    show_line(f"wrote {out}")


Asked = tuple[str, int, int, str, float | None, int, "Mapping[str, str]"]
"""Kind, nodes, topics, subscriptions, exponent, seed, and the kind's own options as text."""


def _write_in_memory(out: str, asked: Asked, progress: Progress) -> dict[str, int | float]:
    from gossamer.tables import check_output, write_interests

    check_output(out)
    progress("drawing subscriptions", 0.0)
    interests = make_interests(*asked)
    write_interests(out, interests)
    sizes, popularity = interests.subscription_sizes, interests.popularity
    return _facts(
        (interests.node_count, interests.topic_count, interests.subscription_count),
        (int(sizes.min()), int(sizes.max())),
        (int(popularity.min()), int(popularity.max())),
    )


def _write_on_spark(
    out: str, asked: Asked, master: str | None, conf: list[str] | None, progress: Progress
) -> dict[str, int | float]:
    from gossamer.pipeline import generate
    from gossamer.workloads import find_kind, parse_sizes

    kind, nodes, topics, subscriptions, exponent, seed, texts = asked
    sizes = parse_sizes(subscriptions, exponent=exponent)
    found = find_kind(kind)
    options = found.options.parse(texts)
    made = generate(
        kind,
        out,
        nodes=nodes,
        topics=topics,
        subscriptions=sizes,
        seed=seed,
        master=master,
        settings=spark_settings(conf),
        progress=progress,
        **options,
    )
    return _facts(
        (made.nodes, made.topics, made.subscriptions),
        (made.fewest_topics, made.most_topics),
        (made.fewest_subscribers, made.most_subscribers),
    )


def _facts(
    counts: tuple[int, int, int], sizes: tuple[int, int], popularity: tuple[int, int]
) -> dict[str, int | float]:
    nodes, topics, subscriptions = counts
    return {
        "nodes": nodes,
        "topics": topics,
        "subscriptions": subscriptions,
        "topics of a node, least": sizes[0],
        "topics of a node, mean": subscriptions / nodes,
        "topics of a node, most": sizes[1],
        "subscribers of a topic, least": popularity[0],
        "subscribers of a topic, mean": subscriptions / topics,
        "subscribers of a topic, most": popularity[1],
    }


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
    from gossamer.errors import ParameterError
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
