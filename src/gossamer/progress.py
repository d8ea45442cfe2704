"""Progress of long computations: a callback with the current step and the fraction done."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, float], None]
"""Receives the current step and the fraction of it that is done, 0 to 1."""


def silent(stage: str, done: float) -> None:
    """Ignore progress."""
