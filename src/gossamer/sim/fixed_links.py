"""Machines with fixed links: dissemination alone, in a simulated world.

They show how a designed overlay, or a protocol's overlay at some time, copes with loss, delays and
churn. They are not in the registry of protocols, since live nodes could not learn the links.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from gossamer.model import Interests
from gossamer.options import setting
from gossamer.protocols.components import dissemination, handover, tree_messages
from gossamer.protocols.components.composed_machine import ComposedMachine
from gossamer.protocols.components.config import TreeConfig
from gossamer.protocols.contract import (
    Effect,
    Effects,
    Event,
    Key,
    NodeContext,
    Peer,
    Topic,
    Topics,
)
from gossamer.protocols.registry import ProtocolEntry
from gossamer.quality.topic_graphs import TopicGraphs
from gossamer.time import microseconds

Neighbours = Mapping[Topic, tuple[Peer, ...]]
MESSAGES = (*dissemination.MESSAGES, *handover.MESSAGES, *tree_messages.MESSAGES)


class FixedLinks(ComposedMachine):
    """Machine whose neighbours on each topic are given.

    Parameters
    ----------
    context
        Identity and environment of the node; its view knows the present nodes.
    neighbours
        Neighbours on each topic, in a fixed order.
    config
        Forwarding, and the time between digests.
    """

    def __init__(
        self, context: NodeContext, neighbours: Neighbours, config: FixedLinksConfig
    ) -> None:
        super().__init__(
            context, None, flood=config.flood, period=microseconds(config.digest_seconds),
            history=config.history, ordering=config.ordering,
        )  # fmt: skip
        self._neighbours = neighbours
        self._seen_view = -1
        self._linked = tuple(
            dict.fromkeys(peer for listed in neighbours.values() for peer in listed)
        )

    def handle(self, event: Event, now: int) -> Effects:
        """Handle an event; the neighbours may have changed since the last one."""
        if self.view.version != self._seen_view:
            self._seen_view = self.view.version
            self.dissemination.note_changed()
        return super().handle(event, now)

    def linked(self) -> Iterable[Peer]:
        """Return the neighbours, present or not."""
        return self._linked

    def neighbours_on(self, topic: Topic) -> list[Peer]:
        """Return the present neighbours that subscribe to a topic."""
        topics_of = self.view.topics_of
        found = self._neighbours.get(topic, ())
        return [peer for peer in found if topic in (topics_of(peer) or ())]

    def on_started(self, now: int, out: list[Effect]) -> None:
        """Report all links."""
        for peer in self._linked:
            self.link(peer, now, out)

    def on_timer(self, key: Key, now: int, out: list[Effect]) -> None:
        """Do nothing: the digest has the only timer."""

    def on_peer_down(self, peer: Peer, now: int, out: list[Effect]) -> None:
        """Keep the link: links are fixed."""

    def on_interest(self, before: Topics, now: int, out: list[Effect]) -> None:
        """Keep the links: they are fixed."""

    def on_leave(self, now: int, out: list[Effect]) -> None:
        """Send no message: the views of others know the present nodes."""


@dataclass(frozen=True, kw_only=True)
class FixedLinksConfig(TreeConfig):
    """Fixed links."""

    digest_seconds: float = setting(1.0, "Seconds between digests (ours).", 0.001, 1e9)


def fixed_links(interests: Interests, graphs: TopicGraphs) -> ProtocolEntry:
    """Return a protocol entry with fixed links, for :class:`~gossamer.sim.World`. O(arcs).

    Parameters
    ----------
    interests
        Topics of each node.
    graphs
        Neighbours on each topic, over the same interests.
    """
    neighbours = _by_node(interests, graphs)

    def build(context: NodeContext, config: FixedLinksConfig) -> FixedLinks:
        assert isinstance(context.me, int)
        return FixedLinks(context, neighbours[context.me], config)

    return ProtocolEntry(
        name="fixed-links",
        build=build,
        config=FixedLinksConfig,
        messages=MESSAGES,
        background=MESSAGES,
        topic_connected=False,
        views_by_topic=True,
    )


def _by_node(interests: Interests, graphs: TopicGraphs) -> list[dict[Topic, tuple[Peer, ...]]]:
    """Return the neighbours of each node on each of its topics."""
    first = np.repeat(interests.topic_offsets[:-1], interests.popularity)
    owners = np.repeat(np.arange(interests.subscription_count), np.diff(graphs.offsets))
    others = interests.topic_nodes[first[owners] + graphs.neighbours].tolist()
    topics = np.repeat(np.arange(interests.topic_count), interests.popularity).tolist()
    found: list[dict[Topic, tuple[Peer, ...]]] = [{} for _ in range(interests.node_count)]
    bounds = graphs.offsets.tolist()
    for slot, node in enumerate(interests.topic_nodes.tolist()):
        if bounds[slot + 1] > bounds[slot]:
            listed = others[bounds[slot] : bounds[slot + 1]]
            found[node][topics[slot]] = tuple(sorted(listed))
    return found
