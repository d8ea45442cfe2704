"""From a delivery of the machine to the application's event."""

from __future__ import annotations

from gossamer.errors import MessageError
from gossamer.live.events.envelope import MARK, Envelope, decode_envelope
from gossamer.live.events.parts import Assembler
from gossamer.live.events.published_event import PublishedEvent
from gossamer.live.transport.limits import NetworkLimits
from gossamer.protocols.contract import Deliver, Peer


class EventDecoder:
    """Decoder of received events: it opens envelopes and assembles parts.

    Parameters
    ----------
    limits
        Limits of the node.
    """

    def __init__(self, limits: NetworkLimits) -> None:
        self.unreadable = 0
        """Number of malformed envelopes, and of those of another version."""
        self._assembler = Assembler(
            limits.payload_bytes + (1 << 16), limits.assembly_bytes, limits.assembly_seconds
        )

    @property
    def incomplete(self) -> int:
        """Number of events given up because parts were missing or took too much memory."""
        self._assembler.drop_old()
        return self._assembler.incomplete

    def event_of(self, effect: Deliver) -> PublishedEvent | None:
        """Return the event of a delivery; None if it is incomplete or unreadable."""
        topics = effect.topics
        if effect.payload[:1] != MARK:
            return PublishedEvent(
                topics, effect.payload, effect.publisher, effect.hops, effect.numbers,
                effect.missing, topics[0],  # type: ignore[arg-type]
            )  # fmt: skip
        envelope = self.decode(effect.publisher, effect.payload)
        if envelope is None:
            return None
        own = next((topic for topic in envelope.topics if topic in topics), None)
        return PublishedEvent(
            topics,
            envelope.payload,
            effect.publisher,
            effect.hops,
            effect.numbers,
            effect.missing,
            own or (envelope.topics[0] if envelope.topics else ""),
            envelope.headers,
            envelope.number,
            envelope.request,
        )

    def decode(self, publisher: Peer, content: bytes) -> Envelope | None:
        """Decode the content of a peer; return None if it is incomplete or unreadable."""
        try:
            found = decode_envelope(content)
            if isinstance(found, Envelope):
                return found
            whole = self._assembler.add(publisher, found)
            if whole is None:
                return None
            found = decode_envelope(whole)
        except MessageError:
            self.unreadable += 1
            return None
        return found if isinstance(found, Envelope) else None
