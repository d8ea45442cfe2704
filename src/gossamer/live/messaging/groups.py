"""Queue groups: one member of the group handles each event of a topic.

Every member receives every event of the topic. A hash of the event and a member's name ranks the
members (rendezvous hashing, Thaler and Ravishankar 1998). The member of the highest rank handles
the event, and the others keep it until that member has acknowledged it. Acknowledgements travel
with the members' heartbeats, on a topic of the group. When a member leaves or falls silent, the
next in rank handles the events that it has not acknowledged. Members may therefore disagree for a
while about who belongs to the group, or about which of them an event belongs to: events arrive at
different times, some before a new member handles events and some after it. A member therefore asks
the others about an event that has waited for ``MISSED_HEARTBEATS`` periods. A member that has
handled the event acknowledges it again, and one whose reader holds it says so. If no member
answers, the next in rank handles the event, after as long again for each rank.

A new member listens first, and leaves the events that arrive to the others, until it knows the
members or finds that it is alone.

Guarantees, beside those of dissemination:

- An event is handled *at least once* while one member stays: no event is lost when others crash,
  unless more than ``MAX_UNACKNOWLEDGED`` events or ``MAX_UNACKNOWLEDGED_BYTES`` wait for an
  acknowledgement.
- It is handled *exactly once* while the members stay the same and receive each other's heartbeats.
- After a crash, other members handle again what the crashed one had not acknowledged: its events of
  the last ``PERIOD`` seconds. They do so when its connection breaks, or after
  ``MISSED_HEARTBEATS`` periods, about two seconds.
- Events may be handled twice while a new member is not known to all others, when the heartbeats of
  a member are late by seconds, as those of a process that was paused, and after a partition of the
  network, on both sides of which members handled events.
- An event counts as handled when the reader asks for the next one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from hashlib import blake2b
from itertools import islice
from typing import Annotated

import msgspec

from gossamer.errors import ParameterError
from gossamer.live.events.published_event import PublishedEvent
from gossamer.live.events.topics import RESERVED
from gossamer.protocols.contract import MAX_CHARACTERS, Peer, Topic, Topics

PERIOD = 0.5
MISSED_HEARTBEATS = 4
JOIN_SECONDS = 1.0
"""Time for which a new member listens after the first heartbeat of another one."""
ALONE_SECONDS, MAX_ALONE_SECONDS = 0.5, 3.0
"""Time without heartbeats after which a new member is alone: if no other subscriber of the group's
topic is known, and otherwise."""
REPLY_SECONDS = 0.05
MAX_UNACKNOWLEDGED = 16_384
MAX_UNACKNOWLEDGED_BYTES = 64 << 20
MAX_HANDLED = 1024
"""Maximum number of acknowledgements in a heartbeat, which is sent at once when it has as many."""
MAX_ASKED = 1024
"""Maximum number of events that a heartbeat asks about."""
MAX_MEMBERS = 1024
MAX_HASHED_BYTES = 256
"""Bytes of the payload in an event's identifier: a restarted publisher may repeat a number."""
MASK = (1 << 64) - 1


