"""Vitis and RVR in rounds: gateways, relay paths, and what becomes of events."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from gossamer.cycles.events import Events, RoundMeasures, follow_events
from gossamer.cycles.gossip_overlay import GossipOverlay
from gossamer.cycles.population import Numbered
from gossamer.errors import ParameterError
from gossamer.kernels.traffic import rendezvous
from gossamer.kernels.traffic.rendezvous import GatewayProposals
from gossamer.model.csr import offsets_of

__all__ = ["MIN_ROUTED", "Rendezvous"]

Lookup = Literal["table", "links"]
MAX_HOPS = 1_000_000
MIN_ROUTED = 24
"""Gateways waver for about twenty rounds with d = 5: after twelve, overhead is 2 % too high."""


class Rendezvous(GossipOverlay):
    """A gossip overlay with rendezvous routing on it.

    Parameters
    ----------
    numbered
        Who wants what, along the circle.
    everybody
        Whether every subscriber looks up the rendezvous node (RVR) rather than gateways (Vitis);
        then events travel on relay paths alone.
    max_gateway_hops
        A gateway serves nodes that are fewer than so many hops away.
    at_most
        Whether a node that is exactly so many away is served, too.
    lookup
        Whether a lookup goes by routing tables, or also by whose table a node is in.
    through
        Whether a relay node tells neighbours that want the topic, besides those on the path.
    one_way
        Whether events and proposals go from a node to those in its table alone.
    refresh
        For how many rounds a hop of a relay path is kept after a lookup passed.
    options
        As for the overlay.
    """

    def __init__(
        self,
        numbered: Numbered,
        *,
        everybody: bool = False,
        max_gateway_hops: int = 5,
        at_most: bool = False,
        lookup: Lookup = "links",
        through: bool = True,
        one_way: bool = False,
        refresh: int = 3,
        **options: Any,
    ) -> None:
        super().__init__(numbered, **options)
        if not 1 <= max_gateway_hops <= MAX_HOPS:
            raise ParameterError(
                f"max_gateway_hops is {max_gateway_hops}; expected 1 to {MAX_HOPS} hops"
            )
        if not 1 <= refresh <= MAX_HOPS:
            raise ParameterError(f"refresh is {refresh}; expected 1 to {MAX_HOPS} rounds")
        if lookup not in get_args(Lookup):
            raise ParameterError(f"lookup is {lookup!r}; expected {' or '.join(get_args(Lookup))}")
        self.everybody = everybody
        self.most_hops = max_gateway_hops + 1 if at_most else max_gateway_hops
        self.lookup = lookup
        self.through = through
        self.one_way = one_way
        self.refresh = refresh
        self.routed = max(MIN_ROUTED, 4 * self.most_hops + refresh)
        self.proposals = self._nobody_knows()
        self._next = self._nobody_knows()
        self._paths: list[tuple[NDArray[np.int64], NDArray[np.int32]]] = []
        self.ends = np.zeros(len(numbered.topic_identifiers), dtype=np.int32)
        """At how many nodes the last lookups of each topic ended."""

    def _nobody_knows(self) -> GatewayProposals:
        numbered = self.numbered
        owners = np.repeat(
            np.arange(len(numbered.nodes), dtype=np.int32), np.diff(numbered.offsets)
        )
        here, there = numbered.identifiers[owners], numbered.topic_identifiers[numbered.topics]
        return GatewayProposals(
            owners, owners.copy(), np.zeros(len(owners), dtype=np.int32),
            np.minimum(here - there, there - here),
        )  # fmt: skip

    def join(self, nodes: NDArray[np.integer]) -> None:
        """Let nodes begin a life, each its own gateway."""
        super().join(nodes)
        offsets = self.numbered.offsets
        for node in nodes.tolist():
            row = slice(offsets[node], offsets[node + 1])
            self.proposals.gateways[row] = self.proposals.parents[row] = node
            self.proposals.hops[row] = 0
            here = self.numbered.identifiers[node]
            there = self.numbered.topic_identifiers[self.numbered.topics[row]]
            self.proposals.distances[row] = np.minimum(here - there, there - here)

    def links(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return rows of neighbours, both directions unless one way was asked for. O(N R log R)."""
        return self._rows(two_ways=not self.one_way)

    def _rows(self, *, two_ways: bool) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        offsets = np.zeros(len(self.alive) + 1, dtype=np.int64)
        believed = self.believed() if two_ways else np.zeros_like(self.alive)
        return offsets, rendezvous.both_ways(self.tables.peers, self.alive, believed, offsets)

    def route(self) -> None:
        """Let a round of proposals and lookups pass on the overlay as it is. O(L s + P log R)."""
        numbered = self.numbered
        with self.timed("links of both ends"):
            offsets, links = self.links()
        if not self.everybody:
            with self.timed("proposals"):
                self._propose(offsets, links)
        two_ways = self.lookup == "links"
        if two_ways == self.one_way:
            offsets, links = self._rows(two_ways=two_ways)
        path_offsets = np.zeros(len(numbered.topic_identifiers) + 1, dtype=np.int64)
        with self.timed("lookups"):
            hops = rendezvous.relay_paths(
                numbered.topic_offsets, numbered.topic_nodes, numbered.topic_places,
                self.proposals.gateways, self.everybody, self.alive, offsets, links,
                numbered.identifiers, numbered.topic_identifiers, path_offsets, self.ends,
            )  # fmt: skip
        self._paths = [*self._paths, (path_offsets, hops)][-self.refresh :]

    def _propose(self, offsets: NDArray[np.int64], links: NDArray[np.int32]) -> None:
        numbered = self.numbered
        # What those who went said last stays.
        self._next.gateways[:] = self.proposals.gateways
        self._next.parents[:] = self.proposals.parents
        self._next.hops[:] = self.proposals.hops
        self._next.distances[:] = self.proposals.distances
        self.token = rendezvous.propose_round(
            numbered.offsets, numbered.topics, offsets, links, self.alive, numbered.identifiers,
            numbered.topic_identifiers, self.most_hops, self.proposals, self._next,
            self.scratch.present, self.scratch.mine, self.token,
        )  # fmt: skip
        self.proposals, self._next = self._next, self.proposals

    def paths(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the hops of relay paths that are kept, topic by topic, each once. O(P log P)."""
        if not self._paths:
            nothing = np.zeros(len(self.numbered.topic_identifiers) + 1, dtype=np.int64)
            return nothing, np.empty((0, 2), dtype=np.int32)
        nodes = len(self.alive)
        keys = [
            np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)) * nodes + hops[:, 0]
            for offsets, hops in self._paths
        ]
        whole = np.stack(
            (np.concatenate(keys), np.concatenate([hops[:, 1] for _, hops in self._paths])), axis=1
        )
        if len(self._paths) > 1:
            order = np.lexsort((whole[:, 1], whole[:, 0]))
            whole = whole[order]
            fresh = np.ones(len(whole), dtype=np.bool_)
            fresh[1:] = (whole[1:] != whole[:-1]).any(axis=1)
            whole = whole[fresh]
        topics, sources = np.divmod(whole[:, 0], nodes)
        counts = np.bincount(topics, minlength=len(self.numbered.topic_identifiers))
        return (
            offsets_of(counts),
            np.stack((sources, whole[:, 1]), axis=1).astype(np.int32),
        )

    def measure(self, events: Events, *, grace: int = 0) -> RoundMeasures:
        """Publish events, and measure what becomes of them, and the overlay.

        Nodes count as subscribers from ``grace`` rounds after they joined.
        """
        offsets, links = self.links()
        there = offsets_of(self.alive[self.numbered.topic_nodes])
        wanted = np.diff(there[self.numbered.topic_offsets]) > 0
        owners = np.repeat(np.arange(len(self.alive)), np.diff(self.numbered.offsets))
        acting = self.alive[owners]
        gateways = (self.proposals.gateways == owners)[acting]
        return follow_events(
            self,
            events,
            offsets,
            links,
            self.paths(),
            clusters=not self.everybody,
            through=self.through,
            grace=grace,
            ring=self.ring_right(),
            rendezvous=float((self.ends[wanted] == 1).mean()) if wanted.any() else 1.0,
            gateways=float(gateways.mean()) if len(gateways) and not self.everybody else 1.0,
        )
