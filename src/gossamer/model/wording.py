"""Names in messages: quoted, and shortened."""

from __future__ import annotations

from typing import Any

import numpy as np

MAX_CHARACTERS = 60
"""Number of characters of a name in a message."""


def quoted(name: Any) -> str:
    """Return the ``repr`` of a name; a very long one is shortened, with its length.

    Examples
    --------
    >>> quoted("ann"), quoted(7)
    ("'ann'", '7')
    >>> quoted("ab" * 100_000).endswith("ab'… (200,000 characters)")
    True
    """
    plain = name.item() if isinstance(name, np.generic) else name
    if isinstance(plain, str) and len(plain) > MAX_CHARACTERS:
        return f"{plain[:MAX_CHARACTERS]!r}… ({len(plain):,} characters)"
    return repr(plain)
