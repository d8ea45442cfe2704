"""Membership oracles: queries on the other nodes, answered from one shared index.

Views are full, or a random sample of the nodes (SpiderCast §2.2, §3.7). The presence and the
interests of all nodes are in one set of arrays; a view adds at most the list of its sample. The
answers equal those of :class:`gossamer.protocols.components.views.KnownPeers`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.kernels.gossip.view_queries import (
    Subscribers,
    any_covering,
    any_covering_among,
    draw_others,
    most_covering,
    most_covering_among,
    next_subscriber,
)
from gossamer.model.csr import offsets_of
from gossamer.protocols.components.identifiers import identifier_of_node
from gossamer.protocols.components.views import around_among, next_after
from gossamer.protocols.contract import Peer, Topic, Topics
from gossamer.random_stream import Stream, stream_of


class SharedIndex:
    """Present nodes and their interests, by node and by topic.

    Parameters
    ----------
    nodes, topics
        Maximum number of nodes and of topics.
    capacities
        Initial capacity of the list of subscribers of each topic.
    """

    def __init__(self, nodes: int, topics: int, capacities: NDArray[np.int64]) -> None:
        self.version = 0
        self.topics_of: list[tuple[int, ...] | None] = [None] * nodes
        self.counts = np.zeros(nodes, dtype=np.int32)
        self.wanted = np.zeros(topics, dtype=np.bool_)
        self.left_out = np.zeros(nodes, dtype=np.bool_)
        self.present: list[int] = []
        self._place_of: dict[int, int] = {}
        starts = offsets_of(capacities)[:-1]
        self._capacities = capacities.copy()
        self.subscribers = Subscribers(
            starts,
            np.zeros(topics, dtype=np.int64),
            np.empty(int(capacities.sum()), dtype=np.int32),
        )
        self.node_starts = np.zeros(nodes, dtype=np.int64)
        self.node_lengths = np.zeros(nodes, dtype=np.int64)
        self.node_topics = np.empty(1024, dtype=np.int32)
        self._used = 0
        self._circle: list[tuple[int, int]] | None = None
        """Identifiers and nodes, ascending, once they are needed."""

    def join(self, node: int, topics: Sequence[int]) -> None:
        """Add a node. O(its topics)."""
        assert self.topics_of[node] is None
        self.version += 1
        self.topics_of[node] = tuple(topics)
        self._place_of[node] = len(self.present)
        self.present.append(node)
        index = self.subscribers
        for topic in topics:
            if index.lengths[topic] == self._capacities[topic]:
                self._grow()
                index = self.subscribers
            index.members[index.starts[topic] + index.lengths[topic]] = node
            index.lengths[topic] += 1
        self._write_topics(node, topics)
        if self._circle is not None:
            insort(self._circle, (identifier_of_node(node), node))

    @property
    def circle(self) -> list[tuple[int, int]]:
        """Identifiers and nodes that are present, ascending."""
        if self._circle is None:
            self._circle = sorted((identifier_of_node(node), node) for node in self.present)
        return self._circle

    def leave(self, node: int) -> None:
        """Remove a node. O(subscribers of its topics)."""
        topics = self.topics_of[node]
        if topics is None:
            return
        self.version += 1
        self.topics_of[node] = None
        self.node_lengths[node] = 0
        if self._circle is not None:
            one = (identifier_of_node(node), node)
            del self._circle[bisect_left(self._circle, one)]
        place = self._place_of.pop(node)
        last = self.present.pop()
        if last != node:
            self.present[place] = last
            self._place_of[last] = place
        index = self.subscribers
        for topic in topics:
            start, length = index.starts[topic], index.lengths[topic]
            listed = index.members[start : start + length]
            listed[np.flatnonzero(listed == node)[0]] = listed[-1]
            index.lengths[topic] = length - 1

    def _write_topics(self, node: int, topics: Sequence[int]) -> None:
        end = self._used + len(topics)
        if end > len(self.node_topics):
            grown = np.empty(max(end, 2 * len(self.node_topics)), dtype=np.int32)
            grown[: self._used] = self.node_topics[: self._used]
            self.node_topics = grown
        self.node_topics[self._used : end] = topics
        self.node_starts[node] = self._used
        self.node_lengths[node] = len(topics)
        self._used = end

    def _grow(self) -> None:
        """Double the capacity of every topic that is full."""
        old = self.subscribers
        self._capacities = np.where(
            old.lengths == self._capacities, 2 * self._capacities + 16, self._capacities
        )
        starts = offsets_of(self._capacities)[:-1]
        members = np.empty(int(self._capacities.sum()), dtype=np.int32)
        for topic, (was, start, length) in enumerate(
            zip(old.starts.tolist(), starts.tolist(), old.lengths.tolist(), strict=True)
        ):
            members[start : start + length] = old.members[was : was + length]
            assert length <= self._capacities[topic]
        self.subscribers = Subscribers(starts, old.lengths, members)


class FullView:
    """View of all present nodes."""

    __slots__ = ("_index", "_me")

    def __init__(self, index: SharedIndex, me: int) -> None:
        self._index = index
        self._me = me

    @property
    def version(self) -> int:
        """Number that changes with every join, departure and change of interests."""
        return self._index.version

    def __contains__(self, peer: Peer) -> bool:
        """Whether a peer is present."""
        return peer != self._me and self.topics_of(peer) is not None

    def topics_of(self, peer: Peer) -> Topics | None:
        """Return the topics of a peer; None if it is absent."""
        known = self._index.topics_of
        return known[peer] if isinstance(peer, int) and 0 <= peer < len(known) else None

    def most_covering(
        self, topics: Sequence[Topic], without: Collection[Peer], random: Stream | None
    ) -> Peer | None:
        """Return the peer with most of the topics; O(their subscribers)."""
        return self._ask(most_covering, topics, without, random)

    def any_covering(
        self, topics: Sequence[Topic], without: Collection[Peer], random: Stream
    ) -> Peer | None:
        """Return a peer with at least one of the topics; O(their subscribers)."""
        return self._ask(any_covering, topics, without, random)

    def _ask(
        self, kernel: Any, topics: Sequence[Topic], without: Collection[Peer], random: Stream | None
    ) -> Peer | None:
        index = self._index
        found = kernel(
            index.subscribers,
            np.array(topics, dtype=np.int32),
            _ids({self._me, *without}, len(index.topics_of)),
            index.counts,
            np.uint64(0 if random is None else random.next_u64()),
        )
        return None if found < 0 else int(found)

    def any_peer(self, without: Collection[Peer], random: Stream) -> Peer | None:
        """Return any peer; O(1) unless nearly all are excluded."""
        present = self._index.present
        for _ in range(8):
            if not present:
                return None
            found = present[random.randbelow(len(present))]
            if found != self._me and found not in without:
                return found
        left = [node for node in sorted(present) if node != self._me and node not in without]
        return random.choice(left) if left else None

    def next_on(self, topic: Topic, me: Peer) -> Peer | None:
        """Return the successor on the ring of a topic; O(its subscribers)."""
        found = next_subscriber(self._index.subscribers, topic, me)  # type: ignore[arg-type]
        return None if found < 0 else int(found)

    def count_on(self, topic: Topic) -> int:
        """Return the number of other subscribers of a topic; O(log n) for n topics of the node."""
        own = self._index.topics_of[self._me] or ()
        place = bisect_left(own, topic)
        mine = place < len(own) and own[place] == topic
        return int(self._index.subscribers.lengths[topic]) - mine  # type: ignore[index]

    def is_gone(self, peer: Peer) -> bool:
        """Whether a peer is absent."""
        return self.topics_of(peer) is None

    def around(self, place: int, count: int) -> tuple[Sequence[Peer], Sequence[Peer]]:
        """Return the next peers before and after a place on the circle; O(log n) for n nodes."""
        circle = self._index.circle
        at = bisect_left(circle, (place, -1))
        sides: tuple[list[Peer], list[Peer]] = ([], [])
        for side, start, step in zip(sides, (at - 1, at), (-1, 1), strict=True):
            for passed in range(min(count + 2, len(circle))):
                identifier, node = circle[(start + step * passed) % len(circle)]
                if node != self._me and identifier != place and len(side) < count:
                    side.append(node)
        return sides


class SampledView:
    """View of the present nodes of a sample.

    Parameters
    ----------
    index
        Present nodes and their interests.
    me
        Identifier of the node that has the view.
    members
        Sample, without the node itself.
    """

    __slots__ = ("_index", "_known", "_me", "_members")

    def __init__(self, index: SharedIndex, me: int, members: NDArray[np.int32]) -> None:
        self._index = index
        self._me = me
        self._members = members
        self._known = frozenset(members.tolist())

    @property
    def version(self) -> int:
        """Number that changes with every join, departure and change of interests."""
        return self._index.version

    def __contains__(self, peer: Peer) -> bool:
        """Whether a peer is in the sample, and present."""
        return self.topics_of(peer) is not None

    def topics_of(self, peer: Peer) -> Topics | None:
        """Return the topics of a peer of the sample; None if it is absent."""
        return self._index.topics_of[peer] if peer in self._known else None  # type: ignore[index]

    def most_covering(
        self, topics: Sequence[Topic], without: Collection[Peer], random: Stream | None
    ) -> Peer | None:
        """Return the peer with most of the topics; O(subscriptions of the sample)."""
        return self._ask(most_covering_among, topics, without, random)

    def any_covering(
        self, topics: Sequence[Topic], without: Collection[Peer], random: Stream
    ) -> Peer | None:
        """Return a peer with at least one of the topics."""
        return self._ask(any_covering_among, topics, without, random)

    def _ask(
        self, kernel: Any, topics: Sequence[Topic], without: Collection[Peer], random: Stream | None
    ) -> Peer | None:
        index = self._index
        wanted = np.array(topics, dtype=np.int32)
        excluded = _ids(without, len(index.topics_of))
        index.wanted[wanted] = True
        index.left_out[excluded] = True
        found = kernel(
            self._members,
            index.node_starts,
            index.node_lengths,
            index.node_topics,
            index.wanted,
            index.left_out,
            np.uint64(0 if random is None else random.next_u64()),
        )
        index.wanted[wanted] = False
        index.left_out[excluded] = False
        return None if found < 0 else int(found)

    def any_peer(self, without: Collection[Peer], random: Stream) -> Peer | None:
        """Return any present peer of the sample; O(sample)."""
        topics_of = self._index.topics_of
        left = [n for n in self._members.tolist() if topics_of[n] is not None and n not in without]
        return random.choice(left) if left else None

    def next_on(self, topic: Topic, me: Peer) -> Peer | None:
        """Return the successor on the ring of the sampled subscribers of a topic."""
        topics_of = self._index.topics_of
        subscribers = [node for node in self._members.tolist() if topic in (topics_of[node] or ())]
        return next_after(me, subscribers)

    def count_on(self, topic: Topic) -> int:
        """Return the number of subscribers of a topic, extrapolated from the sample; O(sample)."""
        topics_of = self._index.topics_of
        count = sum(topic in (topics_of[node] or ()) for node in self._members.tolist())
        return round(count * (len(topics_of) - 1) / max(len(self._members), 1))

    def is_gone(self, peer: Peer) -> bool:
        """Whether a peer of the sample is absent."""
        return peer in self._known and self.topics_of(peer) is None

    def around(self, place: int, count: int) -> tuple[Sequence[Peer], Sequence[Peer]]:
        """Return the next sampled peers before and after a place on the circle; O(sample)."""
        topics_of = self._index.topics_of
        members = (node for node in self._members.tolist() if topics_of[node] is not None)
        return around_among(place, count, members)


def _ids(peers: Collection[Peer], nodes: int) -> NDArray[np.int32]:
    kept = [peer for peer in peers if isinstance(peer, int) and 0 <= peer < nodes]
    return np.array(kept, dtype=np.int32)


@dataclass(frozen=True)
class ViewSize:
    """Membership known to a node: all nodes, a share or number of them, or by gossip."""

    kind: str
    amount: float = 0.0

    def entries(self, nodes: int) -> int:
        """Return the number of other nodes in a sampled view."""
        asked = round(self.amount * nodes) if self.kind == "share" else int(self.amount)
        return min(max(asked, 1), max(nodes - 1, 0))

    def sample(self, nodes: int, me: int, incarnation: int, seed: int) -> NDArray[np.int32]:
        """Draw the sample of an incarnation uniformly from the other nodes."""
        key = np.uint64(stream_of(seed, "view", me, incarnation).next_u64())
        return draw_others(nodes, me, self.entries(nodes), key)


def parse_view(text: str) -> ViewSize:
    """Parse ``full``, ``5%``, ``200`` or ``gossip``.

    Examples
    --------
    >>> parse_view("5%").entries(4000), parse_view("200").entries(4000)
    (200, 200)
    """
    word = text.strip().lower()
    if word in ("full", "gossip"):
        return ViewSize(word)
    found = re.fullmatch(r"(\d{1,3}(?:\.\d+)?) ?%", word)
    if found and 0 < float(found.group(1)) <= 100:
        share = float(found.group(1)) / 100
        return ViewSize("full") if share == 1 else ViewSize("share", share)
    if re.fullmatch(r"\d{1,9}", word) and int(word) > 0:
        return ViewSize("number", float(word))
    raise ParameterError(
        f"view is {text!r}; expected full, a share as in 5%, a number of entries as in 200, or "
        "gossip"
    )
