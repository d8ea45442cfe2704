"""``gossamer disseminate``: what publishing on an overlay gives and costs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gossamer.cli.algorithm_options import divide_options, read_algorithm_options
from gossamer.cli.display import show_line
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
    show_disseminations,
    show_given,
)
from gossamer.cli.workload import make_interests

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.model import Interests, Overlay, Publications
    from gossamer.progress import Progress
    from gossamer.quality import Dissemination, Flood, TopicGraphs

__all__ = ["EXAMPLES", "disseminate"]

EXAMPLES = (
    "gossamer disseminate subscriptions.csv --overlay links.parquet",
    "gossamer disseminate subscriptions.csv --publications posts.csv --flood both",
    "gossamer disseminate --workload rss --events 99 --crosspost 3 --loss 0.05",
    "gossamer disseminate --workload rss --triplets 9 --flood both --picture x.png",
)
OVERLAY_PANEL = "On which links"
WORLD_PANEL = "What can go wrong (then it is simulated, with the machines of live nodes)"
RESULT_PANEL = "What to keep"
EVENTS = 1000
PER_SECOND = 10.0


class Floods(StrEnum):
    """Which flood, or both beside each other."""

    crosspost = "crosspost"
    simple = "simple"
    both = "both"


def disseminate(
    context: typer.Context,
    subscriptions: Annotated[
        Path | None,
        typer.Argument(
            help="Who wants what: CSV or Parquet, plain or gzipped, or a folder of tables.",
            show_default=False,
        ),
    ] = None,
    seed: Seed = 0,
    flood: Annotated[
        Floods,
        typer.Option(
            help="One copy over a link, however many topics it serves; or one for each topic; or "
            "both beside each other."
        ),
    ] = Floods.crosspost,
    overlay: Annotated[
        Path | None,
        typer.Option(
            help="A table source,target as gossamer design writes it; with a column topic, links "
            "that are for this topic alone (gossamer simulate --views).",
            show_default=False,
            rich_help_panel=OVERLAY_PANEL,
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="Design the links instead (default: greedy-merge); see gossamer algorithms.",
            show_default=False,
            rich_help_panel=OVERLAY_PANEL,
        ),
    ] = None,
    publications: PublicationsFile = None,
    events: Annotated[
        int | None,
        typer.Option(
            help=f"How many are drawn, {PER_SECOND:g} a second (default: {EVENTS}); with "
            "--publications, how many of these are taken, evenly.",
            show_default=False,
            rich_help_panel=PUBLISHING_PANEL,
        ),
    ] = None,
    crosspost: Annotated[
        int | None,
        typer.Option(
            help="On how many topics each is that is drawn: one, and those with most subscribers "
            "in common (default: 1).",
            show_default=False,
            rich_help_panel=PUBLISHING_PANEL,
        ),
    ] = None,
    triplets: Annotated[
        int | None,
        typer.Option(
            help="Instead: so many for each topic, on it and the two that go with it most, as in "
            "StaN, appendix A.",
            show_default=False,
            rich_help_panel=PUBLISHING_PANEL,
        ),
    ] = None,
    payload: Payload = 200,
    loss: Annotated[
        float,
        typer.Option(help="The share of messages that is lost.", rich_help_panel=WORLD_PANEL),
    ] = 0.0,
    latency: Annotated[
        str | None,
        typer.Option(
            metavar="uniform:5-15ms|FILE",
            help="How long messages take (default: all links equally long).",
            show_default=False,
            rich_help_panel=WORLD_PANEL,
        ),
    ] = None,
    churn: Annotated[
        str | None,
        typer.Option(
            metavar="LAW|FILE",
            help="Who is there when, as for gossamer simulate; nobody says goodbye.",
            show_default=False,
            rich_help_panel=WORLD_PANEL,
        ),
    ] = None,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair/--no-repair",
            help="Whether neighbours tell each other what they have, and ask for what they miss.",
            rich_help_panel=WORLD_PANEL,
        ),
    ] = True,
    picture: Annotated[
        Path | None,
        typer.Option(
            help="Draw hops, and the load of nodes, to .png, .svg or .pdf.",
            show_default=False,
            rich_help_panel=RESULT_PANEL,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write what each node sent and got: .parquet, .csv, .tsv, .csv.gz or .tsv.gz.",
            show_default=False,
            rich_help_panel=RESULT_PANEL,
        ),
    ] = None,
    hops: Annotated[
        Path | None,
        typer.Option(
            help="Write how many deliveries took how many hops: the same endings.",
            show_default=False,
            rich_help_panel=RESULT_PANEL,
        ),
    ] = None,
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
    """Publish on an overlay: who gets it, over how many hops, in how many copies.

    Without loss, latency or churn it is computed, for links that all take equally long: fast,
    and exact. With any of them it is simulated. Own options of the algorithm and of the kind
    of workload are given by name.
    """
    from gossamer.design import find_algorithm
    from gossamer.errors import ParameterError

    _check_choices(overlay, algorithm, publications, events, crosspost, triplets)
    if not repair and not (loss or latency or churn):
        raise ParameterError("--no-repair is about a simulated world; give --loss or another too")
    chosen = find_algorithm(algorithm or "greedy-merge")
    own, of_workload = divide_options(read_algorithm_options(context), chosen.options, workload)
    if overlay is not None and own:
        raise ParameterError(
            f"there is no option --{next(iter(own))}; with --overlay no algorithm could have it"
        )
    options = chosen.options.parse(own)
    check_source(context, subscriptions, workload)
    written = _check_outputs(picture, (out, hops), [subscriptions, overlay, publications])
    with shown_progress() as progress:
        progress("reading" if workload is None else "drawing subscriptions", 0.0)
        if subscriptions is not None:
            interests = load_interests(
                subscriptions, follows=follows, undirected=undirected, node_column=node_column,
                topic_column=topic_column, delimiter=delimiter,
            )  # fmt: skip
        else:
            assert workload is not None
            interests = make_interests(
                workload, nodes, topics, subscriptions_per_node, exponent, seed, of_workload
            )
        links: Overlay | TopicGraphs
        if overlay is not None:
            links = _read_overlay(overlay, interests)
        else:
            links = chosen(interests, seed=seed, progress=progress, **options)
        given = None
        if publications is not None:
            given = load_publications(publications, interests, seed)
            published = given.publications if events is None else given.publications.some(events)
            # Times of a file may span years.
            published = published.between(0, round(len(published) / PER_SECOND * 1_000_000))
        else:
            published = _drawn(interests, events, crosspost, triplets, seed)
        found = _run(
            interests, links, published, flood, progress,
            {"payload": payload, "loss": loss, "latency": latency, "churn": churn,
             "repair": repair, "seed": seed},
        )  # fmt: skip
        title = (
            f"{len(published):,} publications on "
            f"{overlay.name if overlay is not None else chosen.name}, "
            f"{interests.node_count:,} nodes, {interests.topic_count:,} topics"
        )
        _write(found, interests, title, picture=picture, out=out, hops=hops)
        if publications is not None and given is not None:
            show_given(publications, given)
        show_disseminations(title, found)
    if written:
        show_line(f"wrote {', '.join(map(str, written))}")


def _check_choices(
    overlay: Path | None,
    algorithm: str | None,
    publications: Path | None,
    events: int | None,
    crosspost: int | None,
    triplets: int | None,
) -> None:
    from gossamer.errors import ParameterError

    if overlay is not None and algorithm is not None:
        raise ParameterError("expected either --overlay or --algorithm, and not both")
    if triplets is not None:
        others = {"--publications": publications, "--events": events, "--crosspost": crosspost}
        for flag, given in others.items():
            if given is not None:
                raise ParameterError(f"expected either --triplets or {flag}, and not both")
    if publications is not None and crosspost is not None:
        raise ParameterError("--crosspost is about what is drawn; a file of publications has tags")
    if events is not None and events < 1:
        raise ParameterError(f"--events is {events}; expected 1 or more")


def _check_outputs(
    picture: Path | None, tables: Sequence[Path | None], inputs: Sequence[Path | None]
) -> list[Path]:
    from gossamer.errors import ParameterError
    from gossamer.tables import check_output
    from gossamer.viz.picture import check_picture

    if picture is not None:
        check_picture(picture, inputs=inputs)
    for path in tables:
        if path is not None:
            check_output(path, inputs=inputs)
    written = [path for path in (*tables, picture) if path is not None]
    if len({path.resolve() for path in written}) < len(written):
        raise ParameterError("two things are to be written to the same file; name different ones")
    return written


def _read_overlay(path: Path, interests: Interests) -> Overlay | TopicGraphs:
    from gossamer.quality import TopicGraphs
    from gossamer.tables import has_views, read_links, read_views

    if has_views(path):
        return TopicGraphs.from_arcs(interests, *read_views(path, interests).T)
    return read_links(path, interests)


def _drawn(
    interests: Interests,
    events: int | None,
    crosspost: int | None,
    triplets: int | None,
    seed: int,
) -> Publications:
    from gossamer.errors import ParameterError
    from gossamer.workloads import crosspost_triplets, draw_publications

    if triplets is not None:
        drawn = crosspost_triplets(interests, each=triplets, per_second=PER_SECOND, seed=seed)
        if not len(drawn):
            raise ParameterError("no topic has two subscribers, so there is nothing to publish")
        return drawn
    return draw_publications(
        interests, EVENTS if events is None else events,
        crosspost=1 if crosspost is None else crosspost, per_second=PER_SECOND, seed=seed,
    )  # fmt: skip


def _run(
    interests: Interests,
    links: Overlay | TopicGraphs,
    published: Publications,
    flood: Floods,
    progress: Progress,
    options: Mapping[str, Any],
) -> list[Dissemination]:
    from gossamer.sim import disseminate as run

    kinds: list[Flood] = ["simple", "crosspost"]
    if flood is not Floods.both:
        kinds = [kind for kind in kinds if kind == flood.value]
    return [
        run(interests, links, published, flood=kind, progress=progress, **options) for kind in kinds
    ]


def _write(
    found: Sequence[Dissemination],
    interests: Interests,
    title: str,
    *,
    picture: Path | None,
    out: Path | None,
    hops: Path | None,
) -> None:
    from gossamer.tables import hops_table, traffic_table, write_table

    if out is not None:
        by_node = {str(one.flood): (one.sent, one.bytes, one.got) for one in found}
        write_table(out, traffic_table(interests, by_node))
    if hops is not None:
        write_table(
            hops, hops_table({str(one.flood): (one.hops.values, one.hops.counts) for one in found})
        )
    if picture is not None:
        from gossamer.viz.dissemination import dissemination_picture

        dissemination_picture(found, title, picture)
