"""What a protocol is to the world: events in, effects out, and nothing else.

A machine is one node's side of a protocol. It is told what happened and answers with what is
to be done; whoever holds it, a simulator or a live node, does it. What a machine may rely on:

1. ``handle`` is never entered again before it has returned, and ``now`` never falls.
2. :class:`Started` comes first and once, nothing comes after the effects of :class:`Leave`.
3. A timer fires once, at its time or later, unless it was set again or cancelled; setting one
   that is set replaces it. Timers of an earlier life never fire.
4. A message may be lost, late, doubled or overtaken by another, and may come from anybody,
   but it has the form that the protocol's messages have.
5. The random stream is the machine's own: nobody else draws from it.

What it must keep: equal events at equal times with an equal stream give equal effects. So no
clock, no iteration over sets, no hash of an object, no shared state but what it was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol, TypeVar

import msgspec

from gossamer.model.repair import RepairRule
from gossamer.protocols.link_state import LinkState

__all__ = [
    "CancelTimer",
    "Deliver",
    "Effect",
    "Effects",
    "Event",
    "InstallLinks",
    "Key",
    "Leave",
    "Link",
    "Machine",
    "Message",
    "NodeContext",
    "Peer",
    "PeerDown",
    "Publish",
    "Randomness",
    "Received",
    "Send",
    "SetTimer",
    "Started",
    "Subscribe",
    "TimerExpired",
    "Topic",
    "Topics",
    "Trace",
    "Unlink",
    "Unsubscribe",
]


MAX_CHARACTERS = 255
MAX_TOPICS = 65_536

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_CHARACTERS)]
Peer = int | Name
"""Who a node is: a number in a simulation, ``host:port`` on a network."""
Topic = int | Name
Topics = Annotated[tuple[Topic, ...], msgspec.Meta(max_length=MAX_TOPICS)]
"""Distinct topics, in ascending order."""
Key = str | tuple[str, int | str]
"""What a timer is called."""


class Message(
    msgspec.Struct, frozen=True, tag=True, array_like=True, forbid_unknown_fields=True, gc=False
):
    """A message between nodes. A protocol's messages are subclasses, one for each kind."""


class Event(msgspec.Struct, frozen=True, tag=True, array_like=True, gc=False):
    """Something that happened to a node."""


class Started(Event, frozen=True):
    """The node has begun its life."""


class Received(Event, frozen=True):
    """A message has come. The sender is who it says it is, so far as the world can tell."""

    peer: Peer
    message: Any


class TimerExpired(Event, frozen=True):
    """A timer has run out."""

    key: Key


class PeerDown(Event, frozen=True):
    """A peer cannot be reached: its connection broke and could not be made again."""

    peer: Peer


class Subscribe(Event, frozen=True):
    """The application wants a topic."""

    topic: Topic


class Unsubscribe(Event, frozen=True):
    """The application does not want a topic any more."""

    topic: Topic


class Publish(Event, frozen=True):
    """The application publishes something on one or several topics."""

    topics: Topics
    payload: bytes


class InstallLinks(Event, frozen=True):
    """Whoever designed the overlay gives the node its links: exactly these, with their topics.

    The other ends are told alike. ``epoch`` grows from one design to the next. Only protocols that
    say so (``arranged`` on the list of protocols) take it.
    """

    neighbours: tuple[tuple[Peer, Topics], ...]
    epoch: int


class Leave(Event, frozen=True):
    """The node is about to end its life in good order."""


class Effect(msgspec.Struct, frozen=True, tag=True, array_like=True, gc=False):
    """Something that is to be done."""


Effects = list[Effect]


class Send(Effect, frozen=True):
    """Send a message."""

    peer: Peer
    message: Any


class SetTimer(Effect, frozen=True):
    """Let :class:`TimerExpired` come at a time."""

    key: Key
    at: int


class CancelTimer(Effect, frozen=True):
    """Let a timer not fire. Nothing happens if it is not set."""

    key: Key


class Link(Effect, frozen=True):
    """There is a link of the overlay to this peer from now on."""

    peer: Peer


class Unlink(Effect, frozen=True):
    """There is no link of the overlay to this peer any more."""

    peer: Peer


class Deliver(Effect, frozen=True):
    """Hand something published to the application.

    ``topics`` are those of its topics that the node wants and has not had it on yet; ``missing``
    is how many of the publisher's earlier ones on these topics have not come (yet).
    """

    topics: Topics
    payload: bytes
    publisher: Peer
    hops: int = 0
    missing: int = 0


class Trace(Effect, frozen=True):
    """Note that something happened, for whoever keeps a trace."""

    what: str
    peer: Peer | None = None


Item = TypeVar("Item")


class Randomness(Protocol):
    """A stream of random numbers, the same for the same seed on any machine."""

    def next_u64(self) -> int:
        """Return 64 random bits."""
        ...

    def randbelow(self, bound: int) -> int:
        """Return a whole number in 0 .. bound - 1."""
        ...

    def choice(self, items: Sequence[Item]) -> Item:
        """Return one of the items."""
        ...

    def sample(self, items: Sequence[Item], count: int) -> list[Item]:
        """Return so many different items, or all of them, in random order."""
        ...


class Machine(Protocol):
    """One node's side of a protocol."""

    def handle(self, event: Event, now: int) -> Effects:
        """Take what happened at a time, and return what is to be done, in order."""
        ...

    @property
    def topics(self) -> Topics:
        """What the node wants at present."""
        ...

    def linked(self) -> Iterable[Peer]:
        """Return whom the node is linked to, by its own account, in a fixed order."""
        ...

    def neighbours_on(self, topic: Topic) -> Iterable[Peer]:
        """Return the linked peers that publications on a topic go to, in a fixed order."""
        ...

    def link_states(self) -> Mapping[Peer, LinkState]:
        """Return the state of each link that is not absent."""
        ...

    def check_invariants(self) -> None:
        """Raise AssertionError if the state contradicts itself."""
        ...


@dataclass(frozen=True)
class NodeContext:
    """What a machine is given at its birth.

    Attributes
    ----------
    me
        Who the node is.
    topics
        What it wants, in ascending order.
    random
        Its stream.
    view
        Others and their interests, from an oracle (:mod:`gossamer.protocols.components.views`);
        None where the machine has to find out by itself.
    contacts
        Peers to turn to at first, where there is no oracle.
    repair_rule
        Which links mend an overlay, where the protocol asks a design algorithm for that.
    """

    me: Peer
    topics: Topics
    random: Randomness
    view: Any = None
    contacts: tuple[Peer, ...] = ()
    repair_rule: RepairRule | None = None
