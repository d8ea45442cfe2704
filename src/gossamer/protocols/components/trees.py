"""Trees: each topic's publications go along a spanning tree of links that the overlay has.

Plumtree (Leitão, Pereira, Rodrigues, SRDS 2007), for each topic apart. A link is *eager* or *lazy*
on a topic. Publications go over eager links; a lazy link carries announcements only. A duplicate
prunes: the link that it came over becomes lazy. A gap grafts: a link over which a publication was
announced that does not arrive becomes eager, and the publication is requested. So the eager links
of a topic become a spanning tree of its overlay, and it takes one copy to reach each subscriber.

Departures from the paper:

- One tree serves all publishers of a topic; a publication with several topics takes a link once.
- Announcements are ranges of numbers (:mod:`~gossamer.protocols.components.sequences`), not one
  identifier each, and are acknowledged (:mod:`~gossamer.protocols.components.announcements`).
- A link is pruned only if the first copy came over an eager link, and on the duplicates of one
  publisher at a time: duplicates of two might prune both links of a node. A node that would be left
  without an eager link refuses.
- A request for a publication in the middle of a stream does not graft: the tree carries the later
  ones.
- If an eager link ends, the lazy links of its topics become eager at once.

Guarantees:

- *At most once*, for the latest ``sequences.MAX_STREAMS`` streams, in constant memory for each.
- *At least once*, to each subscriber that a chain of subscribers connects to the publisher, if the
  chain is restored while the publication is in the history of its previous node.
- A node that subscribes later receives what its neighbours still store.
- No order, unless :mod:`~gossamer.protocols.components.ordering` is asked for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from gossamer.protocols.components.announcements import Announcer
from gossamer.protocols.components.branches import Branches
from gossamer.protocols.components.component import Component
from gossamer.protocols.components.dissemination import (
    MAX_TAGS,
    ForwardingMode,
    Publication,
    PublicationId,
)
from gossamer.protocols.components.history import History, HistoryLimits, Stored
from gossamer.protocols.components.repairs import Repairs
from gossamer.protocols.components.sequences import Arrived, Sequences, Span, Stream
from gossamer.protocols.components.tree_messages import (
    MAX_PRUNED,
    MAX_RANGES,
    Announcement,
    Graft,
    Pruned,
    Range,
    Repaired,
)
from gossamer.protocols.contract import Deliver, Effects, Gap, Peer, Send, SetTimer, Topic, Topics

if TYPE_CHECKING:
    from gossamer.protocols.components.composed_machine import ComposedMachine

MAX_LAG = 20_000
"""Microseconds by which the timer of a node that is not busy may be late."""
MAX_REPORTED = 16
"""Missing ranges of a topic that are reported with a delivery."""
MAX_ANSWERED = 512
MAX_ANSWERED_BYTES = 1 << 20


class TreeDisseminator(Component):
    """Dissemination along trees.

    Parameters
    ----------
    node
        Machine that this component belongs to.
    period
        Microseconds after which what was not acknowledged or answered is repeated.
    limits
        Limits of the history.
    """

    TIMER: ClassVar[str] = "trees"
    flood: ClassVar[ForwardingMode] = "tree"

    def __init__(self, node: ComposedMachine, *, period: int, limits: HistoryLimits) -> None:
        self.period = period
        self.changed = False
        self._node = node
        self._own = frozenset(node.topics)
        self._incarnation = 0
        self._number = 0
        self._places: dict[Topic, int] = {}
        self._due: int | None = None
        self._new_links: dict[Peer, None] = {}
        self._branches: dict[Topic, Branches] = {}
        self.sequences = Sequences()
        self.history = History(limits)
        self.announcer = Announcer(period)
        self.repairs = Repairs(self.sequences)

    # -- queries -----------------------------------------------------------------------------

    @property
    def latest(self) -> PublicationId:
        """Identifier of the last publication of this node."""
        return PublicationId(self._node.me, self._incarnation, self._number)

    @property
    def unsent(self) -> int:
        """Number of stored own publications that were sent to no peer."""
        return self.history.unshared

    @property
    def peers(self) -> set[Peer]:
        """Linked peers."""
        return self.announcer.peers

    def passes(self, topic: Topic) -> bool:
        """Whether the node subscribes to a topic."""
        return topic in self._own

    def eager_on(self, topic: Topic) -> tuple[Peer, ...]:
        """Return the neighbours to which publications on a topic are sent."""
        return self._branches_of(topic).eager

    def check_invariants(self) -> None:
        """Raise AssertionError if the state contradicts itself."""
        assert not self.changed
        assert self._branches.keys() <= self._own, "branches of a topic without subscription"
        for topic, branches in self._branches.items():
            near = list(self._node.neighbours_on(topic))
            assert set(near) == set(branches.links), "branches to other nodes than neighbours"
            eager = [peer for peer, pruned in branches.links.items() if not pruned]
            assert list(branches.eager) == eager
        self.history.check_invariants()

    # -- calls of the machine ----------------------------------------------------------------

    def start(self, now: int) -> None:
        """Start an incarnation; its time distinguishes it from earlier ones."""
        self._incarnation = now
        self._own = frozenset(self._node.topics)

    def publish(self, topics: Topics, payload: bytes, now: int, out: Effects) -> Publication:
        """Publish on topics; return the publication."""
        tags = tuple(dict.fromkeys(topics))[:MAX_TAGS]
        for topic in tags:
            self._places[topic] = self._places.get(topic, 0) + 1
        self._number += 1
        places = tuple(self._places[topic] for topic in tags)
        made = Publication(self.latest, tags, places, payload, 0)
        self._take(None, made, now, out)
        return made

    def on_link(self, peer: Peer, now: int, out: Effects) -> None:
        """Note a link; neighbours receive the history when the event has been handled."""
        self.announcer.link(peer)
        self._new_links[peer] = None
        self.changed = True

    def on_unlink(self, peer: Peer) -> None:
        """Note the end of a link."""
        self.announcer.unlink(peer)
        self.repairs.forget(peer)
        self._new_links.pop(peer, None)
        self.changed = True

    def on_neighbours_changed(self, now: int, out: Effects) -> None:
        """Note that the neighbours on a topic may have changed."""
        self.changed = True

    def note_changed(self) -> None:
        """Note that a neighbour on a topic may have ended."""
        self.changed = True

    def on_interest(self, before: Topics, now: int, out: Effects) -> None:
        """Drop the state of topics without a subscription."""
        self._own = frozenset(self._node.topics)
        for topic in before:
            if topic not in self._own:
                self._branches.pop(topic, None)
                self.history.drop_topic(topic)
        self.changed = True

    def on_changes(self, now: int, out: Effects) -> None:
        """Repair trees after changes of neighbours, and announce the history to new ones.

        O(neighbours) for each topic with publications.
        """
        self.changed = False
        grafted: dict[Peer, list[Topic]] = {}
        for topic, branches in self._branches.items():
            near = dict.fromkeys(self._node.neighbours_on(topic))
            if near.keys() == branches.links.keys() and self._new_links.keys().isdisjoint(near):
                continue
            before = branches.links
            lost = any(not pruned and peer not in near for peer, pruned in before.items())
            branches.links = {
                peer: 0 if lost or peer in self._new_links else before.get(peer, 0) for peer in near
            }
            branches.eager = tuple(one for one, since in branches.links.items() if not since)
            spans: list[tuple[Stream, Span]] | None = None
            for peer in near:
                if peer not in before or peer in self._new_links:
                    spans = list(self.history.spans(topic)) if spans is None else spans
                    self.announcer.owe(peer, spans, now)
                elif before[peer] and not branches.links[peer]:
                    grafted.setdefault(peer, []).append(topic)
        self._new_links.clear()
        for peer, topics in grafted.items():
            out += [
                Send(peer, Graft(tuple(topics[start : start + MAX_PRUNED]), ()))
                for start in range(0, len(topics), MAX_PRUNED)
            ]
        self._schedule(now, out)

    def on_timer(self, now: int, out: Effects) -> None:
        """Announce what has arrived, and request what has not."""
        announcer, repairs = self.announcer, self.repairs
        lag = 0 if self._due is None else now - self._due
        self._due = None
        if lag > MAX_LAG:
            repairs.postpone(now, lag)
        if announcer.due is not None and announcer.due <= now:
            self.history.drop_old(now)
            links = {
                stream: self._branches[stream[2]].links if stream[2] in self._branches else {}
                for stream in announcer.arrived
            }
            announcer.announce(links, now, out)
        if repairs.due is not None and repairs.due <= now:
            self._request(now, out)
        self._schedule(now, out)

    # -- messages ----------------------------------------------------------------------------

    def on_publication(self, peer: Peer, message: Publication, now: int, out: Effects) -> None:
        """Deliver a publication and forward it, if it is new; a duplicate prunes."""
        if _is_consistent(message) and not self._take(peer, message, now, out):
            self._prune(peer, message, now, out)

    def on_repaired(self, peer: Peer, message: Repaired, now: int, out: Effects) -> None:
        """Deliver a publication that this node has requested."""
        one = message.publication
        if not _is_consistent(one):
            return
        self._take(peer, one, now, out, repaired=True)
        for topic in one.topics:
            stream = (one.id.publisher, one.id.incarnation, topic)
            self.repairs.note_answer(stream, peer, len(one.payload), now)
        if self.repairs.due is not None and self.repairs.due <= now:
            self._request(now, out)

    def on_announcement(self, peer: Peer, message: Announcement, now: int, out: Effects) -> None:
        """Note which announced publications have not arrived."""
        self.announcer.heard(peer, message, now)
        self.repairs.delay = self.announcer.delay
        for one in message.ranges:
            if one.topic in self._own and one.first <= one.last:
                stream = one.stream
                if self.sequences.missing(stream, one.first, one.last):
                    self.repairs.offer(stream, (one.first, one.last), peer, now)
        self._schedule(now, out)

    def on_graft(self, peer: Peer, message: Graft, now: int, out: Effects) -> None:
        """Make the link eager on topics, and send the requested publications."""
        for topic in message.topics:
            branches = self._branches.get(topic)
            if branches is not None and branches.links.get(peer):
                branches.set(peer, 0)
        count, size = 0, 0
        for one in message.ranges:
            stream = one.stream
            for number in range(one.first, min(one.last, one.first + MAX_ANSWERED) + 1):
                stored = self.history.get(stream, number)
                if stored is None:
                    continue
                count += 1
                if count > MAX_ANSWERED or size > MAX_ANSWERED_BYTES:
                    return
                size += len(stored.publication.payload)
                self._note_shared(stored)
                out.append(Send(peer, Repaired(_forwarded(stored.publication))))

    def on_pruned(self, peer: Peer, message: Pruned, now: int, out: Effects) -> None:
        """Make the link lazy on topics, except where it is the only eager one."""
        refused = []
        for topic in message.topics:
            branches = self._branches.get(topic)
            if branches is None or branches.links.get(peer, 1):
                continue
            if len(branches.eager) == 1:
                refused.append(topic)
            else:
                branches.set(peer, max(now, 1))
        if refused:
            out.append(Send(peer, Graft(tuple(refused), ())))

    # -- forwarding --------------------------------------------------------------------------

    def _take(
        self,
        source: Peer | None,
        message: Publication,
        now: int,
        out: Effects,
        *,
        repaired: bool = False,
    ) -> bool:
        """Deliver, store and forward a publication; return whether it is new on a topic."""
        identity = message.id
        publisher, incarnation = identity.publisher, identity.incarnation
        own, add = self._own, self.sequences.add
        fresh: Topics = ()
        for topic, number in zip(message.topics, message.places, strict=True):
            if topic in own:
                stream = (publisher, incarnation, topic)
                arrived = add(stream, number, now)
                if arrived is not None:
                    fresh = (*fresh, topic)
                    self.announcer.note_arrived(stream, number, source, now)
                    if arrived.has_gaps and source is not None and not repaired:
                        self._note_gap(stream, arrived, source, now)
        if not fresh:
            return own.isdisjoint(message.topics)
        if self._node.ordering is None:
            self._deliver(message, fresh, out)
        else:
            self._deliver_in_order(message, fresh, now, out)
        peers: Iterable[Peer] = ()
        if not repaired or self.repairs.is_short((publisher, incarnation, fresh[0])):
            if len(fresh) == 1:
                branches = self._branches_of(fresh[0])
                if source is not None and not repaired and branches.links.get(source):
                    branches.set(source, 0)
                peers = branches.eager
            else:
                peers = self._eager_on_any(fresh, None if repaired else source)
        else:
            for topic in fresh:
                self._branches_of(topic)  # later neighbours on it receive the history
        onward = _forwarded(message)
        before = len(out)
        for peer in peers:
            if peer != source and peer != publisher:
                out.append(Send(peer, onward))
        shared = source is not None or len(out) > before
        self.history.add(message, fresh, source, now, shared=shared, repaired=repaired)
        self._schedule(now, out)
        return True

    def _eager_on_any(self, topics: Topics, source: Peer | None) -> Iterable[Peer]:
        """Return the neighbours with an eager link on one of some topics, each once."""
        found: dict[Peer, None] = {}
        for topic in topics:
            branches = self._branches_of(topic)
            if source is not None and branches.links.get(source):
                branches.set(source, 0)
            found.update(dict.fromkeys(branches.eager))
        return found

    def _prune(self, peer: Peer, message: Publication, now: int, out: Effects) -> None:
        """Make the link that a duplicate came over lazy, where the first copy came by the tree."""
        identity = message.id
        pruned: dict[Peer, list[Topic]] = {}
        for topic, number in zip(message.topics, message.places, strict=True):
            branches = self._branches.get(topic)
            if branches is None or peer not in branches.links:
                continue
            stored = self.history.get((identity.publisher, identity.incarnation, topic), number)
            if stored is not None and stored.repaired:
                self.repairs.note_redundant(now)
            since = branches.links[peer]
            if since:  # the peer should know
                if since <= now - self.period:
                    branches.links[peer] = now
                    pruned.setdefault(peer, []).append(topic)
                continue
            if stored is None or stored.source == peer:
                continue
            first = stored.source
            if first is not None and branches.links.get(first, 1):
                continue
            if branches.prunes(identity.publisher, now, self.period):
                # The tree was slow, not broken, if it brings what was requested elsewhere.
                other = first if stored.repaired and first is not None else peer
                branches.set(other, max(now, 1))
                pruned.setdefault(other, []).append(topic)
        out += [Send(other, Pruned(tuple(topics))) for other, topics in pruned.items()]

    def _request(self, now: int, out: Effects) -> None:
        """Request missing publications; the link becomes eager if the latest of a stream miss."""
        grafted: dict[Peer, dict[Topic, None]] = {}
        requested: dict[Peer, list[Range]] = {}
        for peer, stream, spans in self.repairs.requests(now):
            ranges = requested.setdefault(peer, [])
            ranges += [Range.of(stream, span) for span in spans]
            arrived = self.sequences.streams.get(stream)
            branches = self._branches.get(stream[2])
            latest = arrived is None or spans[-1][1] > arrived.last
            if latest and branches is not None and branches.links.get(peer):
                branches.set(peer, 0)
                grafted.setdefault(peer, {})[stream[2]] = None
        for peer, ranges in requested.items():
            topics = tuple(grafted.get(peer, ()))
            for start in range(0, len(ranges), MAX_RANGES):
                part = tuple(ranges[start : start + MAX_RANGES])
                out.append(Send(peer, Graft(topics[start : start + MAX_PRUNED], part)))

    # -- helpers -----------------------------------------------------------------------------

    def _branches_of(self, topic: Topic) -> Branches:
        branches = self._branches.get(topic)
        if branches is None:
            branches = self._branches[topic] = Branches(self._node.neighbours_on(topic))
        return branches

    def _deliver(self, message: Publication, topics: Topics, out: Effects) -> None:
        identity = message.id
        numbers: tuple[int, ...] = ()
        missing: tuple[Gap, ...] = ()
        for topic, number in zip(message.topics, message.places, strict=True):
            if topic in topics:
                numbers = (*numbers, number)
                arrived = self.sequences.streams[identity.publisher, identity.incarnation, topic]
                if arrived.has_gaps:
                    gaps = arrived.latest_gaps(MAX_REPORTED)
                    missing += tuple(Gap(topic, *span) for span in gaps)
        out.append(
            Deliver(topics, message.payload, identity.publisher, message.hops, numbers, missing)
        )

    def _deliver_in_order(
        self, message: Publication, topics: Topics, now: int, out: Effects
    ) -> None:
        """Deliver a publication on each of some topics when it is its turn there."""
        assert self._node.ordering is not None
        identity = message.id
        for topic, number in zip(message.topics, message.places, strict=True):
            if topic in topics:
                one = Deliver(
                    (topic,), message.payload, identity.publisher, message.hops, (number,)
                )
                stream = (identity.publisher, identity.incarnation, topic)
                self._node.ordering.deliver(stream, one, now, out)

    def _note_gap(self, stream: Stream, arrived: Arrived, source: Peer, now: int) -> None:
        """Request skipped publications from the peer that sent a later one."""
        ((first, last),) = arrived.latest_gaps(1)
        if last == arrived.last - 1:
            self.repairs.offer(stream, (first, last), source, now)

    def _note_shared(self, stored: Stored) -> None:
        if stored.source is None:
            self.history.note_shared(stored)

    def _schedule(self, now: int, out: Effects) -> None:
        """Set the timer for what is due next, if that is earlier than the time that is set."""
        due = self.announcer.due
        if self.repairs.due is not None and (due is None or self.repairs.due < due):
            due = self.repairs.due
        if due is not None and (self._due is None or due < self._due):
            self._due = due
            out.append(SetTimer(self.TIMER, max(due, now)))


def _forwarded(one: Publication) -> Publication:
    return Publication(one.id, one.topics, one.places, one.payload, one.hops + 1)


def _is_consistent(one: Publication) -> bool:
    return len(one.topics) == len(one.places) == len(set(one.topics)) and one.on is None
