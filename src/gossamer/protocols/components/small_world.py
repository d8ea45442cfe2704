"""Small-world links: how far away on the ring they go (Symphony, Manku et al., USITS 2003).

A link that is as likely to go a distance as that distance is small lets greedy lookups end after
O(log² n / k) hops, for k such links. In Vitis (§III-A1) a node looks among those it has heard of
for the one that is closest to where the link should go.

The distance is drawn once for each link, and goes up or down the ring. Drawn anew at each
selection, the link would never rest, and the paths over it neither.
"""

from __future__ import annotations

import math

from gossamer.protocols.components.identifiers import SPACE, identifier_of_node
from gossamer.protocols.contract import Peer, Randomness

__all__ = ["MAX_POPULATION", "draw_targets", "harmonic_share"]

MAX_POPULATION = 1 << 48


def harmonic_share(unit: float, population: int) -> float:
    """Return how far a link goes, as a share of the ring: from 1/n to a half.

    Parameters
    ----------
    unit
        A number drawn uniformly from 0 to 1.
    population
        How many nodes there are, about.

    Examples
    --------
    >>> harmonic_share(0.0, 1000), harmonic_share(1.0, 1000)
    (0.5, 0.001)
    """
    return 0.5 * math.pow(max(population, 2) / 2, -unit)


def draw_targets(me: Peer, count: int, population: int, random: Randomness) -> tuple[int, ...]:
    """Draw the identifiers that a node's small-world links aim at."""
    here = identifier_of_node(me)
    targets = []
    for _ in range(count):
        distance = int(harmonic_share(random.word() / SPACE, population) * SPACE)
        targets.append((here + (distance if random.below(2) else -distance)) % SPACE)
    return tuple(targets)
