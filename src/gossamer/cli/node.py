"""``gossamer node``: a live node over TCP, until it is interrupted."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gossamer.cli.algorithm_options import read_algorithm_options
from gossamer.cli.display import show_line
from gossamer.time import parse_duration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.live import Node, PublishedEvent
    from gossamer.protocols import ProtocolEntry

__all__ = ["EXAMPLES", "node", "try_options"]

EXAMPLES = (
    "gossamer node --listen 127.0.0.1:7000 --subscribe tea --for 2s",
    "gossamer node --join 127.0.0.1:7000 --subscribe tea --subscribe jazz --for 2s",
    "gossamer node --join 127.0.0.1:7000 --publish tea --for 2s",
)
SECONDS_BETWEEN_LINES = 0.2


def node(
    context: typer.Context,
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where to listen; port 0 stands for any.")
    ] = "127.0.0.1:0",
    join: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST:PORT",
            help="A node that is there already. May be given again.",
            show_default=False,
        ),
    ] = None,
    subscribe: Annotated[
        list[str] | None,
        typer.Option(metavar="TOPIC", help="A topic. May be given again.", show_default=False),
    ] = None,
    publish: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TOPIC",
            help="Publish each line of standard input on this topic. May be given again, for lines "
            "on several topics.",
            show_default=False,
        ),
    ] = None,
    protocol: Annotated[
        str, typer.Option(help="What to run; see: gossamer simulate --list.")
    ] = "spidercast",
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Settles its random choices.", show_default=False),
    ] = None,
    lasting: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="TIME",
            help="Leave after this time, as in 60s (default: when interrupted).",
            show_default=False,
        ),
    ] = None,
    journal: Annotated[
        Path | None,
        typer.Option(help="Keep every event in this file.", show_default=False),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            help="Write everything that happened, to .parquet, when it leaves.",
            show_default=False,
        ),
    ] = None,
    advertise: Annotated[
        str | None,
        typer.Option(
            metavar="HOST",
            help="What others call this host, with --listen 0.0.0.0:PORT.",
            show_default=False,
        ),
    ] = None,
    watched: Annotated[
        bool, typer.Option("--watched", help="Leave when standard input is closed.", hidden=True)
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write a line of JSON whenever its state changes.")
    ] = False,
) -> None:
    """Run a live node: it joins others, builds its links, and shows what is published.

    It leaves in good order on Ctrl-C or SIGTERM. A protocol's own options are given by
    name, as in --kg 3.
    """
    import logging

    from gossamer.host import Tracer
    from gossamer.live import Node
    from gossamer.protocols import find_protocol
    from gossamer.tables import check_output, replacing, trace_table, write_table

    logging.basicConfig(format="%(message)s")
    found = find_protocol(protocol)
    options = found.options.parse(read_algorithm_options(context))
    if journal is not None:
        check_output(journal, (".journal",))
    if trace is not None:
        check_output(trace, (".parquet",))
    tracer = None if trace is None else Tracer()
    seconds = None if lasting is None else parse_duration(lasting, "--for")
    made = Node(
        listen,
        join=join or [],
        topics=[*(subscribe or []), *(publish or [])],
        protocol=protocol,
        options=options,
        seed=seed,
        journal=journal is not None,
        tracer=tracer,
        advertise=advertise,
    )
    try_options(found, options)
    asyncio.run(_run(made, seconds, as_json, watched, publish or []))
    if trace is not None and tracer is not None:
        write_table(trace, trace_table(tracer.rows))
        typer.echo(f"wrote {trace}", err=as_json)
    if journal is not None:
        assert made.journal is not None
        with replacing(journal) as partial:
            partial.write_bytes(bytes(made.journal.content))
        typer.echo(f"wrote {journal}", err=as_json)


def try_options(found: ProtocolEntry, options: Mapping[str, Any]) -> None:
    """Say what is wrong with a protocol's options before anything is started."""
    from gossamer.protocols.contract import NodeContext
    from gossamer.random_stream import Stream

    found(NodeContext(me="nobody:0", topics=(), random=Stream(0)), **options)


