"""A machine with a table of neighbours that it chooses by gossip (Vitis, §III-A and III-D).

The protocol ranks all known candidates (``chosen``). A chosen candidate is asked, and enters the
table only after it has accepted, so departed nodes hold no slots and the number of tables that a
node is in has a bound. The overlay has a link while one of its ends has the other in its table.
Both ends know it from profiles, which are sent every round and serve as heartbeats.

Departures from the paper: there, tables are replaced at once without asking, nodes learn only from
heartbeats which tables they are in, and a popular node has any number of links. Here the number is
``max_in_degree``, besides ring neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

from gossamer.protocols.components import dissemination, handover
from gossamer.protocols.components.component import Component
from gossamer.protocols.components.composed_machine import ComposedMachine
from gossamer.protocols.components.config import RoundConfig
from gossamer.protocols.components.dissemination import ForwardingMode
from gossamer.protocols.components.failure_detector import FailureDetector, MissedHeartbeats
from gossamer.protocols.components.neighbour import TableNeighbour
from gossamer.protocols.components.newscast import (
    Newscast,
    ViewExchange,
    ViewExchangeReply,
    make_newscast,
)
from gossamer.protocols.components.profiles import (
    MAX_DESCRIPTORS,
    GatewayProposal,
    Leaving,
    Profile,
    RatedDescriptor,
    Rates,
    StateHeartbeat,
    StateRequest,
    TableDisconnect,
    TableRefused,
)
from gossamer.protocols.components.tman import TableExchange, TableExchangeReply, TMan
from gossamer.protocols.contract import (
    Effects,
    Key,
    NodeContext,
    Peer,
    Send,
    SetTimer,
    Topic,
    Topics,
    Trace,
)

ROUND = "round"
SAMPLES = 10
"""Candidates drawn from an oracle in a round."""
MAX_RING = 64
"""Maximum number of nodes beyond ``max_in_degree`` that may have this node as ring neighbour."""
REFUSING = 10
"""Rounds before a refusing candidate is asked again."""
MAX_BANNED = 4096

TABLE_BACKGROUND = (
    Profile,
    StateHeartbeat,
    StateRequest,
    ViewExchange,
    ViewExchangeReply,
    TableExchange,
    TableExchangeReply,
    *dissemination.MESSAGES,
    *handover.MESSAGES,
)
TABLE_MESSAGES = (*TABLE_BACKGROUND, TableDisconnect, TableRefused, Leaving)


class NeighbourTableMachine(ComposedMachine):
    """A node with a table. A round takes O(neighbours) messages.

    Parameters
    ----------
    context
        Identity and environment of the node.
    config
        Rounds and peer sampling.
    max_in_degree
        Maximum number of tables that contain this node, besides as a ring neighbour.
    flood
        Forwarding mode of publications.
    carries
        Whether the node forwards a topic that it does not subscribe to.
    """

    detector: FailureDetector

    def __init__(
        self,
        context: NodeContext,
        config: RoundConfig,
        *,
        max_in_degree: int,
        flood: ForwardingMode,
        carries: Callable[[Topic], bool] | None = None,
    ) -> None:
        newscast = make_newscast(context, config)
        super().__init__(
            context,
            newscast,
            MissedHeartbeats(config.period, config.missed_heartbeats),
            flood=flood,
            period=config.period,
            carries=carries,
        )
        self.newscast = newscast
        self.period = config.period
        self.stale = config.stale
        self.max_in_degree = max_in_degree
        self.tman = TMan(self)
        self.table: dict[Peer, None] = {}
        """Chosen peers that have accepted."""
        self.inward: dict[Peer, bool] = {}
        """Peers that have this node in their tables, and whether as a ring neighbour."""
        self.neighbours: dict[Peer, TableNeighbour] = {}
        """Linked peers, in the order of linking."""
        self._asked: dict[Peer, tuple[RatedDescriptor, int]] = {}
        self._refused: dict[Peer, int] = {}
        """Refusing peers, and the time before which they are not asked again."""
        self._silent: dict[Peer, int] = {}
        """Peers that were given up, and the time before which their descriptors are rejected."""
        self._said: tuple[Topics, Rates, tuple[GatewayProposal, ...]] = ((), (), ())
        self._state = 0
        self._sent_states: dict[Peer, int] = {}
        """State of this node that each neighbour has."""

    # -- queries -----------------------------------------------------------------------------

    def linked(self) -> Iterable[Peer]:
        """Return the linked peers, in the order of linking."""
        return list(self.neighbours)

    def neighbours_on(self, topic: Topic) -> list[Peer]:
        """Return the linked peers that subscribe to a topic."""
        return [peer for peer, known in self.neighbours.items() if topic in known.wanted]

    def on_ring(self) -> Sequence[Peer]:
        """Return the ring neighbours, if the protocol has a ring."""
        return ()

    def is_for_ring(self, peer: Peer) -> bool:
        """Whether a peer was chosen as a ring neighbour."""
        return False

    def is_linked(self, peer: Peer) -> bool:
        """Whether one of the two ends has the other in its table."""
        return peer in self.table or peer in self.inward

    def own_rates(self) -> Rates:
        """Return the publication rates of the node's topics, if they are reported."""
        return ()

    def own_proposals(self) -> tuple[GatewayProposal, ...]:
        """Return the gateway proposals for the node's topics, if it has gateways."""
        return ()

    def requested(self) -> Iterable[Peer]:
        """Return the candidates that have not answered."""
        return self._asked

    def suspected(self) -> Iterable[Peer]:
        """Return the peers that were given up."""
        return self._silent

    def check_invariants(self) -> None:
        """Raise AssertionError if the state contradicts itself."""
        super().check_invariants()
        either = {peer for peer in (*self.table, *self.inward) if self.is_linked(peer)}
        assert either == set(self.neighbours), "links and tables have different neighbours"
        assert all(known.linked for known in self.neighbours.values())
        assert self._asked.keys().isdisjoint(self.table), "a neighbour is still asked"

    # -- events ------------------------------------------------------------------------------

    def on_started(self, now: int, out: Effects) -> None:
        """Start the rounds at a random time."""
        out.append(SetTimer(ROUND, now + self.random.randbelow(self.period)))

    def on_peer_down(self, peer: Peer, now: int, out: Effects) -> None:
        """Give up a peer."""
        self._give_up(peer, now, out)

    def on_interest(self, before: Topics, now: int, out: Effects) -> None:
        """Send the new topics to neighbours at once."""
        out += [Send(peer, self._profile_for(peer, now)) for peer in self.neighbours]

    def on_leave(self, now: int, out: Effects) -> None:
        """Leave all neighbours and candidates."""
        peers = dict.fromkeys((*self.neighbours, *self._asked))
        out += [Send(peer, Leaving()) for peer in peers]

    def on_agreed(self, peer: Peer) -> None:
        """Note that this node has accepted to be in a peer's table."""

    def on_unlinked(self, peer: Peer, now: int, out: Effects) -> None:
        """Note that the link to a peer ended."""

    # -- messages ----------------------------------------------------------------------------

    def _on_profile(
        self, peer: Peer, message: Profile | StateHeartbeat, now: int, out: Effects
    ) -> None:
        """Update a neighbour and the link from a profile or heartbeat (Algorithm 7)."""
        known = self.neighbours.get(peer)
        if isinstance(message, StateHeartbeat) and (known is None or known.state != message.state):
            if known is not None:
                self.detector.heard(peer, now)
            out.append(Send(peer, StateRequest()))
            return
        if known is not None and message.version < known.version:
            return  # a later one has arrived
        topics = message.topics if isinstance(message, Profile) else known.topics if known else ()
        answer = False
        another = peer not in self.inward or (self.inward[peer] and not message.ring)
        if message.mine and another and not self.accepts(peer, topics, ring=message.ring):
            out.append(Send(peer, TableRefused()))
            self.inward.pop(peer, None)
            self._link_or_not(peer, now, out)
            return
        if message.mine:
            answer = peer not in self.inward
            self.inward[peer] = message.ring
            if answer:
                self.on_agreed(peer)
        elif known is not None:
            self.inward.pop(peer, None)
        asked = peer in self._asked or peer in self._silent  # an answer may be late
        agreed = message.yours and asked and peer not in self.table and peer not in self._refused
        if known is None and (message.mine or agreed):
            known = self.neighbours[peer] = TableNeighbour()
        if known is not None:
            changed = known.take(message, now)
            if agreed:
                self._admit(peer, now, out)
            self._link_or_not(peer, now, out)
            if changed and peer in self.neighbours:
                self.dissemination.on_neighbours_changed(now, out)
        if answer and peer in self.inward:
            out.append(Send(peer, self._profile_for(peer, now)))
        if message.yours and peer not in self.table and peer not in self._asked:
            out.append(Send(peer, TableDisconnect()))

    def _on_state_request(self, peer: Peer, message: StateRequest, now: int, out: Effects) -> None:
        if peer in self.neighbours:
            out.append(Send(peer, self._profile_for(peer, now)))

    def _on_disconnect(self, peer: Peer, message: TableDisconnect, now: int, out: Effects) -> None:
        if self.inward.pop(peer, None) is not None:
            self._link_or_not(peer, now, out)

    def _on_refused(self, peer: Peer, message: TableRefused, now: int, out: Effects) -> None:
        if self._asked.pop(peer, None) is None and peer not in self.table:
            return
        self._ban(self._refused, peer, now + REFUSING * self.period)
        self.table.pop(peer, None)
        self._link_or_not(peer, now, out)

    def _on_leaving(self, peer: Peer, message: Leaving, now: int, out: Effects) -> None:
        self._give_up(peer, now, out)

    # -- timers ------------------------------------------------------------------------------

    def on_timer(self, key: Key, now: int, out: Effects) -> None:
        """Run a round (Algorithm 1, lines 5-7)."""
        out.append(SetTimer(ROUND, now + self.period))
        for peer in self.detector.suspects(now):  # Algorithm 6, lines 4-5
            out.append(Trace("suspect", peer))
            self._give_up(peer, now, out)
        self._forget(now)
        self.before_round(now, out)
        if self.newscast is not None:
            self.newscast.rates = self.own_rates()
        peers = dict.fromkeys((*self.neighbours, *self._asked))
        out += [Send(peer, self._heartbeat_for(peer, now)) for peer in peers]
        self.after_profiles(now, out)
        if self.neighbours:
            table = list(self.table or self.neighbours)
            self.tman.start_exchange(table, self.on_ring(), now, out)
        else:
            self.select((), now, out)

    def before_round(self, now: int, out: Effects) -> None:
        """Do the protocol's part of a round before profiles are sent."""

    def after_profiles(self, now: int, out: Effects) -> None:
        """Do the protocol's part of a round after profiles were sent."""

    def _forget(self, now: int) -> None:
        """Drop unanswered requests, old refusals and old suspicions."""
        late = now - self.period // 2
        for peer in [one for one, (_, since) in self._asked.items() if since < late]:
            _, since = self._asked.pop(peer)
            self._ban(self._silent, peer, since)
        for peer in [one for one, until in self._refused.items() if until < now]:
            del self._refused[peer]
        old = now - 2 * self.stale
        for peer in [one for one, since in self._silent.items() if since < old]:
            del self._silent[peer]

    # -- decisions ---------------------------------------------------------------------------

    def chosen(self, candidates: Mapping[Peer, RatedDescriptor]) -> list[Peer]:
        """Return the candidates that should be in the table."""
        raise NotImplementedError

    def accepts(self, peer: Peer, topics: Topics, *, ring: bool) -> bool:
        """Whether to accept to be in the table of a peer, possibly as its ring neighbour."""
        if ring and len(self.inward) < self.max_in_degree + MAX_RING:
            return True
        others = sum(not near and one not in self.table for one, near in self.inward.items())
        return peer in self.table or others < self.max_in_degree

    def select(self, descriptors: Sequence[RatedDescriptor], now: int, out: Effects) -> None:
        """Merge received and known descriptors, and ask the best candidates (line 8)."""
        candidates = {peer: self._descriptor_of(peer, now) for peer in self.neighbours}
        for peer, (descriptor, _) in self._asked.items():
            candidates.setdefault(peer, descriptor)
        oldest = now - self.stale
        for descriptor in (*descriptors, *self._sample(now)):
            peer, said = descriptor.peer, now - descriptor.age * 1000
            if peer == self.me or peer in self.neighbours or peer in self._refused:
                continue
            if said < oldest or said <= self._silent.get(peer, -1):
                continue
            known = candidates.get(peer)
            if known is None or descriptor.version > known.version:
                candidates[peer] = descriptor
        wanted = dict.fromkeys(self.chosen(candidates))
        for peer in [one for one in self._asked if one not in wanted]:
            del self._asked[peer]
            out.append(Send(peer, TableDisconnect()))
        for peer in wanted:
            if peer not in self.table and peer not in self._asked:
                self._asked[peer] = (candidates[peer], now)
                out.append(Send(peer, self._profile_for(peer, now)))

    def _admit(self, peer: Peer, now: int, out: Effects) -> None:
        """Put a peer that has accepted into the table, and drop those that it replaces."""
        was_asked = self._asked.pop(peer, None) is not None
        candidates = {one: self._descriptor_of(one, now) for one in (*self.table, peer)}
        keep = dict.fromkeys(self.chosen(candidates))
        if peer in keep:
            self.table[peer] = None
        elif was_asked:  # or it would be asked again at once
            self._ban(self._refused, peer, now + REFUSING * self.period)
        for one in [one for one in self.table if one not in keep]:
            self._drop(one, now, out)
        self._link_or_not(peer, now, out)

    def _drop(self, peer: Peer, now: int, out: Effects) -> None:
        """Remove a peer from the table."""
        if peer in self.table:
            del self.table[peer]
            out.append(Send(peer, TableDisconnect()))
            self._link_or_not(peer, now, out)

    def _link_or_not(self, peer: Peer, now: int, out: Effects) -> None:
        """Make or end the link to a peer as the tables require."""
        known = self.neighbours.get(peer)
        if known is None:
            return
        if not self.is_linked(peer):
            del self.neighbours[peer]
            self.table.pop(peer, None)
            self.inward.pop(peer, None)
            self._sent_states.pop(peer, None)
            if known.linked:
                self.unlink(peer, out)
                self.on_unlinked(peer, now, out)
            return
        if not known.linked:
            known.linked = True
            self.link(peer, now, out)
        self.detector.heard(peer, known.said)

    def _give_up(self, peer: Peer, now: int, out: Effects) -> None:
        self._asked.pop(peer, None)
        self.table.pop(peer, None)
        self.inward.pop(peer, None)
        self._ban(self._silent, peer, now)
        if self.newscast is not None:
            self.newscast.suspect(peer, now)
        self._link_or_not(peer, now, out)

    # -- helpers -----------------------------------------------------------------------------

    def _ban(self, listed: dict[Peer, int], peer: Peer, when: int) -> None:
        listed.pop(peer, None)
        listed[peer] = when
        if len(listed) > MAX_BANNED:
            del listed[next(iter(listed))]

    def _own_descriptor(self, now: int) -> RatedDescriptor:
        return RatedDescriptor(self.me, self._topics, self.own_rates(), now, 0)

    def _descriptor_of(self, peer: Peer, now: int) -> RatedDescriptor:
        known = self.neighbours[peer]
        age = max(0, now - known.said) // 1000
        return RatedDescriptor(peer, known.topics, known.rates, max(known.version, 0), age)

    def _sample(self, now: int) -> list[RatedDescriptor]:
        if self.newscast is not None:
            return self.newscast.descriptors(now)
        found: dict[Peer, RatedDescriptor] = {}
        for _ in range(SAMPLES):
            peer = self.view.any_peer(found, self.random)
            if peer is None:
                break
            found[peer] = RatedDescriptor(peer, self.view.topics_of(peer) or (), (), now, 0)
        return list(found.values())

    def buffer(self, now: int) -> list[RatedDescriptor]:
        """Return the descriptors to send: own, neighbours, sample (Algorithm 2, lines 2-4)."""
        peers = list(self.neighbours)
        if len(peers) > MAX_DESCRIPTORS // 2:
            peers = self.random.sample(peers, MAX_DESCRIPTORS // 2)
        near = [self._descriptor_of(peer, now) for peer in peers]
        rest = [
            descriptor for descriptor in self._sample(now) if descriptor.peer not in self.neighbours
        ]
        return [self._own_descriptor(now), *near, *rest][:MAX_DESCRIPTORS]

    def _profile_for(self, peer: Peer, now: int) -> Profile:
        """Return a profile for a peer."""
        self._note_state(now)
        if peer in self.neighbours:
            self._sent_states[peer] = self._state
        mine, ring, yours = self._sides_of(peer)
        return Profile(*self._said, self._state, now, mine, ring, yours)

    def _heartbeat_for(self, peer: Peer, now: int) -> Profile | StateHeartbeat:
        """Return a heartbeat for a peer that has the current profile, else a profile."""
        self._note_state(now)
        if self._sent_states.get(peer) != self._state:
            return self._profile_for(peer, now)
        return StateHeartbeat(self._state, now, *self._sides_of(peer))

    def _note_state(self, now: int) -> None:
        said = (self._topics, self.own_rates(), self.own_proposals())
        if said != self._said or not self._state:
            self._said = said
            self._state = max(now, self._state + 1)

    def _sides_of(self, peer: Peer) -> tuple[bool, bool, bool]:
        mine = peer in self.table or peer in self._asked
        return mine, self.is_for_ring(peer), peer in self.inward

    COMPONENTS: ClassVar[Mapping[str, type[Component]]] = {"membership": Newscast, "tman": TMan}
