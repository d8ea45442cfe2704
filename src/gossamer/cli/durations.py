"""Durations as people write them: 500ms, 200s, 5m, 2h, 1d."""

from __future__ import annotations

import re

__all__ = ["parse_duration"]

UNITS = {"us": 1e-6, "ms": 1e-3, "": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


def parse_duration(text: str, option: str, *, zero: bool = False) -> float:
    """Return seconds; more than none unless ``zero`` will do.

    Examples
    --------
    >>> parse_duration("500ms", "--until"), parse_duration("2h", "--until")
    (0.5, 7200.0)
    """
    from gossamer.errors import ParameterError

    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(us|ms|s|m|h|d|)", text.strip().lower())
    if not found or (float(found.group(1)) == 0 and not zero):
        raise ParameterError(f"{option} is {text!r}; expected a duration, as in 500ms, 200s or 2h")
    return float(found.group(1)) * UNITS[found.group(2)]
