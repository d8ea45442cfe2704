"""Gossip membership: a bounded, changing sample of other nodes with their interests.

A peer-sampling shuffle after Cyclon (Voulgaris et al., JNSM 2005): periodically a node removes the
oldest descriptor of its view, sends some of its view and its own descriptor to that peer, and
receives some of the peer's view in return. Received descriptors replace sent ones. A descriptor has
a peer, its topics, their version, and an age; of two descriptors of a peer the higher version is
kept, and of equal versions the younger.

The component is also the view of the machine
(:class:`~gossamer.protocols.components.views.InterestView`). Failures are not announced: the
descriptor of a failed peer grows old, is tried, and is dropped. Descriptors from before a suspicion
are rejected, later ones accepted. Occasionally a missing peer or a contact is contacted, so that
the two sides of a healed partition find each other.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

import msgspec

from gossamer.protocols.components.component import Component
from gossamer.protocols.components.config import GossipConfig
from gossamer.protocols.components.views import KnownPeers
from gossamer.protocols.contract import (
    Effects,
    Message,
    NodeContext,
    Peer,
    Send,
    SetTimer,
    Topics,
)
from gossamer.random_stream import Stream
from gossamer.time import microseconds

MAX_DESCRIPTORS = 256
MAX_BYTES = 64 << 10
"""Topics in a message, in bytes: enough for 20 descriptors of some 300 topics (ours)."""
MAX_MISSED = 64
SHUFFLES_BETWEEN_MISSED = 5
OLDEST = 1 << 20


class Descriptor(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Peer, its topics, their version, and the age in milliseconds."""

    peer: Peer
    topics: Topics
    version: Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
    age: Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]


Descriptors = Annotated[tuple[Descriptor, ...], msgspec.Meta(max_length=MAX_DESCRIPTORS)]


class Shuffle(Message, frozen=True, tag="shuffle"):
    """Part of a view, and a request for part of the receiver's."""

    descriptors: Descriptors

    def halves(self) -> tuple[Message, ...]:
        """Return a request, and the rest as an answer, so that the receiver answers once."""
        half = len(self.descriptors) // 2
        first, rest = self.descriptors[:half], self.descriptors[half:]
        return (Shuffle(first), ShuffleReply(rest)) if half else ()


class ShuffleReply(Message, frozen=True, tag="shuffle-reply"):
    """Part of a view, in return."""

    descriptors: Descriptors

    def halves(self) -> tuple[Message, ...]:
        """Return two answers."""
        half = len(self.descriptors) // 2
        first, rest = self.descriptors[:half], self.descriptors[half:]
        return (ShuffleReply(first), ShuffleReply(rest)) if half else ()


