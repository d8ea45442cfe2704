"""Handover: publishing on topics that a node does not subscribe to.

Links connect the subscribers of a topic, and a publisher without a subscription has none on it. It
hands the publication over to subscribers that its view knows, few that together have all topics;
they acknowledge it, deliver it, and forward it like any other. Without an acknowledgement, other
subscribers are tried in the next period. If the view knows none, a few random peers are asked for
subscribers.

Guarantee: the publication reaches a subscriber of each topic, if the publisher stays present and
finds one within ``MAX_PERIODS`` periods; then dissemination takes over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from gossamer.protocols.components.component import Component
from gossamer.protocols.components.dissemination import MAX_TAGS, Publication, PublicationId
from gossamer.protocols.contract import Effects, Message, Peer, Send, SetTimer, Topic, Trace

if TYPE_CHECKING:
    from gossamer.protocols.components.composed_machine import ComposedMachine

MAX_PERIODS = 10
"""Periods after which a publication is given up."""
MAX_WAITING = 512
MAX_FOUND = 256
QUERIED = 3
"""Random peers that are asked for subscribers in a period."""

FewTopics = Annotated[tuple[Topic, ...], msgspec.Meta(max_length=MAX_TAGS)]


class Handover(Message, frozen=True, tag="handover"):
    """A publication, from a publisher that asks the receiver to forward it."""

    publication: Publication


class HandoverReply(Message, frozen=True, tag="handover-reply"):
    """Acknowledgement: the topics of a publication that the sender subscribes to or carries."""

    id: PublicationId
    topics: FewTopics


class SubscriberQuery(Message, frozen=True, tag="subscriber-query"):
    """Request for subscribers of topics, by their names in gossip."""

    topics: FewTopics


class FoundSubscriber(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Peer, and those of the queried topics that it subscribes to."""

    peer: Peer
    topics: FewTopics


class SubscriberReply(Message, frozen=True, tag="subscriber-reply"):
    """Subscribers of the queried topics, as far as the sender knows."""

    found: Annotated[tuple[FoundSubscriber, ...], msgspec.Meta(max_length=MAX_TAGS)]


MESSAGES = (Handover, HandoverReply, SubscriberQuery, SubscriberReply)


class _Waiting:
    """A publication, its topics without acknowledgement, and the peers that it was sent to."""

    __slots__ = ("publication", "sent", "since", "topics")

    def __init__(self, publication: Publication, topics: Sequence[Topic], since: int) -> None:
        self.publication = publication
        self.topics = dict.fromkeys(topics)
        self.since = since
        self.sent: dict[Peer, None] = {}


