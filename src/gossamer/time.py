"""Units of time: every time and duration inside is a whole number of microseconds."""

from __future__ import annotations

__all__ = ["DAY", "HOUR", "SECOND", "microseconds"]

SECOND = 1_000_000
"""Microseconds in a second."""
HOUR = 3_600 * SECOND
"""Microseconds in an hour."""
DAY = 24 * HOUR
"""Microseconds in a day."""


def microseconds(seconds: float) -> int:
    """Return seconds as the nearest whole number of microseconds.

    Examples
    --------
    >>> microseconds(0.5)
    500000
    """
    return round(seconds * SECOND)
