"""``gossamer maintain``: an overlay kept in order while nodes join and leave."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gossamer.cli.algorithm_options import read_algorithm_options
from gossamer.cli.display import show_facts, show_line, show_table, typed_options
from gossamer.cli.input_options import (
    Delimiter,
    Follows,
    NodeColumn,
    Seed,
    TopicColumn,
    Undirected,
    load_interests,
)
from gossamer.cli.progress import shown_progress

if TYPE_CHECKING:
    from gossamer.maintain import Maintenance

__all__ = ["EXAMPLES", "maintain"]

EXAMPLES = (
    "gossamer maintain links.csv --interests subs.csv --events churn.csv --out kept",
    "gossamer maintain --interests subscriptions.csv --events rounds:20 --out kept",
    "gossamer maintain --interests subscriptions.csv --picture d.png --out kept",
    "gossamer maintain --list",
)


class Verify(StrEnum):
    """When to check that topics are connected."""

    every = "every"
    end = "end"
    never = "never"


def maintain(
    context: typer.Context,
    links: Annotated[
        Path | None,
        typer.Argument(
            help="Who is linked to whom at the start: a table source,target. Designed by "
            "--algorithm if not given.",
            show_default=False,
        ),
    ] = None,
    interests: Annotated[
        Path | None,
        typer.Option(
            help="Who wants what, of everybody who may ever be there: a table of subscriptions.",
            show_default=False,
        ),
    ] = None,
    events: Annotated[
        str,
        typer.Option(
            metavar="TABLE|rounds:COUNT",
            help="Who joins and leaves: a table time,node,event or node,start,end, in microseconds "
            "(time_s, start_s and end_s: in seconds); or drawn, one join or leave a round.",
        ),
    ] = "rounds:1000",
    out: Annotated[
        Path | None,
        typer.Option(
            help="A folder for start, links, changes, rounds and timings, all .parquet.",
            show_default=False,
        ),
    ] = None,
    strategy: Annotated[
        str,
        typer.Option(
            help="What to do at each event; gossamer maintain --list shows them, and what their "
            "options mean."
        ),
    ] = "elasto-g",
    rebuild_every: Annotated[
        int | None,
        typer.Option(
            min=1, help="After every so many events, design all anew.", show_default=False
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="How all is designed anew, and the first overlay if no links are given; options "
            "after a colon, as in low-oda:rho=5. See: gossamer algorithms (default: low-oda).",
            show_default=False,
        ),
    ] = None,
    verify: Annotated[
        Verify,
        typer.Option(help="When to check that every topic is connected among those there."),
    ] = Verify.end,
    picture: Annotated[
        Path | None,
        typer.Option(
            help="Also draw degrees along the events: .png, .svg or .pdf.", show_default=False
        ),
    ] = None,
    summary: Annotated[
        bool, typer.Option("--summary/--no-summary", help="Show what it took, at the end.")
    ] = True,
    seed: Seed = 0,
    list_strategies: Annotated[
        bool, typer.Option("--list", help="List the strategies and stop.")
    ] = False,
    follows: Follows = False,
    undirected: Undirected = False,
    node_column: NodeColumn = None,
    topic_column: TopicColumn = None,
    delimiter: Delimiter = None,
) -> None:
    """Keep an overlay in order: change few links at each join and leave.

    Every topic stays connected among those of its subscribers that are there.
    Whoever does not join first is there at the start; links of who is not are
    left out, and what they held together is mended first (round 0).
    start.parquet has the links at the start, changes.parquet what must be done
    to them, in order, links.parquet what comes of it. Times are rounded to
    microseconds. Interrupted, the same command goes on where it was (with
    elasto-l it begins again). A strategy's own options are given by name, as
    in --rho 5; --list says what they mean.
    """
    from gossamer.errors import ParameterError
    from gossamer.experiments.comparison import parse_candidates
    from gossamer.maintain import maintain as run
    from gossamer.maintain.strategies.choice import choose_strategy, maintain_strategies
    from gossamer.tables import read_links

    if list_strategies:
        _show_strategies(maintain_strategies())
        return
    if interests is None:
        raise ParameterError("who wants what? expected a table of subscriptions, with --interests")
    if out is None:
        raise ParameterError("no folder to write to; name one with --out, as in --out kept")
    if picture is not None:
        from gossamer.viz.picture import check_picture

        check_picture(picture, inputs=[interests, links])
    own = read_algorithm_options(context)
    if algorithm is not None and links is not None and rebuild_every is None:
        raise ParameterError(
            f"--algorithm is {algorithm}, and links are given and nothing is rebuilt; expected "
            "--rebuild-every, or no links, or no --algorithm"
        )
    choose_strategy(strategy, None, seed)  # says which there are
    chosen = maintain_strategies()[strategy]
    (designing,) = parse_candidates([algorithm or "low-oda"])
    known = {option.flag[2:] for option in designing.algorithm.options.listed}
    known -= {option.flag[2:] for option in chosen.options.listed}
    designs = rebuild_every is not None or links is None
    for_algorithm = {name: text for name, text in own.items() if designs and name in known}
    for_strategy = {name: text for name, text in own.items() if name not in for_algorithm}
    options = chosen.options.parse(for_strategy)
    algorithm_options = {
        **designing.options,
        **designing.algorithm.options.parse(for_algorithm),
    }
    with shown_progress() as progress, _told_warnings():
        progress(f"reading {interests.name}", 0.0)
        who = load_interests(
            interests,
            follows=follows,
            undirected=undirected,
            node_column=node_column,
            topic_column=topic_column,
            delimiter=delimiter,
        )
        overlay = None if links is None else read_links(links, who)
        done = run(
            who,
            overlay,
            events,
            strategy=strategy,
            options=options,
            rebuild_every=rebuild_every,
            algorithm=designing.algorithm.name if designs else None,
            algorithm_options=algorithm_options,
            verify=verify.value,
            seed=seed,
            out=out,
            progress=progress,
        )
        if picture is not None:
            from gossamer.viz.maintenance import maintenance_picture

            progress("drawing", 1.0)
            maintenance_picture(done, picture)
    if summary:
        _show(done, interests, verified=verify is not Verify.never)
    show_line(f"wrote {out}" + (f", {picture}" if picture is not None else ""))


class _told_warnings(warnings.catch_warnings):  # noqa: N801
    """Say warnings in a line each, instead of in Python's way."""

    def __enter__(self) -> Any:
        found = super().__enter__()
        warnings.simplefilter("default")
        warnings.showwarning = _tell
        return found


def _tell(message: Warning | str, *_: Any, **__: Any) -> None:
    typer.echo(f"warning: {message}", err=True)


def _show(done: Maintenance, interests: Path, *, verified: bool) -> None:
    if done.resumed:
        show_line(f"{done.resumed:,} events had been done by an earlier run")
    facts = done.summary()
    if verified:
        facts["topic-connected"] = True
    show_facts(f"{done.strategy} on {interests.name}, seed {done.seed}", facts)


def _show_strategies(known: Mapping[str, Any]) -> None:
    show_table(
        "Strategies",
        ("name", "what it does, and where it was described", "options"),
        [
            (
                name,
                f"{found.summary.replace('`', '')}\n{found.reference}",
                typed_options(found.options.listed),
            )
            for name, found in known.items()
        ],
        apart=True,
    )
    meanings: dict[tuple[str, str], list[str]] = {}
    for name, found in known.items():
        for option in found.options.listed:
            meanings.setdefault((option.flag, option.meaning), []).append(name)
    show_table(
        "What the options mean",
        ("option", "of", "meaning"),
        [(flag, ", ".join(names), said) for (flag, said), names in meanings.items()],
    )
