"""Messages as bytes: MessagePack of a protocol's tagged union, checked when decoded."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Any

import msgspec

from gossamer.errors import MessageError
from gossamer.protocols.contract import Message


class Codec:
    """Codec of the messages of one protocol.

    Parameters
    ----------
    messages
        Types of all messages.
    """

    def __init__(self, messages: Iterable[type[Message]]) -> None:
        kinds: Any = reduce(or_, messages)
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(kinds)
        self._latest: Any = None
        self._content = b""

    def encode(self, message: Any) -> bytes:
        """Return a message as bytes; one that is sent to several peers is encoded once."""
        if message is not self._latest:
            self._content = self._encoder.encode(message)
            self._latest = message
        return self._content

    def decode(self, content: bytes | bytearray | memoryview) -> Any:
        """Return the message in bytes, or raise :class:`MessageError`."""
        try:
            return self._decoder.decode(content)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
            raise MessageError(f"not a message of the protocol: {fault}") from None

    def size(self, message: Any) -> int:
        """Return the number of bytes of a message."""
        return len(self.encode(message))