class GossipMembership(KnownPeers, Component):
    """Gossip membership of a node, and its view.

    Each shuffle takes O(n) for a view of n.

    Parameters
    ----------
    me, topics, random
        Identifier, topics and random stream of the node.
    contacts
        Peers for the first contact, asked until one answers.
    size
        Maximum number of descriptors (ours: 200; the graph of views of 120 disconnects).
    shuffle_length
        Number of descriptors in a message; fewer, but two at least, if they have very many topics.
    period
        Microseconds between shuffles; a tenth of it while the view grows.
    max_age
        Maximum age of a descriptor, in periods (ours).
    """

    TIMER: ClassVar[str] = "shuffle"

    def __init__(
        self,
        me: Peer,
        topics: Topics,
        random: Stream,
        *,
        contacts: tuple[Peer, ...] = (),
        size: int = 200,
        shuffle_length: int = 20,
        period: int = 1_000_000,
        max_age: int = 120,
    ) -> None:
        super().__init__()
        self.me = me
        self.topics = topics
        self.random = random
        self.contacts = tuple(peer for peer in contacts if peer != me)
        self.size = size
        self.shuffle_length = min(shuffle_length, size, MAX_DESCRIPTORS)
        self.period = period
        self.max_age = max_age * period
        self.own_version = 0
        self._versions: dict[Peer, int] = {}
        self._said: dict[Peer, int] = {}
        """Time of each descriptor, by the clock of this node."""
        self._suspected: dict[Peer, int] = {}
        self._missed: dict[Peer, None] = {}
        """Peers that did not answer or were suspected, the latest last."""
        self._sent: dict[Peer, tuple[Peer, ...]] = {}
        self._shuffles = 0
        self._largest = 0

    # -- calls of the machine ------------------------------------------------------------------

    def start(self, now: int, out: Effects) -> None:
        """Contact the first peers."""
        self.own_version = now
        self._contact(now, out)
        out.append(self._next(now))

    def on_timer(self, now: int, out: Effects) -> None:
        """Shuffle with a peer."""
        self._shuffles += 1
        self._drop_old(now)
        if not self.known:
            self._contact(now, out)
        else:
            out.append(self._shuffle_with(self._partner(), now))
        if self._shuffles % SHUFFLES_BETWEEN_MISSED == 0:
            self._contact_missed(now, out)
        out.append(self._next(now))

    def on_shuffle(self, peer: Peer, message: Shuffle, now: int, out: Effects) -> None:
        """Answer with as many descriptors, and merge the received ones."""
        chosen = self._fitting(self.random.sample(list(self.known), self.shuffle_length))
        mine = [self._descriptor(one, now) for one in chosen if one != peer]
        reply = ShuffleReply((self._own(), *mine[: self.shuffle_length - 1]))
        self._take(message.descriptors, tuple(chosen), now)
        out.append(Send(peer, reply))

    def on_shuffle_reply(self, peer: Peer, message: ShuffleReply, now: int, out: Effects) -> None:
        """Merge the received descriptors."""
        self._take(message.descriptors, self._sent.pop(peer, ()), now)

    def suspect(self, peer: Peer, now: int) -> None:
        """Drop a peer, and reject its descriptors from before this time."""
        self._suspected[peer] = now
        self._drop(peer)
        self._miss(peer)

    def set_topics(self, topics: Topics) -> None:
        """Change the topics in the node's own descriptor."""
        self.topics = topics
        self.own_version += 1

    # -- helpers --------------------------------------------------------------------

    def _own(self) -> Descriptor:
        return Descriptor(self.me, self.topics, self.own_version, 0)

    def _descriptor(self, peer: Peer, now: int) -> Descriptor:
        age = max(0, now - self._said[peer]) // 1000
        return Descriptor(peer, self.known[peer], self._versions[peer], age)

    def _contact(self, now: int, out: Effects) -> None:
        out += [self._shuffle_with(peer, now) for peer in self.contacts]

    def _partner(self) -> Peer:
        """Return the peer with the oldest descriptor."""
        partner = min(self._said, key=self._said.__getitem__)
        # If it has failed, it stays out; its answer brings it back.
        self._drop(partner)
        self._miss(partner)
        return partner

    def _shuffle_with(self, partner: Peer, now: int) -> Send:
        others = [peer for peer in self.known if peer != partner]
        chosen = self._fitting(self.random.sample(others, self.shuffle_length - 1))
        if len(self._sent) > 16:  # without an answer
            self._sent.pop(next(iter(self._sent)))
        self._sent[partner] = tuple(chosen)
        mine = tuple(self._descriptor(peer, now) for peer in chosen)
        return Send(partner, Shuffle((self._own(), *mine)))

    def _fitting(self, peers: list[Peer]) -> list[Peer]:
        """Return the first peers whose descriptors a message has room for, one at least."""
        room = MAX_BYTES - size_of(self.topics)
        for count, peer in enumerate(peers):
            room -= size_of(self.known[peer])
            if room < 0 and count:
                return peers[:count]
        return peers

    def _miss(self, peer: Peer) -> None:
        self._missed.pop(peer, None)
        if len(self._missed) >= MAX_MISSED:
            del self._missed[next(iter(self._missed))]
        self._missed[peer] = None

    def _contact_missed(self, now: int, out: Effects) -> None:
        """Contact a missing peer, or a contact that is not in the view."""
        tried = [peer for peer in (*self._missed, *self.contacts) if peer not in self.known]
        if tried:
            out.append(self._shuffle_with(self.random.choice(tried), now))

    def _next(self, now: int) -> SetTimer:
        grown = len(self.known) > self._largest
        self._largest = max(self._largest, len(self.known))
        period = self.period // 10 if grown or self._shuffles < 10 else self.period
        return SetTimer(self.TIMER, now + period + self.random.randbelow(max(1, period // 10)))

    def _drop_old(self, now: int) -> None:
        limit = now - self.max_age
        for peer in [peer for peer, said in self._said.items() if said < limit]:
            self._drop(peer)
        for peer in [peer for peer, since in self._suspected.items() if since < limit]:
            del self._suspected[peer]

    def _drop(self, peer: Peer) -> None:
        self.remove(peer)
        self._versions.pop(peer, None)
        self._said.pop(peer, None)

    def _take(
        self, descriptors: tuple[Descriptor, ...], replaceable: tuple[Peer, ...], now: int
    ) -> None:
        replaced = [peer for peer in replaceable if peer in self.known]
        for one in descriptors:
            said = now - one.age * 1000
            if one.peer == self.me or said < now - self.max_age:
                continue
            if said <= self._suspected.get(one.peer, -OLDEST):
                continue
            if one.peer in self.known:
                known = self._versions[one.peer]
                if one.version < known or (one.version == known and said <= self._said[one.peer]):
                    continue
            elif len(self.known) >= self.size:
                # It replaces a descriptor that was sent to the peer, or the oldest one.
                out = replaced.pop() if replaced else min(self._said, key=self._said.__getitem__)
                self._drop(out)
                replaced = [peer for peer in replaced if peer in self.known]
            self._versions[one.peer] = one.version
            self._said[one.peer] = said
            self._missed.pop(one.peer, None)
            self.put(one.peer, one.topics)


def size_of(topics: Topics) -> int:
    """Return the approximate size of topics on the wire, in bytes.

    Examples
    --------
    >>> size_of(("tea", "jazz")), size_of((1, 2, 3))
    (11, 15)
    """
    if topics and type(topics[0]) is str:
        return sum(2 + len(topic) for topic in topics if type(topic) is str)
    return 5 * len(topics)


def make_membership(context: NodeContext, config: GossipConfig) -> GossipMembership | None:
    """Return the gossip membership of a node; None where its context has an oracle."""
    if context.view is not None:
        return None
    return GossipMembership(
        context.me,
        context.topics,
        context.random,
        contacts=context.contacts,
        size=config.view_size,
        shuffle_length=config.shuffle_length,
        period=microseconds(config.shuffle_seconds),
    )
