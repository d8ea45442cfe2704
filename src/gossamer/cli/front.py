"""``gossamer front``: few links or short paths, what can be had, and what to take."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

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
    as_place,
    check_source,
    check_there,
    load_interests,
)
from gossamer.cli.progress import shown_progress
from gossamer.cli.typed_command import typed_command
from gossamer.cli.workload import make_interests

if TYPE_CHECKING:
    from gossamer.experiments.pareto_front import Front
    from gossamer.experiments.recommendation import Recommendation
    from gossamer.progress import Progress

__all__ = ["EXAMPLES", "front"]

EXAMPLES = (
    "gossamer front subscriptions.csv --picture front.png",
    "gossamer front subscriptions.csv --hops 12 --max-degree 20",
    "gossamer front subscriptions.csv --rho 2,3 --no-protocols --report front.html",
    "gossamer front --workload rss --nodes 300 --topics 30 --subscriptions 5",
    "gossamer front subscriptions.csv --algorithms greedy-merge,cd-oda --save work",
)

WISH_PANEL = "What you wish for"
RUN_PANEL = "What is run"


def front(
    context: typer.Context,
    subscriptions: Annotated[
        Path | None,
        typer.Argument(
            help="Who wants what: CSV or Parquet, plain or gzipped.", show_default=False
        ),
    ] = None,
    hops: Annotated[
        int | None,
        typer.Option(
            help="Paths may have so many hops.", show_default=False, rich_help_panel=WISH_PANEL
        ),
    ] = None,
    max_degree: Annotated[
        int | None,
        typer.Option(
            help="Nobody may have more links.", show_default=False, rich_help_panel=WISH_PANEL
        ),
    ] = None,
    algorithms: Annotated[
        str | None,
        typer.Option(
            help="Which, separated by commas; options after a colon, as in low-oda:rho=5 "
            "(default: all that connect every topic, the parametrised at several values).",
            show_default=False,
            rich_help_panel=RUN_PANEL,
        ),
    ] = None,
    radii: Annotated[
        str | None,
        typer.Option(
            help="Of bounded-radius and cover-forest, separated by commas (default: "
            "2,3,4,5,6,8,10,12,16 and 2,3,4,6,8).",
            show_default=False,
            rich_help_panel=RUN_PANEL,
        ),
    ] = None,
    rho: Annotated[
        str | None,
        typer.Option(
            help="Of low-oda, separated by commas (default: 1.5,2,3,5,10).",
            show_default=False,
            rich_help_panel=RUN_PANEL,
        ),
    ] = None,
    protocols: Annotated[
        str | None,
        typer.Option(
            help="Which to simulate beside them (default: spidercast,spidercast:kr=1 up to "
            "20,000 nodes).",
            show_default=False,
            rich_help_panel=RUN_PANEL,
        ),
    ] = None,
    no_protocols: Annotated[
        bool, typer.Option("--no-protocols", help="Simulate none.", rich_help_panel=RUN_PANEL)
    ] = False,
    picture: Annotated[
        Path | None,
        typer.Option(help="Also draw it, to .png, .svg or .pdf.", show_default=False),
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
            help="Keep each result in this folder as it comes; what was interrupted goes on "
            "when the same command is given again.",
            show_default=False,
        ),
    ] = None,
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
    """Find the degree–diameter front: what fewer links cost in hops, and what to take.

    Algorithms, at several values of their parameters, and a protocol beside them, on the same
    subscriptions. A star marks what no other beats in mean degree, maximum degree and the
    largest topic diameter at once. Then, in words, which to take, with the command to type.
    """
    check_engine(engine, master, conf)
    settings = spark_settings(conf)
    from gossamer.errors import ParameterError
    from gossamer.experiments.candidates import check_values
    from gossamer.experiments.comparison import parse_candidates, parse_protocols
    from gossamer.experiments.comparison_folder import check_folder
    from gossamer.experiments.front_run import front as find_front
    from gossamer.experiments.recommendation import check_constraints, recommend
    from gossamer.tables import check_output, write_table
    from gossamer.viz.front import front_page, front_picture
    from gossamer.viz.html import check_page
    from gossamer.viz.picture import check_picture

    check_source(context, subscriptions, workload)
    check_constraints(hops, max_degree)
    if picture is not None:
        check_picture(picture)
    if out is not None:
        check_output(out, inputs=[subscriptions])
    if report is not None:
        check_page(report, inputs=[subscriptions])
    if save is not None:
        check_folder(save)
        if save in (picture, out, report):
            raise ParameterError(
                f"--save is {save}, which is a file to write too; expected a folder"
            )
    if no_protocols and protocols is not None:
        raise ParameterError("expected either --protocols or --no-protocols, and not both")
    names = _listed(algorithms)
    if names is not None:
        parse_candidates(names)
    rested = [] if no_protocols else _listed(protocols)
    parse_protocols(rested or [])
    some_radii = _numbers("--radii", radii, int)
    some_rho = _numbers("--rho", rho, float)
    check_values(some_radii, some_rho)
    options = read_algorithm_options(context)
    if subscriptions is not None and options:
        raise ParameterError(
            f"front has no option --{next(iter(options))}; an algorithm's own go with its "
            "name, as in --algorithms low-oda:rho=5"
        )
    asked: dict[str, Any] = {"radii": some_radii, "rho": some_rho, "protocols": rested}
    reading: dict[str, Any] = {
        "follows": follows,
        "undirected": undirected,
        "node_column": node_column,
        "topic_column": topic_column,
        "delimiter": delimiter,
    }
    with _telling_of(save), shown_progress() as progress, ExitStack() as stack:
        session, found = None, None
        if engine is Engine.spark:
            from gossamer.pipeline import spark_session

            if subscriptions is not None:
                check_there(subscriptions)
            progress("starting Spark", 0.0)
            session = stack.enter_context(spark_session(master=master, settings=settings))
            if subscriptions is not None and not follows:
                found = _in_parts(
                    subscriptions, names, asked, reading, save, seed, session, progress
                )
        divided = found is not None
        if found is None:
            if subscriptions is not None:
                progress(f"reading {subscriptions.name}", 0.0)
                interests = load_interests(subscriptions, **reading)
            else:
                assert workload is not None
                progress("drawing subscriptions", 0.0)
                interests = make_interests(
                    workload, nodes, topics, subscriptions_per_node, exponent, seed, options
                )
            found = find_front(
                interests,
                names,
                **asked,
                seed=seed,
                keep=save,
                progress=progress,
                session=session,
            )
        name = str(getattr(subscriptions, "name", workload))
        origin = replace(
            found.comparison.origin,
            title=f"The degree–diameter front of {name}",
            command=typed_command(context),
        )
        found = replace(found, comparison=replace(found.comparison, origin=origin))
        table = "FILE" if subscriptions is None else _typed_table(subscriptions, reading)
        table += " --engine spark" * divided
        advice = recommend(found, hops=hops, max_degree=max_degree, table=table)
        if out is not None:
            write_table(out, found.table())
        if picture is not None:
            progress("drawing", 1.0)
            front_picture(found, picture)
        if save is not None:
            found.comparison.save(save)
        if report is not None:
            progress("writing the page", 1.0)
            front_page(found, report, advice=advice)
    show_front(found, name)
    show_advice(advice)
    for written in (out, picture, save, report):
        if written is not None:
            show_line(f"wrote {written}")


def show_front(found: Front, name: str) -> None:
    """Print all points, the shortest paths first, those of the front marked."""
    size = found.comparison
    points = sorted(found.points, key=lambda p: (p.max_diameter, p.mean_degree, p.max_degree))
    show_table(
        f"{name}: {size.nodes:,} nodes, {size.topics:,} topics, "
        f"{size.subscriptions:,} subscriptions",
        (
            "algorithm",
            "",
            "max\ndiam.",
            "mean\ndegree",
            "÷ lower\nbound",
            "max\ndegree",
            "p95",
            "mean\ndiam.",
            "seconds",
        ),
        [
            (
                point.label,
                "*" if "all" in point.on else "" if point.connected else "in pieces",
                point.max_diameter,
                point.mean_degree,
                point.ratio,
                point.max_degree,
                point.p95_degree,
                point.mean_diameter,
                f"{point.seconds:.3f}",
            )
            for point in points
        ],
        numbers=True,
    )
    if found.bound_method:
        show_line(
            f"no topic-connected overlay has a mean degree below {size.bound_text} "
            f"({found.bound_method})"
        )
    for label, why in found.left_out.items():
        show_line(f"left out: {label}; {why}")


def show_advice(advice: list[Recommendation]) -> None:
    """Print what to take, and the commands to type."""
    for one in advice:
        show_line("")
        show_line(one.text)
        if one.command:
            show_line(f"    {one.command}")
    show_line("")


@contextmanager
def _telling_of(save: Path | None) -> Iterator[None]:
    """Say, when it is interrupted, where to go on."""
    try:
        yield
    except KeyboardInterrupt:
        if save is not None and save.exists():
            typer.echo(f"what was done is in {save}; the same command goes on there", err=True)
        raise


def _listed(text: str | None) -> list[str] | None:
    """Divide a list at its commas."""
    if text is None:
        return None
    return [word.strip() for word in text.split(",") if word.strip()]


Number = TypeVar("Number", int, float)


def _numbers(flag: str, text: str | None, kind: type[Number]) -> list[Number] | None:
    """Read numbers that are separated by commas."""
    from gossamer.errors import ParameterError

    try:
        found = None if text is None else [kind(word) for word in text.split(",")]
    except ValueError:
        found = []
    if found == []:
        what = "whole numbers" if kind is int else "numbers"
        raise ParameterError(f"{flag} is {text!r}; expected {what} separated by commas")
    return found


def _in_parts(
    path: Path,
    names: list[str] | None,
    asked: dict[str, Any],
    reading: dict[str, Any],
    save: Path | None,
    seed: int,
    session: Any,
    progress: Progress,
) -> Front | None:
    """Make the front of a table that is too large for one process; None if it is not."""
    from gossamer.errors import ParameterError
    from gossamer.experiments import partitioned_front as front_divided

    place = as_place(path)
    how = {
        "node": reading["node_column"] or "node",
        "topic": reading["topic_column"] or "topic",
        "delimiter": reading["delimiter"],
    }
    progress("counting subscriptions", 0.0)
    count = front_divided.count_subscriptions(place, session, **how)
    if count <= front_divided.MAX_IN_MEMORY:
        return None
    if asked["rho"] or asked["protocols"]:
        raise ParameterError(
            f"{path} has {count:,} subscriptions and is designed in parts; --rho and --protocols "
            "work in memory. Or take a part of the table: gossamer sample"
        )
    chosen = front_divided.partitioned_candidates(names, radii=asked["radii"])
    if save is None:
        raise ParameterError(
            f"{path} has {count:,} subscriptions and is designed in parts; give a folder for the "
            "work, as in --save work"
        )
    return front_divided.partitioned_front(
        place, save, chosen, session=session, seed=seed, progress=progress, **how
    )


def _typed_table(path: Path, reading: dict[str, Any]) -> str:
    """Return the file and how to read it, as they are typed after another command."""
    words = [as_place(path)]
    for name, value in reading.items():
        if value is True:
            words.append(f"--{name}")
        elif value:
            words += [f"--{name.replace('_', '-')}", value]
    return shlex.join(words)
