"""The decision of a ring: which node is nearer. Nodes are in cyclic order of names."""

from __future__ import annotations

from gossamer.protocols.components.views import order_of
from gossamer.protocols.contract import Peer


def is_between(first: Peer, middle: Peer, last: Peer) -> bool:
    """Whether ``middle`` comes before ``last`` in cyclic order from ``first``.

    If first and last are equal, every other node is between them.

    Examples
    --------
    >>> is_between(1, 5, 9), is_between(9, 1, 5), is_between(1, 9, 5), is_between(4, 7, 4)
    (True, True, False, True)
    """
    if middle in (first, last):
        return False
    a, b, c = order_of(first), order_of(middle), order_of(last)
    if a < c:
        return a < b < c
    return b > a or b < c
