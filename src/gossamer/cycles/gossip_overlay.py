"""The gossip overlay of Vitis and RVR in cycles: ring, small-world links, friends."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.cycles.events import EventWorld
from gossamer.cycles.population import PURPOSE, Numbered
from gossamer.errors import ParameterError
from gossamer.kernels.gossip import tman as topology_gossip
from gossamer.kernels.gossip.tman import RING, Tables, Taste

MAX_TABLE = 10_000


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
        self.ring_share = ring_share
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
            targets=_targets(numbered.identifiers, small_world_links, seed),
        )

    def join(self, nodes: NDArray[np.integer]) -> None:
        """Add nodes, each with an empty table."""
        self.tables.peers[nodes] = -1
        super().join(nodes)

    def step(self) -> NDArray[np.int32]:
        """Advance by a cycle; return the present nodes in random order. O(N (R + c)(R + s))."""
        order = super().step()
        with self.timed("exchange of tables"):
            self.token = topology_gossip.exchange_round(
                self.tables, self.taste, self.numbered.identifiers, self.views, self.stamps,
                self.alive, order, self.now, self.missed_heartbeats, self.ring_share, self.sequence,
                self.scratch, self.token,
            )  # fmt: skip
        with self.timed("heartbeats"):
            topology_gossip.hear_round(
                self.tables, self.alive, order, self.now, self.missed_heartbeats
            )
        return order

    def ring_right(self) -> float:
        """Return the share of nodes with the right successor and predecessor."""
        present = np.flatnonzero(self.alive)
        if len(present) < 2:
            return 1.0
        right = self.tables.peers[present, 0] == np.roll(present, -1)
        if len(present) > 2:
            right &= self.tables.peers[present, 1] == np.roll(present, 1)
        return float(right.mean())


def _targets(identifiers: NDArray[np.uint64], links: int, seed: int) -> NDArray[np.uint64]:
    """Draw the targets of small-world links: harmonic distances in both directions (Symphony)."""
    drawn = np.random.default_rng([seed, int(PURPOSE)])
    nodes = len(identifiers)
    half = max(nodes / 2, 1.0)
    distances = 0.5 * half ** -drawn.random((nodes, links))
    steps = (distances * 2.0**64).astype(np.uint64)
    back = drawn.random((nodes, links)) < 0.5
    here = identifiers[:, None]
    return np.where(back, here - steps, here + steps)
