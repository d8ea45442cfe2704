"""A live node in a process of its own, as ``gossamer node`` runs it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from gossamer.errors import ParameterError
from gossamer.live.cluster import LinkAssignment
from gossamer.live.errors import NotRunningError
from gossamer.live.log import LOG
from gossamer.live.node import Node
from gossamer.live.node_status import NodeStatus

SECONDS_BETWEEN_REPORTS = 0.2
MAX_SECONDS_BETWEEN_REPORTS = 5.0
MAX_LINE = 512 << 10
"""Maximum size of a line of standard input that is published."""


async def run_node(
    node: Node,
    *,
    report: Callable[[NodeStatus], None],
    seconds: float | None = None,
    publish: Sequence[str] = (),
    controlled: bool = False,
) -> None:
    """Start a node, run it until it is interrupted, and stop it gracefully.

    Parameters
    ----------
    node
        Node that has not started.
    report
        Called with the status of the node when it may have changed.
    seconds
        Time after which the node leaves; none for no limit.
    publish
        Topics on which each line of standard input is published.
    controlled
        Whether standard input has assignments of links, and its end stops the node.
    """
    loop = asyncio.get_running_loop()
    ended, changed = asyncio.Event(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    if controlled:
        _read_assignments(node, loop, ended)
    node.on_change = changed.set
    await node.start()
    if publish:
        _publish_lines(node, list(publish))
    reporting = loop.create_task(_report(node, changed, report))
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await ended.wait()
    finally:
        reporting.cancel()
        with suppress(asyncio.CancelledError):
            await reporting
        await node.stop()


async def _report(node: Node, changed: asyncio.Event, report: Callable[[NodeStatus], None]) -> None:
    while True:
        changed.clear()
        report(node.status)
        with suppress(TimeoutError):
            async with asyncio.timeout(MAX_SECONDS_BETWEEN_REPORTS):
                await changed.wait()
        await asyncio.sleep(SECONDS_BETWEEN_REPORTS)


def _publish_lines(node: Node, topics: list[str]) -> None:
    """Publish standard input line by line, read in a thread since reading blocks."""
    try:
        file = sys.stdin.fileno()
    except OSError:  # not a file, so reading does not block
        lines = [line.rstrip(b"\r\n") for line in sys.stdin.buffer]
        threading.Thread(target=_publish_each, args=(node, topics, lines), daemon=True).start()
        return

    def read() -> None:
        # A thread that waits in sys.stdin would hold its lock when Python ends.
        rest = b""
        while chunk := os.read(file, 1 << 16):
            *lines, rest = (rest + chunk).split(b"\n")
            rest = rest[: MAX_LINE + 1]  # one byte more than allowed is rejected
            if not _publish_each(node, topics, [line.rstrip(b"\r") for line in lines]):
                return
        if rest:
            _publish_each(node, topics, [rest.rstrip(b"\r")])

    threading.Thread(target=read, daemon=True).start()


def _publish_each(node: Node, topics: list[str], lines: list[bytes]) -> bool:
    """Publish lines from a thread, which waits for room; return whether the node runs."""
    for line in lines:
        try:
            if len(line) > MAX_LINE:
                raise ParameterError(
                    f"a line has {len(line):,} bytes or more; expected {MAX_LINE:,} at most"
                )
            node.publish_threadsafe(topics, line)
        except NotRunningError:
            return False
        except ParameterError as fault:
            LOG.warning("not published: %s", fault)
    return True


def _read_assignments(node: Node, loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
    """Install the links of each line of standard input; end at its end."""
    file = sys.stdin.fileno()
    received = bytearray()

    def read() -> None:
        chunk = os.read(file, 1 << 16)
        if not chunk:
            loop.remove_reader(file)
            ended.set()
        *lines, rest = bytes(received + chunk).split(b"\n")
        received[:] = rest
        for line in lines:
            try:
                assignment = LinkAssignment.of(line)
                node.install_links(assignment.neighbours, assignment.epoch)
            except ParameterError as fault:
                LOG.warning("links not installed: %s", fault)

    loop.add_reader(file, read)
