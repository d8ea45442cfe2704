"""Queue groups: of the subscribers of a topic that form a group, one handles each event.

Every member receives every event of the topic. A hash of the event and a member's name ranks the
members (rendezvous hashing, Thaler and Ravishankar 1998); the highest one handles the event, and
the others keep it until that one has acknowledged it. Acknowledgements travel with the heartbeats
of members, on a topic of the group. When a member leaves or is silent, the events that it has not
acknowledged go to the next in rank. So members need to agree only in the end.

A member that joins listens first; until it has heard the others, or that there are none, the
events that arrive are theirs.

Guarantees, beside those of dissemination:

- An event is handled *at least once* while one member stays: none is lost when others crash, unless
  more than ``MAX_KEPT`` events or ``MAX_KEPT_BYTES`` wait for an acknowledgement.
- It is handled *once* while the members stay the same and hear each other. After a crash, the
  member's events of the last ``PERIOD`` seconds, not acknowledged yet, are handled again, about two
  seconds later (``MISSED`` periods) or as soon as its connection breaks. When a member joins,
  events of the moment in which not all know it may be handled twice; so may what the members of
  two groups had while they could not hear each other.
- An event counts as handled when the reader asks for the next one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from hashlib import blake2b
from typing import Annotated

import msgspec

from gossamer.errors import ParameterError
from gossamer.live.published_event import PublishedEvent
from gossamer.live.topics import RESERVED
from gossamer.protocols.contract import MAX_CHARACTERS, Peer, Topic, Topics

PERIOD = 0.5
MISSED = 4
JOIN_SECONDS = 1.0
"""Time for which a member listens after it has heard another one."""
ALONE_SECONDS, MAX_ALONE_SECONDS = 0.5, 3.0
"""Time after which a member that hears none is alone; the longer one while peers are unknown."""
REPLY_SECONDS = 0.05
MAX_KEPT = 16_384
MAX_KEPT_BYTES = 64 << 20
MAX_HANDLED = 1024
"""Acknowledgements in a heartbeat; with as many it is sent at once."""
MAX_MEMBERS = 1024
MAX_MARKED = 256
"""Bytes of a payload that distinguish an event from one with the same number before a restart."""
MASK = (1 << 64) - 1


class GroupBeat(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Heartbeat of a member: whether it handles events, and which ones it has handled."""

    member: Annotated[str, msgspec.Meta(max_length=512)]
    state: Annotated[int, msgspec.Meta(ge=0, le=2)]
    handled: Annotated[tuple[int, ...], msgspec.Meta(max_length=MAX_HANDLED)]


LISTENING, HANDLING, LEAVING = 0, 1, 2
_ENCODER = msgspec.msgpack.Encoder()
_BEATS: msgspec.msgpack.Decoder[GroupBeat] = msgspec.msgpack.Decoder(GroupBeat)


