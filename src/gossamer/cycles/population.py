"""Nodes numbered along the identifier circle, their presence, and their peer-sampling views."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ParameterError
from gossamer.kernels.gossip import newscast as peer_sampling
from gossamer.kernels.gossip.tman import TableScratch
from gossamer.kernels.random import stream_key
from gossamer.model import Interests
from gossamer.model.csr import offsets_of
from gossamer.protocols.components.identifiers import identifier_of_node, identifier_of_topic

PURPOSE = np.uint64(0x5649)
LONG_AGO = -(1 << 40)
MAX_VIEW = 10_000


@dataclass(frozen=True, eq=False)
class Numbered:
    """Interests with nodes numbered along the identifier circle.

    Attributes
    ----------
    nodes, identifiers
        Node at each place of the circle, and its identifier.
    topic_identifiers
        Identifier of each topic.
    offsets, topics
        ``topics[offsets[k] : offsets[k + 1]]`` are the topics of the node at place k.
    topic_offsets, topic_nodes
        Places of the subscribers of each topic, in the same layout.
    topic_places
        Index in ``topics`` of each of those subscriptions.
    """

    nodes: NDArray[np.int64]
    identifiers: NDArray[np.uint64]
    topic_identifiers: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    topics: NDArray[np.int32]
    topic_offsets: NDArray[np.int64]
    topic_nodes: NDArray[np.int32]
    topic_places: NDArray[np.int64]

    @classmethod
    def of(cls, interests: Interests) -> Numbered:
        """Hash nodes and topics, and sort the nodes by identifier. O(S log S)."""
        own = np.array(
            [identifier_of_node(node) for node in range(interests.node_count)], dtype=np.uint64
        )
        order = np.argsort(own, kind="stable")
        sizes = interests.subscription_sizes[order].astype(np.int64)
        offsets = offsets_of(sizes)
        topics = np.empty(offsets[-1], dtype=np.int32)
        for place, node in enumerate(order.tolist()):
            topics[offsets[place] : offsets[place + 1]] = interests.topics_of(node)
        owners = np.repeat(np.arange(len(order), dtype=np.int32), sizes)
        places = np.argsort(topics, kind="stable")
        counts = np.bincount(topics, minlength=interests.topic_count)
        return cls(
            nodes=order,
            identifiers=own[order],
            topic_identifiers=np.array(
                [identifier_of_topic(topic) for topic in range(interests.topic_count)],
                dtype=np.uint64,
            ),
            offsets=offsets,
            topics=topics,
            topic_offsets=offsets_of(counts),
            topic_nodes=owners[places],
            topic_places=places,
        )


class Population:
    """Present nodes and their peer-sampling views.

    Parameters
    ----------
    numbered
        Interests along the circle.
    view_size
        Number of descriptors in a view (Newscast's c).
    missed_heartbeats
        Number of silent cycles after which a neighbour counts as departed.
    seed
        Seed of the random number generator.
    """

    def __init__(
        self, numbered: Numbered, *, view_size: int, missed_heartbeats: int, seed: int
    ) -> None:
        if not 1 <= view_size <= MAX_VIEW:
            raise ParameterError(f"view_size is {view_size}; expected 1 to {MAX_VIEW}")
        if not 1 <= missed_heartbeats <= 1_000_000:
            raise ParameterError(
                f"missed_heartbeats is {missed_heartbeats}; expected 1 to 1000000 cycles"
            )
        nodes, topics = len(numbered.nodes), len(numbered.topic_identifiers)
        self.numbered = numbered
        self.missed_heartbeats = missed_heartbeats
        self.now = 0
        self.alive = np.zeros(nodes, dtype=np.bool_)
        self.joined = np.zeros(nodes, dtype=np.int64)
        self.left = np.full(nodes, LONG_AGO, dtype=np.int64)
        """Cycles of the last join and the last departure of each node."""
        key = np.uint64(stream_key(np.uint64(seed), PURPOSE))
        self.sequence = np.array([key, 0], dtype=np.uint64)
        self.views = np.full((nodes, view_size), -1, dtype=np.int32)
        self.stamps = np.zeros((nodes, view_size), dtype=np.int32)
        self.scratch = TableScratch(
            np.full(nodes, -1, dtype=np.int64),
            np.full(nodes, -1, dtype=np.int64),
            np.full(topics, -1, dtype=np.int64),
        )
        self.token = 0
        self.seconds_by_task: dict[str, float] = {}
        """Computing time of each kind of work."""

    @contextmanager
    def timed(self, task: str) -> Iterator[None]:
        """Add the computing time of the body to a kind of work."""
        started = time.perf_counter()
        yield
        elapsed = time.perf_counter() - started
        self.seconds_by_task[task] = self.seconds_by_task.get(task, 0.0) + elapsed

    def join(self, nodes: NDArray[np.integer]) -> None:
        """Add nodes; each gets a view of random present nodes. O(n c)."""
        self.alive[nodes] = True
        self.joined[nodes] = self.now
        present = np.flatnonzero(self.alive).astype(np.int32)
        for node in nodes.tolist():
            peer_sampling.bootstrap_view(
                self.views[node], self.stamps[node], node, present, len(present), self.now,
                self.sequence,
            )  # fmt: skip

    def leave(self, nodes: NDArray[np.integer]) -> None:
        """Remove nodes; they send no message."""
        self.alive[nodes] = False
        self.left[nodes] = self.now

    def step(self) -> NDArray[np.int32]:
        """Advance peer sampling by a cycle; return the present nodes in random order. O(N c)."""
        self.now += 1
        order = np.flatnonzero(self.alive).astype(np.int32)
        peer_sampling.shuffle_order(order, self.sequence)
        with self.timed("peer sampling"):
            self.token = peer_sampling.newscast_round(
                self.views, self.stamps, self.alive, order, self.now, self.sequence,
                self.scratch.seen, self.token,
            )  # fmt: skip
        return order

    def believed(self) -> NDArray[np.bool_]:
        """Whether others still count each node as present: it is, or left only recently."""
        return self.alive | (self.now - self.left <= self.missed_heartbeats)
