"""The overlay of a cluster of live nodes, from what they last said of themselves."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.live.cluster import LocalCluster

__all__ = ["LiveOverlay", "measure"]


@dataclass(frozen=True)
class LiveOverlay:
    """What a cluster is like: nodes that run, links that both ends agree on, topics."""

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
        """Return it as a row of the table of snapshots."""
        return (
            microseconds, self.nodes, self.links, self.mean_degree, self.max_degree,
            self.mean_view, self.topics, self.topics_connected, self.components, self.half_open,
            self.messages, self.control,
        )  # fmt: skip


def measure(cluster: LocalCluster, upkeep: Collection[str] = ()) -> LiveOverlay:
    """Measure the overlay of those that run and have said something.

    ``upkeep`` are the kinds of messages that are not control messages.
    """
    from gossamer.model import Interests, Overlay
    from gossamer.quality import shared_topics, topic_components

    said = [m.last for m in cluster.members if m.last is not None]
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
        messages=sum(sum(line.kinds.values()) for line in said),
        control=sum(
            count for line in said for kind, count in line.kinds.items() if kind not in upkeep
        ),
    )
