"""The messages of OPT: those of its components, and one of its own."""

from __future__ import annotations

from gossamer.protocols.components.neighbour_table import TABLE_BACKGROUND, TABLE_MESSAGES
from gossamer.protocols.contract import Message


class Spare(Message, frozen=True, tag="spare"):
    """The sender can spare the receiver; ``agreed`` answers such a message."""

    agreed: bool


MESSAGES = (*TABLE_MESSAGES, Spare)
BACKGROUND_MESSAGES = (*TABLE_BACKGROUND, Spare)
