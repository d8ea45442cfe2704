"""Gossip membership: a bounded, ever changing sample of the others with their interests.

A peer-sampling shuffle after Cyclon (Voulgaris et al., JNSM 2005): now and then a node takes
the oldest descriptor of its view, sends some of its view to that peer, its own descriptor
among them, and gets some of theirs in return. What it sent makes room for what it gets. A
descriptor says who, what they want, of which version, and how long ago they said so; where
two are of the same peer, the higher version is kept, and of equal ones the younger.

It is a view (:class:`~gossamer.protocols.components.views.InterestView`) and a part of a machine:
effects that it returns are the machine's. Nobody is ever told that a peer is down: its
descriptor grows old, is tried, and goes. A descriptor from before a peer was suspected is not
taken back, one from after is. Those who went are not forgotten at once: now and then one of
them, or a contact, is turned to, so that two sides that were cut off find each other again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import msgspec

from gossamer.protocols.components.component import Component, Handler
from gossamer.protocols.components.config import GossipConfig
from gossamer.protocols.components.views import KnownPeers
from gossamer.protocols.contract import (
    Effects,
    Message,
    NodeContext,
    Peer,
    Randomness,
    Send,
    SetTimer,
    Topics,
)
from gossamer.time import microseconds

__all__ = ["Descriptor", "GossipMembership", "Shuffle", "ShuffleReply", "make_membership"]

MAX_DESCRIPTORS = 256
MAX_MISSED = 64
SHUFFLES_BETWEEN_MISSED = 5
OLDEST = 1 << 20


class Descriptor(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Who, what they want, which of their versions that is, and its age in milliseconds."""

    peer: Peer
    topics: Topics
    version: Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
    age: Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]


Descriptors = Annotated[tuple[Descriptor, ...], msgspec.Meta(max_length=MAX_DESCRIPTORS)]


class Shuffle(Message, frozen=True, tag="shuffle"):
    """Some of my view; send me some of yours."""

    descriptors: Descriptors


class ShuffleReply(Message, frozen=True, tag="shuffle-reply"):
    """Some of my view, in return."""

    descriptors: Descriptors


