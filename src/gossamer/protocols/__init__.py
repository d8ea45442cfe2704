"""Protocols with partial knowledge: pure state machines, one folder each.

A machine has no clock, no input or output, and no randomness of its own. What it may rely on is
in :mod:`gossamer.protocols.contract`; what several machines share is in ``components``. The names
that a protocol of one's own needs can be imported from here.
"""

from gossamer.protocols.components.composed_machine import ComposedMachine
from gossamer.protocols.components.failure_detector import MissedHeartbeats
from gossamer.protocols.contract import (
    CancelTimer,
    Message,
    NodeContext,
    Peer,
    Send,
    SetTimer,
    Topic,
    Topics,
    Trace,
)
from gossamer.protocols.registry import (
    ProtocolEntry,
    find_protocol,
    protocols,
    resolve_protocol,
)

__all__ = [
    "CancelTimer",
    "ComposedMachine",
    "Message",
    "MissedHeartbeats",
    "NodeContext",
    "Peer",
    "ProtocolEntry",
    "Send",
    "SetTimer",
    "Topic",
    "Topics",
    "Trace",
    "find_protocol",
    "protocols",
    "resolve_protocol",
]
