"""``gossamer churn``: joins, leaves and changes of interests, drawn or from sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from gossamer.cli.common_options import show_note
from gossamer.cli.display import show_facts, show_written
from gossamer.cli.options import (
    Seed,
    TableOptions,
    argument,
    expand,
    is_given,
    option,
    output_table,
)
from gossamer.cli.progress import show_progress
from gossamer.errors import ParameterError
from gossamer.time import DAY

EXAMPLES = (
    "gossamer churn --kind rounds --nodes 1000 --rounds 500 --out drawn.parquet",
    "gossamer churn subscriptions.csv --rounds 50 --out drawn.csv",
    "gossamer churn subs.csv --interest-changes 0.3 --out drawn.csv",
    "gossamer churn --kind machine-events --nodes 1000 --out month.parquet",
    "gossamer churn --kind machine-events --nodes 99 --raw raw.csv --out m.csv",
    "gossamer churn --kind sessions --sessions sessions.csv --out e.csv",
)


ChurnKind = Literal["rounds", "machine-events", "sessions"]
OF_KIND = {
    "rounds": ("rounds", "present", "join", "interest_changes"),
    "machine-events": ("days", "raw"),
    "sessions": ("sessions",),
}


@expand
def churn(
    context: typer.Context,
    subscriptions: Annotated[
        Path | None, argument("Table of subscriptions of the nodes (default: --nodes without any).")
    ] = None,
    *,
    out: Annotated[Path, output_table("Table time,node,event[,topic], times in microseconds")],
    kind: Annotated[ChurnKind, option("Source of the events; see above.")] = "rounds",
    nodes: Annotated[int, option("Number of nodes, named 0, 1, …, without a table.")] = 1000,
    rounds: Annotated[int, option("Number of rounds, of one event each (--kind rounds).")] = 1000,
    present: Annotated[float, option("Share of nodes present at the start (--kind rounds).")] = 1.0,
    join: Annotated[float, option("Probability that an event is a join (--kind rounds).")] = 0.5,
    interest_changes: Annotated[
        float, option("Probability that an event is a change of interests (--kind rounds).")
    ] = 0.0,
    days: Annotated[float, option("Length of the trace in days (--kind machine-events).")] = 29.0,
    raw: Annotated[
        Path | None,
        option("Further file of the same trace, .csv, for gossamer ingest google-machine-events."),
    ] = None,
    sessions: Annotated[Path | None, option("Table node,start,end, or start_s,end_s.")] = None,
    seed: Seed = 0,
    table: TableOptions,
) -> None:
    """Make a table of joins and leaves for gossamer maintain --events.

    rounds draws one join or leave per second; machine-events draws the restarts of the machines of
    a cluster. sessions reads a table and matches nodes by name, or in order if no name is known;
    the table of events ends before the leave of the last session. With --interest-changes, present
    nodes subscribe to topics, drawn by popularity, or unsubscribe from some of their own.
    """
    from gossamer import ChurnEvents, Interests, tables, workloads

    for owner, options in OF_KIND.items():
        for name in options if owner != kind else ():
            if is_given(context, name):
                given = name.replace("_", "-")
                raise ParameterError(f"--{given} is for --kind {owner}, and not {kind}")
    if is_given(context, "nodes") and (subscriptions is not None or kind == "sessions"):
        raise ParameterError("--nodes is given, but the nodes are those of a table; leave it out")
    if kind == "sessions" and sessions is None:
        raise ParameterError("no sessions are given; expected a table, with --sessions")
    tables.check_output(out, inputs=[subscriptions, sessions, raw])
    if raw is not None:
        tables.check_output(raw, (".csv",), inputs=[subscriptions, sessions])
    with show_progress() as progress:
        progress("making events", 0.0)
        found = Interests.from_ids([], [], node_names=max(nodes, 0), topic_names=0)
        if subscriptions:
            found = table.read(subscriptions)
        names, drawn = found.node_names, None
        if kind == "rounds":
            first, events = workloads.churn_rounds(
                found if subscriptions else len(names), rounds, seed=seed, present=present,
                join=join, interest_changes=interest_changes,
            )  # fmt: skip
        elif sessions is None:
            drawn = workloads.machine_events(len(names), seed=seed, days=days)
            until = round(days * DAY)
        else:
            named = tables.read_sessions(sessions)
            names, drawn = named.names, named.sessions
            if subscriptions:
                names = found.node_names
                drawn, origin = workloads.match_sessions(sessions, named, found)
                show_note(f"sessions were assigned to nodes {origin}")
            until = int(drawn.ends.max())
        if drawn is not None:
            first, events = ChurnEvents.from_sessions(drawn, len(names), until=until)
        tables.write_churn(out, names, events, first, topic_names=found.topic_names)
        if raw is not None and drawn is not None:
            tables.write_machine_events(raw, drawn, names=names)
    show_facts(
        f"{kind}, seed {seed}" if sessions is None else str(sessions),
        {"nodes": len(names), "present": int(first.sum()), **events.summary()},
    )
    show_written(out, raw)