class GroupHeartbeat(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Heartbeat of a member.

    It has the member's state, the events that it has handled since the last heartbeat, the events
    that it asks about, and those that its reader holds, of which others asked.
    """

    member: Annotated[str, msgspec.Meta(max_length=512)]
    state: Annotated[int, msgspec.Meta(ge=0, le=2)]
    handled: Annotated[tuple[int, ...], msgspec.Meta(max_length=MAX_HANDLED)]
    asked: Annotated[tuple[int, ...], msgspec.Meta(max_length=MAX_ASKED)] = ()
    held: Annotated[tuple[int, ...], msgspec.Meta(max_length=MAX_ASKED)] = ()


LISTENING, HANDLING, LEAVING = 0, 1, 2
_ENCODER = msgspec.msgpack.Encoder()
_HEARTBEATS: msgspec.msgpack.Decoder[GroupHeartbeat] = msgspec.msgpack.Decoder(GroupHeartbeat)


def heartbeat_topic(topic: str, group: str) -> str:
    """Return the topic of a group's heartbeats.

    Examples
    --------
    >>> heartbeat_topic("work", "workers")
    '$group workers work'
    """
    if not isinstance(group, str) or not group or " " in group:
        raise ParameterError(f"group is {group!r}; expected a name without spaces, as in 'workers'")
    name = f"{RESERVED}group {group} {topic}"
    if len(name) > MAX_CHARACTERS:
        raise ParameterError(
            f"group and topic have {len(group) + len(topic)} characters; expected "
            f"{MAX_CHARACTERS - 8} at most"
        )
    return name


def event_id_of(event: PublishedEvent, topic: Topic) -> int:
    """Return the 64-bit identifier of an event on a topic, the same at each node."""
    number = event.number or event.numbers[event.topics.index(topic)]
    content = f"{event.publisher} {topic} {number} ".encode() + event.payload[:MAX_HASHED_BYTES]
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "big", signed=True)


def rank(event_id: int, seed: int) -> int:
    """Return the rank of a member for an event: splitmix64 of the identifier and the seed."""
    mixed = (event_id ^ seed) & MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
    return mixed ^ (mixed >> 31)


class _OtherMember:
    """Another member.

    ``since`` is the time at which it began to handle events: 0 if that was before this member
    listened, None while it only listens.
    """

    __slots__ = ("handles", "heard", "seed", "since")

    def __init__(self, name: str, since: float | None) -> None:
        self.seed = seed_of(name)
        self.since = since
        self.heard = 0.0
        self.handles = False


class _KeptEvent:
    """An event that no member has acknowledged.

    ``waits_since`` is the time of its arrival, or of the latest answer that a reader holds it, and
    ``asked`` the time since which this member asks about it without an answer.
    """

    __slots__ = ("arrived", "asked", "event", "waits_since")

    def __init__(self, event: PublishedEvent, arrived: float) -> None:
        self.event = event
        self.arrived = self.waits_since = arrived
        self.asked: float | None = None


class GroupMember:
    """A member of a group on one topic.

    Parameters
    ----------
    topic, group
        Topic or pattern, and name of the group.
    name
        Name of the member: the address of its node, and a number.
    hand_over
        Function called with each event that this member handles.
    publish
        Function that publishes on the topic of the group.
    has_others
        Function that returns whether other subscribers of the group's topic are known; None if no
        peer is known yet.
    """

    def __init__(
        self,
        topic: str,
        group: str,
        name: str,
        *,
        hand_over: Callable[[PublishedEvent], None],
        publish: Callable[[str, bytes], None],
        has_others: Callable[[str], bool | None],
    ) -> None:
        self.channel = heartbeat_topic(topic, group)
        self.topics: Topics = (topic, self.channel)
        self.lost = 0
        """Number of events that were dropped before any member had acknowledged them."""
        self._name = name
        self._seed = seed_of(name)
        self._hand_over = hand_over
        self._publish = publish
        self._has_others = has_others
        self._others: dict[str, _OtherMember] = {}
        self._unacknowledged: dict[int, _KeptEvent] = {}
        """Events that no member has acknowledged, the oldest first."""
        self._unacknowledged_bytes = 0
        self._taken: dict[int, None] = {}
        """Events that the reader of this member has received but not handled."""
        self._handled: dict[int, None] = {}
        self._held: dict[int, None] = {}
        """Events to say of in the next heartbeat that the reader of this member holds them."""
        self._acknowledged: dict[int, None] = {}
        """Latest acknowledgements: one may arrive before its event, and others may ask for it."""
        self._state = LISTENING
        self._founder = True
        """Whether no other member handled events when this one began to listen."""
        self._since = 0.0
        self._loop = asyncio.get_running_loop()
        self._started = self._loop.time()
        self._first_heard = 0.0
        self._timer: asyncio.Handle = self._loop.call_soon(self._tick)
        self._early_heartbeat: asyncio.TimerHandle | None = None

    @property
    def members(self) -> int:
        """Number of known members that handle events, including this one."""
        return (self._state == HANDLING) + sum(one.handles for one in self._others.values())

    @property
    def unacknowledged(self) -> int:
        """Number of events that no member has acknowledged."""
        return len(self._unacknowledged)

    # -- events --------------------------------------------------------------------------------

    def put(self, event: PublishedEvent) -> None:
        """Receive an event of the topic, or a heartbeat of a member."""
        if self.channel in event.topics:
            try:
                heartbeat = _HEARTBEATS.decode(event.payload)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                return
            if heartbeat.member != self._name:
                self._on_heartbeat(heartbeat)
            return
        event_id, now = event_id_of(event, self.topics[0]), self._loop.time()
        if self._state == HANDLING and self._ranks_first(event_id, now):
            self._take(event_id, event)
        elif event_id not in self._acknowledged:
            self._keep(event_id, event, now)

    def note_handled(self, event: PublishedEvent) -> None:
        """Acknowledge an event that the reader has handled."""
        event_id = event_id_of(event, self.topics[0])
        if event_id in self._taken:
            del self._taken[event_id]
            self._handled[event_id] = None
            self._note_acknowledged(event_id)
            if len(self._handled) >= MAX_HANDLED:
                self._send_heartbeat()

    def note_unreachable(self, peer: Peer) -> None:
        """Remove the members of a peer that is unreachable."""
        gone = [name for name in self._others if name.rpartition("#")[0] == peer]
        self._remove(gone)

    def close(self) -> None:
        """Leave the group: the others handle what this member has not."""
        if self._state != LEAVING:
            self._state = LEAVING
            self._timer.cancel()
            if self._early_heartbeat is not None:
                self._early_heartbeat.cancel()
            self._send_heartbeat()

    # -- members -------------------------------------------------------------------------------

    def _on_heartbeat(self, heartbeat: GroupHeartbeat) -> None:
        now = self._loop.time()
        for event_id in heartbeat.handled:
            self._drop(event_id)
            self._note_acknowledged(event_id)
        if heartbeat.state == LEAVING:
            self._remove([heartbeat.member])
            return
        other = self._others.get(heartbeat.member)
        if other is None:
            if len(self._others) >= MAX_MEMBERS:
                return
            other = self._others[heartbeat.member] = self._new_member(heartbeat)
            self._first_heard = self._first_heard or now
            self._reply()
        other.heard = now
        for event_id in heartbeat.held:
            kept = self._unacknowledged.get(event_id)
            if kept is not None:
                kept.waits_since, kept.asked = now, None
        self._answer(heartbeat.asked)
        if heartbeat.state == HANDLING and not other.handles:
            other.handles = True
            other.since = now if other.since is None else other.since

    def _answer(self, asked: tuple[int, ...]) -> None:
        """Say what this member knows of events that another one asks about."""
        held = [event_id for event_id in asked if event_id in self._taken]
        handled = [event_id for event_id in asked if event_id in self._acknowledged]
        self._held.update(dict.fromkeys(held))
        self._handled.update(dict.fromkeys(handled))
        if held or handled:
            self._reply()

    def _reply(self) -> None:
        if self._early_heartbeat is None and self._state != LEAVING:
            self._early_heartbeat = self._loop.call_later(REPLY_SECONDS, self._send_heartbeat)

    def _new_member(self, heartbeat: GroupHeartbeat) -> _OtherMember:
        """Return the state of another member at its first heartbeat."""
        if heartbeat.state == HANDLING:
            if self._state == LISTENING:
                self._founder = False
            return _OtherMember(heartbeat.member, 0.0)
        handled = self._state == HANDLING or any(one.handles for one in self._others.values())
        return _OtherMember(heartbeat.member, None if handled else 0.0)

    def _remove(self, names: list[str]) -> None:
        """Remove members, and handle those of their events for which this one now ranks first."""
        gone = [name for name in names if self._others.pop(name, None) is not None]
        if gone and self._state == HANDLING:
            self._take_over()

    def _take_over(self) -> None:
        for event_id, kept in list(self._unacknowledged.items()):
            if self._ranks_first(event_id, kept.arrived):
                self._drop(event_id)
                self._take(event_id, kept.event)

    def _ranks_first(self, event_id: int, arrived: float) -> bool:
        """Whether this member ranks first among those that handled events when an event arrived."""
        if self._since > arrived:
            return False
        own = rank(event_id, self._seed)
        return not any(
            one.since is not None and one.since <= arrived and rank(event_id, one.seed) > own
            for one in self._others.values()
        )

    # -- events of others ----------------------------------------------------------------------

    def _take(self, event_id: int, event: PublishedEvent) -> None:
        self._taken[event_id] = None
        if len(self._taken) > MAX_UNACKNOWLEDGED:
            del self._taken[next(iter(self._taken))]
        self._hand_over(event)

    def _keep(self, event_id: int, event: PublishedEvent, now: float) -> None:
        self._drop(event_id)
        self._unacknowledged[event_id] = _KeptEvent(event, now)
        self._unacknowledged_bytes += len(event.payload)
        while (
            len(self._unacknowledged) > MAX_UNACKNOWLEDGED
            or self._unacknowledged_bytes > MAX_UNACKNOWLEDGED_BYTES
        ):
            self._drop(next(iter(self._unacknowledged)))
            self.lost += 1

    def _drop(self, event_id: int) -> None:
        found = self._unacknowledged.pop(event_id, None)
        if found is not None:
            self._unacknowledged_bytes -= len(found.event.payload)

    def _note_acknowledged(self, event_id: int) -> None:
        self._acknowledged[event_id] = None
        if len(self._acknowledged) > MAX_UNACKNOWLEDGED:
            del self._acknowledged[next(iter(self._acknowledged))]

    def _ask(self, now: float, patience: float) -> tuple[int, ...]:
        """Return the events to ask about; handle those of which no member knows.

        The first in rank handles an event that it has asked about for ``patience`` seconds, the
        second one after twice that time, and so on.
        """
        asked: list[int] = []
        for event_id, kept in list(self._unacknowledged.items()):
            if now - kept.waits_since < patience:
                continue
            if kept.asked is not None and now - kept.asked >= patience * (
                1 + self._members_before(event_id)
            ):
                self._drop(event_id)
                self._take(event_id, kept.event)
                self._held[event_id] = None
            elif len(asked) < MAX_ASKED:
                kept.asked = now if kept.asked is None else kept.asked
                asked.append(event_id)
        return tuple(asked)

    def _members_before(self, event_id: int) -> int:
        """Return the number of members that handle events and rank before this one."""
        own = rank(event_id, self._seed)
        others = self._others.values()
        return sum(one.handles and rank(event_id, one.seed) > own for one in others)

    # -- time ----------------------------------------------------------------------------------

    def _tick(self) -> None:
        """Send a heartbeat, remove silent members, and begin to handle events when it is time."""
        now = self._loop.time()
        period = PERIOD * max(1.0, len(self._others) / 20)
        if self._state == LISTENING:
            period /= 4
            if now - (self._first_heard or self._started) >= self._seconds_to_listen():
                self._begin_to_handle(now)
        patience = MISSED_HEARTBEATS * PERIOD * max(1.0, len(self._others) / 20)
        limit = now - patience
        self._remove([name for name, one in self._others.items() if one.heard < limit])
        self._send_heartbeat(self._ask(now, patience) if self._state == HANDLING else ())
        self._timer = self._loop.call_later(period, self._tick)

    def _seconds_to_listen(self) -> float:
        if self._first_heard:
            return JOIN_SECONDS
        return ALONE_SECONDS if self._has_others(self.channel) is False else MAX_ALONE_SECONDS

    def _begin_to_handle(self, now: float) -> None:
        """Handle events from now on; a founder also handles those that have arrived."""
        self._state = HANDLING
        if self._founder:
            self._take_over()
        else:
            self._since = now
            self._unacknowledged.clear()
            self._unacknowledged_bytes = 0

    def _send_heartbeat(self, asked: tuple[int, ...] = ()) -> None:
        if self._early_heartbeat is not None:
            self._early_heartbeat.cancel()
            self._early_heartbeat = None
        handled = tuple(islice(self._handled, MAX_HANDLED))
        held = tuple(islice(self._held, MAX_ASKED))
        for event_id in handled:
            del self._handled[event_id]
        for event_id in held:
            del self._held[event_id]
        heartbeat = GroupHeartbeat(self._name, self._state, handled, asked, held)
        self._publish(self.channel, _ENCODER.encode(heartbeat))
        if self._handled or self._held:
            self._reply()


def seed_of(name: str) -> int:
    """Return the 64-bit hash of a member's name."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big")
