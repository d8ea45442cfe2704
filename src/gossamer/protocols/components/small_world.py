"""Small-world links and their lengths on the ring (Symphony, Manku et al., USITS 2003).

If the length of links has a harmonic distribution, greedy lookups take O(log² n / k) hops for k
such links. In Vitis (§III-A1) a node links to the known node that is closest to the link's target.

The length of each link is drawn once, in either direction, as a quantile. If it were drawn at each
selection, links and the paths over them would never converge.

Lengths depend on the number of nodes, which a node estimates from the gaps to its ring neighbours.
As in Symphony (§3.4), targets change only when the estimate has doubled or halved.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gossamer.protocols.components.identifiers import SPACE, clockwise, identifier_of_node
from gossamer.protocols.contract import Peer
from gossamer.random_stream import Stream

MAX_POPULATION = 1 << 48
MIN_POPULATION = 2
"""Number of nodes that a node assumes until it has ring neighbours."""


class LinkLength(NamedTuple):
    """Quantile of a link's length, and its direction."""

    unit: float
    clockwise: bool


def harmonic_share(unit: float, population: int) -> float:
    """Return the length of a link as a share of the ring: from 1/n to a half.

    Parameters
    ----------
    unit
        Uniform random number from 0 to 1.
    population
        Approximate number of nodes.

    Examples
    --------
    >>> harmonic_share(0.0, 1000), harmonic_share(1.0, 1000)
    (0.5, 0.001)
    """
    return 0.5 * math.pow(max(population, 2) / 2, -unit)


def draw_lengths(count: int, random: Stream) -> tuple[LinkLength, ...]:
    """Draw the lengths of a node's small-world links."""
    return tuple(
        LinkLength(random.next_u64() / SPACE, bool(random.randbelow(2))) for _ in range(count)
    )


def targets_of(me: Peer, lengths: tuple[LinkLength, ...], population: int) -> tuple[int, ...]:
    """Return the targets of a node's small-world links among a number of nodes."""
    here = identifier_of_node(me)
    distances = (int(harmonic_share(one.unit, population) * SPACE) for one in lengths)
    return tuple(
        (here + (distance if one.clockwise else -distance)) % SPACE
        for one, distance in zip(lengths, distances, strict=True)
    )


def estimate_population(predecessor: Peer, successor: Peer) -> int:
    """Return the number of nodes, by the two gaps beside a node on the ring.

    Identifiers are uniform, so n nodes have gaps of 1/n of the ring on average.
    """
    around = clockwise(identifier_of_node(predecessor), identifier_of_node(successor))
    return max(2 * SPACE // (around or SPACE), MIN_POPULATION)


def has_changed(population: float, estimate: float) -> bool:
    """Whether an estimate is less than half, or more than twice, the number in use."""
    return 2 * estimate < population or estimate > 2 * population