class GossipMembership(KnownPeers, Component):
    """The membership part of a machine, and its view.

    Each shuffle costs O(n) for a view of n.

    Parameters
    ----------
    me, topics, random
        The node's.
    contacts
        Peers to start from; they are asked until somebody answers.
    size
        How many descriptors a view has at most (ours: 200, since views of 120 fall apart).
    exchanged
        How many are sent in a shuffle (ours: 20).
    period
        Between shuffles, in microseconds (ours: 1 s; a tenth of it while the view grows).
    patience
        A descriptor that is older is dropped (ours: 120 periods).
    """

    TIMER: ClassVar[str] = "shuffle"

    def __init__(
        self,
        me: Peer,
        topics: Topics,
        random: Randomness,
        *,
        contacts: tuple[Peer, ...] = (),
        size: int = 200,
        exchanged: int = 20,
        period: int = 1_000_000,
        patience: int = 120,
    ) -> None:
        super().__init__()
        self.me = me
        self.topics = topics
        self.random = random
        self.contacts = tuple(peer for peer in contacts if peer != me)
        self.size = size
        self.exchanged = min(exchanged, size, MAX_DESCRIPTORS)
        self.period = period
        self.patience = patience * period
        self.own_version = 0
        self._versions: dict[Peer, int] = {}
        self._said: dict[Peer, int] = {}
        """When each peer said what is known of it, by this node's clock."""
        self._suspected: dict[Peer, int] = {}
        self._missed: dict[Peer, None] = {}
        """Who did not answer or was suspected, the latest last."""
        self._sent: dict[Peer, tuple[Peer, ...]] = {}
        self._shuffles = 0
        self._largest = 0

    # -- the part ------------------------------------------------------------------

    def start(self, now: int, out: Effects) -> None:
        """Begin: turn to the contacts."""
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
        """Answer with as many descriptors, and take in theirs."""
        chosen = self.random.sample(list(self.known), self.exchanged)
        mine = [self._descriptor(one, now) for one in chosen if one != peer]
        reply = ShuffleReply((self._own(), *mine[: self.exchanged - 1]))
        self._take(message.descriptors, tuple(chosen), now)
        out.append(Send(peer, reply))

    def on_shuffle_reply(self, peer: Peer, message: ShuffleReply, now: int, out: Effects) -> None:
        """Take in what came in return."""
        self._take(message.descriptors, self._sent.pop(peer, ()), now)

    def suspect(self, peer: Peer, now: int) -> None:
        """Forget a peer, and what was said of it until now."""
        self._suspected[peer] = now
        self._drop(peer)
        self._miss(peer)

    def want(self, topics: Topics) -> None:
        """Change what this node says of itself."""
        self.topics = topics
        self.own_version += 1

    # -- inside --------------------------------------------------------------------

    def _own(self) -> Descriptor:
        return Descriptor(self.me, self.topics, self.own_version, 0)

    def _descriptor(self, peer: Peer, now: int) -> Descriptor:
        age = max(0, now - self._said[peer]) // 1000
        return Descriptor(peer, self.known[peer], self._versions[peer], age)

    def _contact(self, now: int, out: Effects) -> None:
        out += [self._shuffle_with(peer, now) for peer in self.contacts]

    def _partner(self) -> Peer:
        """Return the peer heard of longest ago."""
        partner = min(self._said, key=self._said.__getitem__)
        # If it does not answer, it is not there any more: it comes back with its own words.
        self._drop(partner)
        self._miss(partner)
        return partner

    def _shuffle_with(self, partner: Peer, now: int) -> Send:
        others = [peer for peer in self.known if peer != partner]
        chosen = self.random.sample(others, self.exchanged - 1)
        if len(self._sent) > 16:  # of those that never answered
            self._sent.pop(next(iter(self._sent)))
        self._sent[partner] = tuple(chosen)
        mine = tuple(self._descriptor(peer, now) for peer in chosen)
        return Send(partner, Shuffle((self._own(), *mine)))

    def _miss(self, peer: Peer) -> None:
        self._missed.pop(peer, None)
        if len(self._missed) >= MAX_MISSED:
            del self._missed[next(iter(self._missed))]
        self._missed[peer] = None

    def _contact_missed(self, now: int, out: Effects) -> None:
        """Try somebody who was there once, or a contact that is not in the view."""
        tried = [peer for peer in (*self._missed, *self.contacts) if peer not in self.known]
        if tried:
            out.append(self._shuffle_with(self.random.choice(tried), now))

    def _next(self, now: int) -> SetTimer:
        grown = len(self.known) > self._largest
        self._largest = max(self._largest, len(self.known))
        period = self.period // 10 if grown or self._shuffles < 10 else self.period
        return SetTimer(self.TIMER, now + period + self.random.randbelow(max(1, period // 10)))

    def _drop_old(self, now: int) -> None:
        limit = now - self.patience
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
        room = [peer for peer in replaceable if peer in self.known]
        for one in descriptors:
            said = now - one.age * 1000
            if one.peer == self.me or said < now - self.patience:
                continue
            if said <= self._suspected.get(one.peer, -OLDEST):
                continue
            if one.peer in self.known:
                known = self._versions[one.peer]
                if one.version < known or (one.version == known and said <= self._said[one.peer]):
                    continue
            elif len(self.known) >= self.size:
                # What was sent to the other makes room; if that is gone, the oldest does.
                out = room.pop() if room else min(self._said, key=self._said.__getitem__)
                self._drop(out)
                room = [peer for peer in room if peer in self.known]
            self._versions[one.peer] = one.version
            self._said[one.peer] = said
            self._missed.pop(one.peer, None)
            self.put(one.peer, one.topics)

    HANDLERS: ClassVar[Mapping[type, Handler]] = {
        Shuffle: on_shuffle,
        ShuffleReply: on_shuffle_reply,
    }


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
        exchanged=config.shuffle_length,
        period=microseconds(config.shuffle_seconds),
    )
