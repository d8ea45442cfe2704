"""The trace of a run: one table for simulations and live nodes.

A row has a time, a node, what happened, and if there is one, the peer and the type of message.
Digests of traces compare two runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, NamedTuple

from gossamer.protocols.contract import Peer


class TraceRow(NamedTuple):
    """One row of a trace."""

    time: int
    node: Peer
    what: str
    peer: Peer | None
    message: str | None


class Tracer:
    """Recorder of a trace. ``rows`` grows until the caller clears it."""

    def __init__(self) -> None:
        self.rows: list[TraceRow] = []

    def record(self, time: int, node: Peer, what: str, peer: Peer | None, message: Any) -> None:
        """Add a row."""
        kind = None if message is None else message.__struct_config__.tag
        self.rows.append(TraceRow(time, node, what, peer, kind))


def trace_digest(rows: Iterable[TraceRow]) -> str:
    """Return a digest of a trace: equal for equal rows in equal order, on every platform.

    Examples
    --------
    >>> trace_digest([TraceRow(5, 1, "send", 2, "connect")])
    '7be94059ea55ec3897a56536de3ec3ce'
    """
    digest = hashlib.blake2b(digest_size=16)
    for row in rows:
        digest.update(repr(tuple(row)).encode())
    return digest.hexdigest()
