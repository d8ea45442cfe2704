"""Protocols with partial knowledge: pure state machines, one folder each.

A machine has no clock, no input or output, and no randomness of its own. What it may rely on is
in :mod:`gossamer.protocols.contract`; what several machines share is in ``components``.
"""

from gossamer.protocols.registry import (
    ProtocolEntry,
    find_protocol,
    protocols,
    resolve_protocol,
)

__all__ = ["ProtocolEntry", "find_protocol", "protocols", "resolve_protocol"]
