"""``gossamer node``: a live node over TCP, until it is interrupted."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli.algorithm_options import read_algorithm_options
from gossamer.cli.common_options import common_options
from gossamer.cli.display import show_record
from gossamer.cli.node_output import StatusLines, show_event
from gossamer.cli.options import expand, option
from gossamer.options import join_spec
from gossamer.time import parse_duration

EXAMPLES = (
    "gossamer node --listen 127.0.0.1:7000 --subscribe tea --for 2s",
    "gossamer node --join 127.0.0.1:7000 --subscribe tea --subscribe jazz --for 2s",
    "gossamer node --join 127.0.0.1:7000 --publish tea --for 2s",
    "gossamer node --subscribe tea --journal a.journal --for 1s",
)
Several = list[str] | None


@expand
def node(
    context: typer.Context,
    listen: Annotated[
        str, option("Address to listen on; port 0 for any free port.", metavar="HOST:PORT")
    ] = "127.0.0.1:0",
    join: Annotated[
        Several,
        option(
            "Node to join, or a source: srv://, file://, multicast://; may be repeated.",
            metavar="HOST:PORT",
        ),
    ] = None,
    subscribe: Annotated[
        Several,
        option("Topic or pattern to subscribe to ('orders.*'); may be repeated.", metavar="TOPIC"),
    ] = None,
    publish: Annotated[
        Several,
        option("Topic for each line of standard input; may be repeated.", metavar="TOPIC"),
    ] = None,
    protocol: Annotated[str, option("Protocol; see: gossamer simulate --list.")] = "spidercast",
    seed: Annotated[
        int | None, option("Seed of the random number generator (default: random).", min=0)
    ] = None,
    lasting: Annotated[
        str | None,
        option("Time until the node leaves, as in 60s (default: none).", "--for", metavar="TIME"),
    ] = None,
    journal: Annotated[
        Path | None, option("File that records the run for gossamer replay.")
    ] = None,
    trace: Annotated[
        Path | None, option("Table of all events and effects of the protocol: .parquet.")
    ] = None,
    advertise: Annotated[
        str | None,
        option(
            "Host, or host and port, at which peers reach the node, if it differs from --listen.",
            metavar="HOST[:PORT]",
        ),
    ] = None,
    controlled: Annotated[
        bool, option("Read links from standard input; leave at its end.", hidden=True)
    ] = False,
) -> None:
    """Run a live node: it joins others, builds its links, and prints publications.

    It leaves gracefully on Ctrl-C or SIGTERM. Options of the protocol are given by name, as in
    --kg 3. With --json it prints one JSON object per line: its status, publications, and its end.
    """
    from gossamer.atomic_files import check_output, replacing
    from gossamer.host import Tracer
    from gossamer.live import Node
    from gossamer.live.node_process import run_node

    level = logging.ERROR if common_options().quiet else logging.WARNING
    logging.basicConfig(format="%(message)s", level=level)
    for path, endings in ((journal, (".journal",)), (trace, (".parquet",))):
        if path is not None:
            check_output(path, endings)
    tracer = None if trace is None else Tracer()
    made = Node(
        listen,
        join=join or [],
        topics=subscribe or [],
        protocol=join_spec(protocol, read_algorithm_options(context)),
        seed=seed,
        journal=journal is not None,
        tracer=tracer,
        advertise=advertise,
    )
    seconds = None if lasting is None else parse_duration(lasting, "--for")
    made.on_event = show_event
    output = StatusLines()
    asyncio.run(
        run_node(
            made, report=output.show, seconds=seconds, publish=publish or (), controlled=controlled
        )
    )
    show_record("left", left=True)
    if trace is not None and tracer is not None:
        from gossamer.tables import trace_table, write_table

        write_table(trace, trace_table(tracer.rows))
    if journal is not None and made.journal is not None:
        with replacing(journal) as partial:
            partial.write_bytes(bytes(made.journal.content))
    for path in (trace, journal):
        if path is not None:
            show_record(f"wrote {path}", wrote=[str(path)])
