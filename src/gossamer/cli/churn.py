"""``gossamer churn``: who joins and leaves when, drawn or from sessions, as a table of events."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.display import show_facts, show_line
from gossamer.cli.input_options import Seed
from gossamer.cli.progress import shown_progress

if TYPE_CHECKING:
    from gossamer.model import Sessions

__all__ = ["EXAMPLES", "churn"]

EXAMPLES = (
    "gossamer churn --kind rounds --nodes 1000 --rounds 500 --out drawn.parquet",
    "gossamer churn --interests subscriptions.csv --rounds 50 --out drawn.csv",
    "gossamer churn --kind machine-events --nodes 1000 --out month.parquet",
    "gossamer churn --kind machine-events --nodes 99 --raw raw.csv --out m.csv",
    "gossamer churn --kind sessions --sessions sessions.csv --out e.csv",
)


class Kind(StrEnum):
    """Where events come from."""

    rounds = "rounds"
    machine_events = "machine-events"
    sessions = "sessions"


def churn(
    context: typer.Context,
    out: Annotated[
        Path,
        typer.Option(
            help="Where to write time,node,event, time in microseconds: .parquet, .csv, .tsv, "
            ".csv.gz or .tsv.gz.",
            show_default=False,
        ),
    ],
    kind: Annotated[
        Kind,
        typer.Option(
            help="One drawn join or leave a round, machines of a cluster over a month, or a table "
            "of sessions."
        ),
    ] = Kind.rounds,
    interests: Annotated[
        Path | None,
        typer.Option(
            help="A table of subscriptions, whose nodes join and leave.", show_default=False
        ),
    ] = None,
    nodes: Annotated[
        int, typer.Option(help="How many nodes, called 0, 1, …, if there is no such table.")
    ] = 1000,
    rounds: Annotated[int, typer.Option(help="Of rounds: how many.")] = 1000,
    present: Annotated[
        float, typer.Option(help="Of rounds: the share of nodes that are there at the start.")
    ] = 1.0,
    join: Annotated[float, typer.Option(help="Of rounds: the probability of a join.")] = 0.5,
    days: Annotated[float, typer.Option(help="Of machine events: for how long.")] = 29.0,
    raw: Annotated[
        Path | None,
        typer.Option(
            help="Of machine events: also write them raw, .csv, as gossamer ingest "
            "google-machine-events reads them.",
            show_default=False,
        ),
    ] = None,
    sessions: Annotated[
        Path | None,
        typer.Option(
            help="Of sessions: the table node,start,end in microseconds, or node,start_s,end_s in "
            "seconds.",
            show_default=False,
        ),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Make a table of joins and leaves, for: gossamer maintain --events.

    Sessions are given to the nodes of a table of subscriptions by name, or in
    order where no name is known. In sessions, the last end of all is the end
    of the trace, and nobody leaves then. Times are in microseconds, and rounded
    to whole ones; the rounds that are drawn are a second apart.
    """
    from gossamer.errors import ParameterError
    from gossamer.model import ChurnEvents, Interests
    from gossamer.tables import (
        check_output,
        read_interests,
        read_sessions,
        write_churn,
        write_machine_events,
    )
    from gossamer.workloads import churn_rounds, machine_events

    _check_options(context, kind)
    check_output(out, inputs=[interests, sessions, raw])
    if raw is not None:
        check_output(raw, (".csv",), inputs=[interests, sessions])
    if kind is Kind.sessions and sessions is None:
        raise ParameterError("which sessions? expected a table node,start,end, with --sessions")
    with shown_progress() as progress:
        progress("making events", 0.0)
        who: Interests | None = None if interests is None else read_interests(interests)
        numbered = Interests.from_ids([], [], node_names=max(nodes, 0), topic_names=0)
        names = (numbered if who is None else who).node_names
        there: Sessions | None = None
        if kind is Kind.rounds:
            at_first, events = churn_rounds(
                len(names), rounds, seed=seed, present=present, join=join
            )
        elif kind is Kind.machine_events:
            there = machine_events(len(names), seed=seed, days=days)
            until = round(days * 86_400_000_000)
            at_first, events = ChurnEvents.from_sessions(there, len(names), until=until)
        else:
            assert sessions is not None
            named = read_sessions(sessions)
            there = named.sessions
            if who is None:
                names = named.names
            else:
                from gossamer.sim.setting import match_sessions

                there, how = match_sessions(str(sessions), named, who, faster=1.0, by_name=True)
                typer.echo(f"sessions were given to nodes {how}", err=True)
            until = int(there.ends.max())
            at_first, events = ChurnEvents.from_sessions(there, len(names), until=until)
        write_churn(out, names, events, at_first)
        if raw is not None and there is not None:
            write_machine_events(raw, there, names=names)
    show_facts(
        f"{kind.value}, seed {seed}" if kind is not Kind.sessions else str(sessions),
        {
            "nodes": len(names),
            "there at the start": int(at_first.sum()),
            "events": len(events),
            "joins": int(events.joins.sum()),
            "leaves": int((~events.joins).sum()),
            "last event, seconds": float(events.times[-1]) / 1e6 if len(events) else 0.0,
        },
    )
    show_line(f"wrote {out}" + (f", {raw}" if raw is not None else ""))


OF_KIND = {
    "rounds": Kind.rounds,
    "present": Kind.rounds,
    "join": Kind.rounds,
    "days": Kind.machine_events,
    "raw": Kind.machine_events,
    "sessions": Kind.sessions,
}


def _check_options(context: typer.Context, kind: Kind) -> None:
    """Refuse what belongs to another kind, and a number of nodes where there are names."""
    from gossamer.errors import ParameterError

    def given(name: str) -> bool:
        source = context.get_parameter_source(name)
        return source is not None and source.name == "COMMANDLINE"

    for name, owner in OF_KIND.items():
        if given(name) and owner is not kind:
            raise ParameterError(f"--{name} is about --kind {owner.value}, and not {kind.value}")
    if given("nodes") and (given("interests") or kind is Kind.sessions):
        raise ParameterError("--nodes is given, and the nodes are those of a table; leave it out")