async def _run(
    made: Node, seconds: float | None, as_json: bool, watched: bool, published: list[str]
) -> None:
    loop = asyncio.get_running_loop()
    ended, changed = asyncio.Event(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    if watched:
        loop.add_reader(
            sys.stdin.fileno(), _obey, sys.stdin.fileno(), loop, ended, made, bytearray()
        )
    made.on_change = changed.set
    made.on_event = partial(_show_event, as_json)
    await made.start()
    if published:
        _publish_lines(made, published, loop)
    if not as_json:
        show_line(f"listening at {made.address}")
    telling = loop.create_task(_tell(made, changed, as_json))
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await ended.wait()
    finally:
        telling.cancel()
        with suppress(asyncio.CancelledError):
            await telling
        await made.stop()
    if not as_json:
        show_line("left")


def _show_event(as_json: bool, event: PublishedEvent) -> None:
    text = event.payload.decode(errors="replace")
    if not as_json:
        line = f"{', '.join(map(str, event.topics))} from {event.publisher}: {text}"
        show_line(plain_text(line))
        return
    import json

    parts = {"topics": list(event.topics), "publisher": event.publisher, "payload": text}
    show_line(json.dumps({"event": {**parts, "hops": event.hops, "missing": event.missing}}))


def plain_text(text: str) -> str:
    r"""Return text without what a terminal would obey: others choose what it says.

    Examples
    --------
    >>> plain_text("tea \x1b[2J is ready, é")
    'tea \\x1b[2J is ready, é'
    """
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )


def _publish_lines(made: Node, topics: list[str], loop: asyncio.AbstractEventLoop) -> None:
    """Publish standard input line by line; reading blocks, so another thread does it."""
    from gossamer.errors import ParameterError
    from gossamer.protocols.components.dissemination import MAX_PAYLOAD

    def publish(line: bytes) -> None:
        try:
            made.publish(topics, line)
        except ParameterError as fault:
            typer.echo(f"not published: {fault}", err=True)

    def tell(line: bytes) -> None:
        with suppress(RuntimeError):  # the loop may have ended
            loop.call_soon_threadsafe(publish, line.rstrip(b"\r"))

    try:
        file = sys.stdin.fileno()
    except OSError:  # not a file, so nothing that one would have to wait for
        for line in sys.stdin.buffer:
            tell(line.rstrip(b"\n"))
        return

    def read() -> None:
        # Not by sys.stdin, whose lock a thread that waits for a line would hold when Python ends.
        rest = b""
        while chunk := os.read(file, 1 << 16):
            *lines, rest = (rest + chunk).split(b"\n")
            rest = rest[: MAX_PAYLOAD + 1]  # one more is enough to be refused
            for line in lines:
                tell(line)
        if rest:
            tell(rest)

    threading.Thread(target=read, daemon=True).start()


def _obey(
    file: int, loop: asyncio.AbstractEventLoop, ended: asyncio.Event, made: Node, said: bytearray
) -> None:
    """Have the links that whoever started us gives, a line each time; stop when they are gone."""
    read = os.read(file, 1 << 16)
    if not read:
        loop.remove_reader(file)
        ended.set()
    said += read
    *lines, rest = bytes(said).split(b"\n")
    said[:] = rest
    if not lines:
        return
    from gossamer.errors import ParameterError
    from gossamer.live.cluster import LinkAssignment

    for line in lines:
        try:
            told = LinkAssignment.of(line)
            made.install_links(told.neighbours, told.epoch)
        except ParameterError as fault:
            typer.echo(f"not arranged: {fault}", err=True)


async def _tell(made: Node, changed: asyncio.Event, as_json: bool) -> None:
    """Say what the node is like, when that has changed, and now and then."""
    said = ""
    while True:
        changed.clear()
        text = _text(made, as_json)
        if text != said:
            show_line(text)
            said = text
        with suppress(TimeoutError):
            async with asyncio.timeout(5.0):
                await changed.wait()
        await asyncio.sleep(SECONDS_BETWEEN_LINES)


def _text(made: Node, as_json: bool) -> str:
    status = made.status
    if not as_json:
        linked = ", ".join(map(str, status.links)) or "nobody"
        return f"linked to {linked}; knows {status.known:,}"
    from gossamer.live.cluster import NodeLine

    return NodeLine.of(status).text()
