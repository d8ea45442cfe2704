"""How names are said in a message: quoted, and never longer than a line takes."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["quoted"]

MOST = 60
"""Letters of a name that are said."""


def quoted(name: Any) -> str:
    """Return a name as Python would write it; a very long one is cut short, with its length.

    Examples
    --------
    >>> quoted("ann"), quoted(7)
    ("'ann'", '7')
    >>> quoted("ab" * 100_000).endswith("ab'… (200,000 letters)")
    True
    """
    plain = name.item() if isinstance(name, np.generic) else name
    if isinstance(plain, str) and len(plain) > MOST:
        return f"{plain[:MOST]!r}… ({len(plain):,} letters)"
    return repr(plain)
