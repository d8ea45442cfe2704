"""One node of Vitis, or of RVR: a ring, small-world links, friends, gateways and relay paths.

In each round (Algorithm 1) a node updates its gateway proposals, sends its profile, repeats the
requests of its relay paths, and exchanges its table with a neighbour.

Publications on a topic go to neighbours that subscribe to it, and along the relay paths of the
topic in both directions (§III-C). RVR has no friends and no gateways: a path starts at each
subscriber, and publications go along paths alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gossamer.protocols.components.friends import MeasuredRates, utility
from gossamer.protocols.components.neighbour_table import NeighbourTableMachine
from gossamer.protocols.components.profiles import GatewayProposal, RatedDescriptor, Rates
from gossamer.protocols.components.relays import Prune, Relay, RelayPaths
from gossamer.protocols.components.rendezvous import propose
from gossamer.protocols.components.ring import find_predecessor, find_successor
from gossamer.protocols.components.small_world import (
    MIN_POPULATION,
    draw_lengths,
    estimate_population,
    has_changed,
    targets_of,
)
from gossamer.protocols.contract import Deliver, Effects, Event, NodeContext, Peer, Topic, Topics
from gossamer.protocols.vitis.config import RingConfig
from gossamer.protocols.vitis.policy import select_neighbours

PUBLISHING = 5
"""Rounds after a publication for which a publisher without a subscription keeps a path."""
FORGETTING = 3
"""Rounds after which a silent child is removed: more than two lost messages."""


class Vitis(NeighbourTableMachine):
    """One node of Vitis or RVR. A round takes O(topics · neighbours)."""

    def __init__(self, context: NodeContext, config: RingConfig) -> None:
        super().__init__(
            context,
            config,
            max_in_degree=config.in_degree,
            flood=config.flood,
            carries=self._is_carried,
        )
        self.config = config
        self.population = config.population or MIN_POPULATION
        """Number of nodes, which the lengths of small-world links depend on."""
        self._lengths = draw_lengths(config.far_links, context.random)
        self.targets = targets_of(context.me, self._lengths, self.population)
        timeout = FORGETTING * config.period + config.period // 2
        self.paths = RelayPaths(self, timeout, config.max_paths)
        self.measured = MeasuredRates() if config.measures_rates else None
        self._proposals: dict[Topic, GatewayProposal] = {}
        self._ring: tuple[Peer | None, Peer | None] = (None, None)
        self._published: dict[Topic, int] = {}
        """Topics without a subscription, and the times of their last publications."""

    # -- dispatch ----------------------------------------------------------------------------

    def handle(self, event: Event, now: int) -> Effects:
        """Handle an event, and count deliveries if rates are measured."""
        out = super().handle(event, now)
        if self.measured is not None:
            for effect in out:
                if type(effect) is Deliver:
                    self.measured.count(effect.topics)
        return out

    # -- queries -----------------------------------------------------------------------------

    def ring(self) -> tuple[Peer, Peer] | None:
        """Return predecessor and successor on the ring; None if the node is alone."""
        before = find_predecessor(self.me, self.neighbours)
        after = find_successor(self.me, self.neighbours)
        return None if before is None or after is None else (before, after)

    def gateways(self) -> list[Topic]:
        """Return the topics for which a path starts at this node."""
        if not self.config.gateway_hops:
            return list(self._topics)
        return [topic for topic, one in self._proposals.items() if one.gateway == self.me]

    def neighbours_on(self, topic: Topic) -> list[Peer]:
        """Return the linked peers that publications on a topic go to (§III-C)."""
        tree = self.paths.neighbours_on(topic)
        if not self.config.gateway_hops:
            return tree
        return list(dict.fromkeys((*super().neighbours_on(topic), *tree)))

    def lookup_links(self) -> Iterable[Peer]:
        """Return the peers that a lookup may go to."""
        return list(self.table if self.config.lookup == "table" else self.neighbours)

    def ends_lookup(self, topic: Topic) -> bool:
        """Whether lookups of a topic by other nodes end at this node, as a subscriber."""
        return self.config.ends_at_subscribers and topic in self._topics

    def on_ring(self) -> Sequence[Peer]:
        """Return the ring neighbours."""
        return list(dict.fromkeys(self.ring() or ()))

    def is_for_ring(self, peer: Peer) -> bool:
        """Whether a peer was chosen as a ring neighbour."""
        return peer in self._ring

    def own_rates(self) -> Rates:
        """Return the publication rates of the node's topics, if they are measured."""
        if self.measured is None:
            return ()
        return tuple(self.measured.of(topic) for topic in self._topics)

    def own_proposals(self) -> tuple[GatewayProposal, ...]:
        """Return the gateway proposals for the node's topics."""
        if not self.config.gateway_hops:
            return ()
        own = GatewayProposal(self.me, self.me, 0)
        return tuple(self._proposals.get(topic, own) for topic in self._topics)

    def check_invariants(self) -> None:
        """Raise AssertionError if the state contradicts itself."""
        super().check_invariants()
        assert len(self.table) <= self.config.table_size
        self.paths.check_invariants()

    # -- events ------------------------------------------------------------------------------

    def on_interest(self, before: Topics, now: int, out: Effects) -> None:
        """Propose gateways for new topics, and end paths of old ones."""
        if self.config.gateway_hops:
            self._proposals = {topic: self._proposed(topic) for topic in self._topics}
        super().on_interest(before, now, out)
        self._refresh_paths(now, out)

    def prepare_publishing(self, topics: Topics, now: int, out: Effects) -> Topics:
        """Start a path on topics, as a gateway does; nothing is handed over."""
        self._published |= dict.fromkeys(topics, now)
        if any(topic not in self.paths for topic in topics):
            self._refresh_paths(now, out)
        return ()

    def on_unlinked(self, peer: Peer, now: int, out: Effects) -> None:
        """Choose other parents for paths over a former neighbour."""
        self.paths.on_unlink(peer, now, out)

    def on_paths_changed(self, now: int, out: Effects) -> None:
        """Note that a topic has a new neighbour on its tree."""
        self.dissemination.on_neighbours_changed(now, out)

    def on_leave(self, now: int, out: Effects) -> None:
        """End paths, and leave all neighbours."""
        self.paths.on_leave(out)
        super().on_leave(now, out)

    # -- messages ----------------------------------------------------------------------------

    def _on_relay(self, peer: Peer, message: Relay, now: int, out: Effects) -> None:
        if peer in self.neighbours:
            self.paths.on_relay(peer, message, now, out)

    def _on_prune(self, peer: Peer, message: Prune, now: int, out: Effects) -> None:
        self.paths.on_prune(peer, message, now, out)

    # -- timers ------------------------------------------------------------------------------

    def before_round(self, now: int, out: Effects) -> None:
        """Update gateway proposals (Algorithm 5), measured rates and lengths of links."""
        self._update_targets()
        if self.measured is not None:
            self.measured.end_round(self._topics)
        if self.config.gateway_hops:
            self._proposals = {topic: self._proposed(topic) for topic in self._topics}

    def after_profiles(self, now: int, out: Effects) -> None:
        """Repeat the requests of relay paths (Algorithm 5, lines 20-21, and §III-D)."""
        self._refresh_paths(now, out)

    # -- decisions ---------------------------------------------------------------------------

    def chosen(self, candidates: Mapping[Peer, RatedDescriptor]) -> list[Peer]:
        """Return the best table of the candidates."""
        mine = frozenset(self._topics)

        def value(peer: Peer) -> float:
            descriptor = candidates[peer]
            return utility(mine, descriptor.topics, self._rates_with(descriptor))

        found = select_neighbours(
            self.me,
            candidates,
            targets=self.targets,
            friends=self.config.friends,
            value=value,
            present=self.table,
        )
        self._ring = (found.predecessor, found.successor)
        return found.all

    def _proposed(self, topic: Topic) -> GatewayProposal:
        heard = [
            (peer, known.proposals[topic])
            for peer, known in self.neighbours.items()
            if topic in known.proposals
        ]
        return propose(self.me, topic, heard, self.neighbours, self.config.gateway_hops)

    # -- helpers -----------------------------------------------------------------------------

    def _update_targets(self) -> None:
        """Estimate the number of nodes, unless it is given, and the targets of links by it."""
        ring = self.ring()
        if self.config.population or ring is None:
            return
        estimate = estimate_population(*ring)
        if has_changed(self.population, estimate):
            self.population = estimate
            self.targets = targets_of(self.me, self._lengths, estimate)

    def _refresh_paths(self, now: int, out: Effects) -> None:
        """Repeat the requests of relay paths, those of recent publications included."""
        limit = now - PUBLISHING * self.period
        self._published = {topic: at for topic, at in self._published.items() if at >= limit}
        self.paths.refresh((*self.gateways(), *self._published), now, out)

    def _is_carried(self, topic: Topic) -> bool:
        return topic in self.paths

    def _rates_with(self, descriptor: RatedDescriptor) -> dict[Topic, int] | None:
        """Return the rates of this node's topics and of a candidate's, as each reports them."""
        if self.measured is None:
            return None
        theirs = descriptor.rates if len(descriptor.rates) == len(descriptor.topics) else ()
        rates = dict(zip(descriptor.topics, theirs, strict=False))
        for topic in self._topics:
            rates[topic] = self.measured.of(topic)
        return rates