def topic_of_group(topic: str, group: str) -> str:
    """Return the topic on which the members of a group hear each other.

    Examples
    --------
    >>> topic_of_group("work", "workers")
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


def mark_of(event: PublishedEvent, topic: Topic) -> int:
    """Return 64 bits that stand for an event on a topic, the same at each node."""
    number = event.number or event.numbers[event.topics.index(topic)]
    content = f"{event.publisher} {topic} {number} ".encode() + event.payload[:MAX_MARKED]
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "big", signed=True)


def rank(mark: int, seed: int) -> int:
    """Return the rank of a member for an event: splitmix64 of both."""
    mixed = (mark ^ seed) & MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
    return mixed ^ (mixed >> 31)


class _Other:
    """Another member.

    ``since`` is the time from which it handles events, 0 if it did before this one listened; None
    while it only listens.
    """

    __slots__ = ("handles", "heard", "seed", "since")

    def __init__(self, name: str, since: float | None) -> None:
        self.seed = seed_of(name)
        self.since = since
        self.heard = 0.0
        self.handles = False


class GroupMember:
    """A member of a group on one topic.

    Parameters
    ----------
    topic, group
        Topic or pattern, and name of the group.
    name
        Name of the member: that of its node, and a number.
    hand_over
        Called with each event that this member handles.
    publish
        Function that publishes on the topic of the group.
    company
        Function that returns whether other subscribers of the topic of the group are known; None if
        no peer is known yet.
    """

    def __init__(
        self,
        topic: str,
        group: str,
        name: str,
        *,
        hand_over: Callable[[PublishedEvent], None],
        publish: Callable[[str, bytes], None],
        company: Callable[[str], bool | None],
    ) -> None:
        self.channel = topic_of_group(topic, group)
        self.topics: Topics = (topic, self.channel)
        self.lost = 0
        """Number of events that were dropped before a member had acknowledged them."""
        self._name = name
        self._seed = seed_of(name)
        self._hand_over = hand_over
        self._publish = publish
        self._company = company
        self._others: dict[str, _Other] = {}
        self._kept: dict[int, tuple[PublishedEvent, float]] = {}
        """Events that no member has acknowledged, with times of arrival, the oldest first."""
        self._kept_bytes = 0
        self._mine: dict[int, None] = {}
        """Events that the reader of this member has, and has not handled."""
        self._handled: list[int] = []
        self._acknowledged: dict[int, None] = {}
        """Latest acknowledgements of others: one may come before its event."""
        self._state = LISTENING
        self._founder = True
        """Whether no other member handled events when this one began to listen."""
        self._since = 0.0
        self._loop = asyncio.get_running_loop()
        self._started = self._loop.time()
        self._first_heard = 0.0
        self._timer: asyncio.Handle = self._loop.call_soon(self._tick)
        self._early: asyncio.TimerHandle | None = None

    @property
    def members(self) -> int:
        """Number of members that handle events, as far as is known."""
        return (self._state == HANDLING) + sum(one.handles for one in self._others.values())

    @property
    def kept(self) -> int:
        """Number of events that no member has acknowledged."""
        return len(self._kept)

    # -- events --------------------------------------------------------------------------------

    def put(self, event: PublishedEvent) -> None:
        """Receive an event of the topic, or a heartbeat of a member."""
        if self.channel in event.topics:
            try:
                beat = _BEATS.decode(event.payload)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                return
            if beat.member != self._name:
                self._on_beat(beat)
            return
        mark, now = mark_of(event, self.topics[0]), self._loop.time()
        if self._state == HANDLING and self._is_mine(mark, now):
            self._take(mark, event)
        elif mark not in self._acknowledged:
            self._keep(mark, event, now)

    def note_handled(self, event: PublishedEvent) -> None:
        """Acknowledge an event that the reader has handled."""
        mark = mark_of(event, self.topics[0])
        if mark in self._mine:
            del self._mine[mark]
            self._handled.append(mark)
            if len(self._handled) >= MAX_HANDLED:
                self._send()

    def note_unreachable(self, peer: Peer) -> None:
        """Remove the members of a peer whose process has ended."""
        gone = [name for name in self._others if name.rpartition("#")[0] == peer]
        self._remove(gone)

    def close(self) -> None:
        """Leave the group: the others take over what this member has not handled."""
        if self._state != LEAVING:
            self._state = LEAVING
            self._timer.cancel()
            if self._early is not None:
                self._early.cancel()
            self._send()

    # -- members -------------------------------------------------------------------------------

    def _on_beat(self, beat: GroupBeat) -> None:
        now = self._loop.time()
        for mark in beat.handled:
            self._drop(mark)
            self._acknowledged[mark] = None
        while len(self._acknowledged) > MAX_KEPT:
            del self._acknowledged[next(iter(self._acknowledged))]
        if beat.state == LEAVING:
            self._remove([beat.member])
            return
        other = self._others.get(beat.member)
        if other is None:
            if len(self._others) >= MAX_MEMBERS:
                return
            other = self._others[beat.member] = self._introduced(beat)
            self._first_heard = self._first_heard or now
            if self._early is None:
                self._early = self._loop.call_later(REPLY_SECONDS, self._send)
        other.heard = now
        if beat.state == HANDLING and not other.handles:
            other.handles = True
            other.since = now if other.since is None else other.since

    def _introduced(self, beat: GroupBeat) -> _Other:
        """Return another member at its first heartbeat."""
        if beat.state == HANDLING:
            if self._state == LISTENING:
                self._founder = False
            return _Other(beat.member, 0.0)
        handled = self._state == HANDLING or any(one.handles for one in self._others.values())
        return _Other(beat.member, None if handled else 0.0)

    def _remove(self, names: list[str]) -> None:
        """Remove members, and take over those of their events that are now this one's."""
        gone = [name for name in names if self._others.pop(name, None) is not None]
        if gone and self._state == HANDLING:
            self._take_over()

    def _take_over(self) -> None:
        for mark, (event, arrived) in list(self._kept.items()):
            if self._is_mine(mark, arrived):
                self._drop(mark)
                self._take(mark, event)

    def _is_mine(self, mark: int, arrived: float) -> bool:
        """Whether this member has the highest rank of those that handled events at a time."""
        if self._since > arrived:
            return False
        own = rank(mark, self._seed)
        return not any(
            one.since is not None and one.since <= arrived and rank(mark, one.seed) > own
            for one in self._others.values()
        )

    # -- events of others ----------------------------------------------------------------------

    def _take(self, mark: int, event: PublishedEvent) -> None:
        self._mine[mark] = None
        if len(self._mine) > MAX_KEPT:
            del self._mine[next(iter(self._mine))]
        self._hand_over(event)

    def _keep(self, mark: int, event: PublishedEvent, now: float) -> None:
        self._drop(mark)
        self._kept[mark] = (event, now)
        self._kept_bytes += len(event.payload)
        while len(self._kept) > MAX_KEPT or self._kept_bytes > MAX_KEPT_BYTES:
            self._drop(next(iter(self._kept)))
            self.lost += 1

    def _drop(self, mark: int) -> None:
        found = self._kept.pop(mark, None)
        if found is not None:
            self._kept_bytes -= len(found[0].payload)

    # -- time ----------------------------------------------------------------------------------

    def _tick(self) -> None:
        """Drop silent members, begin to handle events when it is time, and send a heartbeat."""
        now = self._loop.time()
        period = PERIOD * max(1.0, len(self._others) / 20)
        if self._state == LISTENING:
            period /= 4
            if now - (self._first_heard or self._started) >= self._seconds_to_listen():
                self._begin(now)
        limit = now - MISSED * PERIOD * max(1.0, len(self._others) / 20)
        self._remove([name for name, one in self._others.items() if one.heard < limit])
        self._send()
        self._timer = self._loop.call_later(period, self._tick)

    def _seconds_to_listen(self) -> float:
        if self._first_heard:
            return JOIN_SECONDS
        return ALONE_SECONDS if self._company(self.channel) is False else MAX_ALONE_SECONDS

    def _begin(self, now: float) -> None:
        """Handle events from now on; a founder also those that have arrived."""
        self._state = HANDLING
        if self._founder:
            self._take_over()
        else:
            self._since = now
            self._kept.clear()
            self._kept_bytes = 0

    def _send(self) -> None:
        if self._early is not None:
            self._early.cancel()
            self._early = None
        handled, self._handled = self._handled[:MAX_HANDLED], self._handled[MAX_HANDLED:]
        beat = GroupBeat(self._name, self._state, tuple(handled))
        self._publish(self.channel, _ENCODER.encode(beat))


def seed_of(name: str) -> int:
    """Return 64 bits that stand for a member."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big")
