"""The gossip overlay of Vitis and RVR in cycles: ring, small-world links, friends."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.cycles.events import EventWorld
from gossamer.cycles.population import PURPOSE, Numbered
from gossamer.errors import ParameterError
from gossamer.kernels.gossip import tman as topology_gossip
from gossamer.kernels.gossip.tman import RING, Tables, Taste
from gossamer.protocols.components.small_world import MAX_POPULATION, MIN_POPULATION

MAX_TABLE = 10_000
MAX_IN_DEGREE = 100_000
CIRCLE = 2.0**64


class GossipOverlay(EventWorld):
    """Routing tables of all nodes, besides the views of peer sampling.

    Parameters
    ----------
    numbered, view_size, missed_heartbeats, seed
        As for any population. A neighbour that is silent for more than ``missed_heartbeats``
        cycles is removed (the paper's threshold).
    table_size
        Number of entries of a routing table (the paper's RT size).
    small_world_links
        Number of these that are small-world links, besides successor and predecessor (the paper's
        k - 2).
    ring_share
        Probability that the partner of an exchange is a ring neighbour rather than any node.
    max_in_degree
        Maximum number of nodes with a node as friend or small-world link, besides those in its own
        table; 0 for three times the table size.
    population
        Number of nodes, which bounds the length of small-world links from below; 0 for an estimate
        of each node from the gaps between its ring neighbours.
    rates
        Publication rate of each topic; equal if not given.
    """

    def __init__(
        self,
        numbered: Numbered,
        *,
        table_size: int,
        small_world_links: int,
        view_size: int,
        missed_heartbeats: int,
        ring_share: float,
        max_in_degree: int = 0,
        population: int = 0,
        rates: NDArray[np.float64] | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(
            numbered, view_size=view_size, missed_heartbeats=missed_heartbeats, seed=seed
        )
        if not 3 <= table_size <= MAX_TABLE:
            raise ParameterError(f"table_size is {table_size}; expected 3 to {MAX_TABLE} links")
        if not 0 <= small_world_links <= table_size - RING:
            raise ParameterError(
                f"small_world_links is {small_world_links}; expected 0 to {table_size - RING}, "
                f"since two of the {table_size} links are on the ring"
            )
        if not 0 <= ring_share <= 1:
            raise ParameterError(f"ring_share is {ring_share}; expected 0 to 1")
        if not 0 <= max_in_degree <= MAX_IN_DEGREE:
            raise ParameterError(
                f"max_in_degree is {max_in_degree}; expected 1 to {MAX_IN_DEGREE} nodes, or 0 for "
                "three times the table size"
            )
        if not 0 <= population <= MAX_POPULATION:
            raise ParameterError(
                f"population is {population}; expected 1 to {MAX_POPULATION} nodes, or 0 for "
                "estimates"
            )
        self.ring_share = ring_share
        self.max_in_degree = max_in_degree or 3 * table_size
        nodes, topics = len(numbered.nodes), len(numbered.topic_identifiers)
        rate = np.ones(topics) if rates is None else np.asarray(rates, dtype=np.float64)
        weights = np.bincount(
            np.repeat(np.arange(nodes), np.diff(numbered.offsets)),
            weights=rate[numbered.topics],
            minlength=nodes,
        )
        self.taste = Taste(numbered.offsets, numbered.topics, rate, weights.astype(np.float64))
        self.tables = Tables(
            peers=np.full((nodes, table_size), -1, dtype=np.int32),
            heard=np.zeros((nodes, table_size), dtype=np.int32),
            utilities=np.zeros((nodes, table_size)),
            targets=np.zeros((nodes, small_world_links), dtype=np.uint64),
            inward=np.zeros(nodes, dtype=np.int32),
        )
        self._estimates = population == 0
        self.population = np.full(nodes, max(population, MIN_POPULATION), dtype=np.float64)
        """Number of nodes that each node assumes."""
        drawn = np.random.default_rng([seed, int(PURPOSE)])
        self._units = drawn.random((nodes, small_world_links))
        self._back = drawn.random((nodes, small_world_links)) < 0.5
        self._update_targets(np.arange(nodes))

    def join(self, nodes: NDArray[np.integer]) -> None:
        """Add nodes, each with an empty table."""
        self.tables.peers[nodes] = -1
        if self._estimates:
            self.population[nodes] = MIN_POPULATION
            self._update_targets(nodes)
        super().join(nodes)

    def step(self) -> NDArray[np.int32]:
        """Advance by a cycle; return the present nodes in random order. O(N (R + c)(R + s))."""
        order = super().step()
        if self._estimates:
            self._estimate_population(order)
        with self.timed("exchange of tables"):
            topology_gossip.count_inward(self.tables, self.believed())
            self.token = topology_gossip.exchange_round(
                self.tables, self.taste, self.numbered.identifiers, self.views, self.stamps,
                self.alive, order, self.now, self.missed_heartbeats, self.ring_share,
                self.max_in_degree, self.sequence, self.scratch, self.token,
            )  # fmt: skip
        with self.timed("heartbeats"):
            topology_gossip.hear_round(
                self.tables, self.alive, order, self.now, self.missed_heartbeats
            )
        return order

    def _estimate_population(self, nodes: NDArray[np.int32]) -> None:
        """Estimate the number of nodes by ring gaps, and targets if it doubled or halved. O(N)."""
        successors, predecessors = self.tables.peers[nodes, 0], self.tables.peers[nodes, 1]
        predecessors = np.where(predecessors < 0, successors, predecessors)
        identifiers = self.numbered.identifiers
        around = (identifiers[successors] - identifiers[predecessors]).astype(np.float64)
        estimates = np.maximum(2 * CIRCLE / np.where(around > 0, around, CIRCLE), MIN_POPULATION)
        used = self.population[nodes]
        changed = (successors >= 0) & ((2 * estimates < used) | (estimates > 2 * used))
        self.population[nodes[changed]] = estimates[changed]
        self._update_targets(nodes[changed])

    def _update_targets(self, nodes: NDArray[np.integer]) -> None:
        """Compute targets of small-world links: harmonic distances in both directions."""
        half = self.population[nodes, None] / 2
        steps = (0.5 * half ** -self._units[nodes] * CIRCLE).astype(np.uint64)
        here = self.numbered.identifiers[nodes, None]
        self.tables.targets[nodes] = np.where(self._back[nodes], here - steps, here + steps)

    def ring_right(self) -> float:
        """Return the share of nodes with the right successor and predecessor."""
        present = np.flatnonzero(self.alive)
        if len(present) < 2:
            return 1.0
        right = self.tables.peers[present, 0] == np.roll(present, -1)
        if len(present) > 2:
            right &= self.tables.peers[present, 1] == np.roll(present, 1)
        return float(right.mean())
