"""``gossamer compare``: design algorithms side by side on the same interests."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.algorithm_options import read_algorithm_options
from gossamer.cli.display import show_line, show_table
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
    TopicColumn,
    Undirected,
    WorkloadExponent,
    WorkloadKind,
    WorkloadNodes,
    WorkloadSizes,
    WorkloadTopics,
    check_source,
    load_interests,
)
from gossamer.cli.progress import shown_progress
from gossamer.cli.typed_command import typed_command
from gossamer.cli.workload import make_interests

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from gossamer.experiments.comparison import Comparison
    from gossamer.progress import Progress
    from gossamer.viz.blocks import Section

__all__ = ["EXAMPLES", "compare"]

EXAMPLES = (
    "gossamer compare subscriptions.csv --picture comparison.png",
    "gossamer compare subscriptions.csv --algorithms greedy-merge,low-oda:rho=5",
    "gossamer compare subs.csv --algorithms low-oda,low-oda:resilient=yes",
    "gossamer compare --workload rss --nodes 1000 --topics 100 --subscriptions 10",
    "gossamer compare subscriptions.csv --report page.html --save comparison",
)


def compare(
    context: typer.Context,
    subscriptions: Annotated[
        Path | None,
        typer.Argument(
            help="Who wants what: CSV or Parquet, plain or gzipped.", show_default=False
        ),
    ] = None,
    algorithms: Annotated[
        str | None,
        typer.Option(
            help="Which, separated by commas; options after a colon, as in low-oda:rho=5 "
            "(default: all).",
            show_default=False,
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(help="Also draw them, to .png, .svg or .pdf.", show_default=False),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Also write the table: .parquet, .csv, .tsv, .csv.gz or .tsv.gz.",
            show_default=False,
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            help="Also write a page with tables and charts, to .html; it needs no network.",
            show_default=False,
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            help="Also keep everything in this folder, for: gossamer report.", show_default=False
        ),
    ] = None,
    with_profile: Annotated[
        bool,
        typer.Option(
            "--with-profile",
            help="With --engine spark and --report: the page begins with a profile of the data.",
        ),
    ] = False,
    seed: Seed = 0,
    engine: EngineOption = Engine.memory,
    master: Master = None,
    conf: Conf = None,
    workload: WorkloadKind = None,
    nodes: WorkloadNodes = 1000,
    topics: WorkloadTopics = 100,
    subscriptions_per_node: WorkloadSizes = "10",
    exponent: WorkloadExponent = None,
    follows: Follows = False,
    undirected: Undirected = False,
    node_column: NodeColumn = None,
    topic_column: TopicColumn = None,
    delimiter: Delimiter = None,
) -> None:
    """Run design algorithms on the same interests, and show them side by side.

    Seconds are of the design alone: kernels are compiled before, on a tiny
    instance. The last column is the mean degree as a multiple of a proven lower
    bound for any overlay that connects every topic. Diameters are over topics of
    two subscribers or more; of a topic in pieces, that of its widest piece.
    """
    check_engine(engine, master, conf)
    settings = spark_settings(conf)
    from gossamer.errors import ParameterError
    from gossamer.experiments.comparison import compare as run_comparison
    from gossamer.experiments.comparison import parse_candidates
    from gossamer.experiments.comparison_folder import check_folder
    from gossamer.tables import check_output, write_table
    from gossamer.viz.comparison import comparison_page, comparison_picture
    from gossamer.viz.html import check_page
    from gossamer.viz.picture import check_picture

    check_source(context, subscriptions, workload)
    if picture is not None:
        check_picture(picture)
    if out is not None:
        check_output(out, inputs=[subscriptions])
    if report is not None:
        check_page(report, inputs=[subscriptions])
    if save is not None:
        check_folder(save)
    if with_profile and (engine is Engine.memory or report is None or subscriptions is None):
        raise ParameterError(
            "--with-profile puts a profile of a table on the page; give the table, --engine spark "
            "and --report too"
        )
    profiled = None
    names = None
    if algorithms is not None:
        names = [name.strip() for name in algorithms.split(",") if name.strip()]
        parse_candidates(names)
    options = read_algorithm_options(context)
    if subscriptions is not None and options:
        raise ParameterError(
            f"compare has no option --{next(iter(options))}; an algorithm's own go with its "
            "name, as in --algorithms low-oda:rho=5"
        )
    with shown_progress() as progress:
        if subscriptions is not None:
            progress(f"reading {subscriptions.name}", 0.0)
            interests = load_interests(
                subscriptions,
                follows=follows,
                undirected=undirected,
                node_column=node_column,
                topic_column=topic_column,
                delimiter=delimiter,
            )
        else:
            assert workload is not None
            progress("drawing subscriptions", 0.0)
            interests = make_interests(
                workload, nodes, topics, subscriptions_per_node, exponent, seed, options
            )
        with ExitStack() as stack:
            session = None
            if engine is Engine.spark:
                from gossamer.pipeline import spark_session

                progress("starting Spark", 0.0)
                where = spark_session(master=master, settings=settings)
                session = stack.enter_context(where)
                if with_profile:
                    assert subscriptions is not None
                    profiled = _profile(subscriptions, seed, session, progress)
            comparison = run_comparison(
                interests, names, seed=seed, progress=progress, session=session
            )
        name = workload or str(getattr(subscriptions, "name", ""))
        comparison = replace(
            comparison,
            origin=replace(
                comparison.origin,
                title=f"Overlay algorithms on {name}{' interests' if workload else ''}",
                command=typed_command(context),
            ),
        )
        if out is not None:
            write_table(out, comparison.table())
        if picture is not None:
            progress("drawing", 1.0)
            comparison_picture(comparison, picture)
        if save is not None:
            comparison.save(save)
        if report is not None:
            progress("writing the page", 1.0)
            comparison_page(comparison, report, profile=profiled)
    show_comparison(comparison, name)
    for written in (out, picture, save, report):
        if written is not None:
            show_line(f"wrote {written}")


def _profile(
    subscriptions: Path, seed: int, session: SparkSession, progress: Progress
) -> list[Section]:
    """Profile the table on Spark, as sections of the page."""
    from gossamer import pipeline
    from gossamer.viz.profile import profile_sections

    return profile_sections(
        pipeline.profile(subscriptions, seed=seed, session=session, progress=progress)
    )


def show_comparison(comparison: Comparison, name: str) -> None:
    """Print a comparison as one table."""
    show_table(
        f"{name}: {comparison.nodes:,} nodes, {comparison.topics:,} topics, "
        f"{comparison.subscriptions:,} subscriptions",
        (
            "algorithm",
            "mean\ndegree",
            "max",
            "p95",
            "links",
            "topics\nconn.",
            "max\ndiam.",
            "mean\ndiam.",
            "seconds",
            "÷ lower\nbound",
        ),
        [
            (
                row.algorithm,
                row.mean_degree,
                row.max_degree,
                row.p95_degree,
                row.links,
                f"{row.topics_connected:,}/{row.topics:,}",
                row.max_diameter,
                row.mean_diameter,
                f"{row.seconds:.3f}",
                row.ratio_to_lower_bound,
            )
            for row in comparison.rows
        ],
        numbers=True,
    )
    show_line(f"no topic-connected overlay has a mean degree below {comparison.bound_text}")
