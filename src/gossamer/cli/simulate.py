"""``gossamer simulate``: a protocol with partial knowledge, in a deterministic world."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.algorithm_options import divide_options, read_algorithm_options
from gossamer.cli.display import show_line, show_table, typed_options
from gossamer.cli.durations import parse_duration
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
from gossamer.cli.publication_options import (
    PUBLISHING_PANEL,
    Payload,
    PublicationsFile,
    load_publications,
    show_given,
)
from gossamer.cli.simulate_results import show_simulation, write_simulation
from gossamer.cli.simulate_rounds import (
    EventsEach,
    Grace,
    How,
    HowOption,
    Rates,
    Rounds,
    check_engine_of,
    check_how,
    list_models,
    model_options,
    simulate_in_rounds,
    suggest_rounds,
)
from gossamer.cli.workload import make_interests
from gossamer.time import SECOND

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.model import Interests, Publications
    from gossamer.tables import GivenPublications

__all__ = ["EXAMPLES", "simulate"]

EXAMPLES = (
    "gossamer simulate spidercast --workload rss --nodes 1000 --kg 3 --kr 0",
    "gossamer simulate spidercast subscriptions.csv --view gossip --loss 0.05",
    "gossamer simulate spidercast --workload rss --churn exponential:99 --until 9s",
    "gossamer simulate stan --workload rss --until 9s --churn superpeer,flash:3:99",
    "gossamer simulate elasto --workload rss --nodes 99 --creator low-oda",
    "gossamer simulate similarity --workload rss --alike 7 --anybody 3",
    "gossamer simulate spidercast --workload rss --publish 50 --until 20s",
    "gossamer simulate vitis --engine rounds --workload random --table-size 9",
    "gossamer simulate opt --engine rounds --workload rss --nodes 99 --snapshots 9s",
    "gossamer simulate --list",
)
WORLD_PANEL = "What the world is like"
RESULT_PANEL = "What to keep"


class Departures(StrEnum):
    """How a session ends."""

    leave = "leave"
    crash = "crash"


class Rejoining(StrEnum):
    """What a node wants when it comes back."""

    fresh = "fresh"
    same = "same"


def simulate(
    context: typer.Context,
    protocol: Annotated[
        str | None,
        typer.Argument(help="What the nodes run; see --list.", show_default=False),
    ] = None,
    subscriptions: Annotated[
        Path | None,
        typer.Argument(
            help="Who wants what: CSV or Parquet, plain or gzipped.", show_default=False
        ),
    ] = None,
    by_name: Annotated[
        Path | None,
        typer.Option("--interests", help="The same as SUBSCRIPTIONS.", show_default=False),
    ] = None,
    list_protocols: Annotated[
        bool, typer.Option("--list", help="List the protocols and stop.")
    ] = False,
    engine: HowOption = How.machines,
    seed: Seed = 0,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Simulated time, as in 60s or 2h (default: until no link has changed for 5 s, at "
            "most 120s; with --churn 1000s).",
            show_default=False,
        ),
    ] = None,
    view: Annotated[
        str,
        typer.Option(
            metavar="full|5%|200|gossip",
            help="What a node knows of the others: all, some, or what gossip brings.",
            rich_help_panel=WORLD_PANEL,
        ),
    ] = "full",
    churn: Annotated[
        str | None,
        typer.Option(
            metavar="LAW|FILE[,flash:AT:JOINING]",
            help="Who is there when: exponential:300, weibull:0.6:300, pareto:1.5:100 (seconds; "
            ":75 more for the time away), superpeer (days of a drawn network), or a table of "
            "sessions: node,start,end in microseconds, or node,start_s,end_s; or one of joins and "
            "leaves, as gossamer churn writes it. With "
            ",flash:600:1000 after it, 1000 of the nodes that are away at second 600 join within "
            "10 s and stay for 600 s (:WITHIN:STAY more for other times).",
            show_default=False,
            rich_help_panel=WORLD_PANEL,
        ),
    ] = None,
    speed_up: Annotated[
        float,
        typer.Option(
            help="With a table of sessions, or superpeer: its time passes so much faster.",
            rich_help_panel=WORLD_PANEL,
        ),
    ] = 1.0,
    departure: Annotated[
        Departures,
        typer.Option(
            help="Whether sessions end with a goodbye; in rounds they end without.",
            rich_help_panel=WORLD_PANEL,
        ),
    ] = Departures.leave,
    rejoin: Annotated[
        Rejoining | None,
        typer.Option(
            help="What a node wants when it comes back (default: fresh topics in a generated "
            "workload, the same ones otherwise).",
            show_default=False,
            rich_help_panel=WORLD_PANEL,
        ),
    ] = None,
    creator: Annotated[
        str | None,
        typer.Option(
            metavar="ALGORITHM",
            help="Begin with the overlay of a design algorithm, as in low-oda (of elasto).",
            show_default=False,
            rich_help_panel=WORLD_PANEL,
        ),
    ] = None,
    rebuild: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="With --creator: design it anew each time this has passed.",
            show_default=False,
            rich_help_panel=WORLD_PANEL,
        ),
    ] = None,
    latency: Annotated[
        str,
        typer.Option(
            metavar="uniform:5-15ms|FILE",
            help="How long messages take: a range, or a file of round-trip times between sites in "
            "milliseconds, a row a site (negative or nan: not measured).",
            rich_help_panel=WORLD_PANEL,
        ),
    ] = "uniform:5-15ms",
    loss: Annotated[
        float,
        typer.Option(help="The share of messages that is lost.", rich_help_panel=WORLD_PANEL),
    ] = 0.0,
    publish: Annotated[
        int | None,
        typer.Option(
            help="Draw so many publications, from the middle of the run to nine tenths of it; with "
            "--publications, so many of these.",
            show_default=False,
            rich_help_panel=PUBLISHING_PANEL,
        ),
    ] = None,
    publications: PublicationsFile = None,
    payload: Payload = 200,
    rounds: Rounds = None,
    rates: Rates = None,
    grace: Grace = None,
    events: EventsEach = 1,
    snapshots: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Time between snapshots (default: 200ms at first, later 1s; in rounds at the end "
            "alone).",
            show_default=False,
            rich_help_panel=RESULT_PANEL,
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            help="Draw it over time, to .png, .svg or .pdf.",
            show_default=False,
            rich_help_panel=RESULT_PANEL,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write the snapshots: .parquet, .csv, .tsv, .csv.gz or .tsv.gz.",
            show_default=False,
            rich_help_panel=RESULT_PANEL,
        ),
    ] = None,
    overlay: Annotated[
        Path | None,
        typer.Option(
            help="Write the links at the end, as gossamer design does.",
            show_default=False,
            rich_help_panel=RESULT_PANEL,
        ),
    ] = None,
    views: Annotated[
        Path | None,
        typer.Option(
            help="Write the neighbours on each topic at the end, for gossamer disseminate.",
            show_default=False,
            rich_help_panel=RESULT_PANEL,
        ),
    ] = None,
    by_node: Annotated[
        Path | None,
        typer.Option(
            help="Write each node's links (degree, PVS) and neighbours on topics (view, LVS) at "
            "each snapshot.",
            show_default=False,
            rich_help_panel=RESULT_PANEL,
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            help="Write everything that happened, to .parquet.",
            show_default=False,
            rich_help_panel=RESULT_PANEL,
        ),
    ] = None,
    count_bytes: Annotated[
        bool,
        typer.Option(
            "--bytes", help="Encode every message and count bytes.", rich_help_panel=RESULT_PANEL
        ),
    ] = False,
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
    """Let nodes with partial knowledge build an overlay, in simulated time.

    The same command with the same seed gives the same result. A protocol's own options
    are given by name, as in --kg 3, and those of a kind of workload too.
    """
    from gossamer.errors import ParameterError
    from gossamer.protocols import find_protocol, protocols

    if list_protocols:
        show_table(
            "Protocols",
            ("name", "what it does, and where it was published", "options"),
            [
                (
                    found.name,
                    f"{found.summary}\n{found.reference}",
                    typed_options(found.options.listed),
                )
                for found in protocols().values()
            ],
            apart=True,
        )
        list_models()
        return
    if protocol is None:
        raise ParameterError(f"no protocol is named; expected one of {', '.join(protocols())}")
    check_how(context, engine, departure=departure.value, rejoin=rejoin and rejoin.value)
    known = model_options(protocol) if engine is How.rounds else find_protocol(protocol).options
    own, of_workload = divide_options(read_algorithm_options(context), known, workload)
    check_engine_of(own, protocol, engine)
    options = known.parse(own)
    if subscriptions is not None and by_name is not None:
        raise ParameterError("expected the subscriptions once: as an argument, or as --interests")
    subscriptions = subscriptions or by_name
    check_source(context, subscriptions, workload)
    if churn is None and (speed_up != 1 or rejoin is not None):
        flag = "--speed-up" if speed_up != 1 else "--rejoin"
        raise ParameterError(f"{flag} is about nodes that come and go; give --churn too")
    from gossamer.tables import check_output
    from gossamer.viz.picture import check_picture

    typed = context.get_parameter_source("payload")
    if typed is not None and typed.name == "COMMANDLINE" and not (publish or publications):
        raise ParameterError("--payload is about what is published; give --publish too")
    if publish is not None and publish < 1:
        raise ParameterError(f"--publish is {publish}; expected 1 or more")
    inputs = [subscriptions, publications, None if rates is None else Path(rates)]
    if picture is not None:
        check_picture(picture, inputs=inputs)
    if trace is not None:
        check_output(trace, (".parquet",), inputs=inputs)
    for path in (out, overlay, views, by_node):
        if path is not None:
            check_output(path, inputs=inputs)
    places = (out, overlay, views, by_node, trace, picture)
    written = [path for path in places if path is not None]
    if len({path.resolve() for path in written}) < len(written):
        raise ParameterError("two things are to be written to the same file; name different ones")

    def read() -> Interests:
        if subscriptions is not None:
            return load_interests(
                subscriptions,
                follows=follows,
                undirected=undirected,
                node_column=node_column,
                topic_column=topic_column,
                delimiter=delimiter,
            )
        assert workload is not None
        return make_interests(
            workload, nodes, topics, subscriptions_per_node, exponent, seed, of_workload
        )

    if engine is How.rounds:
        simulate_in_rounds(
            protocol, options, read, rounds=rounds, until=until, every=snapshots, rates=rates,
            churn=churn, speed_up=speed_up, by_name=workload is None, grace=grace, events=events,
            seed=seed, picture=picture, out=out,
        )  # fmt: skip
        _tell_written(written)
        return
    seconds = None if until is None else parse_duration(until, "--until")
    every = None if snapshots is None else parse_duration(snapshots, "--snapshots")
    anew = None if rebuild is None else parse_duration(rebuild, "--rebuild")
    after = 0.0 if grace is None else parse_duration(grace, "--grace", zero=True)
    from gossamer.sim import simulate as run
    from gossamer.sim.setting import find_sessions
    from gossamer.sim.simulation import LONGEST, MAX_WITH_CHURN

    with shown_progress() as progress:
        progress("reading" if workload is None else "drawing subscriptions", 0.0)
        interests = read()
        suggest_rounds(protocol, interests.node_count)
        fresh = None
        if workload is not None and rejoin is not Rejoining.same:
            fresh = _Fresh(workload, nodes, topics, subscriptions_per_node, exponent, seed,
                           of_workload)  # fmt: skip
        elif rejoin is Rejoining.fresh:
            raise ParameterError("--rejoin fresh draws topics of a --workload; a file has none")
        sessions, how = None, ""
        if churn is not None:
            sessions, how = find_sessions(
                churn, interests, until=MAX_WITH_CHURN if seconds is None else seconds,
                seed=seed, faster=speed_up, by_name=workload is None,
            )  # fmt: skip
        published, given = None, None
        if publish is not None or publications is not None:
            length = seconds or (LONGEST if churn is None else MAX_WITH_CHURN)
            published, given = _published(interests, publications, publish, length, seed)
        result = run(
            protocol,
            interests,
            options=options,
            view=view,
            latency=latency,
            loss=loss,
            churn=sessions,
            fresh=fresh,
            departure=departure.value,
            creator=creator,
            rebuild=anew,
            until=seconds,
            publications=published,
            payload=payload,
            expected_after=after,
            snapshots=every,
            seed=seed,
            trace=trace is not None,
            by_node=by_node is not None,
            count_bytes=count_bytes,
            progress=progress,
        )
        progress("measuring", 1.0)
        write_simulation(
            result, interests, picture=picture, out=out, overlay=overlay, views=views,
            by_node=by_node, trace=trace,
        )  # fmt: skip
        if publications is not None and given is not None:
            show_given(publications, given)
        show_simulation(result, how)
    _tell_written(written)


def _tell_written(paths: list[Path]) -> None:
    if paths:
        show_line(f"wrote {', '.join(map(str, paths))}")


def _published(
    interests: Interests, path: Path | None, count: int | None, length: float, seed: int
) -> tuple[Publications, GivenPublications | None]:
    """Draw or read what is published, spread over the later part of the run."""
    from gossamer.workloads import draw_publications

    given = None
    if path is None:
        assert count is not None
        found = draw_publications(interests, count, seed=seed)
    else:
        given = load_publications(path, interests, seed)
        found = given.publications if count is None else given.publications.some(count)
    spread = found.between(round(length / 2 * SECOND), round(length * 9 / 10 * SECOND))
    return spread, given


@dataclass(frozen=True)
class _Fresh:
    """What a node of a generated workload wants in a later life: what another node would."""

    kind: str
    nodes: int
    topics: int
    subscriptions: str
    exponent: float | None
    seed: int
    options: Mapping[str, str]

    def __call__(self, node: int, life: int) -> tuple[int, ...]:
        from gossamer.workloads import find_kind, parse_sizes

        kind = find_kind(self.kind)
        sizes = parse_sizes(self.subscriptions, exponent=self.exponent)
        pattern = kind(self.topics, sizes, **kind.options.parse(self.options))
        _, drawn = pattern.subscriptions_of([node + life * self.nodes], seed=self.seed)
        return tuple(sorted(drawn.tolist()))
