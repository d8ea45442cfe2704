"""Initial overlay: designed with full knowledge, installed at the start and periodically.

It is the TcoCreator of ElastO (§4.5), "a conceptually centralized entity". Between two designs the
protocol maintains the overlay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import overload

import numpy as np

from gossamer.errors import ParameterError
from gossamer.model import Interests, Overlay
from gossamer.protocols.contract import InstallLinks
from gossamer.sim.world import World
from gossamer.time import SECOND


class InitialOverlay:
    """Designs overlays of the present nodes, and installs their links.

    Parameters
    ----------
    design
        Design algorithm: interests in, overlay out.
    period
        Microseconds between two designs; only one at the start if not given.
    """

    def __init__(self, design: Callable[[Interests], Overlay], period: int | None = None) -> None:
        self.epoch = 0
        """Number of overlays designed so far."""
        self._design = design
        self._period = period

    def attach(self, world: World) -> None:
        """Schedule the first design right after the nodes that join at the start."""
        world.protocol.require_installed_links()
        world.scheduler.at(world.now, self._expire, world, None)

    def install(self, world: World) -> None:
        """Design an overlay of the present nodes, and install the links of each at one moment."""
        nodes = np.array(sorted(world.index.present), dtype=np.int64)
        if not len(nodes):
            return
        overlay = self._design(world.interests_of(nodes))
        self.epoch += 1
        names = nodes.tolist()
        for at, node in enumerate(names):
            neighbours = tuple(
                (names[other], world.index.topics_of[names[other]] or ())
                for other in overlay.neighbours_of(at).tolist()
            )
            world.inject(node, InstallLinks(neighbours, self.epoch))

    def _expire(self, world: World, _: None) -> None:
        self.install(world)
        if self._period is not None:
            world.scheduler.at(world.now + self._period, self._expire, world, None)


@overload
def initial_overlay_of(algorithm: str, rebuild: float | None, seed: int) -> InitialOverlay: ...
@overload
def initial_overlay_of(
    algorithm: str | None, rebuild: float | None, seed: int
) -> InitialOverlay | None: ...
def initial_overlay_of(
    algorithm: str | None, rebuild: float | None, seed: int
) -> InitialOverlay | None:
    """Return the initial overlay of a design algorithm, with seconds between two designs.

    The algorithm may have options, as in ``low-oda:rho=5``.
    """
    if algorithm is None:
        if rebuild is not None:
            raise ParameterError("rebuild is for an initial overlay; name its algorithm too")
        return None
    from gossamer.design.registry import resolve_algorithm

    found, options = resolve_algorithm(algorithm)
    if rebuild is not None and not 0.001 <= rebuild <= 1e9:
        raise ParameterError(f"rebuild is {rebuild} seconds; expected 0.001 to 10^9")
    period = None if rebuild is None else round(rebuild * SECOND)
    return InitialOverlay(lambda interests: found(interests, seed=seed, **options), period)
