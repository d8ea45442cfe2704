"""The contract of a protocol: events in, effects out.

A machine is one node's side of a protocol. It handles events and returns effects; its host, in a
simulator or a live node, carries the effects out. A machine may rely on this:

1. ``handle`` is not reentrant, and ``now`` never decreases.
2. :class:`Started` is the first event and comes once; no event follows :class:`Leave`.
3. A timer fires once, at its time or later, unless it is set again or cancelled. Setting a timer
   that is set replaces it. Timers of an earlier incarnation never fire.
4. A message may be lost, delayed, duplicated or reordered, and may come from any peer, but it has
   the form of the protocol's messages.
5. Only the machine draws from its random stream.

A machine must be deterministic: equal events at equal times with an equal stream give equal
effects. So it has no clock, does not iterate over sets, hashes no objects, and shares no state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Protocol, runtime_checkable

import msgspec

from gossamer.model.repair import RepairRule
from gossamer.protocols.link_state import LinkState
from gossamer.random_stream import Stream

MAX_CHARACTERS = 255
MAX_TOPICS = 65_536

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_CHARACTERS)]
Peer = int | Name
"""Identifier of a node: a number in a simulation, ``host:port`` on a network."""
Topic = int | Name
Topics = Annotated[tuple[Topic, ...], msgspec.Meta(max_length=MAX_TOPICS)]
"""Distinct topics, in ascending order."""
Key = str | tuple[str, int | str]
"""Key of a timer."""


class Message(
    msgspec.Struct, frozen=True, tag=True, array_like=True, forbid_unknown_fields=True, gc=False
):
    """A message between nodes; each type of message of a protocol is a subclass."""

    def halves(self) -> tuple[Message, ...]:
        """Return messages that together say the same; none if the message cannot be split.

        A wire splits a message that exceeds a frame.
        """
        return ()


class Event(msgspec.Struct, frozen=True, tag=True, array_like=True, gc=False):
    """Something that happened at a node."""


class Started(Event, frozen=True):
    """The node has started."""


class Received(Event, frozen=True):
    """A message has arrived. The host has checked its sender as far as it can."""

    peer: Peer
    message: Any


class TimerExpired(Event, frozen=True):
    """A timer has expired."""

    key: Key


class PeerDown(Event, frozen=True):
    """A peer is unreachable: its connection broke and could not be restored."""

    peer: Peer


class Subscribe(Event, frozen=True):
    """The application subscribes to a topic."""

    topic: Topic


class Unsubscribe(Event, frozen=True):
    """The application unsubscribes from a topic."""

    topic: Topic


class Publish(Event, frozen=True):
    """The application publishes on one or several topics."""

    topics: Topics
    payload: bytes


class InstallLinks(Event, frozen=True):
    """A design replaces the links of the node by these, each with the topics of the peer.

    The peers receive the same links. ``epoch`` increases from one design to the next. Only
    protocols registered with ``installs_links`` accept it.
    """

    neighbours: tuple[tuple[Peer, Topics], ...]
    epoch: int


class Leave(Event, frozen=True):
    """The node is about to leave gracefully."""


class Effect(msgspec.Struct, frozen=True, tag=True, array_like=True, gc=False):
    """Something that the host carries out."""


Effects = list[Effect]


class Send(Effect, frozen=True):
    """Send a message."""

    peer: Peer
    message: Any


class SetTimer(Effect, frozen=True):
    """Set a timer: :class:`TimerExpired` comes at a time in microseconds."""

    key: Key
    at: int


class CancelTimer(Effect, frozen=True):
    """Cancel a timer, if it is set."""

    key: Key


class Link(Effect, frozen=True):
    """The overlay has a link to this peer from now on."""

    peer: Peer


class Unlink(Effect, frozen=True):
    """The overlay has no link to this peer from now on."""

    peer: Peer


class Gap(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Numbers of a publisher's publications on a topic, from first to last."""

    topic: Topic
    first: int
    last: int


class Deliver(Effect, frozen=True):
    """Deliver a publication to the application.

    ``topics`` are those of its topics that the node subscribes to and that it was not delivered on
    before, and ``numbers`` its numbers there: a publisher counts from 1 on each topic. ``missing``
    are earlier publications of the publisher on these topics that have not arrived (yet).
    """

    topics: Topics
    payload: bytes
    publisher: Peer
    hops: int = 0
    numbers: tuple[int, ...] = ()
    missing: tuple[Gap, ...] = ()


class Trace(Effect, frozen=True):
    """Record something in the trace, if there is one."""

    what: str
    peer: Peer | None = None


class Machine(Protocol):
    """One node's side of a protocol."""

    def handle(self, event: Event, now: int) -> Effects:
        """Handle an event at a time in microseconds; return the effects, in order."""
        ...

    @property
    def topics(self) -> Topics:
        """Topics that the node subscribes to."""
        ...

    def linked(self) -> Iterable[Peer]:
        """Return the linked peers, as far as the node knows, in a fixed order."""
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


@runtime_checkable
class CoverageMachine(Protocol):
    """A machine that aims at a number of neighbours on each topic."""

    def is_under_covered(self, subscribers: Callable[[Topic], int]) -> bool:
        """Whether a topic has fewer neighbours than the aim, and than other subscribers.

        ``subscribers`` returns the number of present subscribers of a topic.
        """
        ...


@runtime_checkable
class PublishingMachine(Protocol):
    """A machine that knows which of its publications have left the node."""

    def unsent(self) -> int:
        """Return the number of own publications that no peer has received yet."""
        ...


@dataclass(frozen=True)
class NodeContext:
    """Identity and environment of a node.

    Attributes
    ----------
    me
        Identifier of the node.
    topics
        Topics that it subscribes to, in ascending order.
    random
        Random stream of the node.
    view
        Oracle of other nodes and their interests (:mod:`gossamer.protocols.components.views`); None
        if the machine finds them by gossip.
    contacts
        Peers for the first contact, without an oracle.
    repair_rule
        Function that returns the links that repair an overlay; ElastO calls it.
    """

    me: Peer
    topics: Topics
    random: Stream
    view: Any = None
    contacts: tuple[Peer, ...] = ()
    repair_rule: RepairRule | None = None
