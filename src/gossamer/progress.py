"""How long work tells how far it is: one callable, handed in by whoever shows it."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Progress", "silent"]

Progress = Callable[[str, float], None]
"""Called with what is being done and the share of it that is done, 0 to 1."""


def silent(stage: str, done: float) -> None:
    """Show nothing."""
