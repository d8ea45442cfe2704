"""Measures of a simulated overlay at a time, and message counts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.model import Interests, Overlay
from gossamer.quality import TopicGraphs, shared_topics, topic_components
from gossamer.results import Result
from gossamer.sim.world import World
from gossamer.time import SECOND


@dataclass(frozen=True, repr=False)
class Snapshot(Result):
    """Measures of an overlay at a time.

    Attributes
    ----------
    time
        Time in microseconds.
    nodes, links
        Number of counted nodes, and of the links among them on which both ends agree.
    mean_degree, max_degree
        Mean and maximum degree of those nodes.
    mean_view
        Mean number of logical links of a node: a neighbour counts once for each topic that the
        link serves.
    topics
        Number of topics with at least one subscriber.
    topics_connected, components
        Number of those topics that are connected, and components summed over all of them.
    half_open
        Number of links that only one end knows.
    under_covered
        Number of nodes with fewer neighbours on a topic than the protocol aims at and than there
        are other subscribers; 0 for protocols without such an aim.
    messages, control
        Messages sent so far: all, and without heartbeats and gossip.
    """

    BRIEF: ClassVar = ("second", "nodes", "links", "topics_connected")

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
    under_covered: int
    messages: int
    control: int

    @property
    def topic_connected(self) -> bool:
        """Whether every topic is connected."""
        return self.topics_connected == self.topics

    def summary(self) -> dict[str, Any]:
        """Return the measures by name, with the time in seconds too."""
        return {"second": self.time / SECOND, **asdict(self)}


class NodeLinks(NamedTuple):
    """Links of each node at a time.

    Attributes
    ----------
    time
        Time in microseconds.
    nodes
        Identifiers of the nodes.
    degrees
        Number of links: the size of the physical view (PVS).
    views
        Number of neighbours, once for each topic that the link serves: the size of the logical
        view (LVS).
    """

    time: int
    nodes: NDArray[np.int64]
    degrees: NDArray[np.int64]
    views: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Observation:
    """The overlay at a time. Identifiers in interests and overlay are places among the nodes.

    Attributes
    ----------
    nodes
        Identifiers of the counted nodes.
    interests, overlay
        Their interests, and the links among them.
    snapshot
        Measures of the overlay.
    by_topic
        Neighbours on each topic, where a link need not serve all topics that its ends share.
    """

    nodes: NDArray[np.int64]
    interests: Interests
    overlay: Overlay
    snapshot: Snapshot
    by_topic: TopicGraphs | None = None

    @property
    def views(self) -> TopicGraphs:
        """Neighbours on each topic."""
        if self.by_topic is not None:
            return self.by_topic
        return TopicGraphs.of(self.interests, self.overlay)

    def by_node(self) -> NodeLinks:
        """Return the number of links and of neighbours on topics of each node."""
        neighbours = np.diff(self.views.offsets)
        views = np.bincount(
            self.interests.topic_nodes, weights=neighbours, minlength=len(self.nodes)
        )
        degrees = self.overlay.degrees.astype(np.int64)
        return NodeLinks(self.snapshot.time, self.nodes, degrees, views.astype(np.int64))


def observe(world: World, *, min_age: int = 0) -> Observation:
    """Measure the overlay of the nodes that joined at least ``min_age`` microseconds ago.

    O(S log S) for S subscriptions and links.
    """
    nodes = world.present_nodes(world.now - min_age)
    interests = world.interests_of(nodes)
    overlay, half_open = world.overlay_of(nodes)
    graphs = world.views_of(nodes, interests) if world.protocol.views_by_topic else None
    if graphs is not None:
        logical, components = len(graphs.neighbours), graphs.components()
    else:
        logical = 2 * int(shared_topics(interests, overlay).sum())
        components = topic_components(interests, overlay)
    subscribed = components[interests.popularity > 0]
    degrees = overlay.degrees
    sent = world.fabric.sent
    snapshot = Snapshot(
        time=world.now,
        nodes=len(nodes),
        links=overlay.link_count,
        mean_degree=float(degrees.mean()) if len(degrees) else 0.0,
        max_degree=int(degrees.max(initial=0)),
        mean_view=logical / max(len(nodes), 1),
        topics=len(subscribed),
        topics_connected=int((subscribed == 1).sum()),
        components=int(subscribed.sum()),
        half_open=half_open,
        under_covered=world.count_under_covered(nodes, interests),
        messages=sum(sent.values()),
        control=sum(n for kind, n in sent.items() if kind not in world.protocol.background),
    )
    return Observation(nodes, interests, overlay, snapshot, graphs)


@dataclass(frozen=True)
class MessageCounts:
    """Numbers of messages sent.

    Attributes
    ----------
    by_kind
        Number of each kind, most frequent first.
    bytes_by_kind
        Bytes of each kind, where messages were encoded.
    lost
        Number lost on the way, or addressed to an absent node.
    compounds
        Number of compounds in which they travelled: all messages of a step to the same peer if the
        scenario has ``compound``, and single messages otherwise.
    per_node_mean, per_node_max
        Mean and maximum number sent by a node in all its incarnations.
    """

    by_kind: dict[str, int] = field(default_factory=dict)
    bytes_by_kind: dict[str, int] = field(default_factory=dict)
    lost: int = 0
    compounds: int = 0
    per_node_mean: float = 0.0
    per_node_max: int = 0


def count_messages(world: World) -> MessageCounts:
    """Return the numbers of messages sent so far."""
    sent = np.array([port.sent for port in world.ports], dtype=np.int64)
    ordered = sorted(world.fabric.sent.items(), key=lambda item: (-item[1], _tag(item[0])))
    return MessageCounts(
        by_kind={_tag(kind): count for kind, count in ordered},
        bytes_by_kind={_tag(kind): count for kind, count in world.fabric.bytes.items()},
        lost=world.fabric.lost,
        compounds=world.fabric.compounds,
        per_node_mean=float(sent.mean()),
        per_node_max=int(sent.max(initial=0)),
    )


def _tag(kind: Any) -> str:
    return str(kind.__struct_config__.tag)
