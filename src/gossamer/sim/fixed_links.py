"""Machines on links that are given and never change: dissemination alone, in a simulated world.

Not a protocol of the list: nobody could run it live, since nobody finds out about links here.
It is what a designed overlay, or the overlay of a protocol at some time, does with loss, delays
and nodes that come and go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from gossamer.model import Interests
from gossamer.protocols.components.composed_machine import ComposedMachine
from gossamer.protocols.components.config import FloodConfig
from gossamer.protocols.components.dissemination import MESSAGES, FloodMode
from gossamer.protocols.contract import Effect, Key, NodeContext, Peer, Topic, Topics
from gossamer.protocols.registry import ProtocolEntry
from gossamer.quality.topic_graphs import TopicGraphs
from gossamer.registry import setting
from gossamer.time import microseconds

__all__ = ["FixedLinks", "fixed_links"]

Neighbours = Mapping[Topic, tuple[Peer, ...]]


class FixedLinks(ComposedMachine):
    """A node whose neighbours on each topic are given.

    Parameters
    ----------
    context
        Who and where the node is; its view says who is there.
    neighbours
        The neighbours on each topic, in a fixed order.
    flood, period
        How what is published travels, and how often neighbours tell what they have.
    """

    def __init__(
        self, context: NodeContext, neighbours: Neighbours, *, flood: FloodMode, period: int
    ) -> None:
        super().__init__(context, None, flood=flood, period=period)
        self._neighbours = neighbours
        self._linked = tuple(
            dict.fromkeys(peer for listed in neighbours.values() for peer in listed)
        )

    def linked(self) -> Iterable[Peer]:
        """Return whom the node is linked to, there or not."""
        return self._linked

    def neighbours_on(self, topic: Topic) -> list[Peer]:
        """Return the neighbours on a topic that are there and want it."""
        topics_of = self.view.topics_of
        found = self._neighbours.get(topic, ())
        return [peer for peer in found if topic in (topics_of(peer) or ())]

    def on_started(self, now: int, out: list[Effect]) -> None:
        """Be linked from the outset."""
        for peer in self._linked:
            self.link(peer, now, out)

    def on_timer(self, key: Key, now: int, out: list[Effect]) -> None:
        """There are no timers but the digest's."""

    def on_peer_down(self, peer: Peer, now: int, out: list[Effect]) -> None:
        """Keep the link: it never changes."""

    def on_interest(self, before: Topics, now: int, out: list[Effect]) -> None:
        """Keep the links: they never change."""

    def on_leave(self, now: int, out: list[Effect]) -> None:
        """Go without a word: others see who is there."""


@dataclass(frozen=True, kw_only=True)
class FixedLinksConfig(FloodConfig):
    """Links that are given, and never change."""

    digest_seconds: float = setting(1.0, "Seconds between digests (ours).", low=0.001, high=1e9)


def fixed_links(interests: Interests, graphs: TopicGraphs) -> ProtocolEntry:
    """Return what builds machines on given links, for :class:`~gossamer.sim.World`.

    O(arcs).

    Parameters
    ----------
    interests
        Who wants what.
    graphs
        The neighbours on each topic, over the same interests.
    """
    neighbours = _by_node(interests, graphs)

    def build(context: NodeContext, config: FixedLinksConfig) -> FixedLinks:
        assert isinstance(context.me, int)
        period = microseconds(config.digest_seconds)
        return FixedLinks(context, neighbours[context.me], flood=config.flood, period=period)

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
    """Return each node's neighbours on each of its topics."""
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
