"""What is measured of a world: its overlay at a time, and messages by kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.model import Interests, Overlay
from gossamer.quality import TopicGraphs, shared_topics, topic_components
from gossamer.sim.world import World

__all__ = ["MessageCounts", "NodeLinks", "Observation", "Snapshot", "count_messages", "observe"]


@dataclass(frozen=True)
class Snapshot:
    """What an overlay was like at a time.

    Attributes
    ----------
    time
        When, in microseconds.
    nodes, links
        Nodes that are counted, and links that both ends agree on among them.
    mean_degree, max_degree
        Over those nodes.
    mean_view
        Neighbours of a node, counted once for each topic that the link serves: its logical
        links, where the degree counts the physical ones.
    topics
        Topics that one of them wants or more.
    topics_connected, components
        Of these, how many are connected; and components of all of them together.
    half_open
        Links that one end alone knows of.
    messages, control
        Sent so far: all, and without heartbeats and gossip.
    """

    time: int
    nodes: int
    links: int
    mean_degree: float
    max_degree: int
    mean_view: float
    topics: int
    topics_connected: int
    components: int
    half_open: int
    messages: int
    control: int

    @property
    def topic_connected(self) -> bool:
        """Whether every topic is connected."""
        return self.topics_connected == self.topics


class NodeLinks(NamedTuple):
    """Each node's links at a time, in microseconds.

    ``degrees`` are the links, a node's physical view (PVS); ``views`` its neighbours, each once
    for each topic that the link serves, its logical view (LVS).
    """

    time: int
    nodes: NDArray[np.int64]
    degrees: NDArray[np.int64]
    views: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Observation:
    """The overlay itself at a time: who is counted, what they want, and their links.

    Ids in the interests and the overlay are places among the nodes.
    """

    nodes: NDArray[np.int64]
    interests: Interests
    overlay: Overlay
    snapshot: Snapshot
    by_topic: TopicGraphs | None = None
    """The neighbours on each topic, where a link need not serve all topics that its ends share."""

    @property
    def views(self) -> TopicGraphs:
        """The neighbours on each topic."""
        if self.by_topic is not None:
            return self.by_topic
        return TopicGraphs.of(self.interests, self.overlay)

    def by_node(self) -> NodeLinks:
        """Return how many links and neighbours on topics each node has."""
        neighbours = np.diff(self.views.offsets)
        views = np.bincount(
            self.interests.topic_nodes, weights=neighbours, minlength=len(self.nodes)
        )
        degrees = self.overlay.degrees.astype(np.int64)
        return NodeLinks(self.snapshot.time, self.nodes, degrees, views.astype(np.int64))


def observe(world: World, *, grace: int = 0) -> Observation:
    """Measure the overlay of the nodes that joined ``grace`` microseconds ago or earlier.

    O(S log S) for S subscriptions and links together.
    """
    nodes = world.settled_nodes(world.now - grace)
    interests = world.interests_of(nodes)
    overlay, half_open = world.overlay_of(nodes)
    graphs = world.views_of(nodes, interests) if world.protocol.views_by_topic else None
    logical, components = _topics_served(graphs, interests, overlay)
    wanted = components[interests.popularity > 0]
    degrees = overlay.degrees
    sent = world.fabric.sent
    snapshot = Snapshot(
        time=world.now,
        nodes=len(nodes),
        links=overlay.link_count,
        mean_degree=float(degrees.mean()) if len(degrees) else 0.0,
        max_degree=int(degrees.max(initial=0)),
        mean_view=logical / max(len(nodes), 1),
        topics=len(wanted),
        topics_connected=int((wanted == 1).sum()),
        components=int(wanted.sum()),
        half_open=half_open,
        messages=sum(sent.values()),
        control=sum(n for kind, n in sent.items() if kind not in world.protocol.upkeep),
    )
    return Observation(nodes, interests, overlay, snapshot, graphs)


def _topics_served(
    graphs: TopicGraphs | None, interests: Interests, overlay: Overlay
) -> tuple[int, NDArray[np.int64]]:
    """Return how many logical links there are, from both ends, and each topic's components."""
    if graphs is not None:
        return len(graphs.neighbours), graphs.components()
    shared = shared_topics(interests, overlay)
    return 2 * int(shared.sum()), topic_components(interests, overlay)


@dataclass(frozen=True)
class MessageCounts:
    """Messages that were sent.

    Attributes
    ----------
    by_kind
        How many of each kind, the commonest first.
    bytes_by_kind
        Their bytes, where messages were encoded.
    lost
        How many were lost on the way, or came to nobody.
    per_node_mean, per_node_max
        Sent by a node, in all its lives.
    """

    by_kind: dict[str, int]
    bytes_by_kind: dict[str, int]
    lost: int
    per_node_mean: float
    per_node_max: int


def count_messages(world: World) -> MessageCounts:
    """Count what was sent so far."""
    sent = np.array([port.sent for port in world.ports], dtype=np.int64)
    ordered = sorted(world.fabric.sent.items(), key=lambda item: (-item[1], _tag(item[0])))
    return MessageCounts(
        by_kind={_tag(kind): count for kind, count in ordered},
        bytes_by_kind={_tag(kind): count for kind, count in world.fabric.bytes.items()},
        lost=world.fabric.lost,
        per_node_mean=float(sent.mean()),
        per_node_max=int(sent.max(initial=0)),
    )


def _tag(kind: Any) -> str:
    return str(kind.__struct_config__.tag)
