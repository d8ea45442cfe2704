"""Checks of statements of the TD-CD-ODA paper."""

from __future__ import annotations

from typing import Literal

from gossamer.studies.checks import Names, trend, values_of
from gossamer.studies.statement import Seen


def slight_trend(seen: Seen, direction: Literal["up", "down"], column: str, percent: float) -> bool:
    """Whether a column rises or falls, by some per cent at most from the first to the last row."""
    values = values_of(seen, column)
    return trend(seen, direction, column) and abs(values[-1] / values[0] - 1) <= percent / 100


def opposite_trends(seen: Seen, rising: str, falling: str, rows: Names) -> bool:
    """Whether one column rises and another falls, over some rows."""
    return trend(seen, "up", rising, rows) and trend(seen, "down", falling, rows)
