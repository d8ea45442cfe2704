"""The messages of OPT: those of its parts, and one of its own."""

from __future__ import annotations

from gossamer.protocols.components.neighbour_table import TABLE_MESSAGES, TABLE_UPKEEP
from gossamer.protocols.contract import Message

__all__ = ["MESSAGES", "UPKEEP", "Spare"]


class Spare(Message, frozen=True, tag="spare"):
    """I can do without you. ``agreed``: since you can do without me, let us part."""

    agreed: bool


MESSAGES = (*TABLE_MESSAGES, Spare)
UPKEEP = (*TABLE_UPKEEP, Spare)
