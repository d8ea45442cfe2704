"""The journal of a live node, and its replay.

The effects of a machine depend only on its events, their times and its random stream. A journal
has them all, with the effects, so a fresh machine that is given the events must answer with the
same effects. :func:`replay` checks that, and shows what a node did.

A journal is a sequence of frames: four bytes of length (big-endian) and a MessagePack value. The
first is the header; then each event with its time is followed by its effects.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from gossamer.errors import MessageError, TableError
from gossamer.host.codec import Codec
from gossamer.model.repair import RepairRule
from gossamer.protocols import find_protocol
from gossamer.protocols.contract import (
    CancelTimer,
    Deliver,
    Effects,
    Event,
    InstallLinks,
    Leave,
    Link,
    NodeContext,
    Peer,
    PeerDown,
    Publish,
    Received,
    Send,
    SetTimer,
    Started,
    Subscribe,
    TimerExpired,
    Topics,
    Trace,
    Unlink,
    Unsubscribe,
)
from gossamer.random_stream import stream_of

EVENTS = (
    Started
    | Received
    | TimerExpired
    | PeerDown
    | Subscribe
    | Unsubscribe
    | Publish
    | InstallLinks
    | Leave
)
EFFECTS = Send | SetTimer | CancelTimer | Link | Unlink | Deliver | Trace


class JournalHeader(msgspec.Struct, frozen=True, tag="journal"):
    """The node of a journal: its protocol with all options, seed, address, topics and contacts."""

    protocol: str
    options: dict[str, Any]
    seed: int
    node: Peer
    topics: Topics
    contacts: tuple[Peer, ...]


@dataclass(frozen=True)
class JournalEntry:
    """An event at a time in microseconds, and its effects; none if the machine failed."""

    time: int
    event: Event
    effects: Effects | None

    @property
    def kind(self) -> str:
        """Type of the event."""
        return type(self.event).__name__

    @property
    def detail(self) -> str:
        """Peer and type of a message, key of a timer, or topic."""
        match self.event:
            case Received(peer, message):
                return f"{message.__struct_config__.tag} from {peer}"
            case PeerDown(peer):
                return str(peer)
            case TimerExpired(key):
                return key if isinstance(key, str) else " ".join(map(str, key))
            case Subscribe(topic) | Unsubscribe(topic):
                return str(topic)
            case Publish(topics, payload):
                return f"{len(payload)} bytes on {', '.join(map(str, topics))}"
            case InstallLinks(neighbours, epoch):
                return f"{len(neighbours)} links of design {epoch}"
        return ""


class Journal:
    """Records events and effects.

    Parameters
    ----------
    codec
        Codec of the protocol's messages.
    """

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._encoder = msgspec.msgpack.Encoder()
        self.content = bytearray()

    def start(self, header: JournalHeader) -> None:
        """Record the node; the first call."""
        self._append(header)

    def record_event(self, now: int, event: Event) -> None:
        """Record an event, before the machine handles it."""
        if type(event) is Received:
            event = Received(event.peer, self._codec.encode(event.message))
        self._append((now, event))

    def record_effects(self, effects: Effects) -> None:
        """Record the effects of the last event."""
        self._append(
            [
                Send(one.peer, self._codec.encode(one.message)) if type(one) is Send else one
                for one in effects
            ]
        )

    def _append(self, value: Any) -> None:
        frame = self._encoder.encode(value)
        self.content += len(frame).to_bytes(4, "big") + frame


def _frames(content: bytes | bytearray) -> Iterator[bytes]:
    place = 0
    while place < len(content):
        size = int.from_bytes(content[place : place + 4], "big")
        frame = bytes(content[place + 4 : place + 4 + size])
        if len(frame) < size:
            raise TableError(f"the journal breaks off after {place} bytes")
        yield frame
        place += 4 + size


def read_journal(content: bytes | bytearray) -> tuple[JournalHeader, list[JournalEntry]]:
    """Return the header of a journal and its entries.

    Raises
    ------
    TableError
        If the content is not a whole journal.
    """
    event_decoder: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(tuple[int, EVENTS])
    effects_decoder: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(list[EFFECTS])
    entries: list[JournalEntry] = []
    frames = _frames(content)
    try:
        header = msgspec.msgpack.decode(next(frames, b""), type=JournalHeader)
        codec = Codec(find_protocol(header.protocol).messages)
        for frame in frames:
            now, event = event_decoder.decode(frame)
            if type(event) is Received:
                event = Received(event.peer, codec.decode(event.message))
            answer = next(frames, None)
            effects: Effects | None = None
            if answer is not None:
                effects = [
                    Send(one.peer, codec.decode(one.message)) if type(one) is Send else one
                    for one in effects_decoder.decode(answer)
                ]
            entries.append(JournalEntry(now, event, effects))
    except (msgspec.MsgspecError, MessageError, UnicodeDecodeError) as fault:
        raise TableError(f"not a journal of gossamer node: {fault}") from None
    return header, entries


@dataclass(frozen=True)
class Difference:
    """The first entry whose effects a fresh machine does not repeat."""

    place: int
    entry: JournalEntry
    effects: Effects


@dataclass(frozen=True)
class Replay:
    """Result of a replay.

    Attributes
    ----------
    header
        Node of the journal.
    entries
        Events with their recorded effects.
    difference
        First difference; None if all effects are equal.
    """

    header: JournalHeader
    entries: list[JournalEntry]
    difference: Difference | None

    @property
    def equal(self) -> bool:
        """Whether all effects are equal."""
        return self.difference is None


def replay(content: bytes | bytearray, *, repair_rule: RepairRule | None = None) -> Replay:
    """Give the events of a journal to a fresh machine and compare the effects.

    Parameters
    ----------
    content
        A journal, whole.
    repair_rule
        Repair rule of the node; ElastO needs it.

    Raises
    ------
    TableError
        If the content is not a whole journal.
    """
    header, entries = read_journal(content)
    protocol = find_protocol(header.protocol)
    context = NodeContext(
        me=header.node,
        topics=header.topics,
        random=stream_of(header.seed, "node", header.node),
        contacts=header.contacts,
        repair_rule=repair_rule,
    )
    machine = protocol.build(context, protocol.configure(header.options))
    for place, entry in enumerate(entries):
        effects = machine.handle(entry.event, entry.time)
        if entry.effects is not None and effects != entry.effects:
            return Replay(header, entries, Difference(place, entry, effects))
    return Replay(header, entries, None)