class Handovers(Component):
    """The publications that a node hands over.

    Parameters
    ----------
    node
        Machine that this component belongs to.
    period
        Microseconds between attempts; a tenth of it while no subscriber is known.
    """

    TIMER: ClassVar[str] = "handover"

    def __init__(self, node: ComposedMachine, period: int) -> None:
        self.period = period
        self._node = node
        self._waiting: dict[PublicationId, _Waiting] = {}
        self._found: dict[Peer, tuple[Topic, ...]] = {}
        """Subscribers that peers have named, with topics by their names in gossip."""
        self._ticking = False

    @property
    def waiting(self) -> int:
        """Number of publications that subscribers have not acknowledged on all topics."""
        return len(self._waiting)

    # -- calls of the machine --------------------------------------------------------------

    def begin(
        self, publication: Publication, topics: Sequence[Topic], now: int, out: Effects
    ) -> None:
        """Hand a publication over on some of its topics."""
        while len(self._waiting) >= MAX_WAITING:
            del self._waiting[next(iter(self._waiting))]
            out.append(Trace("undelivered"))
        carried = [topic for topic in topics if topic in publication.topics]
        waiting = self._waiting[publication.id] = _Waiting(publication, carried, now)
        unknown = self._send(waiting, out)
        self._query(unknown, out)
        self._set_timer(now, out)

    def on_handover(self, peer: Peer, message: Handover, now: int, out: Effects) -> None:
        """Deliver and forward a publication, and acknowledge it."""
        dissemination = self._node.dissemination
        publication = message.publication
        dissemination.on_publication(peer, publication, now, out)
        listed = publication.topics if publication.on is None else (publication.on,)
        taken = tuple(topic for topic in listed if dissemination.passes(topic))
        out.append(Send(peer, HandoverReply(publication.id, taken)))

    def on_handover_reply(self, peer: Peer, message: HandoverReply, now: int, out: Effects) -> None:
        """Note the topics on which a subscriber has taken a publication over."""
        waiting = self._waiting.get(message.id)
        if waiting is None or peer not in waiting.sent:
            return
        for topic in message.topics:
            waiting.topics.pop(topic, None)
        if not waiting.topics:
            del self._waiting[message.id]

    def on_subscriber_query(
        self, peer: Peer, message: SubscriberQuery, now: int, out: Effects
    ) -> None:
        """Name few subscribers that together have the topics."""
        names = dict.fromkeys(message.topics)
        node = self._node
        own = tuple(name for name in map(self._name_of, node.topics) if name in names)
        found = [FoundSubscriber(node.me, own)] if own else []
        for name in own:
            del names[name]
        found += [FoundSubscriber(*one) for one in self._cover(names, (peer,))]
        if found:
            out.append(Send(peer, SubscriberReply(tuple(found[:MAX_TAGS]))))

    def on_subscriber_reply(
        self, peer: Peer, message: SubscriberReply, now: int, out: Effects
    ) -> None:
        """Hand over to the named subscribers what was sent to none yet."""
        if not self._waiting:
            return
        for one in message.found:
            if one.peer != self._node.me:
                self._found.pop(one.peer, None)
                self._found[one.peer] = one.topics
        while len(self._found) > MAX_FOUND:
            del self._found[next(iter(self._found))]
        for waiting in self._waiting.values():
            self._send(waiting, out, only_unsent=True)

    def on_timer(self, now: int, out: Effects) -> None:
        """Try other subscribers, and give up old publications."""
        self._ticking = False
        unknown: dict[Topic, None] = {}
        for identifier, waiting in list(self._waiting.items()):
            if now - waiting.since >= MAX_PERIODS * self.period:
                del self._waiting[identifier]
                out.append(Trace("undelivered"))
                continue
            unknown |= self._send(waiting, out)
        self._query(unknown, out)
        self._set_timer(now, out)

    # -- helpers ---------------------------------------------------------------------------

    def _send(
        self, waiting: _Waiting, out: Effects, *, only_unsent: bool = False
    ) -> dict[Topic, None]:
        """Send a publication to subscribers; return the names of topics for which none is known.

        Those that have been tried come last.
        """
        if only_unsent and waiting.sent:
            return {}
        topic_of = {self._name_of(topic): topic for topic in waiting.topics}
        names = dict.fromkeys(topic_of)
        for tried in (tuple(waiting.sent), ()):
            for peer, covered in self._cover(names, tried):
                waiting.sent[peer] = None
                topics = tuple(topic_of[name] for name in covered)
                out += [Send(peer, Handover(one)) for one in self._copies(waiting, topics)]
        return names

    def _copies(self, waiting: _Waiting, topics: Sequence[Topic]) -> Iterator[Publication]:
        """Return the copies for a subscriber: one, or one for each topic in a simple flood."""
        simple = self._node.dissemination.flood == "simple"
        for on in topics if simple else (None,):
            yield msgspec.structs.replace(waiting.publication, hops=1, on=on)

    def _cover(
        self, names: dict[Topic, None], without: Collection[Peer]
    ) -> Iterator[tuple[Peer, tuple[Topic, ...]]]:
        """Yield few peers and the topics that each covers; the others stay in ``names``."""
        node = self._node
        tried = {node.me, *without}
        while names:
            best: tuple[Topic, ...] = ()
            peer = node.view.most_covering(tuple(names), tried, node.random)
            if peer is not None:
                best = _common(names, node.view.topics_of(peer) or ())
            for other, theirs in self._found.items():
                covered = _common(names, theirs)
                if other not in tried and len(covered) > len(best):
                    peer, best = other, covered
            if peer is None or not best:
                return
            tried.add(peer)
            for name in best:
                del names[name]
            yield peer, best

    def _name_of(self, topic: Topic) -> Topic:
        """Return the name of a topic in the view: an oracle has the topic itself."""
        node = self._node
        return topic if node.membership is None else node.names_for_gossip((topic,))[0]

    def _query(self, names: dict[Topic, None], out: Effects) -> None:
        """Ask random peers for subscribers."""
        if not names:
            return
        node = self._node
        asked: dict[Peer, None] = {node.me: None}
        query = SubscriberQuery(tuple(names)[:MAX_TAGS])
        for _ in range(QUERIED):
            peer = node.view.any_peer(tuple(asked), node.random)
            if peer is None:
                return
            asked[peer] = None
            out.append(Send(peer, query))

    def _set_timer(self, now: int, out: Effects) -> None:
        if self._waiting and not self._ticking:
            self._ticking = True
            sent = all(waiting.sent for waiting in self._waiting.values())
            out.append(SetTimer(self.TIMER, now + (self.period if sent else self.period // 10)))


def _common(names: dict[Topic, None], topics: Sequence[Topic]) -> tuple[Topic, ...]:
    """Return the names that are among the topics of a peer, each once."""
    return tuple(dict.fromkeys(topic for topic in topics if topic in names))
