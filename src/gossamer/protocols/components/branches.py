"""Branches: the links of a node on one topic, eager or lazy, and what may prune them."""

from __future__ import annotations

from collections.abc import Iterable

from gossamer.protocols.components.views import order_of
from gossamer.protocols.contract import Peer


class Branches:
    """Links of a node on one topic.

    Attributes
    ----------
    links
        Neighbours: 0 if the link is eager, or the time at which it was pruned.
    eager
        Neighbours with an eager link.
    root, root_heard
        Publisher whose duplicates prune links, and the time of its last one.
    """

    __slots__ = ("eager", "links", "root", "root_heard")

    def __init__(self, neighbours: Iterable[Peer]) -> None:
        self.links: dict[Peer, int] = dict.fromkeys(neighbours, 0)
        self.eager: tuple[Peer, ...] = tuple(self.links)
        self.root: Peer | None = None
        self.root_heard = 0

    def set(self, peer: Peer, pruned: int) -> None:
        """Make the link to a neighbour eager (0) or lazy (the present time)."""
        self.links[peer] = pruned
        self.eager = tuple(one for one, since in self.links.items() if not since)

    def prunes(self, publisher: Peer, now: int, silence: int) -> bool:
        """Whether a duplicate of a publisher prunes: of one at a time, the first by name."""
        if (
            self.root is not None
            and order_of(self.root) < order_of(publisher)
            and now - self.root_heard < silence
        ):
            return False
        self.root, self.root_heard = publisher, now
        return True
