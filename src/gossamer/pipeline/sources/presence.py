"""Sessions of nodes, shared by the sources of sessions: overlapping sessions are joined."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from gossamer.pipeline.sources.registry import Measured
from gossamer.pipeline.stages.presence import merge_sessions
from gossamer.tables.schema import SESSIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["BEFORE_START", "NOT_AFTER", "Origin", "count_joined", "join_sessions"]

Origin = Literal["zero", "first"]
"""Origin of times: zero, or the start of the first session."""

BEFORE_START = "a session starts before 0 (--origin first counts from the first start)"
NOT_AFTER = "a session does not end after its start"


def join_sessions(sessions: DataFrame, origin: int) -> DataFrame:
    """Join the overlapping sessions of each node, with times from ``origin``.

    Sessions that touch stay separate: the node left and came back.
    """
    from pyspark.sql import functions as f

    shifted = ((f.col(name) - origin).alias(name) for name in ("start", "end"))
    return merge_sessions(sessions).select("node", *shifted)


def count_joined(measured: Measured, rows: Mapping[str, int]) -> dict[str, Any]:
    """Return the number of sessions that were joined to others."""
    return {"overlapping sessions, joined": measured.values["rows"] - rows[SESSIONS.name]}
