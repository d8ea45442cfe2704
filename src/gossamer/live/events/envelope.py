"""The envelope of an event: its number, topics and headers, in front of the payload.

An event without headers and patterns that is not a request travels as its payload alone. Any other
event has an envelope: ``MARK``, a version, and MessagePack. No UTF-8 text and no MessagePack begin
with the byte ``MARK``; a payload that does gets an envelope too, so the two are never confused.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any

import msgspec

from gossamer.errors import MessageError, ParameterError
from gossamer.protocols.contract import MAX_CHARACTERS

MARK = b"\xc1"
VERSION = b"\x01"
PREFIX = MARK + VERSION
MAX_HEADERS = 64
MAX_HEADER_CHARACTERS = 4096
MAX_HEADER_BYTES = 16 << 10
NO_HEADERS: Mapping[str, str] = MappingProxyType({})

Number = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
HeaderText = Annotated[str, msgspec.Meta(max_length=MAX_HEADER_CHARACTERS)]
Headers = Annotated[dict[HeaderText, HeaderText], msgspec.Meta(max_length=MAX_HEADERS)]
TopicName = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_CHARACTERS)]


class Envelope(
    msgspec.Struct, frozen=True, array_like=True, tag=1, forbid_unknown_fields=True, gc=False
):
    """An event with its number, topics and headers.

    Attributes
    ----------
    number
        Number of the event, unique among the envelopes of its publisher.
    topics
        Topics of the event, without the patterns that match them.
    headers
        Headers of the event.
    request
        Whether the publisher waits for an answer with this number.
    payload
        Content of the event.
    """

    number: Number
    topics: Annotated[tuple[TopicName, ...], msgspec.Meta(max_length=MAX_HEADERS)]
    headers: Headers
    request: bool
    payload: bytes


class Part(
    msgspec.Struct, frozen=True, array_like=True, tag=2, forbid_unknown_fields=True, gc=False
):
    """A part of an envelope that is too large for one publication.

    Attributes
    ----------
    number
        Number of the event.
    index, count
        Position of the part, from 0, and the number of parts.
    size
        Size of the whole envelope in bytes.
    content
        Bytes of this part.
    """

    number: Number
    index: Number
    count: Annotated[int, msgspec.Meta(ge=1, le=1 << 20)]
    size: Annotated[int, msgspec.Meta(ge=1, le=1 << 40)]
    content: bytes


_ENCODER = msgspec.msgpack.Encoder()
_DECODER: msgspec.msgpack.Decoder[Envelope | Part] = msgspec.msgpack.Decoder(Envelope | Part)


def encode_envelope(content: Envelope | Part) -> bytes:
    """Return the bytes of an envelope or part.

    Examples
    --------
    >>> one = Envelope(7, ("orders",), {"lang": "fr"}, False, b"three teapots")
    >>> decode_envelope(encode_envelope(one)) == one
    True
    """
    return PREFIX + _ENCODER.encode(content)


def decode_envelope(content: bytes) -> Envelope | Part:
    """Return the envelope or part in bytes that begin with ``MARK``.

    Raises
    ------
    MessageError
        If they are of another version, or malformed.
    """
    if content[:2] != PREFIX:
        raise MessageError(f"an envelope of version {content[1:2]!r}; expected {VERSION!r}")
    try:
        return _DECODER.decode(memoryview(content)[2:])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise MessageError(f"not an envelope: {fault}") from None


def check_headers(headers: Any) -> dict[str, str]:
    """Return headers; raise ParameterError unless they are a small mapping of texts."""
    if not isinstance(headers, Mapping):
        raise ParameterError(
            f"headers is {headers!r:.80}; expected a mapping, as in {{'lang': 'fr'}}"
        )
    size = 0
    for name, value in headers.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise ParameterError(f"a header is {name!r:.40}: {value!r:.40}; expected two strings")
        if max(len(name), len(value)) > MAX_HEADER_CHARACTERS:
            raise ParameterError(
                f"a header has {max(len(name), len(value)):,} characters; expected "
                f"{MAX_HEADER_CHARACTERS:,} at most"
            )
        size += len(name.encode()) + len(value.encode())
    if len(headers) > MAX_HEADERS or size > MAX_HEADER_BYTES:
        raise ParameterError(
            f"{len(headers)} headers have {size:,} bytes; expected at most {MAX_HEADERS} of "
            f"{MAX_HEADER_BYTES:,} bytes"
        )
    return dict(headers)
