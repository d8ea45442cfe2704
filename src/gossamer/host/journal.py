"""The journal of a life, and living it again.

What a machine does depends on its events, their times, and its stream alone. So a journal of
(time, event) from a live node, given to a fresh machine with an equal context, must bring equal
effects: that is what it means that both worlds run the same code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from gossamer.errors import MessageError
from gossamer.host.codec import Codec
from gossamer.protocols.contract import (
    Effect,
    Event,
    InstallLinks,
    Leave,
    Machine,
    PeerDown,
    Publish,
    Received,
    Started,
    Subscribe,
    TimerExpired,
    Unsubscribe,
)

__all__ = ["Journal", "read_journal", "replay"]

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


class Journal:
    """Keeps events with their times, as bytes: one MessagePack value after another.

    Parameters
    ----------
    codec
        Of the protocol's messages.
    """

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._encoder = msgspec.msgpack.Encoder()
        self.content = bytearray()

    def __call__(self, now: int, event: Event) -> None:
        """Add an event."""
        if type(event) is Received:
            event = Received(event.peer, self._codec.encode(event.message))
        one = self._encoder.encode((now, event))
        self.content += len(one).to_bytes(4, "big") + one


def read_journal(content: bytes | bytearray, codec: Codec) -> Iterator[tuple[int, Event]]:
    """Return the events of a journal with their times."""
    decoder: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(tuple[int, EVENTS])
    place = 0
    while place < len(content):
        size = int.from_bytes(content[place : place + 4], "big")
        one = bytes(content[place + 4 : place + 4 + size])
        if len(one) < size:
            raise MessageError(f"the journal breaks off after {place} bytes")
        try:
            now, event = decoder.decode(one)
        except msgspec.MsgspecError as fault:
            raise MessageError(f"not a journal: {fault}") from None
        if type(event) is Received:
            event = Received(event.peer, codec.decode(event.message))
        yield now, event
        place += 4 + size


def replay(
    machine: Machine, events: Iterable[tuple[int, Event]]
) -> Iterator[tuple[int, list[Effect]]]:
    """Give a machine the events of a journal; return what it answers to each."""
    for now, event in events:
        yield now, machine.handle(event, now)
