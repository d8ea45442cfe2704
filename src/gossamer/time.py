"""Units of time: every time and duration inside is a whole number of microseconds."""

from __future__ import annotations

import re

from gossamer.errors import ParameterError

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


UNITS = {"us": 1e-6, "ms": 1e-3, "": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
"""Seconds in each unit of a duration that is written as text."""
DURATION = r"(\d+(?:\.\d+)?) ?(us|ms|s|m|h|d|)"
"""Pattern of a duration: a number and a unit."""


def parse_duration(text: str, name: str, *, zero: bool = False) -> float:
    """Return a duration in seconds.

    Parameters
    ----------
    text
        A number with a unit: us, ms, s (also without a unit), m, h or d.
    name
        Name of the option in error messages.
    zero
        Whether 0 is allowed.

    Examples
    --------
    >>> parse_duration("500ms", "--duration"), parse_duration("2h", "--duration")
    (0.5, 7200.0)
    """
    found = re.fullmatch(DURATION, text.strip().lower(), flags=re.ASCII)
    if not found or (float(found[1]) == 0 and not zero):
        raise ParameterError(f"{name} is {text!r}; expected a duration, as in 500ms, 200s or 2h")
    return float(found[1]) * UNITS[found[2]]
