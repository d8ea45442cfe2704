"""Deliveries of the machine as events: envelopes are opened, and parts assembled."""

from __future__ import annotations

from gossamer.errors import MessageError
from gossamer.live.envelope import MARK, Envelope, disclose
from gossamer.live.limits import NetworkLimits
from gossamer.live.parts import Assembler
from gossamer.live.published_event import PublishedEvent
from gossamer.protocols.contract import Deliver, Peer


class Inbound:
    """Opens what peers have enclosed.

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
        """Number of events whose parts have not all arrived in time, or had no room."""
        self._assembler.drop_old()
        return self._assembler.incomplete

    def event(self, effect: Deliver) -> PublishedEvent | None:
        """Return the event of a delivery; None if further parts of it must come."""
        topics = effect.topics
        if effect.payload[:1] != MARK:
            return PublishedEvent(
                topics, effect.payload, effect.publisher, effect.hops, effect.numbers,
                effect.missing, topics[0],  # type: ignore[arg-type]
            )  # fmt: skip
        envelope = self.open(effect.publisher, effect.payload)
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

    def open(self, publisher: Peer, content: bytes) -> Envelope | None:
        """Return the envelope in a content; None if it is incomplete or unreadable."""
        try:
            found = disclose(content)
            if isinstance(found, Envelope):
                return found
            whole = self._assembler.add(publisher, found)
            if whole is None:
                return None
            found = disclose(whole)
        except MessageError:
            self.unreadable += 1
            return None
        return found if isinstance(found, Envelope) else None
