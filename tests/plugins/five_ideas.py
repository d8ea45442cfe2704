"""A plug-in with an entry of every kind, as a user would write it: ``--plugin five_ideas.py``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from centres import centre_of  # type: ignore[import-not-found]

import gossamer
from gossamer.maintain import DynamicOverlay, LinkChanges
from gossamer.pipeline.sources import SourceSpec
from gossamer.protocols.contract import (
    Effects,
    Event,
    Link,
    Message,
    NodeContext,
    Peer,
    PeerDown,
    Received,
    Send,
    SetTimer,
    Started,
    TimerExpired,
    Topic,
    Topics,
    Unlink,
)
from gossamer.protocols.link_state import LinkState
from gossamer.workloads import Sizes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@gossamer.algorithm("star-per-topic", topic_connected=True, diameter=2)
def star_per_topic(
    interests: gossamer.Interests, *, seed: int = 0, centre: Literal["first", "last"] = "first"
) -> gossamer.Overlay:
    """Link the subscribers of each topic to one of them.

    Parameters
    ----------
    centre
        Subscriber at the centre.
    """
    pairs = []
    for topic in range(interests.topic_count):
        subscribers = interests.subscribers_of(topic).tolist()
        middle = centre_of(subscribers, centre)
        pairs += [(middle, node) for node in subscribers if node != middle]
    return gossamer.Overlay.from_links(interests.node_count, pairs)


@gossamer.metric("outer_nodes")
def outer_nodes(interests: gossamer.Interests, overlay: gossamer.Overlay) -> float:
    """Nodes with one link."""
    return int((overlay.degrees == 1).sum())


@dataclass(frozen=True)
class NeighbouringTopics:
    """Each node subscribes to two topics."""

    topic_count: int
    sizes: Sizes
    distance: int

    def subscriptions_of(self, nodes: Any, *, seed: int = 0) -> tuple[Any, Any]:
        """Return a row for each subscription."""
        column = np.asarray(nodes, dtype=np.int64)
        both = np.stack((column, column + self.distance), axis=1) % self.topic_count
        return np.repeat(column, 2), both.ravel().astype(np.int32)


@gossamer.workload("neighbouring-topics")
def neighbouring_topics(topics: int, sizes: Sizes, *, distance: int = 1) -> NeighbouringTopics:
    """Give node k the topics k and k + distance."""
    return NeighbouringTopics(topics, sizes, distance)


@gossamer.strategy("link-to-all")
class LinkToAll:
    """Link a node that joins to all nodes that share a topic; a leave needs no repair then."""

    def __init__(self, *, seed: int) -> None:
        self.seed = seed

    def begin(self, overlay: DynamicOverlay) -> None:
        """Link every two nodes that share a topic: the strategy needs it."""

    def joined(self, overlay: DynamicOverlay, node: int) -> LinkChanges:
        """Return links to the nodes that share a topic."""
        return self._missing(overlay)

    def left(self, overlay: DynamicOverlay, node: int, neighbours: Any) -> LinkChanges:
        """Return the links that are missing."""
        return self._missing(overlay)

    def _missing(self, overlay: DynamicOverlay) -> LinkChanges:
        wanted = star_per_topic(overlay.present_interests()).links.tolist()
        linked = {tuple(pair) for pair in overlay.links().tolist()}
        return LinkChanges(np.array([pair for pair in wanted if tuple(pair) not in linked]))


class Greeting(Message, frozen=True):
    """Topics of the sender."""

    topics: Topics


@gossamer.protocol("greet-all", messages=(Greeting,), topic_connected=True, delivers=False)
class GreetAll:
    """Greet the peers that share a topic, and link to them.

    Parameters
    ----------
    pause
        Milliseconds between two greetings.
    """

    def __init__(self, context: NodeContext, *, pause: int = 100) -> None:
        self.context = context
        self.pause = pause * 1000
        self.links: dict[Peer, Topics] = {}

    @property
    def topics(self) -> Topics:
        """Topics of the node."""
        return self.context.topics

    def linked(self) -> tuple[Peer, ...]:
        """Return the linked peers."""
        return tuple(self.links)

    def neighbours_on(self, topic: Topic) -> tuple[Peer, ...]:
        """Return the linked peers with a topic."""
        return tuple(peer for peer, topics in self.links.items() if topic in topics)

    def link_states(self) -> dict[Peer, LinkState]:
        """Return the state of each link."""
        return dict.fromkeys(self.links, LinkState.LINKED)

    def check_invariants(self) -> None:
        """Raise if the node is linked to itself."""
        assert self.context.me not in self.links

    def _choose(self) -> Peer | None:
        """Return a peer that is not linked: from the view, or a contact of a live node."""
        if self.context.view is None:
            return next((peer for peer in self.context.contacts if peer not in self.links), None)
        found: Peer | None = self.context.view.any_covering(
            self.topics, self.links, self.context.random
        )
        return found

    def handle(self, event: Event, now: int) -> Effects:
        """Greet a peer at each timer; link to those that greet."""
        match event:
            case Started() | TimerExpired():
                found = self.context.view.any_covering(self.topics, self.links, self.context.random)
                greeting = [] if found is None else [Send(found, Greeting(self.topics))]
                return [SetTimer("greet", now + self.pause), *greeting]
            case Received(peer=peer, message=Greeting(topics=topics)) if peer not in self.links:
                self.links[peer] = topics
                return [Link(peer), Send(peer, Greeting(self.topics))]
            case PeerDown(peer=peer) if self.links.pop(peer, None) is not None:
                return [Unlink(peer)]
        return []


@gossamer.source("bar-pairs", layout="a node, a bar and a topic a line", example="a|x\nb|x\n")
def bar_pairs(*, bar: str = "|") -> SourceSpec:
    """User and topic a line, separated by a bar."""
    import pyarrow as pa

    from gossamer.pipeline.sources.pairs import distinct_pairs
    from gossamer.tables.schema import SUBSCRIPTIONS

    def parse(lines: DataFrame) -> DataFrame:
        from pyspark.sql import functions as f

        parts = f.split("line", f"[{bar}]")
        reason = f.when(f.size(parts) != 2, f.lit("has not two fields"))
        good = reason.isNull()
        return lines.select(
            f.when(good, parts[0]).alias("node"),
            f.when(good, parts[1]).alias("topic"),
            "file", "line", reason.alias("reason"),
        )  # fmt: skip

    return SourceSpec(
        columns=(("node", pa.string()), ("topic", pa.string())),
        parse=parse,
        tables=((SUBSCRIPTIONS, distinct_pairs),),
        names=(("node",), ("topic",)),
    )
