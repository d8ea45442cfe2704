"""The overlay of a cluster of live nodes, measured from their latest reports and watched."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from gossamer.cli.display import is_json, show_facts, show_line, show_record

if TYPE_CHECKING:
    from gossamer.live.cluster import LocalCluster
    from gossamer.protocols.contract import Topic

SECONDS_BETWEEN_SNAPSHOTS = 1.0


@dataclass(frozen=True)
class LiveOverlay:
    """Running nodes, links that both ends report, and topics."""

    nodes: int
    links: int
    half_open: int
    mean_degree: float
    max_degree: int
    mean_view: float
    topics: int
    topics_connected: int
    components: int
    messages: int
    control: int

    def row(self, microseconds: int) -> tuple[int | float, ...]:
        """Return a row of the table of snapshots."""
        return (
            microseconds, self.nodes, self.links, self.mean_degree, self.max_degree,
            self.mean_view, self.topics, self.topics_connected, self.components, self.half_open,
            self.messages, self.control,
        )  # fmt: skip


def measure(cluster: LocalCluster, background: Collection[str] = ()) -> LiveOverlay:
    """Measure the overlay of the nodes that run and have reported.

    Parameters
    ----------
    cluster
        Cluster that has started.
    background
        Kinds of messages that are not control messages.
    """
    from gossamer.model import Interests, Overlay
    from gossamer.quality import shared_topics, topic_components

    reports = [m.last for m in cluster.members if m.last is not None]
    lines = [m.last for m in cluster.members if m.running and m.last is not None]
    place = {line.address: number for number, line in enumerate(lines)}
    sides: dict[tuple[int, int], int] = {}
    for line in lines:
        for peer in line.links:
            other = place.get(str(peer))
            if other is not None:
                ends = sorted((place[line.address], other))
                sides[ends[0], ends[1]] = sides.get((ends[0], ends[1]), 0) + 1
    agreed = [pair for pair, count in sides.items() if count == 2]
    overlay = Overlay.from_links(len(lines), agreed)
    lists = {number: list(map(str, line.topics)) for number, line in enumerate(lines)}
    interests = Interests.from_lists(lists)
    components = topic_components(interests, overlay)
    degrees = overlay.degrees
    return LiveOverlay(
        nodes=len(lines),
        links=overlay.link_count,
        half_open=len(sides) - len(agreed),
        mean_degree=float(degrees.mean()) if len(degrees) else 0.0,
        max_degree=int(degrees.max(initial=0)),
        mean_view=2 * int(shared_topics(interests, overlay).sum()) / max(len(lines), 1),
        topics=interests.topic_count,
        topics_connected=int((components == 1).sum()),
        components=int(components.sum()),
        messages=sum(sum(line.kinds.values()) for line in reports),
        control=sum(
            count
            for line in reports
            for kind, count in line.kinds.items()
            if kind not in background
        ),
    )


async def watch_cluster(
    cluster: LocalCluster,
    *,
    seconds: float | None,
    once_connected: bool,
    design: Callable[[list[list[Topic]]], Iterable[tuple[int, int]]] | None,
) -> list[tuple[int | float, ...]]:
    """Run a cluster until it is interrupted; print its overlay, and return the snapshots.

    Parameters
    ----------
    cluster
        Cluster that has not started.
    seconds
        Time after which it stops; none for no limit.
    once_connected
        Whether it stops when every topic is connected.
    design
        Links by the topics of each node, which are installed when all nodes have started.
    """
    background = [str(kind.__struct_config__.tag) for kind in cluster.protocol.background]
    rows: list[tuple[int | float, ...]] = []
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    started = time.monotonic()
    show_line(f"starting {len(cluster.members)} nodes")
    starting = loop.create_task(cluster.start())
    try:
        waiting = loop.create_task(ended.wait())
        await asyncio.wait((starting, waiting), return_when=asyncio.FIRST_COMPLETED)
        if ended.is_set():
            starting.cancel()
        with suppress(asyncio.CancelledError):
            await starting
            if design is not None:
                await cluster.install_links(design)
        end = None if seconds is None else time.monotonic() + seconds
        while not ended.is_set():
            passed = time.monotonic() - started
            found = measure(cluster, background)
            rows.append(found.row(round(passed * 1_000_000)))
            show_record(
                f"{passed:5.1f} s: {found.nodes} nodes, {found.links} links, "
                f"{found.mean_degree:.2f} per node, {found.topics_connected} of {found.topics} "
                "topics connected",
                second=round(passed, 3), **asdict(found),
            )  # fmt: skip
            connected = found.topics_connected == found.topics
            if (once_connected and connected) or (end is not None and time.monotonic() >= end):
                break
            with suppress(TimeoutError):
                async with asyncio.timeout(SECONDS_BETWEEN_SNAPSHOTS):
                    await ended.wait()
        waiting.cancel()
        _show_totals(cluster)
    finally:
        await cluster.stop()
    show_line("all nodes have left")
    return rows


def _show_totals(cluster: LocalCluster) -> None:
    found = measure(cluster)
    lines = [member.last for member in cluster.members if member.last is not None]
    facts = {
        "nodes": found.nodes,
        "links": found.links,
        "half_open": found.half_open,
        "mean_degree": found.mean_degree,
        "max_degree": found.max_degree,
        "topics": found.topics,
        "topics_connected": found.topics_connected,
        "messages": sum(line.sent for line in lines),
        "messages_dropped": sum(line.dropped for line in lines),
        "malformed_frames": sum(line.malformed for line in lines),
    }
    if is_json():
        show_record("", totals=facts)
    else:
        show_facts("The cluster", facts)
