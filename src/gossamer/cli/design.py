"""``gossamer design``: a table of subscriptions becomes a table of links."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gossamer.cli.algorithm_options import own_options
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
    Seed,
    Subscriptions,
    TopicColumn,
    Undirected,
    as_place,
    check_there,
    load_interests,
)
from gossamer.cli.progress import shown_progress

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.design import Algorithm
    from gossamer.model import Interests, Overlay
    from gossamer.pipeline import Designed
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


def design(
    context: typer.Context,
    subscriptions: Subscriptions,
    out: Annotated[
        Path,
        typer.Option(
            help="Where to write the links: .parquet, .csv, .tsv, .csv.gz or .tsv.gz; with "
            "--engine spark also a folder of tables.",
            show_default=False,
        ),
    ],
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="How to choose them; see: gossamer algorithms (default: greedy-merge; on Spark "
            "partitioned-merge, and there is bounded-radius).",
            show_default=False,
        ),
    ] = None,
    resilient: Annotated[
        bool,
        typer.Option(
            "--resilient",
            help="Then add links until no single failed link splits a topic.",
        ),
    ] = False,
    seed: Seed = 0,
    engine: EngineOption = Engine.memory,
    master: Master = None,
    conf: Conf = None,
    beside_exact: Annotated[
        bool,
        typer.Option(
            "--beside-exact",
            help="With --engine spark: also run exact greedy merge here, to show its degrees.",
        ),
    ] = False,
    follows: Follows = False,
    undirected: Undirected = False,
    node_column: NodeColumn = None,
    topic_column: TopicColumn = None,
    delimiter: Delimiter = None,
) -> None:
    """Choose links so that every topic's subscribers are connected.

    Writes a table source,target with your own node names. An algorithm's own options
    are given by name, as in --rho 3 or --radius 6 --degree-cap 12; those of each are told
    by: gossamer algorithms. On Spark, what was interrupted goes on where it was when the
    same command is given again.
    """
    check_engine(engine, master, conf)
    if engine is Engine.spark:
        algorithm = algorithm or "partitioned-merge"
        options = _check_for_spark(algorithm, own_options(context), follows=follows)
        check_there(subscriptions)
        where = {"master": master, "settings": spark_settings(conf)}
        with shown_progress() as progress:
            _design_on_spark(
                subscriptions, out, algorithm, options, seed, where, progress, beside_exact,
                resilient,
                node=node_column, topic=topic_column, delimiter=delimiter,
            )  # fmt: skip
        return
    from gossamer.design import find_algorithm
    from gossamer.design.resilience import make_resilient
    from gossamer.model import GossamerError, ParameterError
    from gossamer.quality import is_topic_connected
    from gossamer.quality.resilience import failures_before_and_after
    from gossamer.tables import check_output, write_links

    if beside_exact:
        raise ParameterError("--beside-exact is about designs on Spark; give --engine spark too")
    check_output(out, inputs=[subscriptions])
    algorithm = algorithm or "greedy-merge"
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
        failures = {}
        if resilient:
            plain = overlay
            overlay = make_resilient(interests, plain, seed=seed, progress=progress)
        seconds = time.perf_counter() - start
        progress("checking", 1.0)
        if resilient:
            failures = failures_before_and_after(interests, plain, overlay)
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
            **_promised(chosen, interests, overlay, options),
            **failures,
            "seconds": seconds,
        },
    )
    if resilient and not connected:
        show_line("topics that are in pieces stay so, and pieces of two keep their bridge")
    show_line(f"wrote {out}")


def _promised(
    chosen: Algorithm, interests: Interests, overlay: Overlay, options: Mapping[str, Any]
) -> dict[str, int | str]:
    """Tell what the algorithm promised of diameters, and how far over its caps it went."""
    facts: dict[str, int | str] = {}
    diameter = chosen.promised_diameter(**options)
    if diameter is not None:
        facts["topic diameter, at most"] = diameter
    if chosen.caps is not None:
        caps = chosen.caps(interests, **chosen.options.completed(options))
        nodes, most = caps.over(overlay)
        facts["degree cap" if caps.same else "degree cap of an average node"] = caps.average
        facts["nodes over their cap"] = f"{nodes:,}, by {most:,} at most" if nodes else "none"
    return facts


def _check_for_spark(algorithm: str, own: Mapping[str, str], *, follows: bool) -> dict[str, Any]:
    """Refuse, before Spark is started, what it cannot do; return the algorithm's options."""
    from gossamer.model import ParameterError
    from gossamer.pipeline.design import find_on_spark

    options = find_on_spark(algorithm).options.parse(own)
    find_on_spark(algorithm, options)
    if follows:
        raise ParameterError(
            "--follows reads an edge list in memory; for Spark, make a table of it first: "
            "gossamer ingest snap FILE --out tables"
        )
    return options


def _design_on_spark(
    subscriptions: Path,
    out: Path,
    algorithm: str,
    options: Mapping[str, Any],
    seed: int,
    where: Mapping[str, Any],
    progress: Progress,
    beside_exact: bool,
    resilient: bool,
    *,
    node: str | None,
    topic: str | None,
    delimiter: str | None,
) -> None:
    """Run the design job, and show what came out."""
    from gossamer import pipeline

    found = pipeline.design(
        as_place(subscriptions),
        as_place(out),
        algorithm=algorithm,
        options=options,
        seed=seed,
        resilient=resilient,
        node=node or "node",
        topic=topic or "topic",
        delimiter=delimiter,
        **where,
        progress=progress,
    )
    facts = {
        "nodes": found.nodes,
        "topics": found.topics,
        "subscriptions": found.subscriptions,
        "links": found.links,
        "mean degree": found.mean_degree,
        "maximum degree": found.max_degree,
        "topic-connected": True,
        **(found.failures or {}),
        "topic diameter": found.max_topic_diameter,
        **_promised_on_spark(found),
        "seconds": found.seconds,
        **{
            f"seconds, {phase}": taken
            for phase, taken in found.phases.items()
            if resilient or phase != "reinforcing"
        },
    }
    if beside_exact:
        from gossamer.design.greedy_merge import greedy_merge
        from gossamer.tables import read_interests

        start = time.perf_counter()
        interests = read_interests(
            subscriptions, node=node or "node", topic=topic or "topic", delimiter=delimiter
        )
        degrees = greedy_merge(interests, seed=seed, progress=progress).degrees
        facts |= {
            "exact greedy merge, mean degree": float(degrees.mean()),
            "exact greedy merge, maximum degree": int(degrees.max(initial=0)),
            "exact greedy merge, seconds": time.perf_counter() - start,
        }
    show_facts(f"{algorithm} on {subscriptions.name}, on Spark", facts)
    show_line(f"wrote {out}")


def _promised_on_spark(found: Designed) -> dict[str, int | float]:
    """Tell what was promised of diameters, and what dividing the table added."""
    facts = {
        "topic diameter, at most": found.promised_diameter,
        "blocks": found.blocks,
        "mean degree, within blocks": found.mean_degree_in_blocks,
        "mean degree, joining them": found.mean_degree_joining,
    }
    return {label: value for label, value in facts.items() if value is not None}
