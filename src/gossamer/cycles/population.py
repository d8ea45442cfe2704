"""Who is there, numbered along the identifier circle, and whom each has heard of lately."""

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

__all__ = ["MAX_VIEW", "Numbered", "Population"]

PURPOSE = np.uint64(0x5649)
LONG_AGO = -(1 << 40)
MAX_VIEW = 10_000


@dataclass(frozen=True, eq=False)
class Numbered:
    """Interests with nodes numbered along the identifier circle.

    ``nodes[k]`` is the node at place k; rows are its topics, and each topic's subscribers, with
    ``topic_places`` where each of these subscriptions is in the rows of nodes.
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
        """Hash nodes and topics, and number the nodes by it. O(S log S)."""
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
    """The nodes that are there, and their peer-sampling views, round after round.

    Parameters
    ----------
    numbered
        Who wants what, along the circle.
    view_size
        Entries of a view (Newscast's c).
    missed_heartbeats
        For how many rounds others still count on somebody who went without a word.
    seed
        Settles every random choice.
    """

    def __init__(
        self, numbered: Numbered, *, view_size: int, missed_heartbeats: int, seed: int
    ) -> None:
        if not 1 <= view_size <= MAX_VIEW:
            raise ParameterError(f"view_size is {view_size}; expected 1 to {MAX_VIEW}")
        if not 1 <= missed_heartbeats <= 1_000_000:
            raise ParameterError(
                f"missed_heartbeats is {missed_heartbeats}; expected 1 to 1000000 rounds"
            )
        nodes, topics = len(numbered.nodes), len(numbered.topic_identifiers)
        self.numbered = numbered
        self.missed_heartbeats = missed_heartbeats
        self.now = 0
        self.alive = np.zeros(nodes, dtype=np.bool_)
        self.joined = np.zeros(nodes, dtype=np.int64)
        self.left = np.full(nodes, LONG_AGO, dtype=np.int64)
        """In which round each node came last, and went last."""
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
        self.spent: dict[str, float] = {}
        """Seconds in each kind of work."""

    @contextmanager
    def timed(self, work: str) -> Iterator[None]:
        """Count the time that something takes as that kind of work."""
        started = time.perf_counter()
        yield
        self.spent[work] = self.spent.get(work, 0.0) + time.perf_counter() - started

    def join(self, nodes: NDArray[np.integer]) -> None:
        """Let nodes begin a life: each is told of some random ones that are there. O(n c)."""
        self.alive[nodes] = True
        self.joined[nodes] = self.now
        there = np.flatnonzero(self.alive).astype(np.int32)
        for node in nodes.tolist():
            peer_sampling.bootstrap_view(
                self.views[node], self.stamps[node], node, there, len(there), self.now,
                self.sequence,
            )  # fmt: skip

    def leave(self, nodes: NDArray[np.integer]) -> None:
        """Let nodes end their life without a word."""
        self.alive[nodes] = False
        self.left[nodes] = self.now

    def step(self) -> NDArray[np.int32]:
        """Let a round of peer sampling pass; return who is there, in random order. O(N c)."""
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
        """Return whom others still count on: the living, and those who went lately."""
        return self.alive | (self.now - self.left <= self.missed_heartbeats)
