"""TcoCreator (ElastO, §4.5): an overlay by a design algorithm, at first and from time to time.

It is "a conceptually centralized entity": it knows everybody who is there, and gives each node
its links. What happens between two designs is the protocol's business.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gossamer.errors import ParameterError
from gossamer.model import Interests, Overlay
from gossamer.protocols.contract import InstallLinks
from gossamer.sim.world import World
from gossamer.time import SECOND

__all__ = ["Creator", "creator_of"]

Design = Callable[[Interests], Overlay]


class Creator:
    """Whoever designs the overlay of a world.

    Parameters
    ----------
    design
        Gives an overlay for interests.
    every
        Microseconds between two designs; one at the start alone if not given.
    """

    def __init__(self, design: Design, every: int | None = None) -> None:
        self.created = 0
        """How many overlays were designed: the epoch."""
        self._design = design
        self._every = every

    def attach(self, world: World) -> None:
        """InstallLinks the overlay as soon as time passes, after all who join at once have."""
        world.protocol.require_installed_links()
        world.scheduler.at(world.now, self._due, world, None)

    def create(self, world: World) -> None:
        """Design an overlay for those who are there, and tell each of them its links.

        All are told at one moment, so no message comes between.
        """
        nodes = np.array(sorted(world.index.present), dtype=np.int64)
        if not len(nodes):
            return
        interests = world.interests_of(nodes)
        overlay = self._design(interests)
        self.created += 1
        names = nodes.tolist()
        for at, node in enumerate(names):
            neighbours = tuple(
                (names[other], world.index.topics_of[names[other]] or ())
                for other in overlay.neighbours_of(at).tolist()
            )
            world.tell(node, InstallLinks(neighbours, self.created))

    def _due(self, world: World, _: None) -> None:
        self.create(world)
        if self._every is not None:
            world.scheduler.at(world.now + self._every, self._due, world, None)


def creator_of(name: str, rebuild: float | None, seed: int) -> Creator:
    """Return a creator by the name of its design algorithm, and seconds between two designs."""
    from gossamer.design import find_algorithm

    algorithm = find_algorithm(name)
    if rebuild is not None and not 0.001 <= rebuild <= 1e9:
        raise ParameterError(f"rebuild is {rebuild} seconds; expected 0.001 to 10^9")
    every = None if rebuild is None else round(rebuild * SECOND)
    return Creator(lambda interests: algorithm(interests, seed=seed), every)
