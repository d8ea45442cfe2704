"""Check of an application's timeouts."""

from __future__ import annotations

from gossamer.errors import ParameterError


def check_timeout(timeout: float | None) -> None:
    """Raise ParameterError for a negative timeout.

    Examples
    --------
    >>> check_timeout(-1)
    Traceback (most recent call last):
    ...
    gossamer.errors.ParameterError: timeout is -1 s; expected 0 or more
    """
    if timeout is not None and not timeout >= 0:
        raise ParameterError(f"timeout is {timeout} s; expected 0 or more")
