"""OPT in cycles: an overlay per topic by interest coverage, with an optional bound on degrees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.cycles.events import CycleMeasures, Events, EventWorld, follow_events
from gossamer.cycles.population import Numbered
from gossamer.errors import ParameterError
from gossamer.kernels.gossip import opt as kernels
from gossamer.kernels.gossip.opt import Coverage
from gossamer.model.csr import offsets_of

MAX_LINKS = 4096
"""Maximum number of links of a node without a bound."""


class OverlayPerTopic(EventWorld):
    """Symmetric links by coverage, and flooding among subscribers.

    Parameters
    ----------
    numbered, view_size, missed_heartbeats, seed
        As for any population.
    cover
        Number of neighbours that a node seeks on each of its topics.
    bound
        Maximum number of links of a node; 0 for no bound.
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
        if not 0 <= bound <= MAX_LINKS:
            raise ParameterError(
                f"bound is {bound}; expected 1 to {MAX_LINKS} links, or 0 for none"
            )
        nodes = len(numbered.nodes)
        self.cover = cover
        self.bound = min(bound or MAX_LINKS, max(nodes - 1, 1))
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
        """Remove nodes; their neighbours find out after ``missed_heartbeats`` cycles."""
        super().leave(nodes)
        self._silent.append((self.now + self.missed_heartbeats, nodes.astype(np.int32)))

    def join(self, nodes: NDArray[np.integer]) -> None:
        """Add nodes without links."""
        self._forget(nodes.astype(np.int32))
        super().join(nodes)

    def _forget(self, nodes: NDArray[np.int32]) -> None:
        self.token = kernels.forget_gone(self.coverage, nodes, self.scratch.mine, self.token)

    def step(self) -> NDArray[np.int32]:
        """Advance by a cycle; return the present nodes in random order."""
        order = super().step()
        while self._silent and self._silent[0][0] <= self.now:
            gone = self._silent.pop(0)[1]
            silent = ~self.alive[gone] & (self.now - self.left[gone] >= self.missed_heartbeats)
            self._forget(gone[silent])  # a node that returned and left again is silent since then
        with self.timed("coverage"):
            self.token = kernels.cover_round(
                self.coverage, self.views, self.alive, order, self.cover, self.bound,
                self.sequence, self.scratch.seen, self.scratch.mine, self.token,
            )  # fmt: skip
        return order

    def route(self) -> None:
        """Do nothing: events need no paths."""

    def covered(self) -> float:
        """Return the share of subscriptions with enough neighbours, of those that can have them."""
        needed = np.minimum(self.coverage.others, self.cover)
        able = needed > 0
        return float((self.coverage.covered >= needed)[able].mean()) if able.any() else 1.0

    def measure(self, events: Events, *, min_age: int = 0) -> CycleMeasures:
        """Publish events, and measure their deliveries and the overlay."""
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
            min_age=min_age,
        )
