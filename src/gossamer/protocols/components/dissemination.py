"""Dissemination: publications travel along links and reach each subscriber once.

Each topic's overlay is flooded (StaN, appendix A): a node that receives a publication for the first
time delivers it and forwards it to its neighbours on the topic ("infect and die").

- *CrosspostFlood* (Algorithm 3): one copy to each neighbour, however many topics of the publication
  the two share; the neighbour delivers it on all of them.
- *SimpleFlood*: each topic is flooded separately, with one copy for each topic that two neighbours
  share.
- *Notification* (Vitis, §III-C): as CrosspostFlood, but neighbours are notified and pull the
  publication from the first that notified them, so it reaches each node once. Notifications are
  acknowledged, so without loss none is repeated.

A node may *carry* topics without a subscription: it stores and forwards their publications and
does not deliver them.

Publishers number their publications, and those on each topic, so that subscribers detect gaps.
Neighbours exchange digests of recent publications until they are acknowledged, and pull missing
ones. This repairs message loss and network partitions.

Guarantees:

- *At most once.* The latest ``memory`` identifiers are stored; when one is evicted, older ones of
  its publisher count as received. Publications of the latest ``MAX_PUBLISHERS`` publishers are
  therefore never delivered twice; older ones are dropped.
- *At least once*, to each subscriber that a chain of subscribers connects to the publisher, if no
  message is lost, or if the chain is restored while the lost publication is in the history
  (``history`` publications, ``MAX_BYTES``) of the previous node. A node that subscribes later
  receives what its neighbours, or it itself as a relay, still store. Its own publications leave the
  history only after a neighbour has them, unless they alone exceed it.
- No order is guaranteed; numbers on a topic give the order of publication.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import msgspec

from gossamer.protocols.components.component import Component
from gossamer.protocols.components.sequences import ranges_of
from gossamer.protocols.contract import (
    Deliver,
    Effects,
    Gap,
    Message,
    Peer,
    Send,
    SetTimer,
    Topic,
    Topics,
)

if TYPE_CHECKING:
    from gossamer.protocols.components.composed_machine import ComposedMachine

FloodMode = Literal["crosspost", "simple"]
TreeMode = Literal["tree", "crosspost", "simple"]
ForwardingMode = Literal["tree", "crosspost", "simple", "notify"]

MAX_PUBLISHERS = 4096
MAX_BYTES = 4 << 20
MAX_PAYLOAD = 512 << 10
MAX_TAGS = 64
MAX_LISTED = 256
MAX_ABSENT = 256
MAX_NOTIFIERS = 64

Number = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]


class PublicationId(
    msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False
):
    """Publisher, its incarnation, and the number of the publication."""

    publisher: Peer
    incarnation: Number
    number: Number


class Publication(Message, frozen=True, tag="publication"):
    """A publication.

    ``places`` are its numbers on each of its ``topics``, from 1; ``on`` is the topic whose overlay
    this copy travels on, none for all of them.
    """

    id: PublicationId
    topics: Annotated[tuple[Topic, ...], msgspec.Meta(min_length=1, max_length=MAX_TAGS)]
    places: Annotated[tuple[Number, ...], msgspec.Meta(min_length=1, max_length=MAX_TAGS)]
    payload: Annotated[bytes, msgspec.Meta(max_length=MAX_PAYLOAD)]
    hops: Annotated[int, msgspec.Meta(ge=0, le=1 << 31)]
    on: Topic | None = None


Ids = Annotated[tuple[PublicationId, ...], msgspec.Meta(max_length=MAX_LISTED)]


class Digest(Message, frozen=True, tag="digest"):
    """Recent publications that the receiver may not have."""

    ids: Ids


class Pull(Message, frozen=True, tag="pull"):
    """Request for some publications of a digest, and acknowledgement of others."""

    ids: Ids
    had: Ids


MESSAGES = (Publication, Digest, Pull)


class _Heard:
    """State of one incarnation of a publisher: evicted identifiers, and numbers by topic."""

    __slots__ = ("absent", "forgotten", "highest")

    def __init__(self) -> None:
        self.forgotten = -1
        self.highest: dict[Topic, int] = {}
        self.absent: dict[tuple[Topic, int], None] = {}


class Disseminator(Component):
    """Dissemination of publications.

    Parameters
    ----------
    node
        Machine that this component belongs to.
    flood
        Forwarding mode of publications.
    carries
        Whether the node forwards a topic without a subscription; none if not given.
    memory, history
        Maximum number of identifiers, and of publications kept for repair.
    period
        Microseconds between digests.
    """

    TIMER: ClassVar[str] = "digest"

    def __init__(
        self,
        node: ComposedMachine,
        *,
        flood: ForwardingMode = "crosspost",
        carries: Callable[[Topic], bool] | None = None,
        memory: int = 8192,
        history: int = 512,
        period: int = 1_000_000,
    ) -> None:
        self.flood = flood
        self.period = period
        self._node = node
        self._carries = carries
        self._notifies = flood == "notify"
        self._memory = memory
        self._most_kept = history
        self._incarnation = 0
        self._number = 0
        self._places: dict[Topic, int] = {}
        self._seen: dict[tuple[PublicationId, Topic | None], None] = {}
        self._heard: dict[tuple[Peer, int], _Heard] = {}
        self._kept: dict[PublicationId, Publication] = {}
        self._bytes = 0
        self._evictable: dict[PublicationId, None] = {}
        """Stored publications, the oldest first, except for those in ``_unshared``."""
        self._unshared: dict[PublicationId, None] = {}
        """Own publications that no linked peer is known to have."""
        self._unsent: dict[PublicationId, None] = {}
        """Stored own publications that were sent to no peer."""
        self._delivered: dict[PublicationId, dict[Topic, None]] = {}
        """Topics on which stored publications were delivered to the application."""
        self._passed_over: dict[PublicationId, Topics] = {}
        """Topics of publications that the node neither wanted nor carried when they arrived."""
        self._has: dict[Peer, dict[PublicationId, None]] = {}
        """Stored publications that each linked peer certainly has."""
        self._complete_everywhere: dict[PublicationId, None] = {}
        """Stored publications that all present neighbours on their topics have."""
        self._asked: dict[PublicationId, int] = {}
        self._notifiers: dict[PublicationId, dict[Peer, None]] = {}
        """Peers that notified this node of a publication that has not arrived."""
        self._ticking = False

    # -- calls of the machine --------------------------------------------------------------

    def start(self, now: int) -> None:
        """Start an incarnation; its time distinguishes it from earlier ones."""
        self._incarnation = now

    @property
    def unsent(self) -> int:
        """Number of stored own publications that were sent to no peer."""
        return len(self._unsent)

    @property
    def latest(self) -> PublicationId:
        """Identifier of the last publication of this node."""
        return PublicationId(self._node.me, self._incarnation, self._number)

    def publish(self, topics: Topics, payload: bytes, now: int, out: Effects) -> Publication:
        """Publish on topics; return the publication, which goes to neighbours on them, if any."""
        tags = tuple(dict.fromkeys(topics))[:MAX_TAGS]
        for topic in tags:
            self._places[topic] = self._places.get(topic, 0) + 1
        self._number += 1
        places = tuple(self._places[topic] for topic in tags)
        made = Publication(self.latest, tags, places, payload, 0)
        copies = [msgspec.structs.replace(made, on=topic) for topic in tags]
        before = len(out)
        for copy in copies if self.flood == "simple" else (made,):
            self._take(None, copy, now, out)
        if made.id in self._kept and not any(type(one) is Send for one in out[before:]):
            self._unsent[made.id] = None
        return made

    def on_publication(self, peer: Peer, message: Publication, now: int, out: Effects) -> None:
        """Deliver and forward a publication, if it is new."""
        if not len(set(message.topics)) == len(message.topics) == len(message.places):
            return
        if message.on is not None and message.on not in message.topics:
            return
        self._note_had(peer, message)
        self._take(peer, message, now, out)

    def on_digest(self, peer: Peer, message: Digest, now: int, out: Effects) -> None:
        """Pull the publications that the peer has and this node has not."""
        wanted, had = [], []
        theirs = self._has.get(peer)
        for one in message.ids:
            self._note_peer_has(theirs, one)
            if self._complete(one):
                had.append(one)
                continue
            if one not in self._asked or self._asked[one] < now - self.period:
                self._asked[one] = now
                wanted.append(one)
            if self._notifies:
                notifiers = self._notifiers.setdefault(one, {})
                if len(notifiers) < MAX_NOTIFIERS:
                    notifiers[peer] = None
        while len(self._asked) > MAX_LISTED:
            del self._asked[next(iter(self._asked))]
        while len(self._notifiers) > MAX_LISTED:
            del self._notifiers[next(iter(self._notifiers))]
        if wanted or had:
            out.append(Send(peer, Pull(tuple(wanted), tuple(had))))

    def on_pull(self, peer: Peer, message: Pull, now: int, out: Effects) -> None:
        """Send the requested publications that are stored, and note the acknowledged ones."""
        theirs = self._has.get(peer)
        for one in message.had:
            self._note_peer_has(theirs, one)
        found = [self._kept[one] for one in message.ids if one in self._kept]
        for one in message.ids:
            self._unsent.pop(one, None)
        out += [
            Send(peer, msgspec.structs.replace(kept, hops=kept.hops + 1, on=None)) for kept in found
        ]

    @property
    def peers(self) -> set[Peer]:
        """Neighbours that receive digests."""
        return set(self._has)

    def check_invariants(self) -> None:
        """Raise AssertionError if the state contradicts itself."""
        sizes = sum(len(one.payload) for one in self._kept.values())
        assert sizes == self._bytes, "bytes of the history"

    def on_link(self, peer: Peer, now: int, out: Effects) -> None:
        """Start to send digests to a peer."""
        self._has[peer] = {}
        self.on_neighbours_changed(now, out)

    def on_unlink(self, peer: Peer) -> None:
        """Stop to send digests to a peer."""
        self._has.pop(peer, None)

    def on_interest(self, before: Topics, now: int, out: Effects) -> None:
        """Deliver stored publications on new topics, and request others again."""
        new = frozenset(self._node.topics).difference(before)
        for one, topics in list(self._passed_over.items()):
            if not new.isdisjoint(topics):
                del self._passed_over[one]
                for on in (None, *topics):
                    self._seen.pop((one, on), None)
        for one, kept in self._kept.items() if new else ():
            done = self._delivered.get(one, ())
            matching = tuple(t for t in kept.topics if t in new and t not in done)
            if matching:
                for topic in matching:
                    self._seen.setdefault((one, topic))
                self._deliver(kept, matching, out)
        self.on_neighbours_changed(now, out)

    def on_neighbours_changed(self, now: int, out: Effects) -> None:
        """Send digests to neighbours on topics on which they were not neighbours before."""
        self._complete_everywhere.clear()
        self._set_timer(now, out)

    def note_changed(self) -> None:
        """Note that a neighbour on a topic may have ended; nothing is to be done."""

    def on_timer(self, now: int, out: Effects) -> None:
        """Send each neighbour the identifiers of publications that it may have missed.

        O(neighbours on its topics) for each stored publication that not all of them have.
        """
        self._ticking = False
        near: dict[Topic, list[Peer]] = {}
        listed: dict[Peer, dict[PublicationId, None]] = {}
        for one, kept in reversed(self._kept.items()):
            if one in self._complete_everywhere or not self._complete(one):
                continue
            complete = True
            for topic in kept.topics:
                if topic not in near:
                    neighbours = self._node.neighbours_on(topic) if self.passes(topic) else ()
                    near[topic] = [peer for peer in neighbours if peer in self._has]
                for peer in near[topic]:
                    if one not in self._has[peer]:
                        complete = False
                        ids = listed.setdefault(peer, {})
                        if len(ids) < MAX_LISTED:
                            ids[one] = None
            if complete:
                self._complete_everywhere[one] = None
        for peer, ids in listed.items():
            out.append(Send(peer, Digest(tuple(reversed(ids)))))  # the latest, in their order
        if listed:
            self._set_timer(now, out)

    # -- helpers ----------------------------------------------------------------------------

    def _set_timer(self, now: int, out: Effects) -> None:
        """Set the timer of the next digest, if publications are stored."""
        if not self._ticking and self._kept:
            self._ticking = True
            out.append(SetTimer(self.TIMER, now + self.period))

    def _known(self, one: PublicationId, on: Topic | None) -> bool:
        if (one, on) in self._seen or (on is not None and (one, None) in self._seen):
            return True
        heard = self._heard.get((one.publisher, one.incarnation))
        return heard is not None and one.number <= heard.forgotten

    def _take(self, source: Peer | None, message: Publication, now: int, out: Effects) -> None:
        if self._known(message.id, message.on):
            return
        own = self._node.topics
        first = message.on is None or not any((message.id, t) in self._seen for t in message.topics)
        tags = message.topics if message.on is None else (message.on,)
        matching = tuple(topic for topic in tags if topic in own)
        carried = () if self._carries is None else self._carried(tags)
        if self._notifies and not (matching or carried):
            return  # it may be carried later
        self._remember(message)
        if not (matching or carried):
            self._pass_over(message.id, tags)
            return
        if message.on is None:  # a repair: copies on some of its topics may have arrived
            matching = tuple(t for t in matching if (message.id, t) not in self._seen)
        if not (matching or carried):
            return
        if first:
            self._keep(message)
        if matching:
            self._deliver(message, matching, out)
        # Peers that certainly have it receive nothing.
        sent = self._answered(source, message, out) if self._notifies else {}
        onward: Message = msgspec.structs.replace(message, hops=message.hops + 1)
        if self._notifies:
            onward = Digest((message.id,))
        for topic in (*matching, *carried):
            for peer in self._node.neighbours_on(topic):
                if peer != source and peer != message.id.publisher and peer not in sent:
                    sent[peer] = None
                    out.append(Send(peer, onward))
        if source is not None:
            self._note_had(source, message)
        self._set_timer(now, out)

    def _answered(
        self, source: Peer | None, message: Publication, out: Effects
    ) -> dict[Peer, None]:
        """Acknowledge a publication to the peers that notified this node; return them."""
        notifiers = self._notifiers.pop(message.id, {})
        if source is not None:
            notifiers[source] = None
        for peer in notifiers:
            self._note_peer_has(self._has.get(peer), message.id)
            out.append(Send(peer, Pull((), (message.id,))))
        return notifiers

    def passes(self, topic: Topic) -> bool:
        """Whether the node subscribes to a topic or carries it."""
        return topic in self._node.topics or (self._carries is not None and self._carries(topic))

    def _carried(self, tags: Topics) -> Topics:
        """Return the topics that the node carries without a subscription."""
        carries, own = self._carries, self._node.topics
        assert carries is not None
        return tuple(topic for topic in tags if topic not in own and carries(topic))

    def _note_had(self, peer: Peer, message: Publication) -> None:
        """Note that a peer has a publication, if it has it on all topics."""
        if message.on is None:
            self._note_peer_has(self._has.get(peer), message.id)

    def _note_peer_has(self, theirs: dict[PublicationId, None] | None, one: PublicationId) -> None:
        """Note that a linked peer has a stored publication."""
        if theirs is not None and one in self._kept:
            theirs[one] = None
            self._unsent.pop(one, None)
            if one in self._unshared:
                del self._unshared[one]
                self._evictable[one] = None

    def _complete(self, one: PublicationId) -> bool:
        """Whether a publication has arrived on all its topics that the node subscribes to."""
        if self._known(one, None):
            return True
        kept = self._kept.get(one)
        return kept is not None and all(
            (one, topic) in self._seen for topic in kept.topics if topic in self._node.topics
        )

    def _remember(self, message: Publication) -> None:
        self._seen[(message.id, message.on)] = None
        self._asked.pop(message.id, None)
        key = (message.id.publisher, message.id.incarnation)
        heard = self._heard.pop(key, None) or _Heard()
        self._heard[key] = heard  # the latest last
        while len(self._heard) > MAX_PUBLISHERS:
            del self._heard[next(iter(self._heard))]
        while len(self._seen) > self._memory:
            gone, _ = next(iter(self._seen))
            del self._seen[next(iter(self._seen))]
            theirs = self._heard.get((gone.publisher, gone.incarnation))
            if theirs is not None:
                theirs.forgotten = max(theirs.forgotten, gone.number)

    def _pass_over(self, one: PublicationId, topics: Topics) -> None:
        self._passed_over[one] = (*self._passed_over.pop(one, ()), *topics)
        while len(self._passed_over) > self._most_kept:
            del self._passed_over[next(iter(self._passed_over))]

    def _deliver(self, message: Publication, matching: Topics, out: Effects) -> None:
        if message.id in self._kept:
            self._delivered.setdefault(message.id, {}).update(dict.fromkeys(matching))
        missing = self._missing(message, matching)
        places = dict(zip(message.topics, message.places, strict=True))
        numbers = tuple(places[topic] for topic in matching)
        publisher = message.id.publisher
        out.append(Deliver(matching, message.payload, publisher, message.hops, numbers, missing))

    def _keep(self, message: Publication) -> None:
        own = message.id.publisher == self._node.me
        if message.id not in self._kept:  # a repair replaces a copy on some of the topics
            self._bytes += len(message.payload)
        self._kept[message.id] = message
        (self._unshared if own else self._evictable)[message.id] = None
        while len(self._kept) > self._most_kept or self._bytes > MAX_BYTES:
            among = self._evictable or self._unshared
            oldest = next(iter(among))
            del among[oldest]
            self._bytes -= len(self._kept.pop(oldest).payload)
            self._complete_everywhere.pop(oldest, None)
            self._delivered.pop(oldest, None)
            self._unsent.pop(oldest, None)
            for theirs in self._has.values():
                theirs.pop(oldest, None)

    def _missing(self, message: Publication, matching: Topics) -> tuple[Gap, ...]:
        """Record skipped numbers on topics; return those that are missing there now."""
        heard = self._heard.setdefault((message.id.publisher, message.id.incarnation), _Heard())
        for topic, place in zip(message.topics, message.places, strict=True):
            if topic not in matching:
                continue
            heard.absent.pop((topic, place), None)
            highest = heard.highest.get(topic, place - 1)  # earlier ones are not missing
            for skipped in range(highest + 1, min(place, highest + 1 + MAX_ABSENT)):
                heard.absent[(topic, skipped)] = None
            heard.highest[topic] = max(highest, place)
        while len(heard.absent) > MAX_ABSENT:
            del heard.absent[next(iter(heard.absent))]
        if not heard.absent:
            return ()
        return tuple(
            Gap(topic, first, last)
            for topic in matching
            for first, last in ranges_of(sorted(n for t, n in heard.absent if t == topic))
        )
