"""Vitis and RVR in cycles: gateways, relay paths, and the dissemination of events."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from gossamer.cycles.events import CycleMeasures, Events, follow_events
from gossamer.cycles.gossip_overlay import GossipOverlay
from gossamer.cycles.population import Numbered
from gossamer.errors import ParameterError
from gossamer.kernels.traffic import rendezvous
from gossamer.kernels.traffic.rendezvous import GatewayProposals
from gossamer.model.csr import offsets_of
from gossamer.protocols.components.rendezvous import Lookup

MAX_HOPS = 1_000_000
MIN_ROUTED = 24
"""Gateways converge in about twenty cycles with d = 5: after twelve, overhead is 2 % too high."""


class Rendezvous(GossipOverlay):
    """Gossip overlay with rendezvous routing.

    Parameters
    ----------
    numbered
        Interests along the circle.
    by_subscribers
        Whether every subscriber looks up the rendezvous node (RVR) rather than gateways (Vitis);
        events then travel on relay paths alone.
    max_gateway_hops
        Maximum number of hops between a node and the gateway that represents it (the paper's d).
    inclusive_hops
        Whether that maximum itself is allowed, as in the text, or not, as in Algorithm 5.
    lookup
        Next hops of lookups: *links* in both directions, or entries of the routing *table*.
    stop_at_subscribers
        Whether lookups end at the first subscriber on their way (ours).
    through
        Whether a relay node notifies neighbours that subscribe to the topic, besides those on the
        path.
    one_way
        Whether events and proposals travel only from a node to the entries of its table.
    refresh
        Number of cycles for which a hop of a relay path is kept after a lookup.
    options
        As for the overlay.
    """

    def __init__(
        self,
        numbered: Numbered,
        *,
        by_subscribers: bool = False,
        max_gateway_hops: int = 5,
        inclusive_hops: bool = True,
        lookup: Lookup = "links",
        stop_at_subscribers: bool = False,
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
            raise ParameterError(f"refresh is {refresh}; expected 1 to {MAX_HOPS} cycles")
        if lookup not in get_args(Lookup):
            raise ParameterError(f"lookup is {lookup!r}; expected {' or '.join(get_args(Lookup))}")
        self.by_subscribers = by_subscribers
        self.hop_limit = max_gateway_hops + inclusive_hops
        self.lookup = lookup
        self.stop_at_subscribers = stop_at_subscribers
        self.through = through
        self.one_way = one_way
        self.refresh = refresh
        self.routed = max(MIN_ROUTED, 4 * self.hop_limit + refresh)
        self.proposals = self._initial_proposals()
        self._next = self._initial_proposals()
        self._paths: list[tuple[NDArray[np.int64], NDArray[np.int32]]] = []
        self.ends = np.zeros(len(numbered.topic_identifiers), dtype=np.int32)
        """Number of nodes at which the last lookups of each topic ended."""

    def _initial_proposals(self) -> GatewayProposals:
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
        """Add nodes, each its own gateway."""
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
        """Return the neighbours of each node, both ways unless ``one_way``. O(N R log R)."""
        return self._rows(two_ways=not self.one_way)

    def _rows(self, *, two_ways: bool) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        offsets = np.zeros(len(self.alive) + 1, dtype=np.int64)
        believed = self.believed() if two_ways else np.zeros_like(self.alive)
        return offsets, rendezvous.both_ways(self.tables.peers, self.alive, believed, offsets)

    def route(self) -> None:
        """Advance proposals and lookups by a cycle on the current overlay. O(L s + P log R)."""
        numbered = self.numbered
        with self.timed("links of both ends"):
            offsets, links = self.links()
        if not self.by_subscribers:
            with self.timed("proposals"):
                self._propose(offsets, links)
        two_ways = self.lookup == "links"
        if two_ways == self.one_way:
            offsets, links = self._rows(two_ways=two_ways)
        path_offsets = np.zeros(len(numbered.topic_identifiers) + 1, dtype=np.int64)
        with self.timed("lookups"):
            hops = rendezvous.relay_paths(
                numbered.topic_offsets, numbered.topic_nodes, numbered.topic_places,
                self.proposals.gateways, self.by_subscribers, self.alive, offsets, links,
                numbered.identifiers, numbered.topic_identifiers, self.stop_at_subscribers,
                path_offsets, self.ends,
            )  # fmt: skip
        self._paths = [*self._paths, (path_offsets, hops)][-self.refresh :]

    def _propose(self, offsets: NDArray[np.int64], links: NDArray[np.int32]) -> None:
        numbered = self.numbered
        # The last proposals of departed nodes stay.
        self._next.gateways[:] = self.proposals.gateways
        self._next.parents[:] = self.proposals.parents
        self._next.hops[:] = self.proposals.hops
        self._next.distances[:] = self.proposals.distances
        self.token = rendezvous.propose_round(
            numbered.offsets, numbered.topics, offsets, links, self.alive, numbered.identifiers,
            numbered.topic_identifiers, self.hop_limit, self.proposals, self._next,
            self.scratch.present, self.scratch.mine, self.token,
        )  # fmt: skip
        self.proposals, self._next = self._next, self.proposals

    def paths(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the distinct hops of the kept relay paths, topic by topic. O(P log P)."""
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
            distinct = np.ones(len(whole), dtype=np.bool_)
            distinct[1:] = (whole[1:] != whole[:-1]).any(axis=1)
            whole = whole[distinct]
        topics, sources = np.divmod(whole[:, 0], nodes)
        counts = np.bincount(topics, minlength=len(self.numbered.topic_identifiers))
        return (
            offsets_of(counts),
            np.stack((sources, whole[:, 1]), axis=1).astype(np.int32),
        )

    def measure(self, events: Events, *, min_age: int = 0) -> CycleMeasures:
        """Publish events, and measure their deliveries and the overlay.

        Nodes count as subscribers from ``min_age`` cycles after they joined.
        """
        offsets, links = self.links()
        present = offsets_of(self.alive[self.numbered.topic_nodes])
        subscribed = np.diff(present[self.numbered.topic_offsets]) > 0
        owners = np.repeat(np.arange(len(self.alive)), np.diff(self.numbered.offsets))
        acting = self.alive[owners]
        gateways = (self.proposals.gateways == owners)[acting]
        return follow_events(
            self,
            events,
            offsets,
            links,
            self.paths(),
            clusters=not self.by_subscribers,
            through=self.through,
            min_age=min_age,
            ring=self.ring_right(),
            rendezvous=float((self.ends[subscribed] == 1).mean()) if subscribed.any() else 1.0,
            gateways=float(gateways.mean()) if len(gateways) and not self.by_subscribers else 1.0,
        )
