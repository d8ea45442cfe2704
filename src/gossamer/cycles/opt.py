"""OPT in rounds: an overlay per topic by interest coverage, with a bound on degrees or none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.cycles.events import Events, EventWorld, RoundMeasures, follow_events
from gossamer.cycles.population import Numbered
from gossamer.errors import ParameterError
from gossamer.kernels.gossip import opt as kernels
from gossamer.kernels.gossip.opt import Coverage
from gossamer.model.csr import offsets_of

__all__ = ["OverlayPerTopic"]

WIDEST = 4096
"""Links that a node can have where there is no bound."""


class OverlayPerTopic(EventWorld):
    """Links by coverage, symmetric, and flooding among subscribers.

    Parameters
    ----------
    numbered, view_size, missed_heartbeats, seed
        As for any population.
    cover
        How many neighbours a node wants on each of its topics.
    bound
        The most links of a node, whoever made them; 0 for no bound.
    """

    def __init__(
        self,
        numbered: Numbered,
        *,
        cover: int,
        bound: int,
        view_size: int,
        missed_heartbeats: int,
        seed: int = 0,
    ) -> None:
        super().__init__(
            numbered, view_size=view_size, missed_heartbeats=missed_heartbeats, seed=seed
        )
        if not 1 <= cover <= 1000:
            raise ParameterError(f"cover is {cover}; expected 1 to 1000 neighbours on a topic")
        if not 0 <= bound <= WIDEST:
            raise ParameterError(f"bound is {bound}; expected 1 to {WIDEST} links, or 0 for none")
        nodes = len(numbered.nodes)
        self.cover = cover
        self.bound = min(bound or WIDEST, max(nodes - 1, 1))
        self.coverage = Coverage(
            offsets=numbered.offsets,
            topics=numbered.topics,
            peers=np.full((nodes, self.bound), -1, dtype=np.int32),
            degrees=np.zeros(nodes, dtype=np.int32),
            covered=np.zeros(len(numbered.topics), dtype=np.int32),
            others=(np.diff(numbered.topic_offsets)[numbered.topics] - 1).astype(np.int32),
        )
        self._silent: list[tuple[int, NDArray[np.int32]]] = []

    def leave(self, nodes: NDArray[np.integer]) -> None:
        """Remove nodes; their neighbours notice after ``missed_heartbeats`` rounds."""
        super().leave(nodes)
        self._silent.append((self.now + self.missed_heartbeats, nodes.astype(np.int32)))

    def join(self, nodes: NDArray[np.integer]) -> None:
        """Let nodes begin a life without links."""
        self._forget(nodes.astype(np.int32))
        super().join(nodes)

    def _forget(self, nodes: NDArray[np.int32]) -> None:
        self.token = kernels.forget_gone(self.coverage, nodes, self.scratch.mine, self.token)

    def step(self) -> NDArray[np.int32]:
        """Let a round pass; return who is there, in random order."""
        order = super().step()
        while self._silent and self._silent[0][0] <= self.now:
            gone = self._silent.pop(0)[1]
            silent = ~self.alive[gone] & (self.now - self.left[gone] >= self.missed_heartbeats)
            self._forget(gone[silent])  # who came and went again is silent since then
        with self.timed("coverage"):
            self.token = kernels.cover_round(
                self.coverage, self.views, self.alive, order, self.cover, self.bound,
                self.sequence, self.scratch.seen, self.scratch.mine, self.token,
            )  # fmt: skip
        return order

    def route(self) -> None:
        """Do nothing: events need no paths."""

    def covered(self) -> float:
        """Return the share of subscriptions with enough neighbours, of those that could have."""
        wanted = np.minimum(self.coverage.others, self.cover)
        able = wanted > 0
        return float((self.coverage.covered >= wanted)[able].mean()) if able.any() else 1.0

    def measure(self, events: Events, *, grace: int = 0) -> RoundMeasures:
        """Publish events, and measure what becomes of them, and the overlay."""
        degrees = self.coverage.degrees
        offsets = offsets_of(degrees)
        filled = np.arange(self.bound)[None, :] < degrees[:, None]
        links = self.coverage.peers[filled]
        for node in range(len(degrees)):
            links[offsets[node] : offsets[node + 1]].sort()
        none = np.zeros(len(self.numbered.topic_identifiers) + 1, dtype=np.int64)
        return follow_events(
            self,
            events,
            offsets,
            links,
            (none, np.empty((0, 2), dtype=np.int32)),
            clusters=True,
            through=False,
            grace=grace,
            ring=1.0,
            rendezvous=1.0,
            gateways=0.0,
        )
