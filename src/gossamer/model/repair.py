"""What a coordinator knows when an overlay is to be mended, and what it asks for.

A node has joined or left. Some nodes, the *shadows*, are looked at to mend what that broke; links
are added among them alone (ElastO, §5). Protocols know no design algorithm, so whoever runs one
hands it in as a :data:`RepairRule`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["RepairRequest", "RepairRule"]


@dataclass(frozen=True)
class RepairRequest:
    """The shadows, by place, and what must hang together again.

    Only the topics of the node that joined or left are looked at; they are numbered from 0.

    Attributes
    ----------
    topics
        Of each shadow, those of these topics that it wants, ascending.
    degrees
        Links that each has, to anybody, so far as is known.
    links
        The links among them that are known.
    needed
        Who must hang together on each topic; the others may help, and need not.
    together
        Who is known to hang together on each topic, by links elsewhere, and is needed too.
    bystanders
        How many of them, the last, get no links: they are known to join others, no more.
    """

    topics: tuple[tuple[int, ...], ...]
    degrees: tuple[int, ...]
    links: tuple[tuple[int, int], ...]
    needed: tuple[bool, ...]
    together: tuple[bool, ...]
    bystanders: int = 0


RepairRule = Callable[[RepairRequest], list[tuple[int, int]]]
"""Returns the links to add among the shadows, by place, each with the lower place first."""
