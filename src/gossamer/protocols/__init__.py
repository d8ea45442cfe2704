"""Protocols with partial knowledge: pure state machines, one folder each.

No clock, no input or output, no randomness of their own. What a machine may rely on is in
:mod:`gossamer.protocols.contract`; what several of them use is in ``parts``.
"""

from gossamer.protocols.registry import ProtocolEntry, find_protocol, protocol, protocols

__all__ = ["ProtocolEntry", "find_protocol", "protocol", "protocols"]
