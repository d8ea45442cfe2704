"""Repair of an overlay after a node has joined or left: what is known, and the rule that is asked.

The *shadows* (ElastO, §5) are the nodes among which a repair adds links. Protocols know no design
algorithm: the host of a machine passes one in as a :data:`RepairRule`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class RepairRequest:
    """Shadows by position, and what is known of the overlay around them.

    Only topics of the node that joined or left count; they are numbered from 0.

    Attributes
    ----------
    topics
        Topics of each shadow among these, ascending.
    degrees
        Known degree of each shadow in the whole overlay.
    links
        Known links among the shadows.
    must_connect
        Whether each shadow must be connected on each of its topics. Links through the other
        shadows are allowed.
    preconnected
        Whether each shadow is already connected to the others so marked, on each topic, by links
        elsewhere. A preconnected shadow must be connected too.
    read_only
        Number of shadows, the last ones, that get no links. Their known links count.
    """

    topics: tuple[tuple[int, ...], ...]
    degrees: tuple[int, ...]
    links: tuple[tuple[int, int], ...]
    must_connect: tuple[bool, ...]
    preconnected: tuple[bool, ...]
    read_only: int = 0


RepairRule = Callable[[RepairRequest], list[tuple[int, int]]]
"""Returns the links to add, as pairs of positions, the lower one first."""
